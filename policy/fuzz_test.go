package policy

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// FuzzVerdict holds that no verdict, however it is malformed, ends in an
// allowed decision that carries a finding which denies or asks.
func FuzzVerdict(f *testing.F) {
	found := `"found":{"deny":{},"ask":{},"warn":{},"log":{}}`
	for _, seed := range []string{
		`{"effect":"allow",` + found + `,"limits":{}}`,
		`{"effect":"deny",` + found + `,"limits":{"p":[{"wall_ms":-1}]}}`,
		`{"effect":"allow","found":{"deny":{"p":[{"rule":"system","message":"m"}]},"ask":{},"warn":{},"log":{}},"limits":{}}`,
		`{"effect":"allow","found":{"deny":{"p":["text"]},"ask":{},"warn":{},"log":null}}`,
		`{"effect":"ask","Effect":"allow",` + found + `}`,
		`[]`, `null`, `"allow"`,
	} {
		f.Add(seed)
	}
	e, err := New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}})
	if err != nil {
		f.Fatal(err)
	}
	in := validInput()
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		v, err := decode(value)
		if err != nil {
			return
		}
		d := e.conclude(in, v)
		stops := slices.ContainsFunc(d.Findings, func(f Finding) bool { return strictness(f.Action) > strictness(ActionWarn) })
		if d.Effect == Allow && (v.Effect != Allow || stops || d.Reason != ReasonPolicy) {
			t.Errorf("%s is allowed: %+v", text, d)
		}
		if l := d.Limits; l.WallMillis < 0 || l.MemoryBytes < 0 || l.Processes < 0 {
			t.Errorf("%s lifts a limit: %+v", text, l)
		}
		if _, err := d.Permit(); err == nil && d.Effect != Allow {
			t.Errorf("%s: a permit for %s", text, d.Effect)
		}
	})
}

// FuzzCatalog holds that a table is read or refused with its line, and that
// what it says of a symbol is found again.
func FuzzCatalog(f *testing.F) {
	for _, seed := range []string{"os.system process\n", "os.* unknown # rest\nos benign", ".attr introspection,native", "a", "a b c", "a\tb", " \n#\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table := table{}
		if err := parseCatalog(table, file{"fuzz.txt", text}); err != nil {
			if !strings.Contains(err.Error(), "fuzz.txt:") {
				t.Errorf("%q: the error names no line: %v", text, err)
			}
			return
		}
		for pattern, want := range table {
			got, ok := table.lookup(pattern)
			if !ok || !strings.HasSuffix(pattern, ".*") && !slices.Equal(got, want) {
				t.Errorf("%q: lookup(%q) = %q, want %q", text, pattern, got, want)
			}
		}
	})
}
