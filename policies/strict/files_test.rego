package sallyport.rules.strict_test

import data.sallyport.rules.strict

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

test_kinds_of_files_by_name[note] if {
	some note, use in {
		"local": {"how": "call", "splat": false, "args": [{"value": "local:///etc/x"}]},
		"chained": {"how": "call", "splat": false, "args": [{"value": "simplecache::x"}]},
		"path": {"how": "call", "splat": false, "args": [{"value": null, "path": "local:///*.csv"}]},
	}
	{f.rule | some f in using(use)} == {"strict-path"}
}

test_host_is_judged_elsewhere if {
	count(using({"how": "call", "splat": false, "args": [{"value": "HTTPS://h/a.csv"}]})) == 0
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
		"mode": {"args": [{"value": "/a", "known": true}, {"value": "w", "known": true}]},
		"both": {"args": [{"value": "/a", "known": true}, {"value": "r+b", "known": true}]},
		"keyword": {"args": [{"name": "mode", "value": "w", "known": true}, {"name": "file", "value": "/a", "known": true}]},
		"not known": {"args": [{"value": "/a", "known": true}, {"value": null, "known": false}]},
	}
	opened(use) == {"strict-write"}
}

test_writing_otherwise if {
	"strict-write" in opened({"args": [], "splat": true})
	"strict-write" in opened({"args": [], "how": "reference"})
	found := strict.deny with input.capabilities as {"filesystem.write": ["os.remove"]}
	{[f.rule, f.symbol] | some f in found} == {["strict-write", "os.remove"]}
}

test_opened_later if {
	found := strict.deny with input.capabilities as {"filesystem.read": ["argparse.FileType"]}
		with input.source.uses as {"argparse.FileType": [{"how": "call", "splat": false, "args": [{"value": "r"}], "span": {"line": 1}}]}
	{f.rule | some f in found} == {"strict-path"}
}

contains_any(name, parts) if {
	some part in parts
	contains(name, part)
}

of_method(name, use) := {f.rule | some f in found} if {
	reads := [name | contains_any(name, ["read", "cwd", "open"])]
	writes := [name | not contains_any(name, ["read", "cwd"])]
	found := strict.deny with input.capabilities as {"filesystem.read": reads, "filesystem.write": writes}
		with input.source.uses as {name: [object.union({"how": "call", "splat": false, "path": "", "args": [], "span": {"line": 1}}, use)]}
}

test_method_of_a_path if {
	of_method("pathlib.Path.read_text", {"path": "a.txt"}) == set()
	of_method("pathlib.Path.read_text", {}) == {"strict-path"}
	of_method("pathlib.Path.cwd", {}) == set()
	of_method("pathlib.Path.write_text", {"path": "a.txt", "args": [{"name": "", "value": null, "known": false}]}) == set()
	of_method("pathlib.Path.unlink", {"path": "a.txt", "args": [{"name": "missing_ok", "value": null, "known": false}]}) == {"strict-write"}
	of_method("pathlib.Path.write_text", {}) == {"strict-path", "strict-write"}
	of_method("builtins.open", {"args": [{"name": "", "value": null, "known": false, "path": "<temporary>/*"}, {"value": "w", "known": true}]}) == set()
}

writing(path) := of_method("pathlib.Path.write_text", {"path": path, "args": [{"name": "", "value": null, "known": false}]})

test_own_file[path] if {
	some path in ["a.txt", "out/a.csv", "<temporary>/*", "<temporary>/x.py", "data/*.json", "./b.md", "**/a.txt", "*/report.csv"]
	writing(path) == set()
}

test_not_own_file[path] if {
	some path in [
		"/etc/x", "../x", "a/../../x", "~/x", "json.py", "JSON.PY", "a/queue.so", "queue.so.1", "queue.so.*.0", "x.pth",
		"lib.zip", "x.pyc", "data/*", "./*.*y", "*git/config.txt", "./*git/hooks/a.txt",
		"<temporary>/../x", "node_modules/a.txt", ".netrc", "matplotlibrc", "C:/x", "a.js", "x.py/.", "<other>/x",
	]
	writing(path) == {"strict-write"}
}

