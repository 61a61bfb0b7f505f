package python

import "sallyport/analyze"

// runner is an outside function that runs a string as code.
type runner struct {
	position   int    // of the code among the arguments
	keyword    string // its name
	also       string // the name of a second argument that is code, behind the first
	expression bool   // leading blanks are skipped
	among      string // the module among whose names the code runs, where it is given no others
}

type intrinsic = func(p *python, i int, args *arguments) value

// tables is what the analysis knows of single names. It is immutable.
type tables struct {
	runners      map[string]runner
	intrinsics   map[string]intrinsic
	follows      map[string]int // intrinsic: how many positional arguments it follows
	folds        map[string]fold
	attributes   map[string]string   // attribute name: the kind of Dynamic it is on any object
	calls        map[string]string   // function: the kind of Dynamic that calling it is
	returns      map[string]string   // function: the type of what it returns
	doers        map[string][]string // class: the methods of its objects that do what rules are about (unseen.go)
	references   map[string]string   // function: the kind of Dynamic that handing it on uncalled is
	methods      map[string]string   // method: the function it is, on objects of an imported module
	assignable   map[string]bool     // module members that programs assign to as a matter of course
	pure         map[string]bool     // functions that keep and return no argument
	starts       map[string]bool     // how the attributes start that are in this table
	openPrivate  map[string]bool     // attributes that look private and are not
	mayDefine    map[string]bool     // special names that programs define as a matter of course
	written      map[string]bool     // methods that are written for a class
	wrappers     map[string]bool     // decorators that keep what they get to themselves
	onlyHolds    map[string]bool     // functions and methods that call none of their arguments
	meant        map[string]meaning
	makers       map[string]bool
	connections  map[string]taken    // functions that take a connection to a database, and which of their arguments it is
	granting     map[string]granting // function or class: its argument that gives a capability
	lentFiles    map[string][2]string
	lenders      map[string][]string // these five are libraries.go's
	options      map[string]option
	optional     map[string]taken
	fielded      map[string]bool
	overMemory   map[string]int
	onTheSpot    map[string]bool // these three are floor.go's
	leading      map[string]bool
	makesNothing map[string]bool
	onlyComputes map[string]bool
}

