package gate

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/policy"
)

func someone() Principal {
	return Principal{
		Issuer: "https://idp.example", Subject: "u-17", Name: "root", Groups: []string{"quants"}, Tenant: "acme",
		Scopes: []string{"run"}, How: "oauth",
	}
}

func TestPrincipalIsInInputAndRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := py("print(6*7)\n")
	req.Principal = someone()
	in := f.gate.input(req, analyze.Facts{})
	if diff := cmp.Diff(policy.Principal(someone()), in.Request.Principal); diff != "" || in.Request.User != "https://idp.example|u-17" {
		t.Errorf("rules see user %q and another principal:\n%s", in.Request.User, diff)
	}
	if _, err := f.gate.Run(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	for _, r := range f.log.records {
		if diff := cmp.Diff(audit.Principal(someone()), *r.Caller.Principal); diff != "" {
			t.Errorf("the record of the %s has another principal:\n%s", r.Event, diff)
		}
	}
}

// Whoever says nothing is the user of this machine, but never where others ask.
func TestNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, err := f.gate.Run(t.Context(), py("print(1)\n")); err != nil || f.log.records[0].Caller.Principal.How != LocalUser {
		t.Errorf("a local request: %v, %+v", err, f.log.records[0].Caller.Principal)
	}
	remote := newSessionFixture(t, SessionLimits{})
	remote.gate.opts.Remote = true
	for name, ask := range map[string]func(context.Context, Request) error{
		"check": func(ctx context.Context, r Request) error { _, err := remote.gate.Check(ctx, r); return err },
		"run":   func(ctx context.Context, r Request) error { _, err := remote.gate.Run(ctx, r); return err },
		"input": func(ctx context.Context, r Request) error { _, err := remote.gate.Input(ctx, r); return err },
		"begin": func(_ context.Context, r Request) error { _, err := remote.gate.Begin(r); return err },
	} {
		nobody := py("print(1)\n")
		nobody.Principal = Principal{Issuer: "https://idp.example", Subject: "u-17"} // nobody says how it is known
		if err := ask(t.Context(), nobody); !errors.Is(err, ErrNobody) {
			t.Errorf("%s: %v, want ErrNobody", name, err)
		}
	}
	if got := remote.log.events(); got != "" {
		t.Errorf("nobody's requests left the records %q", got)
	}
}

// A session is its principal's: nobody else's cell comes near it.
func TestSessionOfAnother(t *testing.T) {
	t.Parallel()
	others := map[string]func(*Principal){
		"subject": func(p *Principal) { p.Subject = "u-18" },
		"issuer":  func(p *Principal) { p.Issuer = "https://other.example" },
		"tenant":  func(p *Principal) { p.Tenant = "other" },
		"how":     func(p *Principal) { p.How = "token" },
		"nobody":  func(p *Principal) { *p = Principal{} },
	}
	f := newSessionFixture(t, SessionLimits{})
	s, err := f.gate.Begin(Request{Name: "calc", Language: analyze.Python, Tool: "test", Principal: someone()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, edit := range others {
		cell := Request{Source: []byte("x = 1\n"), Principal: someone()}
		edit(&cell.Principal)
		if _, err := s.Run(t.Context(), cell); !errors.Is(err, ErrNobody) {
			t.Errorf("another %s: %v, want ErrNobody", name, err)
		}
	}
	if got := f.log.events(); got != "" {
		t.Errorf("others left the records %q", got)
	}
	if _, err := s.Run(t.Context(), Request{Source: []byte("x = 1\n"), Principal: someone()}); err != nil {
		t.Errorf("its own principal: %v", err)
	}
}
