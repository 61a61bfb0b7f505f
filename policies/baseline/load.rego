package sallyport.rules.baseline

# METADATA
# title: Loads code by name or path
# description: |
#   A module that is loaded by a name the source does not show escapes judgement.
# custom:
#   id: code-load
#   severity: high
#   capability: code.load
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7, ISO 27001 A.8.19]
#   remediation: Import the module by its name, with an import statement or require.
deny contains {
	"rule": "code-load",
	"symbol": name,
	"message": sprintf("%s loads code that the source does not name", [name]),
} if {
	some name in input.capabilities["code.load"]
	not names_module(name)
}

# METADATA
# title: Imports a module whose name is not constant
# description: |
#   Any module could be meant, also one that is denied.
# custom:
#   id: import-dynamic
#   severity: high
#   capability: code.load
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7, ISO 27001 A.8.19]
#   remediation: Import the modules that may be needed by their names, and choose among them.
deny contains {
	"rule": "import-dynamic",
	"span": span,
	"message": "a module is loaded here by a name that is not constant, so that it could be any",
} if {
	some span in input.source.dynamic.import
}

# METADATA
# title: Loads code that it can write itself
# description: |
#   A module that comes from a file the program writes, or from a place of its choosing, was
#   judged by nobody.
# custom:
#   id: code-written
#   severity: high
#   capability: code.load
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7, ISO 27001 A.8.19]
#   remediation: Put the code into the program itself, or pass the module in as an input file.
deny contains {
	"rule": "code-written",
	"symbol": module,
	"message": sprintf("%s %s", [module, why]),
} if {
	some module, why in foreign
}

# A call with a constant name says what it loads, and is judged by that.
names_module(name) if {
	name in {"importlib.import_module", "importlib.reload", "builtins.__import__"}
	every use in object.get(input.source.uses, name, []) {
		use.how in {"call", "import"}
		not conceals(use)
	}
}

conceals(use) if use.splat

conceals(use) if {
	use.how == "call"
	not use.args[0].known
}

# As sets: a program may import very many modules.
unknown contains name if some name in input.capabilities.unknown

imports contains module if some module in input.source.imports

# What was loaded before the program did anything is no file that it has written.
late_imports contains module if {
	some module in imports
	not module in early_imports
}

early_imports contains module if some module in input.source.early_imports

foreign[module] := "could be a file that the program has written itself" if {
	writes_code
	some module in (unknown & imports)
	not elsewhere(module)
}

foreign[module] := "could be a file that the program has written itself" if {
	may_write_code
	some module in (unknown & late_imports)
	not elsewhere(module)
}

foreign[module] := "could be a file that the program has written itself" if {
	input.source.language == "python"
	some module in imports
	split(module, ".")[0] in written
}

foreign[module] := "is loaded from outside the work directory" if {
	some module in input.source.imports
	elsewhere(module)
}

# The modules that files of the program come to: they are found before any other of that
# name. In a directory of their own they are not looked for, unless sys.path is changed.
written contains name if {
	some writer in input.capabilities["filesystem.write"]
	some use in input.source.uses[writer]
	not plainly_reads(writer, use)
	some path in paths(use)
	found := regex.find_all_string_submatch_n(`^(.*/)?([^/.]+)(\.[^/.]+)*\.(py|pyc|so)$`, replace(path, "/__init__.", "."), 1)
	name := found[0][2]
	looked_into(found[0][1])
}

looked_into(directory) if regex.match(`^(/.*|(.*/)?\.\./|(\./)*)$`, directory)

looked_into(_) if changes_path

# Where modules are looked for is changed, or may be.
changes_path if {
	some name in input.source.names
	startswith(name, "sys.path.")
}

plainly_reads(name, use) if {
	name in {"builtins.open", "io.open", "codecs.open"}
	not use.splat
	every arg in array.slice(use.args, 1, count(use.args)) {
		object.get(arg, "name", "") in {"encoding", "errors", "newline"}
	}
}

plainly_reads(name, use) if {
	name in {"builtins.open", "io.open", "codecs.open"}
	mode := mode_of(use)
	is_string(mode)
	regex.match(`^[rbtU]*$`, mode)
}

mode_of(use) := use.args[1].value if object.get(use.args[1], "name", "") == ""

mode_of(use) := arg.value if {
	some arg in use.args
	object.get(arg, "name", "") == "mode"
}

elsewhere(module) if {
	input.source.language == "javascript"
	regex.match(`^(/|file:|data:|https?:)`, as_url(module))
}

writes_code if {
	input.capabilities["filesystem.write"] != []
	changes_path
}

writes_code if {
	some name in input.capabilities["filesystem.write"]
	some use in input.source.uses[name]
	some arg in use.args
	is_string(arg.value)
	regex.match(`\.(py|pyc|pth|so|js|cjs|mjs|node|wasm)$`, arg.value)
}

# A file whose name is not known may be a module's.
may_write_code if {
	input.source.language == "python"
	some name in {"builtins.open", "io.open", "codecs.open"}
	some use in input.source.uses[name]
	use.how == "call"
	count(use.args) > 1
	not use.args[0].known
	some arg in array.slice(use.args, 1, count(use.args))
	is_string(arg.value)
	regex.match(`^[bt]*[wax][bt+]*$`, arg.value)
}
