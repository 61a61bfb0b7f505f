package python

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/internal/yardstick"
)

// addSeeds adds the corpus to what a fuzzer starts from.
func addSeeds(f *testing.F, dirs ...string) {
	f.Helper()
	for _, dir := range dirs {
		entries, err := os.ReadDir(pythonCorpus + dir)
		if err != nil {
			f.Fatal(err)
		}
		for n, e := range entries {
			if n%7 != 0 {
				continue
			}
			raw, err := os.ReadFile(pythonCorpus + dir + "/" + e.Name())
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw)
		}
	}
}

// FuzzCanonicalPython holds that canonical source is a fixed point, and that
// a refusal says where.
func FuzzCanonicalPython(f *testing.F) {
	addSeeds(f, "differential", "allow")
	a := analyze.New(Reader())
	f.Fuzz(func(t *testing.T, raw []byte) {
		src, err := a.Canonical(analyze.Python, "", raw)
		if err != nil {
			if r, ok := err.(*analyze.Refusal); !ok || r.Code == "" || r.Message == "" {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		again, err := a.Canonical(analyze.Python, src.Goal(), []byte(src.Text()))
		if err != nil || again != src {
			t.Fatalf("canonical source is not canonical: %v", err)
		}
		if strings.ContainsAny(src.Text(), "\x00\r\u2028\u2029\u202e\ufeff") {
			t.Fatalf("%q is not canonical", src.Text())
		}
	})
}

// FuzzFactsPython holds that any source ends in facts: no panic, the same
// twice, no null, and a reason when they are incomplete.
func FuzzFactsPython(f *testing.F) {
	addSeeds(f, "deny", "allow", "differential")
	lim := analyze.DefaultLimits()
	lim.Steps = 50_000
	a := analyze.NewLimited(lim, Reader())
	f.Fuzz(func(t *testing.T, raw []byte) {
		src, err := a.Canonical(analyze.Python, "", raw)
		if err != nil || len(raw) > 4<<10 {
			return
		}
		var facts analyze.Facts
		yardstick.Within(t, 15*time.Second, "one source", func() { facts, err = a.Facts(context.Background(), src) })
		if err != nil {
			t.Fatal(err)
		}
		again, err := a.Facts(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		text := analyzetest.Encode(t, facts)
		if text != analyzetest.Encode(t, again) {
			t.Fatalf("facts differ:\n%s\n%s", text, analyzetest.Encode(t, again))
		}
		if facts.Complete != (len(facts.Syntax) == 0) {
			t.Fatalf("complete %v with %v", facts.Complete, facts.Syntax)
		}
		for _, null := range []string{`"names":null`, `"uses":null`, `"imports":null`, `"attrs":null`, `"strings":null`, `"dynamic":null`, `"args":null`, `"syntax":null`, `"hygiene":null`} {
			if strings.Contains(text, null) {
				t.Fatalf("%s in %s", null, text)
			}
		}
	})
}

// FuzzFold holds that folding any expression ends, is bounded, and leaves
// something to judge.
func FuzzFold(f *testing.F) {
	for _, seed := range []string{
		`"a" + "b" * 3`, `"metsys"[::-1]`, `"%s%%%c" % ("a", 98)`, `"{}{0.x[1]}{:{}}".format(1, 2)`, `bytes([1, 2]).decode("utf-16")`, `b"\xff\377".hex()`,
		`"".join(map(chr, [115, 1 << 20]))`, `int.to_bytes(5 ** 90, 40, "little")`, `"a,b".split(",")[-1:0:-1]`, `f"{'a'!r:>{1}}{{"`, `__import__("zlib").decompress(b"x")`,
		`"\N{DIGIT ONE}\u12\U99999999\x"`, `int("z" * 9, 36) // -7 % 3`, `"x".replace("x", "y" * 99).strip("y")`, `[c for c in "abc"][1:][0]`, `eval(eval("'1'"))`,
	} {
		f.Add(seed)
	}
	lim := analyze.DefaultLimits()
	lim.Steps = 50_000
	a := analyze.NewLimited(lim, Reader())
	f.Fuzz(func(t *testing.T, expression string) {
		src, err := a.Canonical(analyze.Python, "", []byte("import os\nx = getattr(os, "+expression+"\n)"))
		if err != nil || len(expression) > 1<<10 {
			return
		}
		var facts analyze.Facts
		yardstick.Within(t, 15*time.Second, "one source", func() { facts, err = a.Facts(context.Background(), src) })
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range facts.Strings {
			if len(s) > lim.Fold {
				t.Fatalf("a string of %d bytes", len(s))
			}
		}
	})
}
