// Package runner is what every backend puts into a sandbox beside the
// interpreter, and how they talk to it: a script that the interpreter loads
// before the program. It says "ready", waits for one job, prepares the work
// directory, has the interpreter's own parser look at the program, gives its
// verdict, and gets out of the way.
package runner

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"sallyport/sandbox"
)

const preload = "SALLYPORT_PRELOAD="

// Where things are inside.
const (
	WorkDir = sandbox.WorkDir // the program's; writable
	Dir     = "/.sallyport"   // the runner's; read-only

	// CAFile is what clients trust where a program reaches hosts.
	CAFile = "/etc/ssl/certs/ca-certificates.crt"
)

// Resolving are the files, by path, with which a program that reaches hosts finds
// who answers for names.
func Resolving() map[string]string {
	return map[string]string{
		"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
		"/etc/resolv.conf":   "nameserver 127.0.0.1\n",
	}
}

// Nobody is the user and group of programs inside. It owns nothing of the host.
const Nobody = 65534

// User is how sandbox.ControlUser is enforced on every backend.
const User = "uid 65534, no capabilities, no new privileges"

//go:embed *.py *.cjs guard/*.cjs
var files embed.FS

// text is a file of this binary.
func text(name string) string {
	out, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(out)
}

const guardFile = "guard.cjs"

// guard is the hooks of JavaScript, as inside.cjs has them compiled: one function, which gets
// what it takes from the program's realm. Its parts see each other's names.
func guard() string {
	var b strings.Builder
	b.WriteString("'use strict';\n(function (given) {\n")
	for _, part := range []string{"given", "asks", "fires", "paths", "code", "data", "threads", "node", "begin"} {
		b.WriteString(text("guard/" + part + ".cjs"))
	}
	b.WriteString("})\n")
	return b.String()
}

// Files returns the files of Dir by their names.
func Files() map[string]string {
	all := map[string]string{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // it is in this binary
	}
	for _, e := range entries {
		if !e.IsDir() {
			all[e.Name()] = text(e.Name())
		}
	}
	all[guardFile], all[hookFile], all[factFile], all["events.def"] = guard(), hook, facts(), eventList
	return all
}

// Modules are the files of Dir that every interpreter of a language compiles at its
// start, but for the smallest. The parser is not there: Node carries its text.
func Modules(language string) map[string]string {
	if language == "javascript" {
		return map[string]string{guardFile: guard(), "acorn.cjs": ""}
	}
	all := map[string]string{}
	for _, name := range []string{"sallyport_site.py", "sitecustomize.py", "sallyport_inside.py"} {
		all[name] = text(name)
	}
	return all
}

// Compiled is the file of Dir in which a Python of a tag, as in sys.implementation, or a
// Node with that version of V8 looks for what it has compiled of one of Modules.
func Compiled(name, tag string) string {
	if module, ok := strings.CutSuffix(name, ".cjs"); ok {
		return module + "." + tag + ".compiled"
	}
	return "__pycache__/" + strings.TrimSuffix(name, ".py") + "." + tag + ".pyc"
}

// Argv is the command of an interpreter that waits for a job.
func Argv(executable string, s sandbox.Spec) []string {
	if s.Language == "javascript" {
		heap := strconv.FormatInt(max(s.Limits.WithDefaults().Memory>>20*3/4, 16), 10)
		// Each thread takes gVisor's kernel and ours some work to start and to end:
		// V8 has one for what it does beside the program, in place of four.
		argv := append([]string{executable, "--max-old-space-size=" + heap, "--v8-pool-size=1"}, switches(s)...)
		return append(argv, "-r", Dir+"/hook.cjs", "main.js")
	}
	// Not -I: the program's own directory must be importable, as it is for
	// everybody who types `python3 main.py`; the work directory holds nothing
	// but the program and its files. -s leaves out a home's packages, the
	// interpreter's own site-packages stay.
	return []string{executable, "-B", "-s", "-X", "utf8", "main.py"}
}

