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
#   remediation: Write the code out, or parse the data with a parser such as ast.literal_eval or JSON.parse.
deny contains {
	"rule": "code-eval",
	"symbol": name,
	"message": sprintf("%s turns text into running code, which nobody can judge beforehand", [name]),
} if {
	some name in input.capabilities["code.eval"]
}
