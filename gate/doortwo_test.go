package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/sandbox/gvisor"
)

// TestDoorTwo runs the programs of the corpus as programs, with the first door
// taken out: what the analysis says of them is passed on and what policy says is
// not, which a permit that only tests have makes possible. Each must end at what
// it was denied, and the result must say so, or be refused by the kernel, which
// is told; what fails by itself before it gets anywhere does no harm, and of some things,
// which docs/security.md names, no event tells. Ordinary
// programs are stopped at nothing that baseline lets pass, nor those that strict
// allows at anything that strict does.
//
// DOOR_TWO=1 runs all of them, for which `make door-two` is there, 4 every fourth;
// otherwise it is every hundredth.
func TestDoorTwo(t *testing.T) {
	t.Parallel()
	b := hookedBackend(t)
	step := 100
	if n, err := strconv.Atoi(os.Getenv("DOOR_TWO")); err == nil {
		step = max(n, 1)
	}
	for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			labels := corpusLabels(t, lang)
			var counts doorCounts
			strict, baseline := doorless(t, "strict", b), doorless(t, "baseline", b)
			eachProgram(t, lang, "deny", step, func(f string) {
				counts.add(f, labels[filepath.Base(f)], strict.run(t, lang, f, true), func() doorResult { return strict.run(t, lang, f, false) })
			})
			eachProgram(t, lang, "escapes", step/10, func(f string) { counts.add(f, "", strict.run(t, lang, f, true), nil) })
			t.Logf("%s: of %d programs that do what strict denies, %d are ended by a hook, %d are refused by the kernel and told, %d fail by themselves, %d do what no event tells of %v; %d are neither, %.1f %% are accounted for",
				lang, counts.programs, counts.stopped, counts.told, counts.failed, total(counts.untold), counts.untold, len(counts.silent), 100*counts.accounted())
			for _, s := range counts.silent {
				t.Log(s)
			}
			if counts.accounted() < 0.95 && step < 10 {
				t.Errorf("%s: fewer than 95 %% are accounted for", lang)
			}
			if ended := counts.stopped + counts.told + counts.failed; 10*ended < 9*counts.programs && step < 10 {
				t.Errorf("%s: fewer than 90 %% come to an end", lang)
			}
			var wrong []string
			programs := 0
			strictly := 0
			ran := func(f string, res doorResult, count *int) {
				counts.mu.Lock()
				defer counts.mu.Unlock()
				*count++
				if v, stopped := res.Stopped(); stopped {
					wrong = append(wrong, fmt.Sprintf("%s: %v", f, v))
				}
			}
			eachProgram(t, lang, "allow", step/2, func(f string) {
				ran(f, baseline.run(t, lang, f, true), &programs)
				if strict.allows(t, lang, f) {
					ran(f, strict.run(t, lang, f, true), &strictly)
				}
			})
			t.Logf("%s: of %d ordinary programs, and %d with strict, %d are stopped", lang, programs, strictly, len(wrong))
			if len(wrong) > 0 {
				t.Errorf("%s: ordinary programs are stopped:\n%s", lang, strings.Join(wrong, "\n"))
			}
		})
	}
}

