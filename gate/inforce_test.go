package gate

import (
	"errors"
	"maps"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/python"
	"sallyport/audit"
)

// What comes into force is on record beside what was before, by the log itself after a
// restart; what cannot be recorded has not come into force.
func TestInForce(t *testing.T) {
	t.Parallel()
	type digests = map[string]string
	dir := t.TempDir()
	begin := func(parts digests) (*InForce, func()) {
		t.Helper()
		log, err := audit.Open(audit.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		was, err := WasInForce(dir)
		if err != nil {
			t.Fatal(err)
		}
		g, err := New(Options{Analyzer: analyze.New(python.Reader()), Policy: engine(t), Log: log, Remote: true})
		if err != nil {
			t.Fatal(err)
		}
		return NewInForce(g, "acme", parts, was), func() { _ = log.Close() }
	}
	last := func() *audit.InForce {
		t.Helper()
		all, err := audit.Last(dir, audit.Filter{Events: []string{string(audit.EventConfig)}}, 1)
		if err != nil || len(all) != 1 || all[0].Caller.Principal.Tenant != "acme" || all[0].Caller.Principal.How != LocalUser {
			t.Fatalf("on record: %+v, %v", all, err)
		}
		return all[0].InForce
	}
	is := func(what, how string, sha256, before map[string]string) {
		t.Helper()
		if f := last(); f.How != how || !maps.Equal(f.SHA256, sha256) || !maps.Equal(f.Before, before) {
			t.Errorf("%s: %+v, want %s %v, before %v", what, f, how, sha256, before)
		}
	}
	ctx := t.Context()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	g, end := begin(digests{"policy": "1"})
	do(g.Started(ctx, digests{"tokens": "a"}))
	is("the first start", "start", digests{"policy": "1", "tokens": "a"}, digests{"policy": "", "tokens": ""})
	do(g.Reloaded(ctx, "tokens", "b", nil))
	is("other tokens", "reload", digests{"policy": "1", "tokens": "b"}, digests{"tokens": "a"})
	do(g.Reloaded(ctx, "certificate", "c", errors.New("it is broken")))
	do(g.Reloaded(ctx, "tokens", "", errors.New("it is broken")))
	is("broken tokens", "refused", digests{"policy": "1", "certificate": "c"}, digests{"tokens": "b"})
	end()
	if g.Reloaded(ctx, "tokens", "d", nil) == nil {
		t.Error("what cannot be recorded comes into force")
	}
	g, end = begin(digests{"policy": "2"})
	defer end()
	do(g.Started(ctx, digests{"certificate": "c"}))
	is("a restart", "start", digests{"policy": "2", "certificate": "c"}, digests{"policy": "1"})
	do(g.Started(ctx, digests{"certificate": "c"}))
	is("the same", "start", digests{"policy": "2", "certificate": "c"}, digests{})
}
