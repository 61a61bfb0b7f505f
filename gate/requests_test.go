package gate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"sallyport/egress"
	"sallyport/policies"
	"sallyport/policy"
)

// TestRequestsAreAskedAbout holds what comes of each answer of a person, and
// that one who said no is left alone.
func TestRequestsAreAskedAbout(t *testing.T) {
	own, err := policy.LoadDir(fstest.MapFS{"own.rego": {Data: []byte(`package sallyport.requests.own

# METADATA
# title: Removes something
# custom: {id: own/delete}
ask contains {"rule": "own/delete", "message": "removes it"} if input.egress.method == "DELETE"

# METADATA
# title: Writes something
# custom: {id: own/put}
deny contains {"rule": "own/put", "message": sprintf("writes %s", [input.egress.path])} if input.egress.method == "PUT"
`)}}, "own")
	if err != nil {
		t.Fatal(err)
	}
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}, Policies: []*policy.Policy{own}})
	if err != nil {
		t.Fatal(err)
	}
	yes := func(context.Context, Question) (Approval, error) {
		return Approval{Yes: true, Answer: "accepted"}, nil
	}
	for name, tt := range map[string]struct {
		approve func(context.Context, Question) (Approval, error)
		method  string
		allow   bool
		answer  string
		reason  string
		asked   int // of two equal requests
	}{
		"get":    {yes, "GET", true, "", "", 0},
		"put":    {yes, "PUT", false, "", "rule own/put, Writes something", 0},
		"yes":    {yes, "DELETE", true, "accepted", "", 2},
		"nobody": {nil, "DELETE", false, "unsupported", "rule own/delete, Removes something: nobody approved it", 0},
		"no":     {func(context.Context, Question) (Approval, error) { return Approval{Answer: "declined"}, nil }, "DELETE", false, "declined", "nobody approved it", 1},
		"empty":  {func(context.Context, Question) (Approval, error) { return Approval{}, nil }, "DELETE", false, "declined", "nobody approved it", 1},
		"lying":  {func(context.Context, Question) (Approval, error) { return Approval{Answer: "accepted"}, nil }, "DELETE", false, "declined", "nobody approved it", 1},
		"fails":  {func(context.Context, Question) (Approval, error) { return Approval{Yes: true}, errors.New("x") }, "DELETE", false, "failed", "nobody approved it", 1},
		"panics": {func(context.Context, Question) (Approval, error) { panic("x") }, "DELETE", false, "failed", "nobody approved it", 1},
	} {
		f := newFixture(t)
		opts := f.gate.opts
		opts.Policy = e
		asked := 0
		if tt.approve != nil {
			opts.Approve = func(ctx context.Context, q Question) (Approval, error) {
				a, source := q.Answer, q.Source
				asked++
				if a.Request != "DELETE https://api.example/a b" || source != "" || a.Decision.Findings[0].Rule != "own/delete" {
					t.Errorf("%s: asked about %q, %+v", name, a.Request, a.Decision)
				}
				if _, err := a.Decision.Approve(true).Permit(); err == nil {
					t.Errorf("%s: the question is a permit for a program", name)
				}
				return tt.approve(ctx, q)
			}
		}
		g, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		req := py("print(1)\n")
		judge := g.requestJudge(context.Background(), req, g.judge(context.Background(), req, g.decide, nil))
		for range 2 {
			v, err := judge(context.Background(), egress.Request{Method: tt.method, Scheme: "https", Host: "api.example", Port: 443, Path: "/a b"})
			if err != nil || v.Allow != tt.allow || v.Answer != tt.answer || !strings.HasSuffix(v.Reason, tt.reason) || v.Allow != (v.Reason == "") {
				t.Errorf("%s: %+v, %v", name, v, err)
			}
		}
		if asked != tt.asked {
			t.Errorf("%s: asked %d times, want %d", name, asked, tt.asked)
		}
	}
}
