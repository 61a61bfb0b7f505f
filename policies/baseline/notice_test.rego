package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_unknown if {
	found := baseline.warn with input.capabilities.unknown as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["unknown", "some.name"]}
}

test_unknown_given if {
	files := [{"path": "util.py"}, {"path": "pkg/__init__.py"}, {"path": "pkg/part.py"}]
	found := baseline.warn with input.capabilities.unknown as ["util", "pkg", "pkg.part", "other", "./util"]
		with input.source.language as "python"
		with input.request.files as files
	{x.symbol | some x in found; x.rule == "unknown"} == {"other", "./util"}
}

test_unknown_given_javascript if {
	files := [{"path": "util.js"}, {"path": "lib/index.mjs"}, {"path": "data.json"}]
	found := baseline.warn with input.capabilities.unknown as ["./util", "./util.js", "./lib", "lodash", "./gone", "../up"]
		with input.source.language as "javascript"
		with input.request.files as files
	{[x.rule, x.symbol] | some x in found} == {["unknown", "lodash"], ["file-not-given", "./gone"], ["file-not-given", "../up"]}
}

test_unknown_not_mentioned if {
	found := baseline.warn with input.capabilities.unknown as []
	count(found) == 0
}

test_environment if {
	found := baseline.log with input.capabilities.environment as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["environment", "some.name"]}
}

test_environment_not_mentioned if {
	found := baseline.log with input.capabilities.environment as []
	count(found) == 0
}

test_signals if {
	found := baseline.log with input.capabilities.signals as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["signals", "some.name"]}
}

test_signals_not_mentioned if {
	found := baseline.log with input.capabilities.signals as []
	count(found) == 0
}

test_threads if {
	found := baseline.log with input.capabilities.thread as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["threads", "some.name"]}
}

test_threads_not_mentioned if {
	found := baseline.log with input.capabilities.thread as []
	count(found) == 0
}

test_warned[kind] if {
	some kind in ["star", "namespace"]
	found := baseline.warn with input.source.dynamic as {kind: [{"line": 9}]}
	{[f.rule, f.span.line] | some f in found} == {[sprintf("dynamic-%s", [kind]), 9]}
}

test_hygiene if {
	found := baseline.warn with input.source.hygiene as [{"message": "long line", "span": {"line": 1}}]
	{[f.rule, f.message] | some f in found} == {["hygiene", "long line"]}
}

test_signals_are_events[how] if {
	answers := [
		{"how": "reference"}, {"how": "call", "args": [{}]}, {"how": "call", "args": [{"value": "SIGINT"}]},
		{"how": "call", "splat": false, "args": [{"value": "removeListener"}]},
		{"how": "call", "args": [{"value": "exit"}], "splat": true},
	]
	some how, use in answers
	found := baseline.log with input.source.uses as {"globalThis.process.on": [use]}
	{[f.rule, f.symbol] | some f in found} == {["signals", "globalThis.process.on"]}
}

test_other_events if {
	ending := {"how": "call", "splat": false, "args": [{"value": "exit"}]}
	found := baseline.log with input.source.uses as {"globalThis.process.on": [{"how": "import"}, ending]}
	count(found) == 0
}

test_listening_is_told[how] if {
	answers := [
		{"how": "reference"}, {"how": "call", "args": [{"value": null}]}, {"how": "call", "args": [{"value": "newListener"}]},
		{"how": "call", "args": [], "splat": true},
	]
	some how, use in answers
	found := baseline.log with input.source.uses as {"globalThis.process.emit": [use]}
	{[f.rule, f.symbol] | some f in found} == {["signals", "globalThis.process.emit"]}
}

test_others_are_told if {
	exit := {"how": "call", "splat": false, "args": [{"value": "exit"}, {"value": "newListener"}]}
	more := {"how": "call", "splat": true, "args": [{"value": "log"}]}
	found := baseline.log with input.source.uses as {"globalThis.process.emit": [{"how": "import"}, exit, more]}
	count(found) == 0
}
