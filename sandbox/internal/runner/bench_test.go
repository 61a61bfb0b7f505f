package runner_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// BenchmarkHooks says what the hooks cost of a program: it runs in pairs, with
// them and with the runner alone, and the median of the differences in processor
// time is what they cost, in ms and of the run without them.
func BenchmarkHooks(b *testing.B) {
	without := func(files map[string]string) {
		delete(files, "hook.so")
		files["sallyport_inside.py"] = strings.Replace(files["sallyport_inside.py"], `if not hasattr(sys, "addaudithook"):`, "if True:", 1)
		files["sallyport_inside.py"] = strings.Replace(files["sallyport_inside.py"], `if "environment" in denied:`, "if False:", 1)
		files["guard.cjs"] = "return new Proxy({}, { get: () => () => {} });"
	}
	modules := []string{
		"argparse", "array", "ast", "asyncio", "base64", "bisect", "calendar", "collections", "concurrent.futures", "configparser", "contextlib",
		"copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "email.message", "enum", "fractions", "functools", "glob", "gzip", "hashlib",
		"heapq", "html.parser", "inspect", "io", "itertools", "json", "logging", "math", "numbers", "operator", "pathlib", "pprint", "queue", "random",
		"re", "sched", "shutil", "statistics", "string", "struct", "tempfile", "textwrap", "threading", "typing", "uuid", "zipfile",
	}
	for _, tt := range []struct {
		name, language, code string
		waited               bool
	}{
		{"cold/python", "python", "print(1)", false},
		{"cold/javascript", "javascript", "console.log(1)", false},
		{"waited/python", "python", "print(1)", true},
		{"waited/javascript", "javascript", "console.log(1)", true},
		{"modules/python", "python", "import " + strings.Join(modules, ", "), false},
	} {
		b.Run(tt.name, func(b *testing.B) {
			with, bare := newBare(b, nil), newBare(b, without)
			if tt.waited {
				with.env = []string{runner.Preload(sandboxtest.Spec(tt.language, ""))}
				bare.env = with.env
			}
			took := func(r *bareRunner) time.Duration {
				if res := r.run(b, sandboxtest.Spec(tt.language, tt.code)); res.Exit != 0 {
					b.Fatalf("%s %d: %s", res.Reason, res.Exit, res.Stderr)
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
