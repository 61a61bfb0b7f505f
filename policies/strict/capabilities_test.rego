package sallyport.rules.strict_test

import data.sallyport.rules.strict

test_capability[capability] if {
	some capability in ["code.eval", "environment", "process", "thread"]
	found := strict.deny with input.capabilities as {capability: ["some.name"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-capability", "some.name"]}
}

test_unknown if {
	found := strict.deny with input.capabilities as {"unknown": ["some.name"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-unknown", "some.name"]}
}

using(use) := found if {
	found := strict.deny with input.capabilities as {"filesystem.read": ["builtins.open"]}
		with input.source.uses as {"builtins.open": [object.union(use, {"span": {"line": 1}})]}
}

test_constant_path[note] if {
	some note, use in {
		"constant": {"how": "call", "splat": false, "args": [{"value": "in.csv"}, {"value": null}]},
		"none": {"how": "call", "splat": false, "args": []},
		"import": {"how": "import"},
	}
	count(using(use)) == 0
}

test_path_not_constant[note] if {
	some note, use in {
		"not constant": {"how": "call", "splat": false, "args": [{"value": null}]},
		"splat": {"how": "call", "splat": true, "args": [{"value": "in.csv"}]},
		"handed on": {"how": "reference", "splat": false, "args": []},
	}
	{f.rule | some f in using(use)} == {"strict-path"}
}
