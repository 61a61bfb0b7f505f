package egress

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"testing"
)

// fault is one step of the way that is broken. What comes of it is the same for a
// request and for a connection that nobody looks into.
type fault struct {
	edit  func(*config)
	after func(*rig)

	dials   int  // of the host
	refused int  // records of refusals
	sent    int  // records of what was to be sent, and of its end
	failed  bool // the run is told of a record that failed

	status int  // of a request; 0: any but 200
	only   door // "": both
}

type door string

const (
	aRequest door = "request"
	aTunnel  door = "tunnel"
)

var (
	errBroken = errors.New("broken")
	nowhere   = []netip.Addr{netip.MustParseAddr("127.0.0.9")} // nobody listens
)

func noAddress(c *config) { c.Rules[0].Addresses = nil }

// judging has a judge, who says this.
func judging(v Verdict, err error) func(*config) {
	return func(c *config) { c.Judge = func(context.Context, Request) (Verdict, error) { return v, err } }
}

// recording has records fail: those of requests, or those of their ends.
func recording(ended bool, fail func() error) func(*config) {
	return func(c *config) {
		record := c.Record
		c.Record = func(ctx context.Context, e Event) error {
			if e.Ended == ended {
				return fail()
			}
			return record(ctx, e)
		}
	}
}

func guarding(edit func(*guard)) func(*rig) { return func(r *rig) { edit(&r.proxy.guard) } }

// behind has an upstream proxy that answers this.
func behind(t *testing.T, answer string) func(*config) {
	return func(c *config) {
		noAddress(c)
		c.Upstream = &url.URL{Scheme: "http", Host: newProxies(t, answer, nil).address}
	}
}

func faults(t *testing.T) map[string]fault {
	outside := func(g *guard) { g.lookup = answering("8.8.8.8") }
	return map[string]fault{
		"nothing": {dials: 1, sent: 1, status: 200},

		// Rules and limits.
		"no rule for the host": {edit: func(c *config) { c.Rules[0].Host = "other.example" }, refused: 1, status: 403},
		"no rules":             {edit: func(c *config) { c.Rules = nil }, refused: 1, status: 403, only: aRequest},
		"over a limit": {edit: func(c *config) { c.Limits.Requests = 1 }, after: func(r *rig) { r.requests.Add(1) },
			refused: 1, status: 429},

		// The judge, and the person whom he asks.
		"judge allows":   {edit: judging(Verdict{Allow: true}, nil), dials: 1, sent: 1, status: 200},
		"judge denies":   {edit: judging(Verdict{Reason: "x"}, nil), refused: 1, status: 403},
		"judge is empty": {edit: judging(Verdict{}, nil), refused: 1, status: 403},
		"judge fails":    {edit: judging(Verdict{Allow: true}, errBroken), refused: 1, status: 403},
		"judge panics": {edit: func(c *config) { c.Judge = func(context.Context, Request) (Verdict, error) { panic("x") } },
			refused: 1, status: 403},
		"the run ends, and then he allows": {after: func(r *rig) {
			r.run.Judge = func(ctx context.Context, _ Request) (Verdict, error) {
				go r.Close()
				<-ctx.Done()
				return Verdict{Allow: true}, nil
			}
		}, sent: 1},

		// Secrets.
		"secret of another rule": {edit: func(c *config) {
			c.Rules = append(c.Rules, Rule{Name: "other", Host: "other.example"})
			c.Secrets = []Secret{{Name: "KEY", Value: theValue, Rule: "other"}}
		}, refused: 1, status: 403, only: aRequest},
		"secret in another header": {edit: func(c *config) {
			c.Secrets = []Secret{{Name: "KEY", Value: theValue, Rule: "api", Headers: []string{"X-Key"}}}
		}, refused: 1, status: 403, only: aRequest},
		"secret that is signed with": {edit: withAWS, refused: 1, status: 403, only: aRequest},

		// The record.
		"record fails":       {edit: recording(false, func() error { return errBroken }), failed: true, status: 503},
		"record has no room": {edit: recording(false, func() error { return syscall.ENOSPC }), failed: true, status: 503},
		"record panics":      {edit: recording(false, func() error { panic("x") }), failed: true, status: 503},
		"the run ends, and then it is on record": {after: func(r *rig) {
			record := r.run.Record
			r.run.Record = func(ctx context.Context, e Event) error {
				if !e.Ended {
					r.cancel() // as Close, which waits
				}
				return record(ctx, e)
			}
		}, sent: 1},
		"record of the refusal": {edit: both(judging(Verdict{}, nil), recording(false, func() error { return errBroken })), failed: true, status: 503},

		// The way there.
		"look-up fails":  {edit: noAddress, after: guarding(func(g *guard) { g.lookup = answering() }), sent: 1, status: 502},
		"look-up panics": {edit: noAddress, after: guarding(func(g *guard) { g.lookup = func(context.Context, string, string) ([]netip.Addr, error) { panic("x") } }), sent: 1, status: 502},
		"inside":         {edit: noAddress, after: guarding(func(g *guard) { g.lookup = answering("127.0.0.1") }), sent: 1, status: 403},
		"own addresses fail": {edit: noAddress, after: guarding(func(g *guard) {
			outside(g)
			g.own = func() ([]net.Addr, error) { return nil, errBroken }
		}), sent: 1, status: 502},
		"own addresses panic": {edit: noAddress, after: guarding(func(g *guard) {
			outside(g)
			g.own = func() ([]net.Addr, error) { panic("x") }
		}), sent: 1, status: 502},
		"dial fails":       {edit: func(c *config) { c.Rules[0].Addresses = nowhere }, sent: 1, status: 502},
		"proxy refuses":    {edit: behind(t, "HTTP/1.1 403 Forbidden\r\n\r\n"), after: guarding(outside), sent: 1, status: 502},
		"proxy has no way": {edit: behind(t, "HTTP/1.1 200 OK\r\n\r\nx"), after: guarding(outside), sent: 1, status: 502},
		"no proxy": {edit: func(c *config) {
			noAddress(c)
			c.Upstream = &url.URL{Scheme: "http", Host: "127.0.0.9:1"}
		}, after: guarding(outside), sent: 1, status: 502},
		"certificate": {edit: func(c *config) { c.Roots = x509.NewCertPool() }, dials: 1, sent: 1, status: 502, only: aRequest},

		// The end.
		"record of the end fails":  {edit: recording(true, func() error { return errBroken }), dials: 1, sent: 1, failed: true, status: 200},
		"record of the end panics": {edit: recording(true, func() error { panic("x") }), dials: 1, sent: 1, failed: true, status: 200},
	}
}