func newTables() *tables {
	t := &tables{
		runners:    runners(),
		intrinsics: intrinsics(),
		follows:    follows(),
		folds:      folds(),
		attributes: attributes(),
		calls:      calls(),
		returns:    returns(),
		doers:      doers(),
		methods:    methods(),
		references: map[string]string{
			"builtins.getattr": analyze.DynamicMember, "builtins.setattr": analyze.DynamicMember, "builtins.delattr": analyze.DynamicMember, "inspect.getattr_static": analyze.DynamicMember,
			"builtins.__import__": analyze.DynamicImport, "importlib.import_module": analyze.DynamicImport, "importlib.__import__": analyze.DynamicImport,
			"traceback.print_tb": analyze.DynamicFrame, "traceback.format_tb": analyze.DynamicFrame, "traceback.extract_tb": analyze.DynamicFrame,
			"traceback.print_stack": analyze.DynamicFrame, "traceback.format_stack": analyze.DynamicFrame,
			// Their methods, given another object, do what its attributes say.
			"contextlib.redirect_stdout": analyze.DynamicAttribute, "contextlib.redirect_stderr": analyze.DynamicAttribute, "shlex.shlex": analyze.DynamicAttribute, "argparse.Namespace": analyze.DynamicAttribute,
			"unittest.main": analyze.DynamicImport, "unittest.TestProgram": analyze.DynamicImport, "unittest.main.TestProgram": analyze.DynamicImport,
			"traceback.print_exception": analyze.DynamicFrame, "traceback.format_exception": analyze.DynamicFrame, "traceback.TracebackException": analyze.DynamicFrame,
			"builtins.str.format": analyze.DynamicTemplate, "builtins.str.format_map": analyze.DynamicTemplate,
			"string.Formatter.format": analyze.DynamicTemplate, fieldFormatter: analyze.DynamicTemplate,
			// What becomes of these depends on what they are given.
			"operator.attrgetter": analyze.DynamicMember, "operator.methodcaller": analyze.DynamicMember,
			"functools.wraps": analyze.DynamicMember, "functools.update_wrapper": analyze.DynamicMember,
			"dataclasses.make_dataclass": analyze.DynamicCode, "types.new_class": analyze.DynamicCode, "dataclasses.dataclass": analyze.DynamicCode,
			"enum.pickle_by_enum_name": analyze.DynamicAttribute, // which gives getattr
			"logging.Formatter":        analyze.DynamicTemplate, "logging.StrFormatStyle": analyze.DynamicTemplate, "logging.LogRecord": analyze.DynamicFrame, "logging.makeLogRecord": analyze.DynamicFrame,
			"types.prepare_class": analyze.DynamicClass,
			"builtins.globals":    analyze.DynamicNamespace, "builtins.locals": analyze.DynamicNamespace, "pkgutil.resolve_name": analyze.DynamicImport, "pydoc.locate": analyze.DynamicImport,
		},
		openPrivate: privateInName(),
		mayDefine:   mayDefine(),
		written:     writtenMethods(),
		onlyHolds:   onlyHolds(),
		wrappers: setOf("builtins.property", "builtins.classmethod", "builtins.staticmethod", "abc.abstractmethod", "abc.abstractproperty", "functools.cache", "functools.lru_cache",
			"functools.cached_property", "functools.singledispatchmethod", "contextlib.contextmanager", "contextlib.asynccontextmanager", "typing.override", "typing.final",
			"typing.overload", "typing.no_type_check", "enum.property", "enum.member", "enum.nonmember", "types.DynamicClassAttribute", "unittest.skip", "unittest.skipIf",
			"unittest.skipUnless", "unittest.expectedFailure"),
		meant:        meant(),
		connections:  connections(),
		granting:     grantings(),
		lentFiles:    lentFiles(),
		lenders:      lenders(),
		options:      libraryOptions(),
		optional:     optional(),
		fielded:      fielded(),
		overMemory:   overMemory(),
		makesNothing: makesNothing(),
		onlyComputes: onlyComputes(),
		onTheSpot:    onTheSpot(),
		leading:      leading(),
		assignable: setOf("sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.tracebacklimit", "sys.ps1", "sys.ps2", "sys.dont_write_bytecode", "csv.field_size_limit",
			"sys.excepthook", "threading.excepthook", "warnings.showwarning", "warnings.formatwarning"),
		pure: setOf("builtins.len", "builtins.print", "builtins.hasattr", "builtins.isinstance", "builtins.issubclass", "builtins.id", "builtins.repr",
			"builtins.str", "builtins.dir", "builtins.type", "builtins.hash", "builtins.callable", "builtins.all", "builtins.any",
			"builtins.range", "builtins.int", "builtins.float", "builtins.bool", "builtins.ord", "builtins.chr", "builtins.format", "builtins.help",
			"builtins.super", "importlib.reload", "inspect.getsource", "json.dumps", "xml.etree.ElementTree.dump"),
	}
	t.makers = makersOf(t.meant)
	t.starts = map[string]bool{}
	for name := range t.attributes {
		for at, r := range name {
			if r == '_' {
				t.starts[name[:at+1]] = true
			}
		}
	}
	return t
}

// privateInName are the attributes with an underscore that the documentation of the
// standard library tells programs to use.
func privateInName() map[string]bool {
	return setOf("_asdict", "_replace", "_fields", "_make", "_field_defaults", "_fields_", "_value_", "_name_", "_missing_", "_ignore_", "_order_",
		"_generate_next_value_", "_numeric_repr_", "_attributes", "_parse_args", "_exit", "_")
}

// onlyComputes are modules, classes and streams of which no member leads to more than the language's own functions:
// whatever its name is, it computes, or writes where the program does. Who walks on from there is seen where he does.
func onlyComputes() map[string]bool {
	return setOf("math", "cmath", "operator", "hashlib", "errno", "token", "keyword", "colorsys", "stat", "builtins.int", "builtins.float", "builtins.complex", "builtins.bool", "builtins.str", "builtins.bytes", "builtins.bytearray", "builtins.list",
		"builtins.tuple", "builtins.dict", "builtins.set", "builtins.frozenset", "sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__", "io.StringIO", "io.BytesIO")
}

