package sallyport.rules.strict

# METADATA
# title: Uses a file whose path is not constant
# description: |
#   Which file is used must stand in the source, or be one below a directory that tempfile made.
#   While the program runs, it reads no other file outside of what it can write.
# custom:
#   id: strict-path
#   severity: medium
#   capability: filesystem.read
#   cwe: CWE-73
#   controls: [NIST 800-53 AC-3]
#   remediation: Write the path out.
deny contains {
	"rule": "strict-path",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s: the path is not a constant, so that it could be any file", [name]),
} if {
	some name in file_names
	some use in input.source.uses[name]
	use.how != "import"
	not names_path(name, use)
}

# METADATA
# title: Changes files that are not plainly its own
# description: |
#   Under strict a program may write files in its work directory that it names by a constant
#   path, and in directories that tempfile made for it, but none that could be loaded as code.
#   That holds for Python; a program in JavaScript writes no files. While it runs, a program
#   makes, changes and takes away no others.
# custom:
#   id: strict-write
#   severity: medium
#   capability: filesystem.write
#   cwe: CWE-732
#   controls: [NIST 800-53 AC-3]
#   remediation: Print the result, or write it, in Python, to a file in the work directory by a constant path.
deny contains {
	"rule": "strict-write",
	"symbol": name,
	"message": sprintf("%s can create, change or remove %s", [name, whose_files]),
} if {
	some name in writing
	not only_reads(name)
	not only_own(name)
}

writing contains name if some name in input.capabilities["filesystem.write"]

# The file of an array, which is open for writing as well where nothing else is said.
writing contains "numpy.memmap" if input.source.uses["numpy.memmap"]

default whose_files := "files that are not plainly the program's own"

whose_files := "files, and strict code in JavaScript writes none" if input.source.language == "javascript"

file_names contains name if {
	some capability in ["filesystem.read", "filesystem.write"]
	some name in input.capabilities[capability]
}

# A function that opens files both ways tells by its mode, its second argument.
# The method of a path has the mode first, and is taken to write.
only_reads(name) if {
	name in input.capabilities["filesystem.read"]
	not name in {"pathlib.Path.open", "numpy.memmap"}
	every use in input.source.uses[name] {
		not may_write(use)
	}
}

laid_over_for_reading(use) if {
	use.how == "call"
	not use.splat
	some i, arg in use.args
	{i == 2, object.get(arg, "name", "") == "mode"} & {true} == {true}
	arg.known
	arg.value in {"r", "c", "readonly", "copyonwrite"}
}

may_write(use) if not use.how in {"call", "import"}

may_write(use) if use.splat

may_write(use) if {
	some i, arg in use.args
	not names_file(i, arg)
	not arg.known
}

may_write(use) if {
	some i, arg in use.args
	not names_file(i, arg)
	is_string(arg.value)
	regex.match(`^[rbt]*[wax+][rwxabt+]*$`, arg.value)
}

names_file(0, arg) if object.get(arg, "name", "") in {"", "file", "name", "filename", "path"}

# What writes the one file that it names first, or that it is a method of.
writers := {
	"builtins.open", "io.open", "gzip.open", "bz2.open", "lzma.open", "os.mkdir", "os.makedirs",
	"matplotlib.pyplot.savefig", "matplotlib.pyplot.imsave", "matplotlib.figure.Figure.savefig", "numpy.save",
	"numpy.savetxt", "numpy.savez", "numpy.savez_compressed", "numpy.memmap", "pandas.ExcelWriter",
	"numpy.ndarray.tofile", "pandas.DataFrame.to_csv", "pandas.DataFrame.to_excel",
	"pandas.DataFrame.to_feather", "pandas.DataFrame.to_html", "pandas.DataFrame.to_json",
	"pandas.DataFrame.to_latex", "pandas.DataFrame.to_markdown", "pandas.DataFrame.to_parquet",
	"pandas.DataFrame.to_stata", "pandas.DataFrame.to_string", "pandas.DataFrame.to_xml",
	"pathlib.Path.write_text", "pathlib.Path.write_bytes", "pathlib.Path.open", "pathlib.Path.mkdir",
	"pathlib.Path.touch",
}

only_own(name) if {
	name in writers
	every use in input.source.uses[name] {
		writes_own(name, use)
	}
}

only_own(name) if {
	name in temporary
	every use in input.source.uses[name] {
		makes_temporary(name, use)
	}
}

