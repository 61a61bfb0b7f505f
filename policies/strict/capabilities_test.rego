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

opened(use) := {f.rule | some f in found} if {
	found := strict.deny with input.capabilities as {"filesystem.read": ["builtins.open"], "filesystem.write": ["builtins.open"]}
		with input.source.uses as {"builtins.open": [object.union({"how": "call", "splat": false, "span": {"line": 1}}, use)]}
}

test_reading[note] if {
	some note, use in {
		"no mode": {"args": [{"value": "a", "known": true}]},
		"mode": {"args": [{"value": "a", "known": true}, {"value": "rb", "known": true}]},
		"encoding": {"args": [{"value": "a", "known": true}, {"value": "utf-8", "known": true}]},
	}
	opened(use) == set()
}

test_writing[note] if {
	some note, use in {
		"mode": {"args": [{"value": "a", "known": true}, {"value": "w", "known": true}]},
		"both": {"args": [{"value": "a", "known": true}, {"value": "r+b", "known": true}]},
		"keyword": {"args": [{"name": "mode", "value": "w", "known": true}, {"name": "file", "value": "a", "known": true}]},
		"not known": {"args": [{"value": "a", "known": true}, {"value": null, "known": false}]},
	}
	opened(use) == {"strict-write"}
}

test_writing_otherwise if {
	"strict-write" in opened({"args": [], "splat": true})
	"strict-write" in opened({"args": [], "how": "reference"})
	found := strict.deny with input.capabilities as {"filesystem.write": ["os.remove"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-write", "os.remove"]}
}
