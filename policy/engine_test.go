package policy

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var ctx = context.Background()

const someHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// validInput is judged and, mentioning nothing, allowed.
func validInput() Input {
	return Input{
		Source: Source{
			Version: FactsVersion, Language: "python", Goal: "script", SHA256: someHash,
			Bytes: 9, Lines: 1, Complete: true,
		},
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

// mentions adds names, each used once in its own line.
func mentions(in Input, names ...string) Input {
	in.Source.Names = names
	in.Source.Uses = map[string][]Use{}
	for i, n := range names {
		in.Source.Uses[n] = []Use{{How: "call", Certainty: "exact", Span: Span{Line: i + 1, Column: 1, EndLine: i + 1, EndColumn: 5}}}
	}
	return in
}

const ruleSystem = `package sallyport.rules.p

# METADATA
# title: No system
# custom: {id: system, capability: process}
deny contains {"rule": "system", "symbol": name, "message": "no"} if {
	some name in input.source.names
	name == "os.system"
}
`

// packFS is a pack named p and a catalog of one line.
func packFS(rego ...string) fstest.MapFS {
	fsys := fstest.MapFS{"catalog/python.txt": {Data: []byte("os.system process\n")}}
	for i, text := range rego {
		fsys["p/"+string(rune('a'+i))+".rego"] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func dirFS(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func newEngine(t *testing.T, rego ...string) *Engine {
	t.Helper()
	e, err := New(Options{FS: packFS(rego...), Packs: []string{"p"}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDecide(t *testing.T) {
	e := newEngine(t, ruleSystem)
	allowed := e.Decide(ctx, validInput())
	if allowed.Effect != Allow || allowed.Reason != ReasonPolicy || allowed.Detail != "" {
		t.Fatalf("nothing mentioned: %+v", allowed)
	}
	permit, err := allowed.Permit()
	if err != nil || permit.Permits(someHash) != nil {
		t.Errorf("no permit for what was judged: %v", err)
	}
	if permit.Permits(strings.Repeat("0", 64)) == nil {
		t.Error("the permit is good for another source")
	}
	denied := e.Decide(ctx, mentions(validInput(), "os.path.join", "os.system"))
	if denied.Effect != Deny || denied.Reason != ReasonPolicy || len(denied.Findings) != 1 {
		t.Fatalf("os.system: %+v", denied)
	}
	if f := denied.Findings[0]; f.Rule != "system" || f.Span.Line != 2 || f.Title != "No system" || f.Severity != "medium" || f.Capability != "process" {
		t.Errorf("finding: %+v", f)
	}
	if _, err := denied.Permit(); !errors.Is(err, ErrDenied) {
		t.Errorf("Permit of a denial: %v", err)
	}
	denied.Effect = Allow
	if _, err := denied.Permit(); !errors.Is(err, ErrDenied) {
		t.Error("a denial whose Effect was overwritten gives a permit")
	}
}

// TestAbnormalEnds holds that each way in which judging can go wrong denies
// under its own reason.
func TestAbnormalEnds(t *testing.T) {
	rule := func(body string) string {
		return "package sallyport.rules.p\n\n# METADATA\n# title: T\n# custom: {id: x}\n" + body
	}
	tests := []struct {
		name string
		rego string
		edit func(*Input)
		want Reason
	}{
		{"facts of another version", ruleSystem, func(in *Input) { in.Source.Version = "facts/v0" }, ReasonInput},
		{"unknown language", ruleSystem, func(in *Input) { in.Source.Language = "ruby" }, ReasonInput},
		{"no hash", ruleSystem, func(in *Input) { in.Source.SHA256 = "" }, ReasonInput},
		{"upper-case hash", ruleSystem, func(in *Input) { in.Source.SHA256 = strings.ToUpper(someHash) }, ReasonInput},
		{"incomplete facts", ruleSystem, func(in *Input) { in.Source.Complete = false }, ReasonIncomplete},
		{"unknown field", rule(`deny contains object.union({"rule": "x", "message": "m"}, {s: 1 | some s in input.source.imports})`), func(in *Input) { in.Source.Imports = []string{"colour"} }, ReasonMalformed},
		{"finding that is text", rule(`deny contains json.unmarshal("\"text\"")`), nil, ReasonMalformed},
		{"finding of no rule", rule(`deny contains {"rule": concat("", ["y", input.request.tool]), "message": "m"}`), nil, ReasonMalformed},
		{"finding without a message", rule(`deny contains {"rule": "x", "message": ""}`), nil, ReasonMalformed},
		{"unknown severity", rule(`deny contains {"rule": "x", "message": "m", "severity": "huge"}`), nil, ReasonMalformed},
		{"limit of less than nothing", rule("deny contains {\"rule\": \"x\", \"message\": \"m\"} if false\n\nlimits contains {\"wall_ms\": 5 - count([1, 2, 3, 4, 5, 6])}"), nil, ReasonMalformed},
		{"limit of nothing", rule("deny contains {\"rule\": \"x\", \"message\": \"m\"} if false\n\nlimits contains {\"wall_ms\": 0}"), nil, ReasonMalformed},
		{"limit that is none", rule("deny contains {\"rule\": \"x\", \"message\": \"m\"} if false\n\nlimits contains {\"wall_ms\": null}"), nil, ReasonMalformed},
		{"limits of another shape", rule("deny contains {\"rule\": \"x\", \"message\": \"m\"} if false\n\nlimits contains {\"wall\": 1}"), nil, ReasonMalformed},
		{"built-in error", rule(`deny contains {"rule": "x", "message": "m"} if json.unmarshal(input.request.tool)`), func(in *Input) { in.Request.Tool = "{" }, ReasonError},
		{"endless comprehension", rule("deny contains {\"rule\": \"x\", \"message\": \"m\"} if count([1 | some i in numbers.range(1, 100000); some j in numbers.range(1, 100000)]) < 0"), nil, ReasonTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{FS: packFS(tt.rego), Packs: []string{"p"}, Timeout: time.Hour}
			if tt.want == ReasonTimeout {
				o.Timeout = 50 * time.Millisecond
			}
			e, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			in := validInput()
			if tt.edit != nil {
				tt.edit(&in)
			}
			d := e.Decide(ctx, in)
			if d.Effect != Deny || d.Reason != tt.want || d.Detail == "" {
				t.Errorf("got effect %q, reason %q (%s), want deny, %q", d.Effect, d.Reason, d.Detail, tt.want)
			}
			if _, err := d.Permit(); !errors.Is(err, ErrDenied) {
				t.Errorf("Permit: %v", err)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if d := newEngine(t, ruleSystem).Decide(cancelled, validInput()); d.Effect != Deny || d.Reason != ReasonTimeout {
		t.Errorf("%+v", d)
	}
}

func TestZeroDenies(t *testing.T) {
	var none *Engine
	for _, d := range []Decision{none.Decide(ctx, validInput()), new(Engine).Decide(ctx, validInput())} {
		if d.Effect != Deny || d.Reason != ReasonEmpty {
			t.Errorf("engine without rules: %+v", d)
		}
	}
	if _, err := (Decision{}).Permit(); !errors.Is(err, ErrDenied) {
		t.Error("the zero decision gives a permit")
	}
	if _, err := (Decision{Effect: Allow}).Permit(); !errors.Is(err, ErrDenied) {
		t.Error("a decision that was made by hand gives a permit")
	}
}

// TestPanic takes the catalog away, so that building the input panics.
func TestPanic(t *testing.T) {
	e := *newEngine(t, ruleSystem)
	e.catalog = nil
	if d := e.Decide(ctx, validInput()); d.Effect != Deny || d.Reason != ReasonError {
		t.Errorf("%+v", d)
	}
}

// TestVerdict feeds the decoder what the embedded module never says.
func TestVerdict(t *testing.T) {
	e := newEngine(t, ruleSystem)
	valid := func() map[string]any {
		return map[string]any{
			"effect": "allow",
			"found":  map[string]any{"deny": map[string]any{}, "ask": map[string]any{}, "warn": map[string]any{}, "log": map[string]any{}},
			"limits": map[string]any{},
		}
	}
	if v, err := decode(valid()); err != nil || e.conclude(validInput(), v).Effect != Allow {
		t.Fatalf("the valid verdict: %v", err)
	}
	tests := []struct {
		name, want string
		edit       func(map[string]any)
	}{
		{"unknown field", `unknown field "efect"`, func(v map[string]any) { v["efect"] = "deny" }},
		{"no effect", `unknown effect ""`, func(v map[string]any) { delete(v, "effect") }},
		{"unknown effect", `unknown effect "permit"`, func(v map[string]any) { v["effect"] = "permit" }},
		{"effect of another type", "a bool stands in effect", func(v map[string]any) { v["effect"] = true }},
		{"an action is missing", "3 actions", func(v map[string]any) { delete(v["found"].(map[string]any), "deny") }},
		{"unknown action", `unknown action "block"`, func(v map[string]any) {
			delete(v["found"].(map[string]any), "deny")
			v["found"].(map[string]any)["block"] = map[string]any{}
		}},
		{"nothing found", "0 actions", func(v map[string]any) { v["found"] = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := valid()
			tt.edit(v)
			if _, err := decode(v); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("decode = %v, want %q", err, tt.want)
			}
		})
	}
	v, _ := decode(valid())
	v.Effect = Deny
	if d := e.conclude(validInput(), v); d.Effect != Deny || d.Reason != ReasonMalformed {
		t.Errorf("an effect that no finding explains: %+v", d)
	}
}

func TestNewRefuses(t *testing.T) {
	meta := "\n# METADATA\n# title: T\n# custom: {id: x}\n"
	tests := []struct{ name, rego, want string }{
		{"truncated", ruleSystem[:len(ruleSystem)-20], "p/a.rego:"},
		{"empty file", "", "p/a.rego"},
		{"misspelt input path", strings.Replace(ruleSystem, "input.source", "input.sorce", 1), "p/a.rego:7"},
		{"misspelt capability", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m"} if input.capabilities.proces[_]`, "p/a.rego:6"},
		{"network built-in", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m"} if http.send({})`, "undefined function http.send"},
		{"no METADATA", "package sallyport.rules.p\n\n" + `deny contains {"rule": "x", "message": "m"}`, "p/a.rego:3: a deny rule needs METADATA"},
		{"no set", "package sallyport.rules.p\n" + meta + "deny := true", "p/a.rego:6: deny must be a set"},
		{"text instead of an object", "package sallyport.rules.p\n" + meta + `deny contains "no"`, "p/a.rego:6: deny must be a set of objects, not of texts"},
		{"built text instead of an object", "package sallyport.rules.p\n" + meta + `deny contains sprintf("%s", [input.request.tool])`, "not of texts"},
		{"misspelt verb", ruleSystem + meta + `denny contains {"rule": "x", "message": "m"}`, "denny is no set of findings"},
		{"misspelt verb without METADATA", ruleSystem + "\n" + `denny contains {"rule": "x", "message": "m"}`, "denny is no set of findings"},
		{"no message", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x"}`, "p/a.rego:6: the findings of rule \"x\" have no \"message\""},
		{"unknown field of a finding", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m", "sevrity": "low"}`, "unknown field \"sevrity\""},
		{"another rule's id", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "y", "message": "m"}`, "the findings say rule \"y\""},
		{"misspelt field of a use", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m"} if input.source.uses["os.system"][0].spam.line == 1`, "did you mean \"span\"?"},
		{"misspelt field of a use, through a variable", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m"} if {
	some name in input.source.names
	some use in input.source.uses[name]
	use.arg
}`, "p/a.rego:9: undefined ref: input.source.uses[name][_].arg"},
		{"misspelt field of an argument, through every", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m"} if {
	every use in input.source.uses["os.system"] { use.span.lin > 1 }
}`, "did you mean \"line\"?"},
		{"field of a text", "package sallyport.rules.p\n" + meta + `deny contains {"rule": "x", "message": "m"} if input.source.uses["os.system"][0].how.x`, "p/a.rego:6: undefined ref"},
		{"unknown METADATA", "package sallyport.rules.p\n\n# METADATA\n# title: T\n# custom: {id: x, sevrity: high}\n" + `deny contains {"rule": "x", "message": "m"}`, "custom.sevrity is unknown"},
		{"unknown severity", "package sallyport.rules.p\n\n# METADATA\n# title: T\n# custom: {id: x, severity: hi}\n" + `deny contains {"rule": "x", "message": "m"}`, `custom.severity is "hi"`},
		{"no rules", "package sallyport.rules.p\n\nx := 1", "no policy rules"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(Options{FS: packFS(tt.rego), Packs: []string{"p"}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New = %v, want %q", err, tt.want)
			}
		})
	}
	for _, packs := range [][]string{nil, {""}, {"."}, {"nix"}, {"p/../p"}, {"p", "nix"}} {
		if _, err := New(Options{FS: packFS(ruleSystem), Packs: packs}); err == nil {
			t.Errorf("New with packs %q: no error", packs)
		}
	}
}

// TestManyFindings holds that a decision stays small, and that what decides
// is not what is left out.
func TestManyFindings(t *testing.T) {
	noise := "\n# METADATA\n# title: Noise\n# custom: {id: noise}\nlog contains {\"rule\": \"noise\", \"message\": \"m\", \"symbol\": s} if some s in input.source.strings\n"
	in := mentions(validInput(), "os.system")
	for i := range 3 * maxFindings {
		in.Source.Strings = append(in.Source.Strings, fmt.Sprint(i))
	}
	d := newEngine(t, ruleSystem+noise).Decide(ctx, in)
	if d.Effect != Deny || len(d.Findings) != maxFindings || d.Findings[0].Rule != "system" || d.Detail != "2001 further findings are left out" {
		t.Errorf("effect %s, %d findings, %q", d.Effect, len(d.Findings), d.Detail)
	}
}

func TestTighten(t *testing.T) {
	for i := range reflect.TypeFor[Limits]().NumField() {
		name := reflect.TypeFor[Limits]().Field(i).Name
		of := func(n int64) (l Limits) { reflect.ValueOf(&l).Elem().Field(i).SetInt(n); return l }
		for _, tt := range []struct{ a, b, want int64 }{{1, 2, 1}, {2, 1, 1}, {2, 0, 2}, {0, 2, 2}, {2, -1, 2}, {-1, 2, 2}, {-1, 0, 0}, {-1, -2, 0}} {
			if got := of(tt.a).Tighten(of(tt.b)); got != of(tt.want) {
				t.Errorf("%s: %d tightened by %d is %+v, want %d", name, tt.a, tt.b, got, tt.want)
			}
		}
	}
}