# What an address is made of besides its host may be numbers that are not known.
test_address_with_numbers[address] if {
	some address in ["http://10.0.0.*/x", "s*://b/x", " HTTP:/\t/*.example/x", "https://*", "ftp://a@b*?/x"]
	opening_path(address) == {"strict-path", "strict-write"}
}

opening_path(path) := of_method("builtins.open", {"args": [object.union(unknown(""), {"path": path}), option("", "w")]})

test_address_of_one_host if {
	opening_path("http://a.example/x*.csv") == set()
	opening_path("ab:*/x.csv") == set()
}

# A file is called what a directory of tempfile's stands as.
test_name_of_a_directory[name] if {
	some name in ["builtins.open", "os.makedirs", "gzip.open"]
	"strict-path" in of_method(name, {"args": [option("", "<temporary>/x/a.txt")]})
	of_method(name, {"args": [object.union(unknown(""), {"path": "<temporary>/a.txt"})]}) == set()
}

made(name, args) := of_method(name, {"args": args})

option(name, value) := {"name": name, "value": value, "known": true}

test_temporary if {
	made("tempfile.TemporaryDirectory", []) == set()
	made("tempfile.TemporaryDirectory", [option("prefix", "a-"), option("delete", false)]) == set()
	made("tempfile.NamedTemporaryFile", [option("", "w+"), option("suffix", ".txt")]) == set()
	made("tempfile.TemporaryDirectory", [option("", "x")]) == {"strict-write"}
	made("tempfile.mkdtemp", [option("dir", "x")]) == {"strict-write"}
	made("tempfile.NamedTemporaryFile", [option("suffix", ".py")]) == {"strict-write"}
	made("tempfile.NamedTemporaryFile", [option("prefix", "../x")]) == {"strict-write"}
	made("tempfile.NamedTemporaryFile", [option("prefix", "a/x")]) == {"strict-write"}
}

test_temporary_imported if {
	of_method("tempfile.mkdtemp", {"how": "import"}) == set()
	of_method("pathlib.Path.touch", {"how": "import"}) == set()
	of_method("tempfile.mkdtemp", {"how": "reference"}) == {"strict-path", "strict-write"}
}

unknown(name) := {"name": name, "value": null, "known": false}

# An argument that leads elsewhere does so by its place, too.
test_beside if {
	row := [option("", null) | some _ in numbers.range(1, 6)]
	opening := array.concat([option("", "a.txt"), option("", "w")], row)
	opened({"args": array.slice(opening, 0, 7)}) == set()
	opened({"args": array.concat(array.slice(opening, 0, 7), [option("", null)])}) == set()
	opened({"args": array.concat(array.slice(opening, 0, 7), [unknown("")])}) == {"strict-path", "strict-write"}
	"strict-path" in of_method("io.FileIO", {"args": [option("", "a"), option("", "r"), option("", true), unknown("")]})
	"strict-path" in of_method("filecmp.cmp", {"args": [option("", "a"), unknown("")]})
	"strict-path" in of_method("filecmp.cmp", {"args": [option("", "a"), unknown("f2")]})
	"strict-path" in of_method("globalThis.require.resolve", {"args": [option("", "a"), unknown("")]})
	not "strict-path" in of_method("globalThis.require.resolve", {"args": [option("", "a")]})
	"strict-path" in of_method("xml.etree.ElementTree.ElementTree", {"args": [option("", "a"), unknown("")]})
}

test_elsewhere if {
	of_method("os.fwalk_read", {"args": [option("", "."), {"name": "dir_fd", "value": null, "known": false}]}) == {"strict-path"}
	of_method("glob.read", {"args": [option("", "*"), option("root_dir", "data")]}) == set()
	of_method("glob.read", {"args": [option("root_dir", "data"), option("pathname", "*")]}) == set()
	of_method("glob.read", {"args": [option("root_dir", "data"), {"name": "pathname", "value": null, "known": false}]}) == {"strict-path"}
}

