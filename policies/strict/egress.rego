package sallyport.rules.strict

# METADATA
# title: Asks a host that does not stand in the program
# description: |
#   Which hosts a program asks must stand in its source.
# custom:
#   id: strict-host
#   severity: high
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7]
#   remediation: Write the address out, at least with its host.
deny contains {
	"rule": "strict-host",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s: the host is not a constant", [name]),
} if {
	input.sandbox.egress
	some name in input.capabilities["network.http"]
	some use in input.source.uses[name]
	use.how == "call"
	asks_host(name)
	some i, arg in use.args
	address(i, arg)
	not arg.known
	not says_host(name, use.span)
}

# Other calls of clients ask no host; those that do all the same are judged when
# they ask.
asks_host(name) if regex.match(`(^|\.)(axios|delete|fetch|get|got|head|options|patch|post|put|request|Request|stream|superagent|urlopen|urlretrieve)$`, name)

# The address comes first, or second behind a method.
address(i, arg) if {
	i < 2
	object.get(arg, "name", "") == ""
}

address(_, arg) if object.get(arg, "name", "") in {"fullurl", "url"}

says_host(symbol, span) if {
	some url in input.source.urls
	url.symbol == symbol
	url.span == span
	url.host != ""
}
