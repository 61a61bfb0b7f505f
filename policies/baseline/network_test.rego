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
	some address in ["https://example.com/a.csv", "http://127.0.0.1/", "ftp://example.com/a", "s3://bucket/a.parquet", "hdfs://node/a", "abfss://c@a/x"]
	reading(address) == {"network-url"}
}

test_reading_a_file[address] if {
	some address in ["https.csv", "data/http://x", "", null]
	reading(address) == set()
}
