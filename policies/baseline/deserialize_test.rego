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

loading(use) := {f.rule | some f in found} if {
	found := baseline.deny with input.capabilities.deserialize as ["numpy.load"]
		with input.source.uses as {"numpy.load": [object.union({"how": "call", "splat": false, "args": [{"value": "a.npy"}]}, use)]}
}

test_plain_arrays[note] if {
	some note, use in {
		"file": {},
		"import": {"how": "import", "args": []},
		"mapped": {"args": [{"value": "a.npy"}, {"value": "r"}]},
		"said": {"args": [{"value": "a.npy"}, {"name": "allow_pickle", "value": false}]},
	}
	loading(use) == set()
}

test_pickled_arrays[note] if {
	some note, use in {
		"said": {"args": [{"value": "a.npy"}, {"name": "allow_pickle", "value": true}]},
		"not known": {"args": [{"value": "a.npy"}, {"name": "allow_pickle", "value": null}]},
		"third": {"args": [{"value": "a.npy"}, {"value": null}, {"value": true}]},
		"splat": {"splat": true},
		"handed on": {"how": "reference", "args": []},
	}
	loading(use) == {"deserialize"}
}
