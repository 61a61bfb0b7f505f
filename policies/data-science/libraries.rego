package sallyport.rules["data-science"]

# METADATA
# title: Imports a library that is not for data work
# description: |
#   Each further library is more code that nobody looked at.
# custom:
#   id: library-not-listed
#   severity: high
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7(5), ISO 27001 A.8.19]
#   remediation: Use one of the listed libraries, or ask for another pack.
deny contains {
	"rule": "library-not-listed",
	"symbol": module,
	"message": sprintf("%s is neither in the standard library nor on the list of data libraries", [module]),
} if {
	some module in input.capabilities.unknown
	module in input.source.imports
	not startswith(module, ".")
}

# METADATA
# title: Allows pickles in an array file
# description: |
#   A pickle names the code that runs while it is read.
# custom:
#   id: pickled-array
#   severity: high
#   capability: deserialize
#   cwe: CWE-502
#   controls: [NIST 800-53 SI-10]
#   remediation: Save arrays without objects, and load them without allow_pickle.
deny contains {
	"rule": "pickled-array",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s with allow_pickle can run code that the file names", [name]),
} if {
	some name in ["numpy.load", "numpy.lib.npyio.load"]
	some use in input.source.uses[name]
	some arg in use.args
	arg.name == "allow_pickle"
	arg.value != false
}
