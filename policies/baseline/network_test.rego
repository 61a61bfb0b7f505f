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