writes_own(_, use) if use.how == "import"

writes_own(name, use) if {
	use.how == "call"
	not use.splat
	own(path_of(name, use))
	stands_first(name, use)
	every i, arg in use.args {
		not elsewhere(name, i, arg)
	}
}

writes_own("numpy.memmap", use) if laid_over_for_reading(use)

writes_own(name, use) if opened(name, use)

# Without a place to write to, they give text.
writes_own(name, use) if gives_text(name, use)

# The path of what is written is what the method is of, or stands first and under no name.
stands_first(name, _) if startswith(name, "pathlib.Path.")

stands_first(_, use) if object.get(use.args[0], "name", "") == ""

gives_text(name, use) if {
	startswith(name, "pandas.DataFrame.to_")
	use.how == "call"
	not use.splat
	every arg in use.args {
		object.get(arg, "name", "") in {
			"index", "header", "indent", "orient", "sep", "columns", "na_rep",
			"float_format", "lines", "date_format", "floatfmt", "tablefmt", "escape", "justify",
		}
	}
}

# What reads or writes whatever has the methods of a file, and takes nothing in it for a name.
of_streams := {
	"pandas.ExcelFile", "pandas.ExcelWriter", "pandas.read_csv", "pandas.read_excel", "pandas.read_feather",
	"pandas.read_fwf", "pandas.read_json", "pandas.read_parquet", "pandas.read_stata", "pandas.read_table",
	"pandas.DataFrame.to_csv", "pandas.DataFrame.to_excel", "pandas.DataFrame.to_feather",
	"pandas.DataFrame.to_html", "pandas.DataFrame.to_json", "pandas.DataFrame.to_latex",
	"pandas.DataFrame.to_markdown", "pandas.DataFrame.to_parquet", "pandas.DataFrame.to_stata",
	"pandas.DataFrame.to_string", "numpy.genfromtxt", "numpy.load", "numpy.loadtxt", "numpy.save",
	"numpy.savetxt", "numpy.savez", "numpy.savez_compressed", "matplotlib.pyplot.imread",
	"matplotlib.pyplot.imsave", "matplotlib.pyplot.savefig", "matplotlib.figure.Figure.savefig",
}

# What is open already is in memory, or was judged where it was opened.
opened(name, use) if {
	name in of_streams
	use.how == "call"
	not use.splat
	is_open(name, object.get(use.args[0], "path", ""))
	object.get(use.args[0], "name", "") in {
		"", "buf", "excel_writer", "file", "filepath_or_buffer", "fname", "io", "path", "path_or_buf",
		"path_or_buffer",
	}
}

is_open(_, "<opened>")

# What writes tables into a workbook takes it for one. Others ask it for a path.
is_open("pandas.DataFrame.to_excel", "<workbook>")

# Which file a use is about.
path_of(name, use) := use.path if {
	startswith(name, "pathlib.Path.")
	use.path != ""
}

path_of(name, use) := path if {
	not startswith(name, "pathlib.Path.")
	path := argument_path(use.args[0])
}

# The name of a file that begins as what stands for such a directory does is no path below one.
argument_path(arg) := arg.value if {
	is_string(arg.value)
	not startswith(arg.value, "<temporary>")
	not of_scheme(arg.value)
}

argument_path(arg) := arg.path if {
	not object.get(arg, "path", "") in {"", "<opened>", "<workbook>"}
	not asks_any_host(arg.path)
	not of_scheme(arg.path)
}

# Libraries take what begins so for the name of a kind of files, which may lie anywhere. Those of hosts are
# judged by the rules about hosts.
of_scheme(path) if {
	regex.match(`^[A-Za-z][A-Za-z0-9+.-]*(://|::)`, path)
	not regex.match(`^(?i:https?|ftps?|s3|gs|gcs|hdfs|abfss?)://`, path)
}

# An address that is constant but for numbers names no host where one stands before its path.
asks_any_host(path) if regex.match(`^[^/]*(\*[^/]*:/|:[/\t\r\n]+[^/]*\*)`, path)

# A file of the program's own: below a directory that tempfile made, or in the work
# directory by a name that nothing loads as code. A directory whose name begins with any
# sign and goes on as written may be a hidden one.
own(path) if {
	startswith(path, "<temporary>/")
	not contains(path, "..")
}

