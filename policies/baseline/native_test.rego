package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_native if {
	found := baseline.deny with input.capabilities.native as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["native-code", "some.name"]}
}

test_native_not_mentioned if {
	found := baseline.deny with input.capabilities.native as []
	count(found) == 0
}

test_type_asked_for if {
	found := baseline.deny with input.capabilities.native as ["types.FunctionType"]
		with input.source.uses as {"types.FunctionType": [{"how": "reference"}]}
	count(found) == 0
}