// both edits in order.
func both(edits ...func(*config)) func(*config) {
	return func(c *config) {
		for _, e := range edits {
			e(c)
		}
	}
}

// TestFaults breaks each step of the way, one at a time: no host is dialled
// before what goes there is on record, what was dialled has a record of its end,
// and what is refused has one, too.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range faults(t) {
		for _, through := range []door{aRequest, aTunnel} {
			if tt.only != "" && tt.only != through {
				continue
			}
			t.Run(name+"/"+string(through), func(t *testing.T) {
				t.Parallel()
				var edits []func(*config)
				if through == aTunnel {
					edits = append(edits, opaque)
				}
				if tt.edit != nil {
					edits = append(edits, tt.edit)
				}
				r := newRig(t, edits...)
				if tt.after != nil {
					tt.after(r)
				}
				var early, refused, allowed, ended atomic.Int64
				record := r.run.Record
				r.run.Record = func(ctx context.Context, e Event) error {
					if e.Ended {
						ended.Add(1)
						return record(ctx, e)
					}
					early.Add(int64(r.h.dialled(t)))
					err := record(ctx, e)
					switch {
					case err != nil:
					case e.Allowed:
						allowed.Add(1)
					default:
						refused.Add(1)
					}
					return err
				}
				if status := r.try(t, through); through == aRequest && tt.status > 0 && status != tt.status || (status == 200) != (tt.status == 200) {
					t.Errorf("%d, want %d", status, tt.status)
				}
				if err := r.Close(); (err != nil) != tt.failed {
					t.Errorf("Close() = %v", err)
				}
				if n := r.h.dialled(t); n != tt.dials || early.Load() > 0 {
					t.Errorf("%d dials, want %d; %d before they were on record", n, tt.dials, early.Load())
				}
				if int(refused.Load()) != tt.refused || int(allowed.Load()) != tt.sent || int(ended.Load()) != tt.sent {
					t.Errorf("on record: %d refused, %d sent, %d ended; want %d, %d, %[5]d", refused.Load(), allowed.Load(), ended.Load(), tt.refused, tt.sent)
				}
			})
		}
	}
	if _, err := new(Proxy).Open(Run{}); err == nil {
		t.Error("an outlet without a record")
	}
}

// try asks the host for something, with every sentinel there is.
func (r *rig) try(t *testing.T, through door) int {
	if through == aTunnel {
		c, err := r.through(t, r.dial(t, r.h.secure))
		if err != nil || exchangeRaw(c, getX) != "200" {
			return 0
		}
		return 200
	}
	header := http.Header{}
	for _, sentinel := range r.proxy.Sentinels() {
		header.Set("Authorization", "Bearer "+sentinel)
	}
	q, err := http.NewRequest("GET", r.url("/v1/x"), nil)
	check(t, err)
	q.Header = header
	res, err := r.client(t).Do(q)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}
