package analyze

// runner is an outside function that runs a string as code.
type runner struct {
	position   int    // of the code among the arguments
	keyword    string // its name
	also       string // the name of a second argument that is code, behind the first
	expression bool   // leading blanks are skipped
}

type intrinsic = func(p *python, i int, args *arguments) value

// pythonTables is what the analysis knows of single names. It is immutable.
type pythonTables struct {
	runners    map[string]runner
	intrinsics map[string]intrinsic
	attributes map[string]string // attribute name: the kind of Dynamic it is on any object
	calls      map[string]string // function: the kind of Dynamic that calling it is
	returns    map[string]string // function: the type of what it returns
	references map[string]string // function: the kind of Dynamic that handing it on uncalled is
	assignable map[string]bool   // module members that programs assign to as a matter of course
	pure       map[string]bool   // functions that keep and return no argument
}

func newPythonTables() *pythonTables {
	return &pythonTables{
		runners:    pythonRunners(),
		intrinsics: pythonIntrinsics(),
		attributes: pythonAttributes(),
		calls:      pythonCalls(),
		returns:    pythonReturns(),
		references: map[string]string{
			"builtins.getattr": DynamicMember, "builtins.setattr": DynamicMember, "builtins.delattr": DynamicMember, "inspect.getattr_static": DynamicMember,
			"builtins.__import__": DynamicImport, "importlib.import_module": DynamicImport, "importlib.__import__": DynamicImport,
			"builtins.globals": DynamicNamespace, "builtins.locals": DynamicNamespace, "pkgutil.resolve_name": DynamicImport, "pydoc.locate": DynamicImport,
		},
		assignable: setOf("sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.tracebacklimit", "sys.ps1", "sys.ps2", "sys.dont_write_bytecode", "csv.field_size_limit"),
		pure: setOf("builtins.len", "builtins.print", "builtins.hasattr", "builtins.isinstance", "builtins.issubclass", "builtins.id", "builtins.repr",
			"builtins.str", "builtins.dir", "builtins.type", "builtins.hash", "builtins.callable", "builtins.sum", "builtins.all", "builtins.any",
			"builtins.range", "builtins.int", "builtins.float", "builtins.bool", "builtins.ord", "builtins.chr", "builtins.format", "builtins.help",
			"builtins.super", "importlib.reload", "inspect.getsource", "inspect.getmembers", "json.dumps"),
	}
}

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func pythonRunners() map[string]runner {
	code := func(position int, keyword string) runner { return runner{position: position, keyword: keyword} }
	return map[string]runner{
		"builtins.exec":                         code(0, "source"),
		"builtins.eval":                         {position: 0, keyword: "source", expression: true},
		"builtins.compile":                      code(0, "source"),
		"timeit.timeit":                         {position: 0, keyword: "stmt", also: "setup"},
		"timeit.repeat":                         {position: 0, keyword: "stmt", also: "setup"},
		"timeit.Timer":                          {position: 0, keyword: "stmt", also: "setup"},
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
		"ast.parse":                             {position: -1},
		"_testcapi.run_in_subinterp":            code(0, "code"),
		"_xxsubinterpreters.run_string":         code(1, "script"),
		"_interpreters.exec":                    code(1, "code"),
		"_interpreters.run_string":              code(1, "script"),
		"ctypes.pythonapi.PyRun_SimpleString":   code(0, ""),
		"ctypes.pythonapi.PyRun_String":         code(0, ""),
		"test.support.run_in_subinterp":         code(0, "code"),
		"importlib.machinery.SourceFileLoader.exec_module": {position: -1},
	}
}

// pythonAttributes names the attributes that lead out of whatever object they
// stand on. Ordinary programs use none of them; __class__, __name__, __dict__,
// __traceback__ and the like are not here because ordinary programs do.
func pythonAttributes() map[string]string {
	return map[string]string{
		"f_globals": DynamicFrame, "f_locals": DynamicFrame, "f_builtins": DynamicFrame, "f_back": DynamicFrame, "f_code": DynamicFrame, "f_generator": DynamicFrame,
		"tb_frame": DynamicFrame, "tb_next": DynamicFrame, "gi_frame": DynamicFrame, "cr_frame": DynamicFrame, "ag_frame": DynamicFrame,
		"gi_yieldfrom": DynamicFrame, "cr_await": DynamicFrame, "ag_await": DynamicFrame, "cr_origin": DynamicFrame,
		"__globals__": DynamicNamespace, "__builtins__": DynamicNamespace, "func_globals": DynamicNamespace,
		"__subclasses__": DynamicSubclass, "__mro__": DynamicSubclass, "__bases__": DynamicSubclass, "__base__": DynamicSubclass, "mro": DynamicSubclass,
		"__subclasshook__": DynamicSubclass, "__mro_entries__": DynamicSubclass, "__self_class__": DynamicSubclass, "__thisclass__": DynamicSubclass,
		"__code__": DynamicBytecode, "gi_code": DynamicBytecode, "cr_code": DynamicBytecode, "ag_code": DynamicBytecode, "func_code": DynamicBytecode,
		"co_code": DynamicBytecode, "co_consts": DynamicBytecode, "co_names": DynamicBytecode, "__closure__": DynamicBytecode, "cell_contents": DynamicBytecode,
		"__loader__": DynamicImport, "__spec__": DynamicImport, "load_module": DynamicImport, "exec_module": DynamicImport, "find_module": DynamicImport,
		"create_module": DynamicImport, "__import__": DynamicImport,
		"__getattribute__": DynamicMember, "__reduce__": DynamicBytecode, "__reduce_ex__": DynamicBytecode,
	}
}

