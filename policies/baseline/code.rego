package sallyport.rules.baseline

# METADATA
# title: Turns text into code
# description: |
#   Code that is made while the program runs was judged by nobody.
# custom:
#   id: code-eval
#   severity: high
#   capability: code.eval
#   cwe: CWE-95
#   controls: [NIST 800-53 SI-10, OWASP ASVS 5.2.4]
#   remediation: Write the code out, or read data with a parser (JSON.parse in JavaScript, ast.literal_eval in Python).
deny contains {
	"rule": "code-eval",
	"symbol": name,
	"message": sprintf("%s turns text into running code, which nobody can judge beforehand", [name]),
} if {
	some name in input.capabilities["code.eval"]
	not takes_known_text(name)
}

# METADATA
# title: Runs text that was built while the program runs
# description: |
#   The text is not a constant, so that what it will do cannot be known.
# custom:
#   id: code-text
#   severity: critical
#   capability: code.eval
#   cwe: CWE-94
#   controls: [NIST 800-53 SI-10, OWASP ASVS 5.2.4]
#   remediation: Write the code out, or look values up in a table instead of building code.
deny contains {
	"rule": "code-text",
	"span": span,
	"message": "text that is not constant becomes code here, so that nobody can know what will run",
} if {
	some span in input.source.dynamic.code
}

# Measuring a function, running the examples of a docstring, or asking for the
# types of parameters is no reason to stop a program. A constant text has been
# read as code of the program; any other is found by code-text.
takes_known_text(name) if {
	name in {
		"timeit", "timeit.timeit", "timeit.repeat", "timeit.Timer", "timeit.Timer.autorange", "timeit.Timer.repeat",
		"timeit.Timer.timeit", "doctest", "doctest.testmod", "typing.get_type_hints", "inspect.get_annotations",
	}
	every use in object.get(input.source.uses, name, []) {
		use.how in {"call", "import"}
	}
}