// onlyHolds are functions and methods that call none of their arguments.
func onlyHolds() map[string]bool {
	return setOf("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "builtins.dict", "builtins.zip", "builtins.enumerate", "builtins.iter",
		"builtins.getattr", "builtins.Exception", "collections.Counter", "collections.deque", "operator.eq", "operator.is_", "typing.cast", "functools.wraps",
		"builtins.object.__new__", "builtins.vars",
		".get", ".append", ".add", ".pop", ".index", ".count", ".remove", ".setdefault", ".insert", ".extend", ".update", ".discard", ".format", ".join",
		".debug", ".info", ".warning", ".error", ".exception", ".critical", ".log", ".__new__", ".__eq__", ".__contains__", ".__getitem__", ".__setitem__")
}

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func runners() map[string]runner {
	code := func(position int, keyword string) runner { return runner{position: position, keyword: keyword} }
	return map[string]runner{
		"builtins.exec":                         code(0, "source"),
		"builtins.eval":                         {position: 0, keyword: "source", expression: true},
		"builtins.compile":                      code(0, "source"),
		"timeit.timeit":                         {position: 0, keyword: "stmt", also: "setup", among: "timeit"},
		"timeit.repeat":                         {position: 0, keyword: "stmt", also: "setup", among: "timeit"},
		"timeit.Timer":                          {position: 0, keyword: "stmt", also: "setup", among: "timeit"},
		"cProfile.run":                          code(0, "statement"),
		"cProfile.runctx":                       code(0, "statement"),
		"cProfile.Profile.run":                  code(0, "cmd"),
		"cProfile.Profile.runctx":               code(0, "cmd"),
		"profile.run":                           code(0, "statement"),
		"profile.runctx":                        code(0, "statement"),
		"profile.Profile.run":                   code(0, "cmd"),
		"profile.Profile.runctx":                code(0, "cmd"),
		"trace.Trace.run":                       code(0, "cmd"),
		"trace.Trace.runctx":                    code(0, "cmd"),
		"bdb.Bdb.run":                           code(0, "cmd"),
		"bdb.Bdb.runeval":                       {position: 0, keyword: "expr", expression: true},
		"bdb.Bdb.runctx":                        code(0, "cmd"),
		"pdb.Pdb.run":                           code(0, "cmd"),
		"pdb.Pdb.runeval":                       {position: 0, keyword: "expr", expression: true},
		"pdb.Pdb.runctx":                        code(0, "cmd"),
		"pdb.run":                               code(0, "statement"),
		"pdb.runeval":                           {position: 0, keyword: "expression", expression: true},
		"pdb.runctx":                            code(0, "statement"),
		"code.InteractiveInterpreter.runsource": code(0, "source"),
		"code.InteractiveInterpreter.runcode":   code(0, "code"),
		"code.InteractiveConsole.push":          code(0, "line"),
		"code.compile_command":                  code(0, "source"),
		"codeop.compile_command":                code(0, "source"),
		"doctest.debug_script":                  code(0, "src"),
		"doctest.run_docstring_examples":        code(0, "f"),
		"typing.ForwardRef":                     {position: 0, keyword: "arg", expression: true},
		"_testcapi.run_in_subinterp":            code(0, "code"),
		"_xxsubinterpreters.run_string":         code(1, "script"),
		"_interpreters.exec":                    code(1, "code"),
		"_interpreters.run_string":              code(1, "script"),
		"ctypes.pythonapi.PyRun_SimpleString":   code(0, ""),
		"ctypes.pythonapi.PyRun_String":         code(0, ""),
		"test.support.run_in_subinterp":         code(0, "code"),
	}
}