func pythonCalls() map[string]string {
	return map[string]string{
		"sys._getframe": DynamicFrame, "sys._current_frames": DynamicFrame, "sys._getframemodulename": DynamicFrame, "inspect.currentframe": DynamicFrame,
		"inspect.stack": DynamicFrame, "inspect.trace": DynamicFrame, "inspect.getouterframes": DynamicFrame, "inspect.getinnerframes": DynamicFrame,
		"traceback.walk_stack": DynamicFrame, "traceback.walk_tb": DynamicFrame, "sys.settrace": DynamicFrame, "sys.setprofile": DynamicFrame,
		"threading.settrace": DynamicFrame, "threading.setprofile": DynamicFrame,
		"gc.get_objects": DynamicSubclass, "gc.get_referrers": DynamicSubclass, "gc.get_referents": DynamicSubclass, "inspect.getmro": DynamicSubclass,
		"marshal.loads": DynamicBytecode, "marshal.load": DynamicBytecode, "types.CodeType": DynamicBytecode, "types.FunctionType": DynamicBytecode,
		"types.LambdaType":           DynamicBytecode,
		"string.Formatter.get_field": DynamicFormat, "string.Formatter.vformat": DynamicFormat,
		"runpy.run_path": DynamicCode, "runpy.run_module": DynamicCode, "runpy._run_code": DynamicCode, "runpy._run_module_code": DynamicCode,
		"code.interact": DynamicCode, "code.InteractiveConsole.interact": DynamicCode, "builtins.breakpoint": DynamicCode, "pdb.set_trace": DynamicCode,
		"doctest.DocTestRunner.run": DynamicCode, "doctest.testfile": DynamicCode, "site.addsitedir": DynamicImport, "site.addpackage": DynamicImport,
		"zipimport.zipimporter": DynamicImport, "importlib.reload": DynamicImport, "imp.load_source": DynamicImport, "imp.load_module": DynamicImport,
		"imp.load_dynamic": DynamicImport, "imp.load_compiled": DynamicImport,
		"importlib.util.spec_from_file_location": DynamicImport, "importlib.util.module_from_spec": DynamicImport, "importlib.util.spec_from_loader": DynamicImport,
		"importlib.machinery.SourceFileLoader": DynamicImport, "importlib.machinery.ExtensionFileLoader": DynamicImport,
		"importlib.machinery.SourcelessFileLoader": DynamicImport, "importlib.machinery.BuiltinImporter.load_module": DynamicImport,
		"_imp.create_builtin": DynamicImport, "_imp.create_dynamic": DynamicImport, "_imp.init_frozen": DynamicImport, "_imp.get_frozen_object": DynamicBytecode,
		"typing.get_type_hints": DynamicCode, "inspect.get_annotations": DynamicCode, "typing._eval_type": DynamicCode,
	}
}

func pythonReturns() map[string]string {
	out := map[string]string{
		"pathlib.Path.cwd": "pathlib.Path", "pathlib.Path.home": "pathlib.Path", "pathlib.PosixPath": "pathlib.Path", "pathlib.WindowsPath": "pathlib.Path",
		"sqlite3.connect": "sqlite3.Connection", "asyncio.get_event_loop": "asyncio.AbstractEventLoop", "asyncio.get_running_loop": "asyncio.AbstractEventLoop",
		"asyncio.new_event_loop": "asyncio.AbstractEventLoop", "socket.create_connection": "socket.socket", "socket.create_server": "socket.socket",
		"code.InteractiveConsole": "code.InteractiveConsole", "builtins.compile": "types.CodeType",
		"multiprocessing.get_context": "multiprocessing", "ctypes.CDLL": "ctypes.CDLL", "ctypes.PyDLL": "ctypes.PyDLL",
		"importlib.util.spec_from_file_location": "importlib.machinery.ModuleSpec", "smtplib.SMTP_SSL": "smtplib.SMTP", "ftplib.FTP_TLS": "ftplib.FTP",
		"concurrent.futures.ProcessPoolExecutor": "concurrent.futures.ProcessPoolExecutor", "urllib.request.build_opener": "urllib.request.OpenerDirector",
	}
	for _, method := range []string{"absolute", "resolve", "expanduser", "joinpath", "with_name", "with_suffix", "with_stem", "relative_to", "rename", "replace", "readlink"} {
		out["pathlib.Path."+method] = "pathlib.Path"
	}
	for _, class := range []string{"pathlib.Path", "socket.socket", "bdb.Bdb", "pdb.Pdb", "trace.Trace", "cProfile.Profile", "profile.Profile", "timeit.Timer",
		"code.InteractiveInterpreter", "string.Formatter", "doctest.DocTestRunner", "zipfile.ZipFile", "tarfile.TarFile", "subprocess.Popen",
		"http.client.HTTPConnection", "http.client.HTTPSConnection", "ftplib.FTP", "smtplib.SMTP", "telnetlib.Telnet", "urllib.request.OpenerDirector",
		"requests.Session", "httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession", "threading.Thread", "multiprocessing.Process", "multiprocessing.Pool",
		"pickle.Unpickler", "pickle.Pickler", "shelve.Shelf", "logging.FileHandler", "tempfile.TemporaryDirectory", "zipimport.zipimporter"} {
		out[class] = class
	}
	return out
}
