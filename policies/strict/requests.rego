package sallyport.requests.strict

# METADATA
# title: Asks a host that the program does not name
# description: |
#   Which hosts a program asks must stand in its source, where they were judged.
# custom:
#   id: strict-request-host
#   severity: high
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7]
#   remediation: Write the address out in the program, at least with its host.
deny contains {
	"rule": "strict-request-host",
	"message": sprintf("%s does not stand in the program", [input.egress.host]),
} if {
	not input.egress.host in input.source.hosts
}