// attributes names the attributes that lead out of whatever object they
// stand on. Ordinary programs use none of them; __class__, __name__, __dict__,
// __traceback__ and the like are not here because ordinary programs do.
func attributes() map[string]string {
	return map[string]string{
		"f_globals": analyze.DynamicFrame, "f_locals": analyze.DynamicFrame, "f_builtins": analyze.DynamicFrame, "f_back": analyze.DynamicFrame, "f_code": analyze.DynamicFrame, "f_generator": analyze.DynamicFrame,
		"tb_frame": analyze.DynamicFrame, "tb_next": analyze.DynamicFrame, "gi_frame": analyze.DynamicFrame, "cr_frame": analyze.DynamicFrame, "ag_frame": analyze.DynamicFrame,
		"gi_yieldfrom": analyze.DynamicFrame, "cr_await": analyze.DynamicFrame, "ag_await": analyze.DynamicFrame, "cr_origin": analyze.DynamicFrame,
		"__globals__": analyze.DynamicFrame, "__builtins__": analyze.DynamicFrame, "func_globals": analyze.DynamicFrame,
		"__subclasses__": analyze.DynamicSubclass, "__mro__": analyze.DynamicSubclass, "__bases__": analyze.DynamicSubclass, "__base__": analyze.DynamicSubclass, "mro": analyze.DynamicSubclass,
		"__subclasshook__": analyze.DynamicSubclass, "__mro_entries__": analyze.DynamicSubclass, "__self_class__": analyze.DynamicSubclass, "__thisclass__": analyze.DynamicSubclass,
		"__code__": analyze.DynamicBytecode, "gi_code": analyze.DynamicBytecode, "cr_code": analyze.DynamicBytecode, "ag_code": analyze.DynamicBytecode, "func_code": analyze.DynamicBytecode,
		"co_code": analyze.DynamicBytecode, "co_consts": analyze.DynamicBytecode, "co_names": analyze.DynamicBytecode, "__closure__": analyze.DynamicBytecode, "cell_contents": analyze.DynamicBytecode,
		"__loader__": analyze.DynamicImport, "__spec__": analyze.DynamicImport, "load_module": analyze.DynamicImport, "exec_module": analyze.DynamicImport, "find_module": analyze.DynamicImport,
		"create_module": analyze.DynamicImport, "__import__": analyze.DynamicImport,
		"__getattribute__": analyze.DynamicMember, "__reduce__": analyze.DynamicBytecode, "__reduce_ex__": analyze.DynamicBytecode,
	}
}

func calls() map[string]string {
	return map[string]string{
		"sys._getframe": analyze.DynamicFrame, "sys._current_frames": analyze.DynamicFrame, "sys._getframemodulename": analyze.DynamicFrame, "inspect.currentframe": analyze.DynamicFrame,
		"inspect.stack": analyze.DynamicFrame, "inspect.trace": analyze.DynamicFrame, "inspect.getouterframes": analyze.DynamicFrame, "inspect.getinnerframes": analyze.DynamicFrame,
		"traceback.walk_stack": analyze.DynamicFrame, "traceback.walk_tb": analyze.DynamicFrame, "sys.settrace": analyze.DynamicFrame, "sys.setprofile": analyze.DynamicFrame,
		"threading.settrace": analyze.DynamicFrame, "threading.setprofile": analyze.DynamicFrame,
		"gc.get_objects": analyze.DynamicSubclass, "gc.get_referrers": analyze.DynamicSubclass, "gc.get_referents": analyze.DynamicSubclass, "inspect.getmro": analyze.DynamicClass,
		"marshal.loads": analyze.DynamicBytecode, "marshal.load": analyze.DynamicBytecode, "types.CodeType": analyze.DynamicBytecode, "types.FunctionType": analyze.DynamicBytecode,
		"types.LambdaType":           analyze.DynamicBytecode,
		"string.Formatter.get_field": analyze.DynamicFormat, "string.Formatter.vformat": analyze.DynamicFormat,
		"runpy.run_path": analyze.DynamicCode, "runpy.run_module": analyze.DynamicCode, "runpy._run_code": analyze.DynamicCode, "runpy._run_module_code": analyze.DynamicCode,
		"code.interact": analyze.DynamicCode, "code.InteractiveConsole.interact": analyze.DynamicCode, "builtins.breakpoint": analyze.DynamicCode, "pdb.set_trace": analyze.DynamicCode,
		"doctest.DocTestRunner.run": analyze.DynamicCode, "doctest.testfile": analyze.DynamicCode, "site.addsitedir": analyze.DynamicImport, "site.addpackage": analyze.DynamicImport,
		"zipimport.zipimporter": analyze.DynamicImport, "importlib.reload": analyze.DynamicImport, "imp.load_source": analyze.DynamicImport, "imp.load_module": analyze.DynamicImport,
		"imp.load_dynamic": analyze.DynamicImport, "imp.load_compiled": analyze.DynamicImport,
		"importlib.util.spec_from_file_location": analyze.DynamicImport, "importlib.util.module_from_spec": analyze.DynamicImport, "importlib.util.spec_from_loader": analyze.DynamicImport,
		"importlib.machinery.SourceFileLoader": analyze.DynamicImport, "importlib.machinery.ExtensionFileLoader": analyze.DynamicImport,
		"importlib.machinery.SourcelessFileLoader": analyze.DynamicImport, "importlib.machinery.BuiltinImporter.load_module": analyze.DynamicImport,
		"_imp.create_builtin": analyze.DynamicImport, "_imp.create_dynamic": analyze.DynamicImport, "_imp.init_frozen": analyze.DynamicImport, "_imp.get_frozen_object": analyze.DynamicBytecode,
		"enum.pickle_by_enum_name": analyze.DynamicAttribute,
		"types.prepare_class":      analyze.DynamicClass,                                                          // which gives the class of what shall be a base
		"typing.get_type_hints":    analyze.DynamicAttribute, "inspect.get_annotations": analyze.DynamicAttribute, // which texts they compile, typetexts.go says
		"typing._eval_type": analyze.DynamicCode,
	}
}

