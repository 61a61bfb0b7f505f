package sallyport.rules.baseline

# METADATA
# title: Uses the network
# description: |
#   Programs have no network, unless the operator lets those of their environment reach hosts: then
#   clients of HTTP pass, whose requests are judged one by one.
# custom:
#   id: network
#   severity: high
#   capability: network
#   unless: egress
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7, ISO 27001 A.8.20, PCI DSS 1.4.1]
#   remediation: Pass the data in as an input file and return results as output.
deny contains {
	"rule": "network",
	"symbol": name,
	"message": sprintf("%s reaches the network, and the sandbox has none", [name]),
} if {
	some name in input.capabilities.network

	# regal ignore:non-loop-expression
	not input.sandbox.egress # after what makes the rule come near
}

# METADATA
# title: Opens sockets
# description: |
#   What programs send is judged request by request, and only requests over HTTP can be.
# custom:
#   id: network-socket
#   severity: high
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7, ISO 27001 A.8.20, PCI DSS 1.4.1]
#   remediation: Use a client of HTTP, such as urllib.request or fetch.
deny contains {
	"rule": "network-socket",
	"symbol": name,
	"message": sprintf("%s opens sockets, and only HTTP can be let out", [name]),
} if {
	input.sandbox.egress
	some name in input.capabilities["network.socket"]
}

# METADATA
# title: Reads from an address
# description: |
#   A function that reads files takes addresses too.
# custom:
#   id: network-url
#   severity: high
#   capability: network
#   unless: egress
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7, ISO 27001 A.8.20, PCI DSS 1.4.1]
#   remediation: Pass the data in as an input file and read it by its name in the work directory.
deny contains {
	"rule": "network-url",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s is given %q, and the sandbox has no network", [name, text]),
} if {
	some name in input.capabilities["filesystem.read"]
	some use in input.source.uses[name]
	some text in paths(use)

	# regal ignore:non-loop-expression
	not input.sandbox.egress
	regex.match(`^(https?|ftps?|s3|gs|gcs|hdfs|abfss?)://`, as_url(text))
}

# METADATA
# title: Asks a host that is not allowed
# description: |
#   The host stands in the program, and nothing in the configuration lets programs reach it.
# custom:
#   id: egress-host
#   severity: high
#   cwe: CWE-918
#   controls: [NIST 800-53 SC-7, ISO 27001 A.8.20, PCI DSS 1.4.1]
#   remediation: Use one of the hosts that are allowed.
deny contains {
	"rule": "egress-host",
	"symbol": url.symbol,
	"span": url.span,
	"message": sprintf("%s asks %s, which is not allowed; allowed: %s", [url.symbol, url.host, concat(", ", input.sandbox.egress.hosts)]),
} if {
	input.sandbox.egress
	some url in input.source.urls
	url.host != ""
	asks(url.symbol)
	not reachable(url.host)
}

asks(symbol) if symbol in input.capabilities["network.http"]

asks(symbol) if symbol in input.capabilities["filesystem.read"]

reachable(host) if host in input.sandbox.egress.hosts

reachable(host) if {
	some pattern in input.sandbox.egress.hosts
	startswith(pattern, "*.")
	endswith(host, substring(pattern, 1, -1))
}
