package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/analyze/python/notebook"
	"sallyport/policies"
	"sallyport/policy"
)

const corpusDir = "../testdata/corpus"

// allowedByBaseline are capabilities that an ordinary program may show: what
// baseline does with them it writes down and lets pass.
var allowedByBaseline = map[string]bool{
	"environment": true, "filesystem.read": true, "filesystem.write": true, "signals": true, "thread": true,
}

// allowedByStrict are programs of deny/ that show no more than strict grants: a
// thread, or a file of the program's own.
var allowedByStrict = map[string]bool{"503_thread.py": true, "505_thread_pool.py": true, "724_open_path_open.py": true, "749_tempnam.py": true}

// dataLibraries is what an environment for work with data has installed.
var dataLibraries = []string{"matplotlib==3.10.0", "numpy==2.2.0", "pandas==2.3.0", "pyyaml==6.0.2", "scikit-learn==1.6.0", "scipy==1.15.0"}

// corpusResult counts the programs of one directory.
type corpusResult struct {
	programs int
	passed   []string
	denied   []string
}

// judgeCorpus judges each program of a directory that the filter takes.
func judgeCorpus(t *testing.T, g *Gate, lang analyze.Language, dir string, take func(name string) bool) corpusResult {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpusDir, string(lang), dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var r corpusResult
	for _, f := range files {
		if !take(filepath.Base(f)) {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		goal := analyze.Goal("")
		if strings.HasSuffix(f, ".mjs") {
			goal = analyze.Module
		}
		a, err := g.Check(context.Background(), Request{Language: lang, Goal: goal, Source: text})
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		r.programs++
		if a.Decision.Effect == policy.Allow {
			r.passed = append(r.passed, f)
		} else {
			r.denied = append(r.denied, fmt.Sprintf("%s: %+v", f, a.Decision.Findings))
		}
	}
	if r.programs < 100 {
		t.Fatalf("only %d programs in %s of the %s corpus", r.programs, dir, lang)
	}
	return r
}

// corpusLabels reads which capability each program of deny/ must show.
func corpusLabels(t *testing.T, lang analyze.Language) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpusDir, string(lang), "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, capability, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			labels[name] = capability
		}
	}
	return labels
}

// TestCorpus judges the labelled programs. Run it with -v for the numbers.
func TestCorpus(t *testing.T) {
	for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
		labels := corpusLabels(t, lang)
		all := func(string) bool { return true }
		forbidden := func(name string) bool { return labels[name] != "" && !allowedByBaseline[labels[name]] }

		baseline, strict := checker(t, "baseline"), checker(t, "strict")
		deny := judgeCorpus(t, baseline, lang, "deny", forbidden)
		t.Logf("%s: baseline denies %d of %d programs that show what it forbids", lang, deny.programs-len(deny.passed), deny.programs)
		if len(deny.passed)*100 > deny.programs*2 {
			t.Errorf("%s: baseline lets more than 2 %% pass: %v", lang, deny.passed)
		}
		deny = judgeCorpus(t, strict, lang, "deny", func(name string) bool { return !allowedByStrict[name] })
		t.Logf("%s: strict denies %d of %d programs of the whole corpus", lang, deny.programs-len(deny.passed), deny.programs)
		if len(deny.passed) > 0 {
			t.Errorf("%s: strict lets pass %v", lang, deny.passed)
		}
		allow := judgeCorpus(t, baseline, lang, "allow", all)
		t.Logf("%s: baseline denies %d of %d ordinary programs", lang, len(allow.denied), allow.programs)
		if len(allow.denied) > 0 {
			t.Errorf("%s: baseline denies ordinary programs:\n%s", lang, strings.Join(allow.denied, "\n"))
		}
		allow = judgeCorpus(t, strict, lang, "allow", all)
		t.Logf("%s: strict denies %d of %d ordinary programs", lang, len(allow.denied), allow.programs)
		withLibraries := judgeCorpus(t, checker(t, "strict", dataLibraries...), lang, "allow", all)
		t.Logf("%s: strict denies %d of %d ordinary programs where the environment has the libraries that it lists", lang, len(withLibraries.denied), allow.programs)
		if len(withLibraries.denied) > 15 || len(allow.denied) > 25 {
			t.Errorf("%s: strict denies ordinary programs:\n%s", lang, strings.Join(withLibraries.denied, "\n"))
		}
		watched := judgeCorpus(t, checker(t, "observe"), lang, "allow", all)
		if len(watched.denied) > 0 {
			t.Errorf("%s: observe denies:\n%s", lang, strings.Join(watched.denied, "\n"))
		}
	}
}

