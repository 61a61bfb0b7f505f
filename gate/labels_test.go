package gate

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"sallyport/analyze"
	"sallyport/policies"
	"sallyport/policy"
)

// TestLabelsAreBounded refuses what no label may be, on every way in, before
// anything is judged. Each differs in one thing from labels that pass.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	f := newSessionFixture(t, SessionLimits{})
	ctx := context.Background()
	session := f.begin(analyze.Python)
	ways := map[string]func(map[string]string) error{
		"check": func(l map[string]string) error {
			_, err := f.gate.Check(ctx, Request{Language: analyze.Python, Source: []byte("1\n"), Labels: l})
			return err
		},
		"run": func(l map[string]string) error {
			_, err := f.gate.Run(ctx, Request{Language: analyze.Python, Source: []byte("1\n"), Labels: l})
			return err
		},
		"cell": func(l map[string]string) error {
			_, err := session.Run(ctx, Request{Source: []byte("1\n"), Labels: l})
			return err
		},
		"begin": func(l map[string]string) error {
			s, err := f.gate.Begin(Request{Language: analyze.Python, Labels: l})
			if err == nil {
				err = s.Close()
			}
			return err
		},
		"input": func(l map[string]string) error {
			_, err := f.gate.Input(ctx, Request{Language: analyze.Python, Source: []byte("1\n"), Labels: l})
			return err
		},
	}
	good := map[string]string{"ticket": "OPS-1", "acme.example/Team_2": "ü b", strings.Repeat("k", maxLabelKey): strings.Repeat("v", maxLabelValue)}
	for way, try := range ways {
		if err := try(good); err != nil && !errors.Is(err, ErrNoBackend) {
			t.Errorf("%s: good labels: %v", way, err)
		}
	}
	f.log.records = nil
	f.backend.specs = nil
	for name, edit := range map[string]func(map[string]string){
		"no key":        func(l map[string]string) { l[""] = "v" },
		"blank in key":  func(l map[string]string) { l["a b"] = "v" },
		"= in key":      func(l map[string]string) { l["a=b"] = "v" },
		"letter of key": func(l map[string]string) { l["schlüssel"] = "v" },
		"key begins":    func(l map[string]string) { l["-a"] = "v" },
		"long key":      func(l map[string]string) { l[strings.Repeat("k", maxLabelKey+1)] = "v" },
		"no value":      func(l map[string]string) { l["ticket"] = "" },
		"long value":    func(l map[string]string) { l["ticket"] = strings.Repeat("v", maxLabelValue+1) },
		"newline":       func(l map[string]string) { l["ticket"] = "a\nb" },
		"escape":        func(l map[string]string) { l["ticket"] = "\x1b[31m" },
		"zero":          func(l map[string]string) { l["ticket"] = "a\x00" },
		"bidi":          func(l map[string]string) { l["ticket"] = "a\u202eb" },
		"no UTF-8":      func(l map[string]string) { l["ticket"] = "a\xff" },
		"too many": func(l map[string]string) {
			for i := range maxLabels {
				l["k"+strings.Repeat("x", i)] = "v"
			}
		},
	} {
		bad := maps.Clone(good)
		edit(bad)
		for way, try := range ways {
			err := try(bad)
			var hinted interface{ Hint() string }
			if !errors.Is(err, ErrLabels) || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "KEY=VALUE") {
				t.Errorf("%s, %s: %v, want a bad label, with what one is", way, name, err)
			}
		}
	}
	if len(f.log.records) != 0 || len(f.backend.specs) != 0 {
		t.Errorf("with bad labels: %d records, %d runs", len(f.log.records), len(f.backend.specs))
	}
}

// TestLabelsDecide holds that rules see the labels of a program and of each
// cell, and that they are in the record of the decision.
func TestLabelsDecide(t *testing.T) {
	t.Parallel()
	own, err := policy.LoadDir(fstest.MapFS{"own.rego": {Data: []byte(`package sallyport.rules.own

# METADATA
# title: No ticket
# custom: {id: own/ticket}
deny contains {"rule": "own/ticket", "message": "say for which ticket"} if not startswith(input.request.labels.ticket, "OPS-")

# METADATA
# title: No ticket
# custom: {id: own/none}
deny contains {"rule": "own/none", "message": "say for which ticket"} if not input.request.labels.ticket
`)}}, "own")
	if err != nil {
		t.Fatal(err)
	}
	f := newSessionFixture(t, SessionLimits{})
	if f.gate.opts.Policy, err = policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}, Policies: []*policy.Policy{own}}); err != nil {
		t.Fatal(err)
	}
	session := f.begin(analyze.Python)
	for _, tt := range []struct {
		labels map[string]string
		want   policy.Effect
	}{
		{nil, policy.Deny},
		{map[string]string{"other": "OPS-1"}, policy.Deny},
		{map[string]string{"ticket": "x"}, policy.Deny},
		{map[string]string{"ticket": "OPS-1", "team": "data"}, policy.Allow},
		{nil, policy.Deny}, // of the cell before, nothing is left
	} {
		for way, run := range map[string]func(context.Context, Request) (Answer, error){"run": f.gate.Run, "cell": session.Run} {
			f.log.records = nil
			a, err := run(context.Background(), Request{Language: analyze.Python, Source: []byte("1\n"), Labels: tt.labels})
			if err != nil || a.Decision.Effect != tt.want {
				t.Errorf("%s with %v: %s, %v; want %s", way, tt.labels, a.Decision.Effect, err, tt.want)
			}
			if got := f.log.records[0].Caller.Labels; !maps.Equal(got, tt.labels) {
				t.Errorf("%s: the record has %v, want %v", way, got, tt.labels)
			}
		}
	}
}

func TestParseLabels(t *testing.T) {
	t.Parallel()
	if got, err := ParseLabels([]string{"a=b=c", "d=e"}); err != nil || !maps.Equal(got, map[string]string{"a": "b=c", "d": "e"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ParseLabels(nil); got != nil || err != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	for _, bad := range [][]string{{"a"}, {"=b"}, {"a="}, {"a=b", "a=c"}} {
		if got, err := ParseLabels(bad); !errors.Is(err, ErrLabels) {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}