func methods() map[string]string {
	out := map[string]string{}
	for class, names := range map[string][]string{
		loop: append(tellsContext(), []string{
			"subprocess_exec", "subprocess_shell", "create_connection", "create_server", "create_unix_connection", "create_unix_server",
			"create_datagram_endpoint", "connect_accepted_socket", "sock_connect", "sock_accept", "getaddrinfo", "getnameinfo", "start_tls", "add_signal_handler",
			"connect_read_pipe", "connect_write_pipe", "sendfile", "sock_recv", "sock_recv_into", "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendfile", "sock_sendto",
		}...),
		"asyncio.Task": {"get_stack", "print_stack"},
		// Of what is not known to be a path: the names that little else has.
		"pathlib.Path": {"write_text", "write_bytes", "read_text", "read_bytes", "iterdir", "rglob", "touch", "symlink_to", "hardlink_to", "rmdir", "unlink", "samefile", "readlink", "expanduser",
			"is_symlink", "is_mount", "is_socket", "is_fifo", "is_block_device", "is_char_device", "is_junction", "lchmod", "link_to", "copy_into", "move_into", "open", "mkdir", "exists", "is_file", "is_dir", "chmod", "stat", "lstat", "glob"},
		"configparser.ConfigParser":              {"read"},
		"matplotlib.figure.Figure":               {"savefig"},
		"matplotlib.axes.Axes":                   {"set_major_formatter", "set_minor_formatter", "legend_elements"},
		"matplotlib.text":                        {"set_usetex"},
		"matplotlib.font_manager.FontProperties": {"set_file"},
		"matplotlib.backend_bases.FigureCanvasBase": {"print_figure", "print_png", "print_raw", "print_rgba", "print_svg", "print_svgz", "print_pdf", "print_ps", "print_eps", "print_pgf",
			"print_jpg", "print_jpeg", "print_tif", "print_tiff", "print_webp", "print_gif", "print_avif"},
		"matplotlib.image.AxesImage":     {"write_png"},
		"numpy.ndarray":                  {"tofile", "dump"},
		"numpy.random.bit_generator":     {"capsule", "cffi"},
		"yaml.constructor":               {"yaml_loader", "construct_yaml_object"},
		"pandas.DataFrame":               append([]string{"agg", "aggregate", "apply", "filter", "transform", "pivot_table", "eval", "query", "plot", "hist", "boxplot"}, writersOfPandas()...),
		"pandas.io.xarray.Dataset":       {"to_netcdf", "to_zarr"},
		"pandas.io.formats.style.Styler": {"from_custom_template", "to_typst"},
		"shlex.shlex":                    {"sourcehook", "push_source"},
		"traceback.StackSummary":         {"from_list"},
		"asyncio.DefaultEventLoopPolicy": {"get_child_watcher", "set_child_watcher"},
		"polars.DataFrame":               writersOfPolars(),
		"sqlite3.Connection":             {"enable_load_extension", "load_extension"},
		"optparse.Values":                {"read_file", "read_module"},
		"unittest.TestProgram":           {"createTests", "parseArgs", "module"},
		"unittest.TestLoader":            {"loadTestsFromName", "loadTestsFromNames", "discover"},
		"xml.dom.xmlbuilder.Builder":     {"parseURI"},
	} {
		for _, name := range names {
			out[name] = class + "." + name
		}
	}
	return out
}

