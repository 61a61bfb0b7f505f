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
#   remediation: Pass the data in as an input file, and return results as output.
deny contains {
	"rule": "network",
	"symbol": name,
	"message": sprintf("%s reaches the network, which does not exist in the sandbox", [name]),
} if {
	some name in input.capabilities.network
}
