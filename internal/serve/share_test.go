package serve

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/mcp"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// oneByOne is a sandbox that says whose program runs and ends it when it is told.
type oneByOne struct{ began, end chan string }

func (b oneByOne) Describe() sandbox.Description { return sandbox.Description{Name: "fake"} }

func (b oneByOne) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	select {
	case b.began <- strings.TrimSpace(strings.TrimPrefix(s.Code, "#")):
	case <-ctx.Done():
		return sandbox.Result{Reason: sandbox.Cancelled}, nil
	}
	select {
	case <-b.end:
		return sandbox.Result{Reason: sandbox.Exited}, nil
	case <-ctx.Done():
		return sandbox.Result{Reason: sandbox.Cancelled}, nil
	}
}

// However many calls of one tenant wait, another's is the next that runs. Each
// step waits for the one before; no clock has a part in it.
func TestFloodDelaysNobody(t *testing.T) {
	t.Parallel()
	const flood = 20
	b := oneByOne{make(chan string), make(chan string)}
	queued := make(chan int, 1000)
	tokens, turns := map[string]string{}, NewTurns(1)
	f := startWith(t, func(t *testing.T, _ string, log *memoryLog) Tenant {
		o := mcp.Options{ObserveQueue: func(q telemetry.Queue) {
			if q.Name == "runs" {
				queued <- q.Waiting
			}
		}}
		turns.Share(&o, config.Quota{}, nil, "")
		return tenant(t, gate.Options{Log: log, Backend: b}, o)
	}, bySome(t, tokens, "run"), func(c *config.Serve) { c.Limits.Streams = 256 })
	var calls sync.WaitGroup
	run := func(name string) {
		calls.Go(func() {
			text := fmt.Sprintf(`{"language":"python","code":"# %s"}`, name)
			if status, _, got := f.send(func(r *http.Request) { r.URL.Path = "/v1/run" }, header("Authorization", "Bearer "+tokens[name]), body(text)); status != 200 {
				t.Errorf("%s: %d %s", name, status, got)
			}
		})
	}
	waits := func(n int) {
		for now := -1; now != n; {
			select {
			case now = <-queued:
			case who := <-b.began:
				t.Fatalf("a run of %s began beside another", who)
			}
		}
	}
	run("acme")
	<-b.began
	for i := range flood {
		run("acme")
		waits(i + 1)
	}
	run("globex")
	waits(1) // of globex
	b.end <- ""
	if next := <-b.began; next != "globex" {
		t.Errorf("the next that runs is of %s", next)
	}
	for range flood {
		b.end <- ""
		if next := <-b.began; next != "acme" {
			t.Errorf("then runs one of %s", next)
		}
	}
	b.end <- ""
	calls.Wait()
}

// A tenant has the calls of its quota, and what another one does takes none of
// them. What was one too many is on record.
func TestTenantQuota(t *testing.T) {
	t.Parallel()
	tokens, refused := map[string]string{}, make(chan telemetry.Queue, 10)
	f := startWith(t, func(t *testing.T, _ string, log *memoryLog) Tenant {
		return tenant(t, gate.Options{Log: log}, mcp.Options{ObserveQueue: func(q telemetry.Queue) {
			if q.Refused != "" {
				refused <- q
			}
		}})
	}, bySome(t, tokens, "check"), func(c *config.Serve) {
		acme := c.Tenants["acme"]
		acme.Quota.CallsPerMinute = 1
		c.Tenants["acme"] = acme
	})
	for i, want := range []int{200, 429} {
		status, h, text := f.send(header("Authorization", "Bearer "+tokens["acme"]))
		if status != want || (want == 429) != (h.Get("Retry-After") != "") || (want == 429) != strings.Contains(text, `"quota"`) {
			t.Errorf("call %d: %d %s, retry after %q", i, status, text, h.Get("Retry-After"))
		}
	}
	for range 3 {
		if status, _, text := f.send(header("Authorization", "Bearer "+tokens["globex"])); status != 200 {
			t.Errorf("another tenant: %d %s", status, text)
		}
	}
	if q := <-refused; q.Name != "calls" || q.Refused != "quota" {
		t.Errorf("counted as %+v", q)
	}
	last := f.logs["acme"].all()[1]
	if last.Event != audit.EventAccess || !strings.HasPrefix(last.Note, "quota: ") || last.Caller.User != "token|ci" || last.Caller.Address == "" {
		t.Errorf("the record: %+v, %q", last.Caller, last.Note)
	}
	for _, name := range []string{"", "globex"} {
		for _, r := range f.logs[name].all() {
			if r.Event == audit.EventAccess {
				t.Errorf("the log of %q has a refusal", name)
			}
		}
	}
}

// One tenant's requests leave each other one its part.
func TestStreamsAreShared(t *testing.T) {
	t.Parallel()
	one := judging(t, &memoryLog{})
	service, err := New(Options{Config: config.Serve{Limits: config.ServeLimits{Streams: 12}}, Tenants: map[string]Tenant{"": one, "acme": one, "globex": one}})
	if err != nil || service.streams.kept != 2 || service.streams.rest != 6 {
		t.Errorf("of 12 each of three has %d, and %d are for whoever comes; %v", service.streams.kept, service.streams.rest, err)
	}
	s := streams{kept: 2, rest: 3, open: map[string]int{}}
	for range 5 {
		if !s.enter("acme") {
			t.Fatal("what is free is refused")
		}
	}
	if s.enter("acme") {
		t.Error("acme has more than its part and the rest")
	}
	for range 2 {
		if !s.enter("globex") {
			t.Error("globex has not its part")
		}
	}
	if s.enter("globex") {
		t.Error("globex has more than there is")
	}
	s.leave("acme")
	if !s.enter("globex") {
		t.Error("what acme left is not there for globex")
	}
	for range 4 {
		s.leave("acme")
	}
	for range 3 {
		s.leave("globex")
	}
	if s.common != 0 || s.open["acme"] != 0 || s.open["globex"] != 0 {
		t.Errorf("left: %d common, open %v", s.common, s.open)
	}
}
