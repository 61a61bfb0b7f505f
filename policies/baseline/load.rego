package sallyport.rules.baseline

# METADATA
# title: Loads code by name or path
# description: |
#   A module that is loaded by a name the source does not show escapes judgement.
# custom:
#   id: code-load
#   severity: high
#   capability: code.load
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7, ISO 27001 A.8.19]
#   remediation: Import the module by its name, with an import statement or require.
deny contains {
	"rule": "code-load",
	"symbol": name,
	"message": sprintf("%s loads code that the source does not name", [name]),
} if {
	some name in input.capabilities["code.load"]
	not names_module(name)
}

# A call with a constant name says what it loads, and is judged by that.
names_module(name) if {
	name in {"importlib.import_module", "importlib.reload"}
	every use in object.get(input.source.uses, name, []) {
		use.how in {"call", "import"}
		not conceals(use)
	}
}

conceals(use) if use.splat

conceals(use) if {
	use.how == "call"
	not use.args[0].known
}

# METADATA
# title: Imports a module whose name is not constant
# description: |
#   Any module could be meant, also one that is denied.
# custom:
#   id: import-dynamic
#   severity: high
#   capability: code.load
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7, ISO 27001 A.8.19]
#   remediation: Import the modules that may be needed by their names, and choose among them.
deny contains {
	"rule": "import-dynamic",
	"span": span,
	"message": "a module is loaded here by a name that is not constant, so that it could be any",
} if {
	some span in input.source.dynamic.import
}
