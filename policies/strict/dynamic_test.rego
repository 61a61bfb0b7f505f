package sallyport.rules.strict_test

import data.sallyport.rules.strict

test_dynamic[kind] if {
	some kind in ["attribute", "namespace", "patch", "star", "frame"]
	found := strict.deny with input.source.dynamic as {kind: [{"line": 2}]}
	{[f.rule, f.span.line] | some f in found} == {["strict-dynamic", 2]}
}

test_moved if {
	found := strict.deny with input.source.dynamic as {"moved": [{"line": 3}]}
	{[f.rule, f.span.line] | some f in found} == {["strict-on-the-spot", 3]}
}

reflection(language, attrs) := {f.symbol | some f in found; f.rule == "strict-reflection"} if {
	found := strict.deny with input.source.language as language with input.source.attrs as attrs
}

test_reflection if {
	reflection("python", ["__dict__", "__name__", "__init__", "append", "mro"]) == {".__dict__", ".mro"}
	reflection("javascript", ["constructor", "__proto__", "length", "__dict__", "prototype"]) == {".constructor", ".__proto__"}
	reflection("javascript", ["_onTimeout", "_readableState", "_items", "_read", "onTimeout"]) == {"._onTimeout", "._readableState"}
}

test_lookup if {
	found := strict.deny with input.source.names as ["builtins.vars", "builtins.getattr", "builtins.len"]
	{[f.rule, f.symbol] | some f in found} == {["strict-lookup", "builtins.vars"]}
}

# What a program that has its tests run is started with.
tests_of(use, args) := {f.rule | some f in found; f.symbol == "unittest.main"} if {
	found := strict.deny with input.source.uses as {"unittest.main": [use]} with input.request.args as args
}

test_names_of_tests[name] if {
	some name in ["T.test", "os.abort", "-c", "--locals", "-k", "-vc", "--bufferx"]
	none := {"known": true, "value": null}
	some args in [[], [{"value": "__main__"}], [object.union(none, {"name": "argv"})], [{"value": "a"}, none, none]]
	tests_of({"how": "call", "splat": false, "args": args}, ["-v", name]) == {"strict-lookup"}
}

test_no_names_of_tests if {
	main := {"how": "call", "splat": false, "args": []}
	tests_of(main, []) == set()
	tests_of(main, ["-v", "-qf", "--buffer", "--failfast"]) == set()
	tests_of({"how": "call", "splat": false, "args": [{"name": "argv", "known": false, "value": null}]}, ["T"]) == set()
	tests_of({"how": "import", "splat": false, "args": []}, ["T"]) == set()
}

test_dynamic_says_why[kind] if {
	some kind in [
		"attribute", "await", "bytecode", "class", "code", "computed", "format", "frame",
		"import", "member", "namespace", "patch", "star", "subclass", "template",
	]
	found := strict.deny with input.source.dynamic as {kind: [{"line": 2}]}
	[message] := [f.message | some f in found; f.rule == "strict-dynamic"]
	startswith(message, "this cannot be judged by reading it: ")
}

test_assertions_of_a_test if {
	assertions(["node:test"], ["assert", "equal"]) == {".assert"}
	assertions(["node:test"], ["equal"]) == set()
	assertions(["node:fs"], ["assert"]) == set()
}

assertions(imports, attrs) := {f.symbol | some f in found; f.rule == "strict-lookup"} if {
	found := strict.deny with input.source.imports as imports with input.source.attrs as attrs
}

test_keys_by_url[name] if {
	some name in ["node:crypto.createPrivateKey", "node:crypto.sign", "node:crypto.createSign", "node:crypto.Sign.prototype.sign"]
	every url in ["globalThis.URL", "globalThis.URL.parse", "node:url.URL", "node:url.pathToFileURL"] {
		keys([name, url]) == {name}
	}
	keys([name, "globalThis.URLSearchParams", "node:url.format"]) == set()
}

test_urls_without_keys if {
	keys(["node:crypto.createHash", "node:crypto.verify", "node:crypto.signature", "globalThis.URL"]) == set()
}

keys(names) := {f.symbol | some f in found; f.rule == "strict-lookup"} if {
	found := strict.deny with input.source.names as names
}