// writersOfPandas are the methods of its tables and columns that write what is
// computed where their first argument says; those of polars are the next.
func writersOfPandas() []string {
	return []string{"to_csv", "to_excel", "to_feather", "to_hdf", "to_html", "to_json", "to_latex", "to_markdown", "to_orc", "to_parquet", "to_pickle",
		"to_sql", "to_stata", "to_string", "to_xml", "to_clipboard", "to_gbq", "to_iceberg"}
}

func writersOfPolars() []string {
	return []string{"write_avro", "write_csv", "write_database", "write_delta", "write_excel", "write_ipc", "write_ipc_stream", "write_json", "write_ndjson", "write_parquet",
		"sink_csv", "sink_ipc", "sink_ndjson", "sink_parquet"}
}

// xmlTree is the class of trees that know how to read and write files.
const xmlTree = "xml.etree.ElementTree.ElementTree"

func returns() map[string]string {
	out := map[string]string{
		"pathlib.Path.cwd": "pathlib.Path", "pathlib.Path.home": "pathlib.Path", "pathlib.PosixPath": "pathlib.Path", "pathlib.WindowsPath": "pathlib.Path",
		"asyncio.get_event_loop": "asyncio.AbstractEventLoop", "asyncio.get_running_loop": "asyncio.AbstractEventLoop",
		"asyncio.new_event_loop": "asyncio.AbstractEventLoop", "asyncio.SelectorEventLoop": "asyncio.AbstractEventLoop", "asyncio.EventLoop": "asyncio.AbstractEventLoop",
		"socket.create_connection": "socket.socket", "socket.create_server": "socket.socket",
		"code.InteractiveConsole": "code.InteractiveConsole", "builtins.compile": "types.CodeType",
		"multiprocessing.get_context": "multiprocessing", "ctypes.CDLL": "ctypes.CDLL", "ctypes.PyDLL": "ctypes.PyDLL",
		"xml.etree.ElementTree.parse": xmlTree, "importlib.util.spec_from_file_location": "importlib.machinery.ModuleSpec", "smtplib.SMTP_SSL": "smtplib.SMTP", "ftplib.FTP_TLS": "ftplib.FTP",
		"concurrent.futures.ProcessPoolExecutor": "concurrent.futures.ProcessPoolExecutor", "urllib.request.build_opener": "urllib.request.OpenerDirector",
	}
	for _, method := range []string{"absolute", "resolve", "expanduser", "joinpath", "with_name", "with_suffix", "with_stem", "relative_to", "rename", "replace", "readlink"} {
		out["pathlib.Path."+method] = "pathlib.Path"
	}
	for _, class := range []string{"contextlib.redirect_stdout", "contextlib.redirect_stderr", "pathlib.Path", "mimetypes.MimeTypes", "shlex.shlex", xmlTree, "argparse.ArgumentParser", "socket.socket", "bdb.Bdb", "pdb.Pdb", "trace.Trace", "cProfile.Profile", "profile.Profile", "timeit.Timer",
		"code.InteractiveInterpreter", "string.Formatter", "doctest.DocTestRunner", "zipfile.ZipFile", "tarfile.TarFile", "subprocess.Popen",
		"http.client.HTTPConnection", "http.client.HTTPSConnection", "ftplib.FTP", "smtplib.SMTP", "telnetlib.Telnet", "urllib.request.OpenerDirector",
		"requests.Session", "httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession", "threading.Thread", "multiprocessing.Process", "multiprocessing.Pool",
		configParser, "configparser.RawConfigParser", "configparser.SafeConfigParser", "pickle.Unpickler", "pickle.Pickler", "shelve.Shelf", "logging.FileHandler", logFormatter, "tempfile.TemporaryDirectory", "zipimport.zipimporter"} {
		out[class] = class
	}
	return out
}
