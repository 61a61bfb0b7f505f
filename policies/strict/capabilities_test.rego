package sallyport.rules.strict_test

import data.sallyport.rules.strict

test_capability[capability] if {
	some capability in ["code.eval", "process", "thread"]
	found := strict.deny with input.capabilities as {capability: ["some.name"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-capability", "some.name"]}
}

test_environment if {
	found := strict.deny with input.capabilities as {"environment": ["some.name"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-environment", "some.name"]}
}

test_signals if {
	found := strict.deny with input.capabilities as {"signals": ["some.name"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-signals", "some.name"]}
}

test_signals_answered if {
	every use in [
		{"how": "call", "splat": false, "args": [{"value": "SIGINT", "known": true}]},
		{"how": "call", "splat": false, "args": [{"value": null, "known": false}]},
		{"how": "call", "splat": false, "args": []},
		{"how": "call", "splat": true, "args": [{"value": "exit", "known": true}]},
		{"how": "reference", "splat": false, "args": []},
	] {
		found := strict.deny with input.source.uses as {"globalThis.process.once": [use]}
		{[f.rule, f.symbol] | some f in found} == {["strict-signals", "globalThis.process.once"]}
	}
}

test_signals_not_answered if {
	every use in [
		{"how": "call", "splat": false, "args": [{"value": "exit", "known": true}]},
		{"how": "import", "splat": false, "args": []},
	] {
		found := strict.deny with input.source.uses as {"globalThis.process.once": [use]}
		count(found) == 0
	}
}

test_signals_by_telling if {
	use := {"how": "call", "splat": false, "args": [{"value": "newListener", "known": true}, {"value": "SIGINT", "known": true}]}
	found := strict.deny with input.source.uses as {"globalThis.process.emit": [use]}
	{[f.rule, f.symbol] | some f in found} == {["strict-signals", "globalThis.process.emit"]}
}

test_threads if {
	found := strict.deny with input.capabilities as {"thread": ["threading.Thread", "threading.Thread.start", "_thread.start_new_thread"]}
		with input.source.language as "python"
	{f.symbol | some f in found} == {"_thread.start_new_thread"}
}

test_threads_elsewhere if {
	found := strict.deny with input.capabilities as {"thread": ["threading.Thread"]} with input.source.language as "javascript"
	count(found) == 1
}

test_unknown if {
	found := strict.deny with input.capabilities as {"unknown": ["some.name"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-unknown", "some.name"]}
}
