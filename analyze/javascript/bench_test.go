package javascript

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// ordinaryJavaScript returns about size bytes of programs from the corpus, each
// in a function of its own.
func ordinaryJavaScript(tb testing.TB, size int) []byte {
	tb.Helper()
	return analyzetest.Ordinary(tb, filepath.Dir(javascriptCorpus), analyze.JavaScript, size)
}

func analyseJavaScript(tb testing.TB, a *analyze.Analyzer, raw []byte) analyze.Facts {
	src, err := a.Canonical(analyze.JavaScript, "", raw)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := a.Facts(context.Background(), src)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func BenchmarkJavaScript(b *testing.B) {
	a := analyze.New(Reader())
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10, 1 << 20} {
		raw := ordinaryJavaScript(b, size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				analyseJavaScript(b, a, raw)
			}
		})
	}
}

// BenchmarkJavaScript100Lines reports the median, which the target is about.
func BenchmarkJavaScript100Lines(b *testing.B) {
	var raw []byte
	for size := 1 << 10; strings.Count(string(raw), "\n") < 90; size += 256 {
		raw = ordinaryJavaScript(b, size)
	}
	a := analyze.New(Reader())
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		t0 := time.Now()
		analyseJavaScript(b, a, raw)
		times = append(times, time.Since(t0))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(strings.Count(string(raw), "\n")), "lines")
}
