package sallyport.rules.baseline

# METADATA
# title: Rebuilds objects from data
# description: |
#   Such data can say which code runs while it is read.
# custom:
#   id: deserialize
#   severity: high
#   capability: deserialize
#   cwe: CWE-502
#   controls: [NIST 800-53 SI-10, OWASP A08]
#   remediation: Use a format that is only data, such as JSON, CSV, NPY without pickle, or yaml.safe_load.
deny contains {
	"rule": "deserialize",
	"symbol": name,
	"message": sprintf("%s can run code that the data names", [name]),
} if {
	some name in input.capabilities.deserialize
	not plain_arrays(name)
}

# numpy reads arrays of numbers, unless it is told to take pickles too.
plain_arrays(name) if {
	name in {"numpy.load", "numpy.lib.npyio.load"}
	every use in object.get(input.source.uses, name, []) {
		use.how in {"call", "import"}
		not takes_pickles(use)
	}
}

takes_pickles(use) if use.splat

takes_pickles(use) if count([arg | some arg in use.args; object.get(arg, "name", "") == ""]) > 2

takes_pickles(use) if {
	some arg in use.args
	arg.name == "allow_pickle"
	arg.value != false
}
