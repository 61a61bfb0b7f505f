package sallyport.rules.strict

# METADATA
# title: Does more than compute
# description: |
#   Under strict a program may compute, and read and write files of its own.
# custom:
#   id: strict-capability
#   severity: high
#   cwe: CWE-250
#   controls: [NIST 800-53 AC-6, CM-7]
#   remediation: Leave it out, or ask for another pack.
deny contains {
	"rule": "strict-capability",
	"symbol": name,
	"message": sprintf("%s: strict code may only compute (%s)", [name, capability]),
} if {
	some capability in [
		"code.eval", "code.load", "deserialize", "environment", "introspection",
		"native", "network", "process", "signals", "thread",
	]
	some name in input.capabilities[capability]
}

# METADATA
# title: Uses something that nobody has classified
# description: |
#   Neither known to be harmful nor harmless is not good enough here.
# custom:
#   id: strict-unknown
#   severity: high
#   cwe: CWE-1104
#   controls: [NIST 800-53 CM-7(5)]
#   remediation: Use a symbol of a listed module.
deny contains {
	"rule": "strict-unknown",
	"symbol": name,
	"message": sprintf("%s is not in the capability catalog", [name]),
} if {
	some name in input.capabilities.unknown
}

# METADATA
# title: Uses a file whose path is not constant
# description: |
#   Which file is used must stand in the source.
# custom:
#   id: strict-path
#   severity: medium
#   cwe: CWE-73
#   controls: [NIST 800-53 AC-3]
#   remediation: Write the path out.
deny contains {
	"rule": "strict-path",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s: the path is not a constant, so that it could be any file", [name]),
} if {
	some capability in ["filesystem.read", "filesystem.write"]
	some name in input.capabilities[capability]
	some use in input.source.uses[name]
	use.how != "import"
	not constant_path(use)
}

# METADATA
# title: Writes files
# description: |
#   Under strict a program may read the files that it is given, and answer on its output.
# custom:
#   id: strict-write
#   severity: medium
#   capability: filesystem.write
#   cwe: CWE-732
#   controls: [NIST 800-53 AC-3]
#   remediation: Print the result, or ask for another pack.
deny contains {
	"rule": "strict-write",
	"symbol": name,
	"message": sprintf("%s can create, change or remove files", [name]),
} if {
	some name in input.capabilities["filesystem.write"]
	not only_reads(name)
}

# A function that opens files both ways tells by its mode, its second argument.
# The method of a path has the mode first, and is taken to write.
only_reads(name) if {
	name in input.capabilities["filesystem.read"]
	name != "pathlib.Path.open"
	every use in input.source.uses[name] {
		not may_write(use)
	}
}

may_write(use) if not use.how in {"call", "import"}

may_write(use) if use.splat

may_write(use) if {
	some i, arg in use.args
	not names_file(i, arg)
	not arg.known
}

may_write(use) if {
	some i, arg in use.args
	not names_file(i, arg)
	regex.match(`^[rbt]*[wax+][rwxabt+]*$`, arg.value)
}

names_file(0, arg) if object.get(arg, "name", "") in {"", "file", "name", "filename", "path"}

constant_path(use) if {
	use.how == "call"
	not use.splat
	is_string(use.args[0].value)
}

constant_path(use) if {
	use.how == "call"
	not use.splat
	count(use.args) == 0
}
