package runner_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// BenchmarkHooks says what the hooks cost of a program: it runs in pairs, with
// them and with the runner alone, and the median of the differences in processor
// time is what they cost, in ms and of the run without them.
func BenchmarkHooks(b *testing.B) {
	for _, tt := range []struct {
		name, language, code string
		waited               bool
	}{
		{"cold/python", "python", "print(1)", false},
		{"cold/javascript", "javascript", "console.log(1)", false},
		{"waited/python", "python", "print(1)", true},
		{"waited/javascript", "javascript", "console.log(1)", true},
		{"modules/python", "python", "import " + strings.Join(fiftyOfPython, ", "), false},
		{"modules/javascript", "javascript", "for (const name of ['" + strings.Join(fiftyOfNode, "', '") + "']) require(name);", false},
	} {
		b.Run(tt.name, func(b *testing.B) {
			// What a Python finds compiled is the same without its hooks, and left out on both sides.
			withHooks := func(files map[string]string) { withCompiled(b, "javascript", files) }
			with, bare := newBare(b, withHooks), newBare(b, func(files map[string]string) { withoutHooks(b, files) })
			if tt.waited {
				with.env = []string{runner.Preload(sandboxtest.Spec(tt.language, ""))}
				with.job = func(*sandbox.Spec) { time.Sleep(20 * time.Millisecond) } // until it waits
				bare.env, bare.job = with.env, with.job
			}
			took := func(r *bareRunner) time.Duration {
				if res := r.run(b, sandboxtest.Spec(tt.language, tt.code)); res.Exit != 0 {
					b.Fatalf("%s %d %v: %s", res.Reason, res.Exit, res.Violations, res.Stderr)
				}
				if tt.waited {
					return r.after
				}
				return r.all
			}
			var costs, runs []time.Duration
			for b.Loop() {
				alone := took(bare)
				runs, costs = append(runs, alone), append(costs, took(with)-alone)
			}
			ms := func(all []time.Duration) float64 {
				slices.Sort(all)
				return float64(all[len(all)/2].Microseconds()) / 1000
			}
			b.ReportMetric(ms(costs), "ms-of-hooks")
			b.ReportMetric(100*ms(costs)/ms(runs), "%")
		})
	}
}

// withoutHooks takes the hooks out of the runner's files, and all that is done for
// them alone.
func withoutHooks(b *testing.B, files map[string]string) {
	delete(files, "hook.so")
	for _, edit := range [][3]string{
		{"sallyport_inside.py", `if not hasattr(sys, "addaudithook"):`, "if True:"},
		{"sallyport_inside.py", `if "environment" in denied:`, "if False:"},
		{"hook.cjs", "const bare = process.env.SALLYPORT_WITHOUT_WASM === '1';", "const bare = false;"},
		{"inside.cjs", "const hooks = () => {", "const hooks = () => { return new Proxy({}, { get: (_, name) => (...given) => name === 'rehearse' && given[2]() });"},
	} {
		if !strings.Contains(files[edit[0]], edit[1]) {
			b.Fatalf("%s has no %s", edit[0], edit[1])
		}
		files[edit[0]] = strings.Replace(files[edit[0]], edit[1], edit[2], 1)
	}
}

// Modules of the standard libraries.
var (
	fiftyOfPython = []string{
		"argparse", "array", "ast", "asyncio", "base64", "bisect", "calendar", "collections", "concurrent.futures", "configparser", "contextlib",
		"copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "email.message", "enum", "fractions", "functools", "glob", "gzip", "hashlib",
		"heapq", "html.parser", "inspect", "io", "itertools", "json", "logging", "math", "numbers", "operator", "pathlib", "pprint", "queue", "random",
		"re", "sched", "shutil", "statistics", "string", "struct", "tempfile", "textwrap", "threading", "typing", "uuid", "zipfile",
	}
	fiftyOfNode = []string{
		"_http_agent", "assert", "assert/strict", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
		"diagnostics_channel", "dns", "dns/promises", "domain", "events", "fs", "fs/promises", "http", "http2", "https", "inspector", "module", "net",
		"os", "path", "path/posix", "path/win32", "perf_hooks", "process", "querystring", "readline", "readline/promises", "stream",
		"stream/consumers", "stream/promises", "stream/web", "string_decoder", "timers", "timers/promises", "tls", "tty", "url", "util",
		"util/types", "v8", "vm", "worker_threads", "zlib", "trace_events",
	}
)
