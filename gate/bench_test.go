package gate

import (
	"context"
	"os"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/policies"
	"sallyport/policy"
)

// BenchmarkCheck is the first door on a hundred-line program: canonicalise,
// parse, facts, decide; without and with the durable record.
func BenchmarkCheck(b *testing.B) {
	src, err := os.ReadFile("../testdata/bench/hundred.py")
	if err != nil {
		b.Fatal(err)
	}
	log, err := audit.Open(audit.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	for _, bb := range []struct {
		name string
		log  Recorder
	}{{"judge", Discard{}}, {"judge+record", log}} {
		b.Run(bb.name, func(b *testing.B) {
			e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
			if err != nil {
				b.Fatal(err)
			}
			g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader()), Policy: e, Log: bb.log})
			if err != nil {
				b.Fatal(err)
			}
			req := py(string(src))
			b.ReportAllocs()
			for b.Loop() {
				if a, err := g.Check(context.Background(), req); err != nil || a.Decision.Effect != policy.Allow {
					b.Fatal(a.Decision, err)
				}
			}
		})
	}
}
