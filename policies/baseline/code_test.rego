package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_code_eval if {
	found := baseline.deny with input.capabilities["code.eval"] as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["code-eval", "some.name"]}
}

test_code_eval_not_mentioned if {
	found := baseline.deny with input.capabilities["code.eval"] as []
	count(found) == 0
}

test_timing_a_function if {
	found := baseline.deny with input.capabilities["code.eval"] as ["timeit.timeit"]
		with input.source.uses as {"timeit.timeit": [{"how": "import"}, {"how": "call"}]}
	count(found) == 0
}

test_timing_in_two_steps if {
	found := baseline.deny with input.capabilities["code.eval"] as ["timeit.Timer", "timeit.Timer.timeit", "timeit.Timer.repeat"]
		with input.source.uses as {"timeit.Timer": [{"how": "call"}], "timeit.Timer.timeit": [{"how": "call"}], "timeit.Timer.repeat": [{"how": "reference"}]}
	{f.symbol | some f in found} == {"timeit.Timer.repeat"}
}

test_timer_handed_on if {
	found := baseline.deny with input.capabilities["code.eval"] as ["timeit.timeit"]
		with input.source.uses as {"timeit.timeit": [{"how": "reference"}]}
	{f.rule | some f in found} == {"code-eval"}
}

test_code_text if {
	found := baseline.deny with input.source.dynamic as {"code": [{"line": 3}]}
	{[f.rule, f.span.line] | some f in found} == {["code-text", 3]}
}
