# METADATA
# title: Rules of NAME
# description: Rules of our own, beside the packs of sallyport.
package sallyport.rules.NAME

# METADATA
# title: Uses a library that is not allowed here
# description: |
#   These libraries were replaced by others. The list is in data.json, so that
#   a change of it is no change of a rule.
# custom:
#   id: NAME/banned-library
#   severity: high
#   remediation: Use what the message names instead.
deny contains {
	"rule": "NAME/banned-library",
	"symbol": library,
	"message": sprintf("%s is not allowed here: %s", [library, advice]),
} if {
	some library in input.source.imports
	advice := data.NAME.banned[library]
}
