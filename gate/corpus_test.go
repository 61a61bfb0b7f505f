package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/policies"
	"sallyport/policy"
)

const corpusDir = "../testdata/corpus"

// allowedByBaseline are capabilities that an ordinary program may show: what
// baseline does with them it writes down and lets pass.
var allowedByBaseline = map[string]bool{
	"environment": true, "filesystem.read": true, "filesystem.write": true, "signals": true, "thread": true,
}

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
		deny = judgeCorpus(t, strict, lang, "deny", all)
		t.Logf("%s: strict denies %d of %d programs of the whole corpus", lang, deny.programs-len(deny.passed), deny.programs)
		if len(deny.passed) > 0 {
			t.Errorf("%s: strict lets pass %v", lang, deny.passed)
		}
		allow := judgeCorpus(t, baseline, lang, "allow", all)
		t.Logf("%s: baseline denies %d of %d ordinary programs", lang, len(allow.denied), allow.programs)
		if len(allow.denied) > 0 {
			t.Errorf("%s: baseline denies ordinary programs:\n%s", lang, strings.Join(allow.denied, "\n"))
		}
		watched := judgeCorpus(t, checker(t, "observe"), lang, "allow", all)
		if len(watched.denied) > 0 {
			t.Errorf("%s: observe denies:\n%s", lang, strings.Join(watched.denied, "\n"))
		}
	}
}

// checker is a gate that judges by one pack and records nothing.
func checker(t *testing.T, pack string) *Gate {
	t.Helper()
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{pack}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader()), Policy: e, Log: Discard{}, Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
