package install

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/egress"
	"sallyport/gate"
	"sallyport/sandbox"
)

// quick is a backend that can start ahead, and runs nothing.
type quick struct {
	Backend
	ahead []sandbox.Spec
	err   error
}

func (q *quick) Ahead(_ context.Context, s sandbox.Spec) error {
	q.ahead = append(q.ahead, s)
	return q.err
}

func (q *quick) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, q.err
}

// The sandbox that is started ahead is as the last run of such a request asked for it,
// in the environment as it is now, and with none of its secrets on disk.
func TestAhead(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	environments := map[string]gate.Environment{
		"default": {Secrets: map[string]string{"TOKEN": "s3cret"}},
		"out":     {Egress: new(egress.Proxy)},
	}
	tight := sandbox.Spec{Language: "python", Limits: sandbox.Limits{Wall: time.Second}, Runtime: environments["default"].Runtime(analyze.Python)}
	loose := tight
	loose.Grant, loose.Observe = sandbox.Grant{sandbox.CapabilityProcess}, true
	for i, step := range []struct {
		one   One
		env   string
		packs []string
		asks  sandbox.Spec  // of the run
		fails error         // so does it
		want  *sandbox.Spec // what was started ahead
	}{
		{one: One{Language: analyze.Python}, asks: tight},
		{one: One{Language: analyze.Python}, asks: loose, want: &tight},
		{one: One{Language: analyze.Python}, asks: loose, want: &loose},
		{one: One{Language: analyze.Python}, asks: tight, want: &loose, fails: sandbox.ErrRefused}, // and is not remembered
		{one: One{Language: analyze.Python}, asks: loose, want: &loose},
		{one: One{Language: analyze.Python}, asks: loose, packs: []string{"strict"}},
		{one: One{Language: analyze.JavaScript}, asks: tight},
		{one: One{Language: analyze.Python, Limits: sandbox.Limits{Wall: time.Minute}}, asks: tight},
		{one: One{Language: analyze.Python}, env: "out", asks: tight},
		{one: One{Language: analyze.Python}, env: "out", asks: tight}, // its way out is made for each run
	} {
		q := &quick{err: step.fails}
		b := ahead(q, state, Options{One: &step.one, Environment: step.env, Packs: step.packs}, environments)
		if _, err := b.Run(t.Context(), step.asks); err != step.fails {
			t.Fatal(err)
		}
		if started := len(q.ahead) > 0; started != (step.want != nil) || started && !reflect.DeepEqual(q.ahead[0], *step.want) {
			t.Errorf("step %d: started ahead %+v, want %+v", i, q.ahead, step.want)
		}
	}
	file := filepath.Join(state, "postures.json")
	data, err := os.ReadFile(file)
	st, serr := os.Stat(file)
	if err != nil || serr != nil || st.Mode().Perm() != 0o600 || strings.Contains(string(data), "s3cret") {
		t.Errorf("%v, %v, %v: %s", err, serr, st.Mode(), data)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	q := &quick{}
	if ahead(q, state, Options{One: &One{Language: analyze.Python}}, environments); len(q.ahead) > 0 {
		t.Errorf("of a broken file came %+v", q.ahead)
	}
	if b := ahead(q, state, Options{}, environments); b != sandbox.Backend(q) {
		t.Error("a process of many requests remembers")
	}
}
