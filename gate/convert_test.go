package gate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
)

// fill sets everything below v to a value of its own, none of them zero, also
// in fields that are added later.
func fill(t *testing.T, v reflect.Value, next *int64) {
	t.Helper()
	*next++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), next)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, next)
		fill(t, value, next)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(*next)
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprint("value ", *next)))
	default:
		t.Fatalf("fill does not know %s", v.Type())
	}
}

// unset names the zero fields of a struct and of the structs in it.
func unset(v reflect.Value, at string) []string {
	switch {
	case v.IsZero():
		return []string{at}
	case v.Kind() == reflect.Slice:
		return unset(v.Index(0), at+"[0]")
	case v.Kind() == reflect.Map:
		return unset(v.MapIndex(v.MapKeys()[0]), at+"[key]")
	}
	var out []string
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			out = append(out, unset(v.Field(i), at+"."+v.Type().Field(i).Name)...)
		}
	}
	return out
}

// The leaves do not know each other, so no compiler sees when one gets a field
// that the other lacks. Rules see the published facts, each field of them, and
// the fields that rules see are each filled.
func TestNothingIsLostBetweenLeaves(t *testing.T) {
	var facts analyze.Facts
	fill(t, reflect.ValueOf(&facts).Elem(), new(int64))
	src := source(facts)
	for _, field := range unset(reflect.ValueOf(src), "policy.Source") {
		t.Errorf("%s is set from nothing", field)
	}
	seen, want := plain(t, src), plain(t, facts)
	delete(want, "identifiers") // for the interpreter's own parser, not for rules
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("rules see other facts than are published (-published +seen):\n%s", diff)
	}
}

func plain(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Each limit of a sandbox is one that rules see, can tighten, and that the
// record names; and the other way round.
func TestEveryLimitIsThePolicysToo(t *testing.T) {
	var rules policy.Limits
	fill(t, reflect.ValueOf(&rules).Elem(), new(int64))
	if got := toPolicyLimits(fromPolicyLimits(rules)); got != rules {
		t.Errorf("policy → sandbox → policy: %+v, want %+v", got, rules)
	}
	box := fromPolicyLimits(rules)
	for _, field := range unset(reflect.ValueOf(box), "sandbox.Limits") {
		t.Errorf("%s: no policy can tighten it", field)
	}
	if got := fromPolicyLimits(toPolicyLimits(box)); got != box {
		t.Errorf("sandbox → policy → sandbox: %+v, want %+v", got, box)
	}
	if len(plain(t, rules)) != reflect.TypeFor[sandbox.Limits]().NumField() {
		t.Errorf("the record of the limits %v is not that of each field", plain(t, rules))
	}
	if short := fromPolicyLimits(toPolicyLimits(sandbox.Limits{Wall: 1})); short.Wall <= 0 {
		t.Error("a very short limit became none")
	}
}

// The order of a map shows nowhere: what policy judges, and what a program's
// output is given as, is the same each time.
func TestTheSameEachTime(t *testing.T) {
	f := newFixture(t)
	f.gate.opts.Backend = manyControls{f.backend}
	req := py("import os, json\nprint(json.dumps(os.environ), os.getcwd(), open('x'))\n")
	var first string
	for range 50 {
		in, err := f.gate.Input(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		var out string
		emit, flush := newRedactor(map[string]string{"A": "secret one", "B": "secret two"}).live(
			func(s sandbox.Stream, b []byte) { out += fmt.Sprint(s, string(b)) })
		emit(sandbox.Stderr, []byte("secret"))
		emit(sandbox.Stdout, []byte("secret"))
		flush()
		text := fmt.Sprintf("%+v\n%s", in.Sandbox, out)
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("first:\n%s\nlater:\n%s", first, text)
		}
	}
}

// manyControls is a backend with as many controls as there may be.
type manyControls struct{ *fakeBackend }

func (manyControls) Describe() sandbox.Description {
	d := sandbox.Description{Name: "fake", Controls: map[sandbox.Control]string{}}
	for _, c := range []sandbox.Control{sandbox.ControlNetwork, sandbox.ControlProcess, sandbox.ControlWall, sandbox.ControlCPU, sandbox.ControlDisk} {
		d.Controls[c] = "fake"
	}
	return d
}
