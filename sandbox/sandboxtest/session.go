package sandboxtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"sallyport/sandbox"
)

// Conversation drives a session of a backend under test.
type Conversation struct {
	t       *testing.T
	b       sandbox.Sessions
	session sandbox.Session
	history string

	// Language and Edit make the specs of the cells.
	Language string
	Edit     func(*sandbox.Spec)
}

// Converse begins a session with the first cell that is said. It is closed
// with t.Cleanup.
func Converse(t *testing.T, b sandbox.Sessions, language string) *Conversation {
	t.Helper()
	c := &Conversation{t: t, b: b, Language: language}
	t.Cleanup(c.Close)
	return c
}

// Spec returns the spec of a cell.
func (c *Conversation) Spec(cell string) sandbox.Spec {
	cell += "\n"
	if c.Language == "javascript" {
		cell += ";\n"
	}
	s := Spec(c.Language, c.history+cell)
	s.Identifiers = Words(cell)
	s.Earlier = len(c.history)
	s.Limits = sandbox.Limits{Wall: Patient, CPU: Patient}
	s.Observe = true // what is attacked is below the hooks
	if c.Edit != nil {
		c.Edit(&s)
	}
	return s
}

// Try runs a cell and returns what came of it.
func (c *Conversation) Try(s sandbox.Spec) (sandbox.Result, error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*Patient)
	defer cancel()
	if c.session == nil {
		var err error
		if c.session, err = c.b.Begin(ctx, s); err != nil {
			return sandbox.Result{}, err
		}
	}
	res, err := c.session.Run(ctx, s)
	if err == nil && res.Reason != sandbox.Mismatch {
		c.history = s.Code
	}
	return res, err
}

// Say runs a cell that must not be refused.
func (c *Conversation) Say(cell string) sandbox.Result {
	c.t.Helper()
	res, err := c.Try(c.Spec(cell))
	if err != nil {
		c.t.Fatalf("cell %q: %v", cell, err)
	}
	return res
}

// Expect runs a cell and holds that it printed want and ended well.
func (c *Conversation) Expect(cell, want string) {
	c.t.Helper()
	res := c.Say(cell)
	if res.Reason != sandbox.Exited || res.Exit != 0 || string(res.Stdout) != want {
		c.t.Errorf("cell %q: %s %d, printed %q, want %q; stderr %s", cell, res.Reason, res.Exit, res.Stdout, want, res.Stderr)
	}
}

// Ended says whether the session is over.
func (c *Conversation) Ended() bool { return c.session != nil && c.session.Ended() }

// Close ends the session.
func (c *Conversation) Close() {
	if c.session == nil {
		return
	}
	if err := c.session.Close(); err != nil {
		c.t.Errorf("closing the session: %v", err)
	}
	c.session = nil
}

func hash(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}