// Found is argv for an interpreter that nobody chose. It leaves out what the
// .pth files of a Python would run at its start, but for what has to do with how
// modules are found: see sallyport_site.py.
func Found(argv []string, language string) []string {
	if language != "python" {
		return argv
	}
	return slices.Insert(argv, 1, "-W", "ignore::sallyport_site.Line")
}

// switches are V8's own, below the hooks: no code of text but in the contexts
// that package vm makes. withoutWasm is the other one, which no flag is for in
// every version: hook.cjs sees to it.
func switches(s sandbox.Spec) (flags []string) {
	if !s.Observe && !s.Grant.Has(sandbox.CapabilityCodeEval) {
		flags = append(flags, "--disallow-code-generation-from-strings")
	}
	return flags
}

// withoutWasm tells whether there is no WebAssembly. With a way out node itself needs it.
func withoutWasm(s sandbox.Spec) bool {
	return s.Language == "javascript" && !s.Observe && !s.Grant.Has(sandbox.CapabilityNative) && !s.Grant.Has(sandbox.CapabilityNetwork)
}

// Shut has the hook in C ask the kernel to keep what /proc shows of the insides of
// the interpreter, its memory and its environment, from all but root, in every
// language. It keeps it from another process of the same user, too.
const Shut = "SALLYPORT_SHUT=1"

func shut(s sandbox.Spec) bool {
	return !s.Observe && !(s.Grant.Has(sandbox.CapabilityEnvironment) && s.Grant.Has(sandbox.CapabilityNative))
}

// Env is the whole environment inside: fixed but for what the operator adds.
// Nothing of the host's
// is ever in it.
func Env(s sandbox.Spec) []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"HOME=/tmp",
		"LANG=C.UTF-8",
	}
	if withoutWasm(s) {
		env = append(env, "SALLYPORT_WITHOUT_WASM=1")
	}
	if hook != "" && (s.Language == "python" || shut(s)) {
		env = append(env, "LD_PRELOAD="+Dir+"/"+hookFile)
	}
	if shut(s) {
		env = append(env, Shut)
	}
	if s.Language == "python" {
		env = append(env, "PYTHONPATH="+Dir, "MPLBACKEND=module://sallyport_figures", "MPLCONFIGDIR=/tmp")
	}
	if s.Egress != nil {
		// Each of these alone misses some client.
		for _, name := range []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"} {
			env = append(env, name+"="+CAFile)
		}
	}
	return append(env, s.Runtime.Env...)
}

// Preloads reports whether a configuration has that variable with modules of an
// operator's choice.
func Preloads(config string) bool {
	_, names, _ := strings.Cut(config, preload)
	names, _, _ = strings.Cut(names, `"`)
	return strings.Contains(names, ";") && !strings.HasSuffix(names, ";")
}

// Plain is a configuration whose runner imports nothing in advance, but for what an
// operator chose: a program that waits for it is served sooner, and may need none
// of it.
func Plain(config string) string {
	before, rest, found := strings.Cut(config, preload)
	if !found || Preloads(config) {
		return config
	}
	_, after, _ := strings.Cut(rest, `"`)
	return before + preload + `"` + after
}

// Preload is the variable that tells the runner what to import before a
// program is there. Importing it must change nothing but the time it takes; the
// operator's modules, behind the semicolon, are put away until they are imported.
func Preload(s sandbox.Spec) string {
	names := []string{
		"abc", "base64", "bisect", "collections", "collections.abc", "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal",
		"enum", "fractions", "functools", "heapq", "io", "itertools", "json", "linecache", "math", "numbers", "operator", "pathlib",
		"random", "re", "statistics", "string", "struct", "textwrap", "threading", "time", "traceback", "types", "typing", "warnings",
	}
	if s.Language == "javascript" {
		names = []string{"assert", "crypto", "events", "fs/promises", "os", "perf_hooks", "querystring", "readline", "stream",
			"string_decoder", "timers/promises", "url", "util", "zlib"}
		return preload + strings.Join(names, ",")
	}
	return preload + strings.Join(names, ",") + ";" + strings.Join(s.Runtime.Preload, ",")
}
