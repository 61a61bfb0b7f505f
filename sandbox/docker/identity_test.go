package docker

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestRuntimeUsed: the result names interpreter, version and image, also of a
// run that asked nobody because an earlier one had, and of a warm one.
func TestRuntimeUsed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, cold *Backend) {
		o := cold.opts
		o.Warm = 1
		warm := open(t, o)
		for language, p := range map[string]struct{ code, path string }{
			"python":     {"import os, platform\nprint(os.path.realpath('/proc/self/exe'), platform.python_version())", "/usr/bin/python3."},
			"javascript": {"console.log(process.execPath, process.versions.node)", "/usr/bin/node"},
		} {
			s := sandboxtest.Spec(language, p.code)
			results := map[string]sandbox.Result{"first": run(t, cold, s)}
			if cold.opts.Engine == "docker" && !cold.eng.gvisor { // what is kept of an answer is the same for all
				results["again"] = run(t, cold, s)
				ctx, cancel := context.WithTimeout(context.Background(), sandboxtest.Patient)
				defer cancel()
				if err := warm.Warm(ctx, s); err != nil {
					t.Fatal(err)
				}
				results["warm"] = run(t, warm, s)
			}
			for name, r := range results {
				u := r.Runtime
				if said := strings.TrimSpace(string(r.Stdout)); said != u.Interpreter+" "+u.Version || !strings.HasPrefix(said, p.path) {
					t.Errorf("%s %s: the program ran in %q, the result says %+v", name, language, said, u)
				}
				if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(u.SHA256) {
					t.Errorf("%s %s: image %q", name, language, u.SHA256)
				}
			}
		}
	})
}
