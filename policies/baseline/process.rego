package sallyport.rules.baseline

# METADATA
# title: Starts another program
# description: |
#   Whatever is started is not code that was judged, and need not be Python or JavaScript at
#   all. The sandbox makes it fail as well.
# custom:
#   id: process
#   severity: critical
#   capability: process
#   cwe: CWE-78
#   controls: [NIST 800-53 SC-39, ISO 27001 A.8.19, PCI DSS 6.2.4]
#   remediation: Do the work in the language itself, with its standard library.
deny contains {
	"rule": "process",
	"symbol": name,
	"message": sprintf("%s can start, fork or signal a process, and only the judged code may run", [name]),
} if {
	some name in input.capabilities.process
}
