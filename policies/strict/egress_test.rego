package sallyport.rules.strict_test

import data.sallyport.rules.strict

client := {"network": ["requests.get"], "network.http": ["requests.get"]}

open_to(hosts) := {"egress": {"hosts": hosts}}

test_client_without_egress if {
	found := strict.deny with input.capabilities as client
	{f.rule | some f in found} == {"strict-capability"}
}

test_client_with_egress if {
	found := strict.deny with input.capabilities as client with input.sandbox as open_to(["a.example"])
	found == set()
}

test_socket_with_egress if {
	found := strict.deny with input.capabilities as {"network": ["socket.socket"], "network.socket": ["socket.socket"]}
		with input.sandbox as open_to(["a.example"])
	{f.rule | some f in found} == {"strict-capability"}
}

importing(module, sandbox) := {f.symbol | some f in found} if {
	found := strict.deny with input.source.language as "python"
		with input.source.imports as [module]
		with input.capabilities as {"network.http": ["urllib.request.urlopen", "requests"]}
		with input.sandbox as sandbox
}

test_modules_of_clients if {
	importing("urllib.request", open_to([])) == set()
	importing("requests", open_to([])) == set()
	importing("urllib.reques", open_to([])) == {"urllib.reques"}
	importing("requests", {}) == {"requests"}
}

asking(name, urls, args) := {f.rule | some f in found} if {
	found := strict.deny with input.capabilities as {"network.http": [name]}
		with input.sandbox as open_to(["a.example"])
		with input.source.urls as urls
		with input.source.uses as {name: [{"how": "call", "args": args, "span": {"line": 1}}]}
}

test_host_not_constant if {
	asking("requests.get", [], [{"known": false}]) == {"strict-host"}
	asking("requests.request", [], [{"known": true, "value": "GET"}, {"known": false}]) == {"strict-host"}
	asking("requests.get", [], [{"name": "url", "known": false}]) == {"strict-host"}
	asking("requests.get", [{"symbol": "requests.get", "host": "", "span": {"line": 1}}], [{"known": false}]) == {"strict-host"}
	asking("requests.get", [{"symbol": "requests.get", "host": "a.example", "span": {"line": 2}}], [{"known": false}]) == {"strict-host"}
}

test_host_constant if {
	asking("requests.get", [{"symbol": "requests.get", "host": "a.example", "span": {"line": 1}}], [{"known": false}]) == set()
	asking("requests.get", [], [{"known": true, "value": "/path"}, {"name": "params", "known": false}]) == set()
	asking("requests.Session.headers.update", [], [{"known": false}]) == set()
}
