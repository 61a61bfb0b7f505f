package python

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// pythonCapabilities is a small stand-in for the catalog of the policies: what
// names, by prefix, and what imports give which capability. An exact name ends
// in "=".
func pythonCapabilities() map[string][]string {
	return map[string][]string{
		"process": {
			"os.system=", "os.popen", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "subprocess.", "pty.", "multiprocessing.Process", "multiprocessing.Pool",
			"asyncio.create_subprocess_", "asyncio.AbstractEventLoop.subprocess_", "webbrowser.", "distutils.spawn.", "imaplib.IMAP4_stream=", "pydoc.pipepager=",
			"concurrent.futures.ProcessPoolExecutor", "_posixsubprocess.", "mailcap.findmatch=", "pipes.", "multiprocessing.reduction.", "test.support.script_helper.",
		},
		"network": {
			"pandas.read_sql.con", "pandas.read_sql_query.con", "pandas.DataFrame.to_sql.con",
			"socket.socket", "socket.create_", "_socket.socket", "urllib.request.", "http.client.HTTP", "http.server.", "asyncio.open_connection=", "asyncio.start_server=",
			"asyncio.AbstractEventLoop.create_connection=", "ftplib.", "smtplib.SMTP", "requests.", "httpx.", "aiohttp.",
		},
		"filesystem.read": {
			"builtins.open=", "io.open=", "codecs.open=", "os.open=", "pathlib.Path.read_", "pathlib.Path.open=", "pathlib.Path.iterdir=", "os.listdir=", "os.scandir=",
			"os.walk=", "glob.glob=", "glob.iglob=", "linecache.", "fileinput.",
		},
		"filesystem.write": {
			"os.remove=", "os.unlink=", "os.rename", "os.mkdir", "os.makedirs", "os.open=", "shutil.rmtree=", "shutil.copy", "shutil.move=", "pathlib.Path.write_",
			"pathlib.Path.unlink=", "pathlib.Path.open=", "pathlib.Path.mkdir=", "zipfile.ZipFile=", "sys.path.insert=",
		},
		"code.eval":   {"builtins.exec=", "builtins.eval=", "builtins.compile=", "builtins.breakpoint=", "runpy.", "code.", "timeit.", "cProfile.run", "typing.get_type_hints=", "pdb.", "codeop.", "dataclasses._create_fn="},
		"native":      {"ctypes.", "_ctypes.", "cffi.", "tkinter."},
		"deserialize": {"pickle.load", "pickle._load", "pickle.Unpickler", "_pickle.load", "marshal.load", "shelve.", "yaml.load=", "dill."},
		"environment": {"os.environ", "os.getenv", "os.putenv="},
		"introspection": {
			"gc.get_", "sys._getframe", "inspect.currentframe", "inspect.stack", "inspect.getmembers=", "sys.settrace", "sys.meta_path", "sys.path_hooks", "types.FunctionType=", "types.CodeType=", "inspect.getmodule=",
			"importlib.metadata.EntryPoint", "logging.config.fileConfig=", "pydoc.importfile=", "pydoc.safeimport=",
		},
		"signals": {"signal.signal=", "signal.alarm=", "os.kill"},
		"thread":  {"threading.Thread", "_thread.", "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.thread."},
	}
}

// pythonDynamicCapabilities says what unresolved places count as.
func pythonDynamicCapabilities() map[string]string {
	return map[string]string{
		analyze.DynamicCode: "code.eval", analyze.DynamicImport: "introspection", analyze.DynamicMember: "introspection", analyze.DynamicFrame: "introspection", analyze.DynamicSubclass: "introspection",
		analyze.DynamicFormat: "introspection", analyze.DynamicBytecode: "introspection", analyze.DynamicPatch: "introspection", analyze.DynamicNamespace: "introspection",
	}
}

