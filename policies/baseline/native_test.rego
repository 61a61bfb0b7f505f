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

test_addon[module] if {
	some module in ["./build/Release/addon.node", "pkg/addon.NODE", "./addon.node?x"]
	found := baseline.deny with input.source.language as "javascript"
		with input.source.imports as ["node:fs", "./node", module]
	{[f.rule, f.symbol] | some f in found} == {["native-code", module]}
}

test_addon_of_another_language if {
	found := baseline.deny with input.source.language as "python"
		with input.source.imports as ["thing.node"]
	count(found) == 0
}
