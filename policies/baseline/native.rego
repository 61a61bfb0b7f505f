package sallyport.rules.baseline

# METADATA
# title: Calls machine code
# description: |
#   Machine code is bound by no rule of the language, and what it does cannot be read from the
#   source.
# custom:
#   id: native-code
#   severity: critical
#   capability: native
#   cwe: CWE-114
#   controls: [NIST 800-53 SC-39, ISO 27001 A.8.19, PCI DSS 6.2.4]
#   remediation: Use a library that does the work without loading or calling machine code itself.
deny contains {
	"rule": "native-code",
	"symbol": name,
	"message": sprintf("%s leaves the interpreter for machine code or the bare system", [name]),
} if {
	some name in machine_code
}

machine_code contains name if {
	some name in input.capabilities.native
	not only_compared(name)
}

# An addon of Node's is machine code, whatever it is called before that.
machine_code contains module if {
	input.source.language == "javascript"
	some module in input.source.imports
	endswith(lower(split(module, "?")[0]), ".node")
}