own(path) if {
	path != ""
	not regex.match(`^([/~\\<]|[A-Za-z]:)|\.\.|\*[^.]*$`, path)
	not regex.match(`(?i)\.(py[a-z0-9]*|so(\.[0-9.*]*)?|pth|_pth|zip|egg|whl|[cm]?js|node|wasm|sh|dll|dylib)[/.]*$`, path)
	not regex.match(`(^|/)\*+[^*/][^/]*/`, path)
	not regex.match(`(?i)(^|/)(matplotlibrc|pip\.conf|setup\.cfg|package\.json|node_modules|\.[^./])`, path)
}

# What makes files with names that are new each time.
temporary := {
	"tempfile.NamedTemporaryFile", "tempfile.SpooledTemporaryFile", "tempfile.TemporaryFile",
	"tempfile.TemporaryDirectory", "tempfile.mkdtemp",
}

harmless_options := {
	"mode", "buffering", "encoding", "newline", "errors", "delete", "delete_on_close",
	"max_size", "ignore_cleanup_errors",
}

makes_temporary(_, use) if use.how == "import"

makes_temporary(name, use) if {
	use.how == "call"
	not use.splat
	every i, arg in use.args {
		makes_no_path(name, i, arg)
	}
}

# The mode comes first where a file is made, and a name where a directory is.
makes_no_path(name, 0, arg) if {
	not name in {"tempfile.TemporaryDirectory", "tempfile.mkdtemp"}
	object.get(arg, "name", "") == ""
}

makes_no_path(_, _, arg) if object.get(arg, "name", "") in harmless_options

makes_no_path(_, _, arg) if {
	object.get(arg, "name", "") in {"suffix", "prefix"}
	is_string(arg.value)
	not contains(arg.value, "/")
	not contains(arg.value, "..")
	own(concat("", ["x", arg.value]))
}

names_path(name, use) if {
	not name in opens_later
	constant_path(name, use)
	every i, arg in use.args {
		not elsewhere(name, i, arg)
	}
}

# A directory or file beside the path that stands first, or what opens it.
elsewhere(name, i, arg) if {
	leads_elsewhere(name, i, object.get(arg, "name", ""))
	not is_string(arg.value)
	object.get(arg, "path", "") == ""
	not nothing(arg)
}

nothing(arg) if {
	arg.known
	arg.value == null
}

leads_elsewhere(_, _, keyword) if keyword in {"root_dir", "dir_fd", "src_dir_fd", "dst_dir_fd", "dir", "opener"}

leads_elsewhere(name, _, keyword) if keyword in {other | some other in beside[name]}

leads_elsewhere(name, i, "") if beside[name][i]

# Where such an argument stands that has a place, and its name.
beside := {
	"builtins.open": {7: "opener"}, "io.open": {7: "opener"}, "io.FileIO": {3: "opener"},
	"filecmp.cmp": {1: "f2"}, "filecmp.cmpfiles": {1: "b"}, "filecmp.dircmp": {1: "b"},
	"gettext.find": {1: "localedir"}, "gettext.translation": {1: "localedir"},
	"gettext.install": {1: "localedir"}, "gettext.bindtextdomain": {1: "localedir"},
	"globalThis.require.resolve": {1: "paths"},
	"pyclbr.readmodule": {1: "path"}, "pyclbr.readmodule_ex": {1: "path"}, "shutil.which": {2: "path"},
	"xml.etree.ElementTree.ElementTree": {1: "file"},
}

# Where the name of an argument stands first, any of them may be the path.
by_name(name, use) if {
	not startswith(name, "pathlib.Path.")
	object.get(use.args[0], "name", "") != ""
	some arg in use.args
	not object.get(arg, "known", true)
}

# It opens what it is asked to later, by whatever asks.
opens_later := {"argparse.FileType"}

constant_path(name, use) if gives_text(name, use)

constant_path(name, use) if {
	use.how == "call"
	not use.splat
	path_of(name, use)
	not by_name(name, use)
}

constant_path(name, use) if {
	use.how == "call"
	not use.splat
	count(use.args) == 0
	not startswith(name, "pathlib.Path.")
}

constant_path(name, use) if opened(name, use)

constant_path(name, use) if {
	name in temporary
	makes_temporary(name, use)
}

# The classes, and what is no method of one path.
constant_path(name, use) if {
	name in {"pathlib.Path.cwd", "pathlib.Path.home"}
	use.how == "call"
}
