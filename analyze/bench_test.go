package analyze_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
)

// pythonUnit is 33 lines of ordinary code, a little over a kilobyte.
const pythonUnit = `import json
from collections import Counter, defaultdict


class Tracker:
    """Keeps the last values of things by name."""

    def __init__(self, name, limit=10):
        self.name = name
        self.limit = limit
        self.items = defaultdict(list)

    def add(self, key, value):
        if len(self.items[key]) < self.limit:
            self.items[key].append(value)
        return self

    def summary(self):
        return {k: sum(v) / len(v) for k, v in self.items.items() if v}


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def main():
    t = Tracker("demo")
    for i, word in enumerate("the quick brown fox".split()):
        t.add(word, i * 2 + 1)
    counts = Counter(word[0] for word in t.items)
    print(f"{t.name}: {counts.most_common(3)} {t.summary()}")
`

// BenchmarkPython canonicalises, parses and reads ordinary code.
func BenchmarkPython(b *testing.B) {
	for _, bb := range []struct {
		name  string
		units int
	}{{"1KB", 1}, {"100lines", 3}, {"10KB", 10}, {"100KB", 97}, {"1MB", 990}} {
		code := []byte(strings.Repeat(pythonUnit, bb.units))
		b.Run(bb.name, func(b *testing.B) {
			a := analyze.New(python.Reader(), javascript.Reader())
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				src, err := a.Canonical(analyze.Python, "", code)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := a.Facts(context.Background(), src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCorpus reads programs of the corpus of either language, each in a function of its own, as one: the two are
// to be compared. Neither steps nor time nor facts are bound, so that all of a megabyte is read.
func BenchmarkCorpus(b *testing.B) {
	limits := analyze.DefaultLimits()
	limits.Steps, limits.Parse, limits.Facts = math.MaxInt, time.Hour, math.MaxInt
	a := analyze.NewLimited(limits, python.Reader(), javascript.Reader())
	for _, size := range []int{100 << 10, 300 << 10, 1 << 20} {
		for _, language := range []analyze.Language{analyze.Python, analyze.JavaScript} {
			code := analyzetest.Ordinary(b, "../testdata/corpus", language, size)
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, language), func(b *testing.B) {
				b.SetBytes(int64(len(code)))
				b.ReportAllocs()
				for b.Loop() {
					src, err := a.Canonical(language, "", code)
					if err != nil {
						b.Fatal(err)
					}
					f, err := a.Facts(context.Background(), src)
					if err != nil || len(f.Syntax) > 0 {
						b.Fatal(err, f.Syntax)
					}
				}
			})
		}
	}
}

// BenchmarkNew makes an analyzer: the grammars and the tables, but for the texts about
// the library, which a process reads once.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		analyze.New(python.Reader(), javascript.Reader())
	}
}
