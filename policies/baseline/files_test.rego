package sallyport.rules.baseline_test

import data.sallyport.rules.baseline

opening(path) := found if {
	found := baseline.deny with input.capabilities["filesystem.read"] as ["builtins.open"]
		with input.capabilities["filesystem.write"] as ["builtins.open"]
		with input.source.uses as {"builtins.open": [{"args": [{"value": path}], "span": {"line": 4}}]}
}

test_outside[path] if {
	some path in [
		"/etc/passwd", "/proc/self/environ", "/", "/root/.ssh/id_rsa", "~/.aws/credentials", "/tmp/../etc/passwd", "/tmp/..",
		"../../etc/passwd", "../shared.txt", "..", "a/../../../etc/passwd", "C:\\\\Windows\\\\win.ini", "file:///etc/passwd", "/tmpx", "/dev/sda",
		"FILE:/etc/passwd", "\u0001 file:/etc/passwd", "f\nile:///etc/passwd",
		"**/..", "**/../*", "a/**/**/../../x",
	]
	found := opening(path)
	{[f.rule, f.symbol, f.span.line] | some f in found} == {["file-outside", "builtins.open", 4]}
}

test_inside[path] if {
	some path in [
		"out.csv", "data/in.json", "./x", "a/../b.txt", "a/b/../../c", "x..y", "/tmp/x", "/tmp", "/workspace/x",
		"/dev/null", "w", "utf-8", "", "**/*.py", "a/**/../b",
	]
	count(opening(path)) == 0
}

test_path_of_an_object if {
	found := baseline.deny with input.capabilities["filesystem.read"] as ["pathlib.Path.read_text"]
		with input.source.uses as {"pathlib.Path.read_text": [{"args": [], "path": "a/../../etc/passwd", "span": {"line": 4}}]}
	{f.rule | some f in found} == {"file-outside"}
}

test_pattern_that_leads_out[pattern] if {
	some pattern in [
		"{..,x}/../etc/passwd", ".{.,x}/.{.,x}/etc", ".[.]/etc", "{.,x}{.,y}/etc", "a/{x,..}/../..", "a{/x,b}/../..",
		"{/etc,x}/passwd", "{x,/etc}/passwd", "{,/}etc/passwd", "{,x}/etc", "{x,}/etc", "x{.{.,a},b}", "\\/etc/passwd", ".\\./etc",
	]
	count(looking(pattern)) == 1
}

test_pattern[pattern] if {
	some pattern in ["**/*.{js,ts}", "./{src,test}/**", "[a-z]*.js", "*.{spec,test}.js", "[!.]*", "src/*", "*{.ts,.tsx}"]
	count(looking(pattern)) == 0
}

looking(pattern) := found if {
	found := baseline.deny with input.capabilities["filesystem.read"] as ["node:fs.globSync"]
		with input.source.uses as {"node:fs.globSync": [{"args": [{"value": pattern}], "span": {"line": 4}}]}
}

# What is written is no path.
test_content[name] if {
	some name in ["node:fs.writeFileSync", "node:fs.promises.appendFile", "node:fs/promises.writeFile", "pathlib.Path.write_text"]
	writing(name, [{"value": "a.txt"}, {"value": "/etc/passwd", "path": "/etc/*"}]) == set()
}

test_where_content_goes[name] if {
	some name in ["node:fs.writeFileSync", "node:fs.promises.appendFile", "node:fs/promises.writeFile"]
	count(writing(name, [{"value": "/etc/passwd"}, {"value": "x"}])) == 1
}

test_where_it_may_lie if count(writing("builtins.open", [{"value": null, "may_be": "/home/*"}])) == 1

test_where_it_may_be_mounted if {
	arg := {"value": null, "may_be": "/data/*"}
	count(writing("builtins.open", [arg])) == 1
	found := writing("builtins.open", [arg]) with input.sandbox.mounts as ["/data/in.csv"]
	count(found) == 0
}

test_text_written_by_a_path if {
	found := baseline.deny with input.capabilities["filesystem.write"] as ["pathlib.Path.write_text"]
		with input.source.uses as {"pathlib.Path.write_text": [{"args": [{"value": null, "path": "/etc/passwd"}], "path": "a.txt", "span": {"line": 4}}]}
	count(found) == 0
}

test_path_of_the_class if count(writing("pathlib.Path.write_text", [{"value": null, "path": "/etc/passwd"}, {"value": "x"}])) == 1

test_second_path if count(writing("node:fs.copyFileSync", [{"value": "a"}, {"value": "/etc/passwd"}])) == 1

writing(name, args) := found if {
	found := baseline.deny with input.capabilities["filesystem.read"] as []
		with input.capabilities["filesystem.write"] as [name]
		with input.source.uses as {name: [{"args": args, "span": {"line": 4}}]}
}

test_path_not_known if count(opening(null)) == 0

test_logged if {
	found := baseline.log with input.capabilities["filesystem.read"] as ["os.listdir"]
		with input.capabilities["filesystem.write"] as ["os.mkdir"]
	{[f.rule, f.symbol] | some f in found} == {["file-read", "os.listdir"], ["file-write", "os.mkdir"]}
}

test_mounted[path] if {
	some path in ["/data", "/data/in.csv", "/workspace/models/a.bin"]
	found := opening(path) with input.sandbox.mounts as ["/data", "/workspace/models"]
	count(found) == 0
}

test_not_mounted[path] if {
	some path in ["/database", "/data/../etc/passwd", "/", "~/data"]
	found := opening(path) with input.sandbox.mounts as ["/data"]
	count(found) == 1
}