test_path_stands_first if {
	of_method("builtins.open", {"args": [option("", "a.txt"), option("mode", "w")]}) == set()
	"strict-write" in of_method("builtins.open", {"args": [option("mode", "w"), option("file", "a.py")]})
	"strict-write" in of_method("numpy.ndarray.tofile", {"args": [option("sep", "a.txt"), option("fid", "a.py")]})
	"strict-write" in of_method("pandas.DataFrame.to_xml", {"args": [option("root_name", "a.txt"), option("path_or_buffer", "a.py")]})
}

test_array_in_a_file if {
	of_method("numpy.memmap", {"args": [option("", "a.py"), option("mode", "r")]}) == set()
	of_method("numpy.memmap", {"args": [option("", "a.py"), unknown(""), option("", "c")]}) == set()
	of_method("numpy.memmap", {"args": [option("", "a.dat"), unknown("dtype"), option("mode", "w+")]}) == set()
	of_method("numpy.memmap", {"args": [option("", "a.py")]}) == {"strict-write"}
	of_method("numpy.memmap", {"args": [option("", "a.py"), option("mode", "write")]}) == {"strict-write"}
	of_method("numpy.memmap", {"args": [option("", "a.py"), unknown("mode")]}) == {"strict-write"}
	of_method("numpy.memmap", {"how": "reference", "args": []}) & {"strict-write"} == {"strict-write"}
}

test_says_what_javascript_may_write if {
	uses := {"node:fs.writeFileSync": [{"how": "call", "args": [{"value": "a.txt", "known": true}], "splat": false, "path": "", "span": {"line": 1}}]}
	found := strict.deny with input.source.language as "javascript"
		with input.source.uses as uses
		with input.capabilities["filesystem.write"] as ["node:fs.writeFileSync"]
	[message] := [f.message | some f in found; f.rule == "strict-write"]
	endswith(message, "strict code in JavaScript writes none")
}

test_opened_already if {
	read("pandas.read_csv", {"args": [is_opened("")]}) == set()
	read("pandas.read_csv", {"args": [is_opened("filepath_or_buffer"), option("sep", ",")]}) == set()
	read("pandas.read_csv", {"args": [is_opened("storage_options"), option("filepath_or_buffer", "/a")]}) == {"strict-path"}
	read("pandas.read_csv", {"args": [is_opened("")], "splat": true}) == {"strict-path"}
	read("fileinput.input", {"args": [is_opened("")]}) == {"strict-path"}
	read("configparser.ConfigParser.read", {"args": [is_opened("")]}) == {"strict-path"}
	of_method("pandas.DataFrame.to_csv", {"args": [is_opened(""), option("index", false)]}) == set()
	of_method("numpy.ndarray.tofile", {"args": [is_opened("")]}) == {"strict-path", "strict-write"}
	of_method("pandas.ExcelWriter", {"args": [option("", "a.xlsx")]}) == set()
}

# A workbook answers who asks it for a path.
test_workbook if {
	workbook := {"name": "", "value": null, "known": false, "path": "<workbook>"}
	of_method("pandas.DataFrame.to_excel", {"args": [workbook, option("index", false)]}) == set()
	of_method("pandas.DataFrame.to_csv", {"args": [workbook]}) == {"strict-path", "strict-write"}
	read("pandas.read_csv", {"args": [workbook]}) == {"strict-path"}
	read("numpy.load", {"args": [workbook]}) == {"strict-path"}
}

is_opened(name) := {"name": name, "value": null, "known": false, "path": "<opened>"}

read(name, use) := {f.rule | some f in found} if {
	found := strict.deny with input.capabilities as {"filesystem.read": [name]}
		with input.source.uses as {name: [object.union({"how": "call", "splat": false, "span": {"line": 1}}, use)]}
}

test_plain_arrays if {
	load := {"numpy.load": [{"how": "call", "splat": false, "args": [option("", "a.npy")], "span": {"line": 1}}]}
	deserializes(load) == set()
	pickled := {"numpy.load": [{"how": "call", "splat": false, "args": [option("", "a.npy"), option("allow_pickle", true)], "span": {"line": 1}}]}
	deserializes(pickled) == {"strict-capability"}
}

deserializes(uses) := {f.rule | some f in found} if {
	found := strict.deny with input.capabilities as {"filesystem.read": ["numpy.load"], "deserialize": ["numpy.load"]}
		with input.source.uses as uses
}
