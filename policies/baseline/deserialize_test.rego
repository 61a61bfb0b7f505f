package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_deserialize if {
	found := baseline.deny with input.capabilities.deserialize as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["deserialize", "some.name"]}
}

test_deserialize_not_mentioned if {
	found := baseline.deny with input.capabilities.deserialize as []
	count(found) == 0
}
