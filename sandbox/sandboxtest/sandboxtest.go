// Package sandboxtest is the one suite that every sandbox backend passes: each
// control is attacked from inside, and ordinary programs must still run.
//
// An attack is a program that prints "held" and nothing else when the sandbox
// held; whatever it prints besides is what it got at.
package sandboxtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
)

// Options says what a backend under test is not expected to do.
type Options struct {
	// Without lists controls that this backend does not enforce where it is
	// tested. Their attacks are left out; every other control must be
	// published by Describe and must hold.
	Without []sandbox.Control

	// Slow multiplies the time limits of the rows, for backends that take
	// long to start. Zero means 1.
	Slow int

	// Runtime is set in every spec.
	Runtime sandbox.Runtime

	// Only, when not empty, runs the rows with these names alone: a test that
	// takes a control away runs the rows that must then fail.
	Only []string
}

// Allow is a permit for any source. Only tests have such a thing.
type Allow struct{}

// Permits allows.
func (Allow) Permits(string) error { return nil }

// Spec returns a valid spec for code with the tightest settings, and the
// identifiers of code by a generous count: every word that occurs.
func Spec(language, code string) sandbox.Spec {
	sum := sha256.Sum256([]byte(code))
	return sandbox.Spec{
		Permit: Allow{}, Language: language, Goal: "script",
		Code: code, SHA256: hex.EncodeToString(sum[:]),
		Identifiers: Words(code),
		Deny:        []string{"process", "network"},
	}
}

// Words returns every identifier-like word of code, also those in strings and
// comments.
func Words(code string) []string {
	words := strings.FieldsFunc(code, func(r rune) bool {
		return !(r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127)
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// Run runs the suite. Open returns the backend under test and may be called
// once for each row; what it opens it closes with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) sandbox.Backend, o Options) {
	w := NewWorld(t)
	for _, row := range Rows() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, row.Name) {
			continue
		}
		if slices.Contains(o.Without, row.Control) {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			b := open(t)
			if row.Control != "" && b.Describe().Controls[row.Control] == "" {
				t.Fatalf("the backend does not publish control %q", row.Control)
			}
			for _, f := range row.Attempt(b, w, o) {
				t.Error(f)
			}
		})
	}
}

// Row is one attack, or one thing that must work.
type Row struct {
	Name     string
	Control  sandbox.Control // what it attacks; "" where it only must work
	Language string
	Code     string
	Edit     func(*sandbox.Spec)
	Want     func(sandbox.Result) []string // nil: wantHeld
}

// module returns the row with its program run as an ES module.
func (r Row) module() Row {
	edit := r.Edit
	r.Edit = func(s *sandbox.Spec) {
		s.Goal = "module"
		if edit != nil {
			edit(s)
		}
	}
	return r
}

// World is what the host has that no program may see.
type World struct {
	Secret   string // content of File and value of the environment variable
	File     string // a file that every host user may read
	Port     string // of a listener on the host's loopback
	Abstract string // name of a listening abstract Unix socket, without the leading zero
}

// NewWorld makes the things an attack looks for.
func NewWorld(t *testing.T) World {
	t.Helper()
	w := World{Secret: "canary-of-the-host"}
	dir, err := os.MkdirTemp("", "host")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w.File = filepath.Join(dir, "secret")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.File, []byte(w.Secret), 0o644); err != nil {
		t.Fatal(err)
	}
	_, w.Port, _ = net.SplitHostPort(w.listen(t, "tcp", "127.0.0.1:0").String())
	w.Abstract = filepath.Base(dir)
	w.listen(t, "unix", "@"+w.Abstract)
	t.Setenv("SALLYPORT_CANARY", w.Secret)
	return w
}

// listen gives the secret to everybody who connects.
func (w World) listen(t *testing.T, network, address string) net.Addr {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(w.Secret))
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-served })
	return l.Addr()
}

// Attempt runs the row once and returns what went wrong, nothing if it held.
func (r Row) Attempt(b sandbox.Backend, w World, o Options) []string {
	s := Spec(r.Language, r.Code)
	s.Args = []string{w.File, w.Port, w.Secret, w.Abstract}
	s.Runtime = o.Runtime
	s.Limits = sandbox.Limits{Wall: 20 * time.Second}
	if r.Edit != nil {
		r.Edit(&s)
	}
	s.Limits.Wall *= time.Duration(max(o.Slow, 1))
	ctx, cancel := context.WithTimeout(context.Background(), s.Limits.Wall+time.Minute)
	defer cancel()
	res, err := b.Run(ctx, s)
	if err != nil {
		return []string{"Run: " + err.Error()}
	}
	want := r.Want
	if want == nil {
		want = held
	}
	return want(res)
}
