package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_process if {
	found := baseline.deny with input.capabilities.process as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["process", "some.name"]}
}

test_process_not_mentioned if {
	found := baseline.deny with input.capabilities.process as []
	count(found) == 0
}
