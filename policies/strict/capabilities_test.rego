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