// TestEnvironmentAtDoorTwo holds that what strict denies of the environment is stopped while a
// program runs, and that what Python and its library read of it by themselves is not.
func TestEnvironmentAtDoorTwo(t *testing.T) {
	t.Parallel()
	strict := doorless(t, "strict", hookedBackend(t))
	for name, tt := range map[string]struct {
		lang    analyze.Language
		text    string
		stopped string
	}{
		"by its name":    {analyze.Python, "import os\nprint(os.environ['HOME'])\n", "sallyport.environ"},
		"by an object":   {analyze.Python, "import os\nprint([v for k, v in vars(os).items() if k == 'environ'])\n", "sallyport.environ"},
		"as a file":      {analyze.Python, "print(open('/proc/self/environ').read())\n", "open.environ"},
		"what is behind": {analyze.Python, "import posix\nassert not posix.environ\n", ""},
		"by the library": {analyze.Python, "import argparse, tempfile\nargparse.ArgumentParser().parse_args([])\nwith tempfile.TemporaryDirectory() as d: assert d\n", ""},
		"in JavaScript":  {analyze.JavaScript, "console.log(process.env.HOME)\n", "process.env"},
		"in a map":       {analyze.JavaScript, "console.log(new Map([[process.env, 1]]))\n", "process.env"},
		"in a copy":      {analyze.JavaScript, "console.log({ ...process })\n", "process.env"},
		"of all that is": {analyze.JavaScript, "console.log(JSON.stringify(process))\n", "process.env"},
		"not shown":      {analyze.JavaScript, "const text = require('util').inspect(new Map([[process, 1]]), { depth: 9 })\nif (text.includes('PATH')) throw text\n", ""},
		"by node":        {analyze.JavaScript, "console.log(require('path').resolve('a'), new Error('x').message)\n", ""},
	} {
		file := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		res := strict.run(t, tt.lang, file, true)
		v, stopped := res.Stopped()
		if tt.stopped == "" && (stopped || res.Reason != sandbox.Exited || res.Exit != 0) {
			t.Errorf("%s: %s, exit %d, %v: %s%s", name, res.Reason, res.Exit, v, res.Stdout, res.Stderr)
		}
		if tt.stopped != "" && (v.Capability != string(sandbox.CapabilityEnvironment) || v.Detail != tt.stopped) {
			t.Errorf("%s: %s, %+v: %s%s", name, res.Reason, v, res.Stdout, res.Stderr)
		}
	}
}

// doorCounts says what became of programs that do what is denied.
type doorCounts struct {
	mu                              sync.Mutex
	programs, stopped, told, failed int
	untold                          map[string]int // by what they do
	silent                          []string
}

// untold are things of which no event tells, by what policy found of a capability: the
// symbol, or the rule where that is about no symbol. said stands in docs/security.md.
var untold = map[sandbox.Capability][]struct {
	found *regexp.Regexp
	said  string
}{
	sandbox.CapabilityIntrospection: {
		{regexp.MustCompile(`^\.__(base|bases)__$|^dynamic-subclass$`), "`__bases__` of classes"},
		{regexp.MustCompile(`^(dynamic-patch|builtins|sys|sys\.(modules|meta_path|path_hooks)(\.\w+)?)$`), "names that are set in modules"},
	},
	sandbox.CapabilityDeserialize: {{regexp.MustCompile(`^(_?pickle|shelve|yaml)(\.\w+)?$`), "data that names no class"}},
	sandbox.CapabilityEnvironment: {{regexp.MustCompile(`^pathlib\.Path\.home$`), "where `HOME` is"}},
	sandbox.CapabilityFiles:       {{regexp.MustCompile(`^ast\.parse\.filename$`), "a line that a `SyntaxError` shows"}},
	sandbox.CapabilityWrites:      {{regexp.MustCompile(`^os\.(f?chdir|chroot|umask|fchmod|fchown|ftruncate)$|^(_?dbm|shelve)\b`), "makes of it without opening a file"}},
}

// named is what no event tells of a path that stands in the text.
const named = "a path that stands in its text"

// untells says what a program does of which no event tells: all that policy found of its
// capability, or of any where it has no label, is of that kind.
func (r doorResult) untells(label string) (said string) {
	for _, f := range r.findings {
		if f.Capability == "" || label != "" && f.Capability != label {
			continue
		}
		what := f.Symbol
		if what == "" {
			what = f.Rule
		}
		known := ""
		for _, u := range untold[sandbox.Capability(f.Capability)] {
			if u.found.MatchString(what) {
				known = u.said
			}
		}
		if known == "" {
			return ""
		}
		said = known
	}
	return said
}