// checker is a gate that judges by one pack and records nothing. Its environment
// has the packages.
func checker(t *testing.T, pack string, packages ...string) *Gate {
	t.Helper()
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{pack}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), notebook.Reader()), Policy: e, Log: Discard{}, Program: "test",
		Environments: map[string]Environment{"default": {Packages: packages}}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestStrictGrants judges programs that try to use what strict grants, and some that
// only use it, where the environment has the libraries that strict lists.
func TestStrictGrants(t *testing.T) {
	t.Parallel()
	judgeArchive(t, checker(t, "strict", dataLibraries...), "grants.txtar", 100)
}

// TestStrictReadings judges programs that read a name, a class or a number otherwise than
// it seems, and some that read it as everybody does.
func TestStrictReadings(t *testing.T) {
	t.Parallel()
	judgeArchive(t, checker(t, "strict", dataLibraries...), "readings.txtar", 80)
}

// TestBaselineGrants judges programs that try to use what baseline lets pass, and some
// that only use it.
func TestBaselineGrants(t *testing.T) {
	t.Parallel()
	judgeArchive(t, checker(t, "baseline"), "baseline.txtar", 30)
}

// judgeArchive holds that a gate allows the programs of an archive that are in allow/,
// and denies those in deny/, whatever the floor says.
func judgeArchive(t *testing.T, g *Gate, name string, least int) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join(corpusDir, name))
	if err != nil || len(archive.Files) < least {
		t.Fatalf("%v, or too few programs", err)
	}
	for _, f := range archive.Files {
		lang, goal := analyze.Python, analyze.Script
		if ext := filepath.Ext(f.Name); ext != ".py" {
			lang = analyze.JavaScript
			if ext == ".mjs" {
				goal = analyze.Module
			}
		}
		a, err := g.Check(context.Background(), Request{Language: lang, Goal: goal, Source: f.Data})
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		got, want := a.Decision.Effect == policy.Allow, strings.HasPrefix(f.Name, "allow/")
		if got != want || !want && passesRounds(a.Decision) {
			t.Errorf("%s: allowed is %v: %+v\n%s", f.Name, got, a.Decision.Findings, f.Data)
		}
	}
}

// TestEscapes judges the programs that each passed a pack once: what they carry,
// and by what, their names say. The pack that a name starts with denies it, and so
// does strict, whatever the floor says.
func TestEscapes(t *testing.T) {
	for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
		for _, pack := range []string{"baseline", "strict"} {
			files, err := filepath.Glob(filepath.Join(corpusDir, string(lang), "escapes", "*"))
			if err != nil || len(files) < 15 {
				t.Fatalf("%s: %d escapes, %v", lang, len(files), err)
			}
			g := checker(t, pack)
			for _, f := range files {
				if pack == "baseline" && !strings.HasPrefix(filepath.Base(f), "baseline_") {
					continue
				}
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				a, err := g.Check(context.Background(), Request{Language: lang, Source: text})
				if err != nil {
					t.Fatalf("%s: %v", f, err)
				}
				if passesRounds(a.Decision) {
					t.Errorf("%s passes %s", f, pack)
				}
			}
		}
	}
}
