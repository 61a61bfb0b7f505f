# METADATA
# title: Rules of house
# description: What a house might add; libraries that were replaced, card numbers, and a question before files are written.
package sallyport.rules.house

# METADATA
# title: Uses a library that is not allowed here
# description: |
#   These libraries were replaced by others. The list is in data.json, so that
#   a change of it is no change of a rule.
# custom:
#   id: house/banned-library
#   severity: high
#   remediation: Use what the message names instead.
deny contains {
	"rule": "house/banned-library",
	"symbol": library,
	"message": sprintf("%s is not allowed here: %s", [library, advice]),
} if {
	some library in input.source.imports
	advice := data.house.banned[library]
}

# METADATA
# title: Holds what looks like a card number
# description: A number in a program ends up in logs and repositories.
# custom:
#   id: house/card-number
#   severity: critical
#   cwe: CWE-312
#   controls: [PCI DSS 3.4.1]
#   remediation: Pass such data in as a file, and keep it out of the program.
deny contains {
	"rule": "house/card-number",
	"message": "a constant looks like a card number",
} if {
	some text in input.source.strings
	regex.match(`\b[3-6]\d{3}[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}\b`, text)
}

# METADATA
# title: Writes files in production
# description: There files outlive the program, and somebody must want them.
# custom:
#   id: house/approve-writes
#   severity: medium
#   remediation: Print the result instead.
ask contains {
	"rule": "house/approve-writes",
	"symbol": name,
	"message": sprintf("%s writes files, and a person must approve that in production", [name]),
} if {
	input.request.environment == "production"
	some name in input.capabilities["filesystem.write"]
}
