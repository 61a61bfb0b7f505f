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
}
