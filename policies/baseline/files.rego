package sallyport.rules.baseline

# METADATA
# title: Uses a file outside the work directory
# description: |
#   Files of the host are none of the program's business. The sandbox does not have them.
# custom:
#   id: file-outside
#   severity: high
#   cwe: CWE-22
#   controls: [NIST 800-53 AC-3, ISO 27001 A.8.3, HIPAA 164.312(a)(1)]
#   remediation: Use a relative path or one below /tmp, and pass input files with the request.
deny contains {
	"rule": "file-outside",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s is given %q, which lies outside the work directory", [name, path]),
} if {
	some name in file_names
	some use in input.source.uses[name]
	some path in paths(of_paths(name, use))
	leads_out(name, path)
}

leads_out(_, pattern) if outside(pattern)

# A pattern of Node's that makes a way up, or one from the root, of what stands in braces and brackets: two dots,
# a dot or nothing for itself, a slash at its beginning, or what is quoted.
leads_out(name, pattern) if {
	regex.match(`^node:fs(/promises|\.promises)?\.glob(Sync)?$`, name)
	regex.match(`[{\[\\]`, pattern)
	regex.match(`\.\.|\\|[{,\[](/|\.[/},\]{\[])|[{,],|[{,]\}`, pattern)
}

# The texts that a use is given, and the paths that they, or what it is a method of, come to.
paths(use) := (texts | named) | {use.path | use.path != ""} if {
	texts := {arg.value | some arg in use.args; is_string(arg.value)}
	known := {arg.path | some arg in use.args; object.get(arg, "path", "") != ""}
	named := known | {arg.may_be | some arg in use.args; object.get(arg, "may_be", "") != ""; not may_be_mounted(arg.may_be)}
}

# What the operator has mounted lies below what is known of the path.
may_be_mounted(path) if {
	endswith(path, "/*")
	some mount in input.sandbox.mounts
	startswith(mount, trim_suffix(path, "*"))
}

# The arguments of a function that are paths: not what it writes.
of_paths(name, use) := object.union(use, {"args": array.slice(use.args, 0, 1)}) if {
	regex.match(`^node:fs(/promises|\.promises)?\.(write|append)File(Sync)?$`, name)
} else := object.union(use, {"args": []}) if {
	name in {"pathlib.Path.write_text", "pathlib.Path.write_bytes"}
	use.path != ""
} else := object.union(use, {"args": [{"path": object.get(arg, "path", "")} | some arg in array.slice(use.args, 0, 1)]}) if {
	name in {"pathlib.Path.write_text", "pathlib.Path.write_bytes"}
} else := use

file_names contains name if {
	some capability in ["filesystem.read", "filesystem.write"]
	some name in input.capabilities[capability]
}

outside(path) if {
	startswith(path, "/")
	not inside(path)
}

outside(path) if startswith(path, "~")

# A relative path that climbs out: at some place more of its parts go up than down. The part **
# of a pattern may stand for nothing.
outside(path) if {
	contains(path, "..")
	not startswith(path, "/")
	parts := [part | some part in split(path, "/"); not part in {"", ".", "**"}]
	some n in numbers.range(1, count(parts))
	up := [part | some part in array.slice(parts, 0, n); part == ".."]
	2 * count(up) > n
}

outside(path) if regex.match(`^([A-Za-z]:[\\/]|\\\\)`, path)

outside(path) if startswith(as_url(path), "file:")

# How a text begins that is read as a URL: what stands around it does not count, nor do tabs and line ends
# in it, nor capitals.
as_url(text) := lower(regex.replace(text, `^[\x00-\x20]+|[\t\n\r]`, ""))

inside(path) if {
	strings.any_prefix_match(path, ["/tmp/", "/workspace/", "/dev/shm/"])
	not contains(concat("", [path, "/"]), "/../")
}

inside(path) if path in {
	"/tmp", "/workspace", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
	"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2",
}

# What the operator has mounted is there to be used.
inside(path) if path in input.sandbox.mounts

inside(path) if {
	not contains(concat("", [path, "/"]), "/../")
	some mount in input.sandbox.mounts
	startswith(path, concat("", [mount, "/"]))
}

# METADATA
# title: Reads files
# description: |
#   Which files a program reads is worth knowing afterwards.
# custom:
#   id: file-read
#   severity: low
#   controls: [NIST 800-53 AU-12]
log contains {
	"rule": "file-read",
	"symbol": name,
	"message": sprintf("%s can read files", [name]),
} if {
	some name in input.capabilities["filesystem.read"]
}

# METADATA
# title: Writes files
# description: |
#   Which files a program writes is worth knowing afterwards.
# custom:
#   id: file-write
#   severity: low
#   controls: [NIST 800-53 AU-12]
log contains {
	"rule": "file-write",
	"symbol": name,
	"message": sprintf("%s can create, change or remove files", [name]),
} if {
	some name in input.capabilities["filesystem.write"]
}
