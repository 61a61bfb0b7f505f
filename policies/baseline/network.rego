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