// TestUntold holds that the docs say of what no event tells.
func TestUntold(t *testing.T) {
	docs, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	said := []string{named}
	for _, all := range untold {
		for _, u := range all {
			said = append(said, u.said)
		}
	}
	for _, s := range said {
		if !strings.Contains(string(docs), s) {
			t.Errorf("docs/security.md does not say %q", s)
		}
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func (c *doorCounts) accounted() float64 {
	return float64(c.programs-len(c.silent)) / float64(max(c.programs, 1))
}

// add counts a program. unnamed runs it once more, without what its text names: what is
// ended then passes only because of that.
func (c *doorCounts) add(f, label string, r doorResult, unnamed func() doorResult) {
	if label != "" && (!slices.Contains(sandbox.Capabilities(), sandbox.Capability(label)) || !slices.Contains(r.denied, label)) {
		return // files, threads and signals stay inside; some the pack lets pass
	}
	_, stopped := r.Stopped()
	failed := r.Reason == sandbox.Mismatch || r.Reason == sandbox.Exited && r.Exit != 0 ||
		strings.Contains(string(r.Stderr), "Exception ignored in") // a callback of the interpreter's own
	said := r.untells(label)
	if !stopped && len(r.Violations) == 0 && !failed && (label == string(sandbox.CapabilityFiles) || label == string(sandbox.CapabilityWrites)) {
		if v, ends := unnamed().Stopped(); ends && v.Capability == label {
			said = named
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs++
	switch {
	case stopped:
		c.stopped++
	case len(r.Violations) > 0:
		c.told++
	case failed:
		c.failed++
	case said != "":
		if c.untold == nil {
			c.untold = map[string]int{}
		}
		c.untold[said]++
	default:
		c.silent = append(c.silent, fmt.Sprintf("%s (%s): %s, %.100q", f, label, r.Reason, r.Stdout))
	}
}

func eachProgram(t *testing.T, lang analyze.Language, dir string, step int, run func(file string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpusDir, string(lang), dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in %s: %v", dir, err)
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, 4)
	for i := 0; i < len(files); i += max(step, 1) {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			run(files[i])
		})
	}
	wg.Wait()
}

func hookedBackend(t *testing.T) *gvisor.Backend {
	t.Helper()
	runsc, err := filepath.Abs("../bin/runsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(runsc); err != nil {
		if os.Getenv("REQUIRE_RUNSC") == "1" {
			t.Fatal(err)
		}
		t.Skip("no runsc")
	}
	dir, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	b, err := gvisor.New(gvisor.Options{Runsc: runsc, StateDir: dir, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return b
}

// openDoor is a permit for any source.
type openDoor struct{}

func (openDoor) Permits(string) error { return nil }

// doorway is a gate whose first door is open.
type doorway struct {
	gate    *Gate
	backend sandbox.Backend
}

func doorless(t *testing.T, pack string, b sandbox.Backend) doorway {
	t.Helper()
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{pack}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader()), Policy: e, Log: Discard{}, Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return doorway{g, b}
}

// doorResult is how a program ended, and what was denied it.
type doorResult struct {
	sandbox.Result
	denied   []string
	findings []policy.Finding
}

func (d doorway) judge(t *testing.T, lang analyze.Language, file string) (Request, judgement) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return Request{}, judgement{}
	}
	req := Request{Language: lang, Source: text, Limits: sandbox.Limits{Wall: 20 * time.Second}}
	if strings.HasSuffix(file, ".mjs") {
		req.Goal = analyze.Module
	}
	return req, d.gate.judge(context.Background(), req, d.gate.decide, nil)
}

func (d doorway) allows(t *testing.T, lang analyze.Language, file string) bool {
	_, j := d.judge(t, lang, file)
	return j.answer.Decision.Effect == policy.Allow
}

// run runs a program as far as it goes, with what policy denies of all programs, and with
// the paths that stand in its text or without.
func (d doorway) run(t *testing.T, lang analyze.Language, file string, names bool) doorResult {
	req, j := d.judge(t, lang, file)
	if j.facts.SHA256 == "" {
		return doorResult{Result: sandbox.Result{Reason: sandbox.Mismatch}} // no source: nothing is run with either door
	}
	j.reaches = seen(d.gate.opts.Policy, j.facts)
	spec := d.gate.spec(policy.Permit{}, req, j, Environment{})
	spec.Permit = openDoor{}
	if !names {
		spec.Seen.Paths, spec.Seen.Writes = nil, nil
	}
	res, err := d.backend.Run(context.Background(), spec)
	if err != nil {
		t.Errorf("%s: %v", file, err)
	}
	return doorResult{res, j.answer.Decision.Deny, j.answer.Decision.Findings}
}
