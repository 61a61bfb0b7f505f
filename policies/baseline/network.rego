package sallyport.rules.baseline

# METADATA
# title: Uses the network
# description: |
#   The sandbox has no network, and data must not leave by one.
# custom:
#   id: network
#   severity: high
#   capability: network
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7, ISO 27001 A.8.20, PCI DSS 1.4.1]
#   remediation: Pass the data in as an input file and return results as output.
deny contains {
	"rule": "network",
	"symbol": name,
	"message": sprintf("%s reaches the network, and the sandbox has none", [name]),
} if {
	some name in input.capabilities.network
}

# METADATA
# title: Reads from an address
# description: |
#   A function that reads files takes addresses too.
# custom:
#   id: network-url
#   severity: high
#   capability: network
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7, ISO 27001 A.8.20, PCI DSS 1.4.1]
#   remediation: Pass the data in as an input file and read it by its name in the work directory.
deny contains {
	"rule": "network-url",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s is given %q, and the sandbox has no network", [name, arg.value]),
} if {
	some name in input.capabilities["filesystem.read"]
	some use in input.source.uses[name]
	some arg in use.args
	is_string(arg.value)
	regex.match(`^(https?|ftps?|s3|gs|gcs|hdfs|abfss?)://`, arg.value)
}
