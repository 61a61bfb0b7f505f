package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_network if {
	found := baseline.deny with input.capabilities.network as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["network", "some.name"]}
}

test_network_not_mentioned if {
	found := baseline.deny with input.capabilities.network as []
	count(found) == 0
}

reading(address) := {f.rule | some f in found} if {
	found := baseline.deny with input.capabilities["filesystem.read"] as ["pandas.read_csv"]
		with input.source.uses as {"pandas.read_csv": [{"args": [{"value": address}], "span": {"line": 2}}]}
}

test_reading_an_address[address] if {
	some address in [
		"https://example.com/a.csv", "http://127.0.0.1/", "ftp://example.com/a", "s3://bucket/a.parquet",
		"hdfs://node/a", "abfss://c@a/x", " HTTP://example.com/",
	]
	reading(address) == {"network-url"}
}

test_reading_an_address_of_many if {
	found := baseline.deny with input.capabilities["filesystem.read"] as ["pandas.read_csv"]
		with input.source.uses as {"pandas.read_csv": [{"args": [{"path": "http://example.com/*.csv"}], "span": {"line": 2}}]}
	{f.rule | some f in found} == {"network-url"}
}

test_reading_a_file[address] if {
	some address in ["https.csv", "data/http://x", "", null]
	reading(address) == set()
}

egress := {"egress": {"hosts": ["api.example", "*.wild.example"]}}

test_network_with_egress if {
	found := baseline.deny with input.sandbox as egress
		with input.capabilities as {"network": ["a.client", "a.socket"], "network.http": ["a.client"], "network.socket": ["a.socket"]}
	{[f.rule, f.symbol] | some f in found} == {["network-socket", "a.socket"]}
}

test_reading_an_address_with_egress if {
	found := baseline.deny with input.sandbox as egress
		with input.capabilities["filesystem.read"] as ["pandas.read_csv"]
		with input.source.uses as {"pandas.read_csv": [{"args": [{"value": "https://api.example/a"}], "span": {"line": 2}}]}
	found == set()
}

asking(symbol, host, sandbox) := {f.rule | some f in found} if {
	found := baseline.deny with input.sandbox as sandbox
		with input.capabilities as {"network.http": ["requests.get"], "filesystem.read": ["pandas.read_csv"]}
		with input.source.urls as [{"symbol": symbol, "host": host, "span": {"line": 1}}]
}

test_host_not_allowed[host] if {
	some host in ["evil.example", "wild.example", "notwild.example", "x.api.example", "wild.example.evil"]
	asking("requests.get", host, egress) == {"egress-host"}
	asking("pandas.read_csv", host, egress) == {"egress-host"}
}

test_host_allowed[host] if {
	some host in ["api.example", "x.wild.example", ""]
	asking("requests.get", host, egress) == set()
}

test_host_that_nobody_asks if {
	asking("xml.register", "evil.example", egress) == set()
	asking("requests.get", "evil.example", {}) == set()
}
