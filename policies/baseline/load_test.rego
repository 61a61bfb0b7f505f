package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

test_code_load if {
	found := baseline.deny with input.capabilities["code.load"] as ["some.name"]
	{[f.rule, f.symbol] | some f in found} == {["code-load", "some.name"]}
}

test_code_load_not_mentioned if {
	found := baseline.deny with input.capabilities["code.load"] as []
	count(found) == 0
}

test_constant_module if {
	found := baseline.deny with input.capabilities["code.load"] as ["importlib.import_module"]
		with input.source.uses as {"importlib.import_module": [{"how": "call", "splat": false, "args": [{"known": true}]}]}
	count(found) == 0
}

test_concealed_module[note] if {
	some note, use in {
		"not constant": {"how": "call", "splat": false, "args": [{"known": false}]},
		"splat": {"how": "call", "splat": true, "args": [{"known": true}]},
		"no argument": {"how": "call", "splat": false, "args": []},
		"handed on": {"how": "reference", "splat": false, "args": []},
	}
	found := baseline.deny with input.capabilities["code.load"] as ["importlib.import_module"]
		with input.source.uses as {"importlib.import_module": [use]}
	{f.rule | some f in found} == {"code-load"}
}

test_import_dynamic if {
	found := baseline.deny with input.source.dynamic as {"import": [{"line": 2}]}
	{[f.rule, f.span.line] | some f in found} == {["import-dynamic", 2]}
}

test_written_and_imported if {
	found := baseline.deny with input.capabilities.unknown as ["mine"]
		with input.source.imports as ["mine"]
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"args": [{"value": "mine.py"}]}]}
		with input.source.names as ["builtins.open"]
	{[f.rule, f.symbol] | some f in found} == {["code-written", "mine"]}
}

test_path_changed_and_imported if {
	found := baseline.deny with input.capabilities.unknown as ["mine"]
		with input.source.imports as ["mine"]
		with input.capabilities["filesystem.write"] as ["zipfile.ZipFile"]
		with input.source.names as ["sys.path.insert", "zipfile.ZipFile"]
	{[f.rule, f.symbol] | some f in found} == {["code-written", "mine"]}
}

test_name_not_known_and_imported[note] if {
	some note, args in {
		"mode": [{"known": false, "value": null}, {"known": true, "value": "w"}],
		"binary": [{"known": false, "value": null}, {"known": true, "name": "mode", "value": "ab+"}],
	}
	found := baseline.deny with input.source.language as "python"
		with input.capabilities.unknown as ["mine"]
		with input.source.imports as ["mine"]
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"how": "call", "args": args}]}
		with input.source.names as ["builtins.open"]
	{[f.rule, f.symbol] | some f in found} == {["code-written", "mine"]}
}

test_name_not_known_and_imported_early if {
	found := baseline.deny with input.source.language as "python"
		with input.capabilities.unknown as ["early", "late"]
		with input.source.imports as ["early", "late"]
		with input.source.early_imports as ["early"]
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"how": "call", "args": [{"known": false, "value": null}, {"known": true, "value": "w"}]}]}
		with input.source.names as ["builtins.open"]
	{[f.rule, f.symbol] | some f in found} == {["code-written", "late"]}
}

test_name_not_known_and_read if {
	found := baseline.deny with input.source.language as "python"
		with input.capabilities.unknown as ["mine"]
		with input.source.imports as ["mine"]
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"how": "call", "args": [{"known": false, "value": null}, {"known": true, "value": "rb"}]}]}
		with input.source.names as ["builtins.open"]
	count(found) == 0
}

test_unknown_module_without_writing if {
	found := baseline.deny with input.capabilities.unknown as ["mine"]
		with input.source.imports as ["mine"]
		with input.source.names as ["mine.f"]
		with input.capabilities["filesystem.write"] as []
	count(found) == 0
}

test_module_elsewhere[specifier] if {
	some specifier in ["/tmp/x.js", "file:///tmp/x.mjs", "data:text/javascript,1", "https://example.com/x.mjs", " FILE:///tmp/x.mjs"]
	found := baseline.deny with input.source.language as "javascript"
		with input.source.imports as [specifier]
		with input.capabilities.unknown as [specifier]
	{[f.rule, f.symbol] | some f in found} == {["code-written", specifier]}
}

test_module_beside if {
	found := baseline.deny with input.source.language as "javascript"
		with input.source.imports as ["./x.js", "../y.js"]
		with input.capabilities.unknown as ["./x.js", "../y.js"]
	count(found) == 0
}

having_written(args, modules) := {[f.rule, f.symbol] | some f in found} if {
	found := baseline.deny with input.source.language as "python"
		with input.capabilities.unknown as []
		with input.source.imports as modules
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"how": "call", "splat": false, "args": args}]}
		with input.source.names as ["builtins.open"]
}

test_module_of_its_own_under_a_known_name[file] if {
	some file in ["pytest.py", "./pytest.py", "pytest/__init__.py", "pytest.cpython-311-x86_64-linux-gnu.so"]
	having_written([{"value": file}, {"value": "w"}], ["pytest.mark"]) == {["code-written", "pytest.mark"]}
}

test_module_of_its_own_by_mode if having_written([{"value": "json.py"}, {"name": "mode", "value": "x"}], ["json"]) == {["code-written", "json"]}

test_module_that_it_reads[mode] if {
	some mode in [[], [{"value": "rb"}], [{"name": "mode", "value": "r"}], [{"name": "encoding", "value": "utf-8"}]]
	having_written(array.concat([{"value": "json.py"}], mode), ["json"]) == set()
}

test_module_written_by_a_mode_that_is_not_known[mode] if {
	some mode in [{"value": null, "known": false}, {"name": "mode", "value": null, "known": false}]
	having_written([{"value": "json.py"}, mode], ["json"]) == {["code-written", "json"]}
}

test_module_beside_another_file if having_written([{"value": "json.txt"}, {"value": "w"}], ["json"]) == set()

test_module_in_a_directory if having_written([{"value": "app/json.py"}, {"value": "w"}], ["json"]) == set()

test_module_in_a_directory_that_is_looked_into if {
	found := baseline.deny with input.source.language as "python"
		with input.capabilities.unknown as []
		with input.source.imports as ["json"]
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"how": "call", "splat": false, "args": [{"value": "app/json.py"}, {"value": "w"}]}]}
		with input.source.names as ["builtins.open", "sys.path.insert"]
	{[f.rule, f.symbol] | some f in found} == {["code-written", "json"]}
}