// pythonShows returns what facts show. Opening a file for reading and opening
// one for writing are told apart by the mode.
func pythonShows(f analyze.Facts) map[string]bool {
	out := map[string]bool{}
	for capability, patterns := range pythonCapabilities() {
		for _, name := range f.Names {
			for _, pattern := range patterns {
				exact, isExact := strings.CutSuffix(pattern, "=")
				if isExact && name == exact || !isExact && strings.HasPrefix(name, pattern) {
					out[capability] = true
				}
			}
		}
	}
	for _, name := range []string{"builtins.open", "io.open", "codecs.open"} {
		for _, u := range f.Uses[name] {
			if opensForWriting(u) {
				out["filesystem.write"] = true
			}
		}
	}
	for kind, capability := range pythonDynamicCapabilities() {
		if len(f.Dynamic[kind]) > 0 {
			out[capability] = true
		}
	}
	return out
}

func opensForWriting(u analyze.Use) bool {
	if u.How != analyze.HowCall {
		return u.How != analyze.HowImport
	}
	for n, a := range u.Args {
		if a.Name == "mode" || a.Name == "" && n == 1 {
			mode, ok := a.Value.(string)
			return !ok || strings.ContainsAny(mode, "wax+")
		}
	}
	return u.Splat
}

const pythonCorpus = "../../testdata/corpus/python/"

// pythonLabels reads the capability that each file of deny/ must show.
func pythonLabels(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(pythonCorpus + "labels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if file, capability, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			labels[file] = capability
		}
	}
	return labels
}

func pythonFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(pythonCorpus + dir + "/*.py")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCorpusPythonDeny(t *testing.T) {
	labels := pythonLabels(t)
	files := pythonFiles(t, "deny")
	if len(files) < 200 || len(files) != len(labels) {
		t.Errorf("%d files and %d labels, want at least 200 and as many labels", len(files), len(labels))
	}
	a := analyze.New(Reader())
	for _, file := range files {
		f := fileFacts(t, a, file)
		want := labels[filepath.Base(file)]
		if got := pythonShows(f); !got[want] {
			t.Errorf("%s: shows %v, want %s\nnames %q\ndynamic %v", filepath.Base(file), slices.Sorted(maps.Keys(got)), want, f.Names, f.Dynamic)
		}
		if !f.Complete {
			t.Errorf("%s: not complete: %v", filepath.Base(file), f.Syntax)
		}
	}
}

// TestCorpusPythonAllow holds that ordinary programs show nothing that a
// baseline policy denies.
func TestCorpusPythonAllow(t *testing.T) {
	denied := []string{"process", "network", "code.eval", "native", "deserialize", "environment", "introspection", "signals"}
	files := pythonFiles(t, "allow")
	if len(files) < 120 {
		t.Errorf("%d files, want at least 120", len(files))
	}
	a := analyze.New(Reader())
	for _, file := range files {
		f := fileFacts(t, a, file)
		got := pythonShows(f)
		for _, capability := range denied {
			if got[capability] {
				t.Errorf("%s: shows %s\nnames %q\ndynamic %v", filepath.Base(file), capability, f.Names, f.Dynamic)
			}
		}
		if !f.Complete {
			t.Errorf("%s: not complete: %v", filepath.Base(file), f.Syntax)
		}
	}
}

// fileFacts reads a file of the corpus, twice: the same bytes give the same facts.
func fileFacts(t *testing.T, a *analyze.Analyzer, file string) analyze.Facts {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := a.Canonical(analyze.Python, "", raw)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	f, err := a.Facts(context.Background(), src)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	again, err := a.Facts(context.Background(), src)
	if err != nil || !slices.Equal(f.Names, again.Names) || analyzetest.Encode(t, f) != analyzetest.Encode(t, again) {
		t.Errorf("%s: the facts differ from one time to the next", file)
	}
	if err := analyzetest.Validate(t, analyzetest.Encode(t, f)); err != nil {
		t.Errorf("%s: %v", filepath.Base(file), err)
	}
	return f
}
