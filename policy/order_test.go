package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"
)

// The order of a map shows nowhere: whatever this package says is the same
// each time, also what it complains about first.
func TestTheSameEachTime(t *testing.T) {
	several := `package sallyport.rules.p

# METADATA
# title: Several
# custom: {id: several, capability: process, controls: [a, b]}
deny contains {"rule": "several", "symbol": name, "message": "no"} if { some name in input.source.names }

# METADATA
# title: By capability
# custom: {id: capable, capability: network}
warn contains {"rule": "capable", "symbol": name, "message": c} if { some c, names in input.capabilities; some name in names }

limits contains {"wall_ms": 5} if input.source.names != []
`
	own := map[string]string{
		"a.rego":                   "package acme\n\nx := 1\n",
		"a_test.rego":              "package acme\n\ntest_b if x == 1\n\ntest_a if x == 2\n",
		"data.json":                `{"a": 1, "b": {"c": 2, "d": 3}}`,
		"e/data.json":              `{"f": 1, "g": 2}`,
		"e/a.rego":                 "package acme.e\n\ny := 1\n",
		"e/catalog/javascript.txt": "a.b network\nc.d process\n",
	}
	broken := dirFS(own)
	broken["data.json"] = &fstest.MapFile{Data: []byte(`{"e": {"f": 1, "g": 1}}`)}
	odd := packFS("package sallyport.rules.p\n\n# METADATA\n# title: T\n# custom: {id: x, one: 1, two: 2, three: 3, four: 4}\ndeny contains {\"rule\": \"x\", \"message\": \"m\"} if true\n")
	fsys := packFS(several)
	fsys["q/a.rego"] = &fstest.MapFile{Data: []byte(`package sallyport.rules.q

# METADATA
# title: Q
# custom: {id: q}
warn contains {"rule": "q", "message": "m"} if true
`)}

	all := func() string {
		var out bytes.Buffer
		say := func(v ...any) { fmt.Fprintln(&out, v...) }
		p, err := LoadDir(dirFS(own), "own")
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{
			FS: fsys, Packs: []string{"q", "p"}, Policies: []*Policy{p},
			Catalog:   map[string]map[string]string{"python": {"a.b": "network", "c.d": "process", "os.system": "benign"}},
			Overrides: map[string]Action{"several": ActionAsk, "q": ActionLog},
		}
		e, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		in := mentions(fullInput(), "os.system", "a.b", "c.d", "e.f", "g.h")
		decision, err := json.Marshal(e.Decide(ctx, in))
		say(string(decision), err)
		input, err := e.InputJSON(in)
		say(string(input), err)
		x := e.Explain(ctx, in, false)
		say(x.Rules, e.Rules(), e.Summary())
		lint, err := p.Lint(opts)
		say(lint, err)
		say(p.WriteBundle(&out, BundleOptions{Revision: "r"}))
		packs, err := Packs(fsys)
		say(packs, err)
		_, err = LoadDir(broken, "broken")
		say(err)
		_, err = New(Options{FS: odd, Packs: []string{"p"}})
		say(err)
		_, err = decode(map[string]any{"effect": "deny", "found": map[string]any{"deny": map[string]any{}, "a": map[string]any{}, "b": map[string]any{}, "c": map[string]any{}}})
		say(err)
		return out.String()
	}
	first := all()
	for range 30 {
		if now := all(); now != first {
			t.Fatalf("first:\n%s\nlater:\n%s", first, now)
		}
	}
}
