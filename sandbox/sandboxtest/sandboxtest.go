// Package sandboxtest is the one suite that every sandbox backend passes: each
// control is attacked from inside, and ordinary programs must still run.
//
// An attack is a program that prints "held" and nothing else when the sandbox
// held; whatever it prints besides is what it got at.
package sandboxtest

import (
	"bytes"
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

	// Runtime is set in every spec.
	Runtime sandbox.Runtime

	// Only, when not empty, runs the rows with these names alone: a test that
	// takes a control away runs the rows that must then fail.
	Only []string

	// Except names rows that do not hold on this backend, each with its reason in
	// the backend's documentation.
	Except []string

	// Removed says that a control was taken away. What takes too much waits to be
	// stopped, so that nobody who looks now and then is late; it does not where it
	// is the point that nobody will come.
	Removed bool

	// Share is this backend's part of the rows that backends share.
	Share Share
}

// Share is one of several equal parts; the zero value is the whole. With
// ROWS_ALL=1, which make rows sets, each part is the whole.
type Share struct{ Part, Of int }

// Watcher is who watches programs: two kinds of sandbox that tell the same in another
// way. Between its own backends each runs every shared row once: one half of them in
// sandboxes that start for a program, the other half in sandboxes that waited. The
// watchers have these halves the other way round, so that each row is also run cold
// and run warm, where the hooks find other modules loaded.
type Watcher int

const (
	Supervisor Watcher = iota // of all containers
	Witness                   // of gVisor
)

// backends is how many of each watcher share the cold half. Of the supervisor's they
// are the engines of package docker, and after them the runtimes of package oci and
// its ordinary user; of the witness's, root, an image and an ordinary user.
var backends = map[Watcher]int{Supervisor: 7, Witness: 3}

// Cold is the part of one of the watcher's backends.
func (w Watcher) Cold(part int) Share {
	return Share{Part: 2*part + int(w), Of: 2 * backends[w]}
}

// Warm is the part of the one whose sandboxes waited.
func (w Watcher) Warm() Share { return Share{Part: 1 - int(w), Of: 2} }

// ShortDir is a directory whose path leaves room for sockets below it. It goes when
// the test, and what was registered after it, is over.
func ShortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("removing a test's directory: %v", err)
		}
	})
	return dir
}

// has reports whether the one of this number belongs to the part.
func (s Share) has(n int) bool {
	return s.Of == 0 || n%s.Of == s.Part || os.Getenv("ROWS_ALL") == "1"
}

// of leaves out the rows that others run.
func (s Share) of(rows []Row) []Row {
	shared := -1
	return slices.DeleteFunc(rows, func(r Row) bool {
		if r.Within {
			shared++
		}
		return r.Within && !s.has(shared)
	})
}

// Allow is a permit for any source. Only tests have such a thing.
type Allow struct{}

// Permits allows.
func (Allow) Permits(string) error { return nil }

// Preloaded is s for a sandbox that has imported, while it waited, modules with
// which a program reaches what policy denies. It is no grant: see Runtime.Preload.
// Where the hooks only look on, nothing depends on it.
func Preloaded(s sandbox.Spec) sandbox.Spec {
	if s.Language == "python" && !s.Observe {
		s.Runtime.Preload = []string{"asyncio", "code", "ctypes", "importlib.metadata", "inspect", "logging.handlers", "marshal",
			"multiprocessing.connection", "pickle", "socket", "subprocess", "unittest.mock", "urllib.request", "wave"}
	}
	return s
}

// Spec returns a valid spec for code with the tightest settings, and the
// identifiers of code by a generous count: every word that occurs. Each of them
// may be a module of Node that code names. It names no files, but may write any. It has time enough
// on a busy machine: a test of a limit sets its own.
func Spec(language, code string) sandbox.Spec {
	sum := sha256.Sum256([]byte(code))
	return sandbox.Spec{
		Permit: Allow{}, Language: language, Goal: "script",
		Code: code, SHA256: hex.EncodeToString(sum[:]),
		Identifiers: Words(code), Seen: sandbox.Seen{Modules: Words(code), Writes: []string{"/"}},
		Limits: sandbox.Limits{Wall: Patient, CPU: Patient},
	}
}

// Interpreter is the Grant of a program that may do all that its interpreter
// can do alone: neither the network nor other processes.
func Interpreter() sandbox.Grant {
	return slices.DeleteFunc(sandbox.Capabilities(), func(c sandbox.Capability) bool {
		return c == sandbox.CapabilityNetwork || c == sandbox.CapabilityProcess
	})
}

// bare returns the zero spec but for the code, what the analysis says of it,
// and the permit; and where the operator keeps the interpreter.
func bare(s sandbox.Spec) sandbox.Spec {
	return sandbox.Spec{
		Permit: s.Permit, Language: s.Language, Goal: s.Goal, Code: s.Code, SHA256: s.SHA256, Identifiers: s.Identifiers, Seen: s.Seen,
		Runtime: s.Runtime,
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

// Run runs the suite, several rows at a time. Open returns the backend under
// test and may be called once for each row, also from several goroutines; what
// it opens it closes with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) sandbox.Backend, o Options) {
	w := NewWorld(t)
	rows := o.rows()
	companies := companies(rows)
	t.Run("rows", func(t *testing.T) {
		for _, row := range rows {
			t.Run(row.Name, func(t *testing.T) {
				t.Parallel()
				b := open(t)
				if row.Control != "" && b.Describe().Controls[row.Control] == "" {
					t.Fatalf("the backend does not publish control %q", row.Control)
				}
				for _, f := range companies[row.Company].attempt(row, b, w, o) {
					t.Error(f)
				}
			})
		}
	})
}

// rows are those of the suite that these options ask for. Rows are shared out before
// any is left out: who shares them counts them alike.
func (o Options) rows() []Row {
	return slices.DeleteFunc(o.Share.of(Rows()), func(r Row) bool {
		return len(o.Only) > 0 && !slices.Contains(o.Only, r.Name) || slices.Contains(o.Except, r.Name) || slices.Contains(o.Without, r.Control)
	})
}

// Row is one attack, or one thing that must work.
type Row struct {
	Name     string
	Control  sandbox.Control // what it attacks; "" where it only must work
	Language string
	Code     string
	Edit     func(*sandbox.Spec)
	Want     func(sandbox.Result) []string // nil: held

	// Bare runs the program with what every spec must have and nothing else.
	Bare bool

	// Company is shared by rows whose programs ask for the same sandbox and
	// leave their interpreter as they found it: where nothing is taken away they
	// run in one, one after the other. Empty is a sandbox of its own.
	Company string

	// Within is a row about what comes into a sandbox with the interpreter, the
	// runner and the hooks, which are the same bytes everywhere; or about another
	// language or another end of what a row that is not shared tries: the supervisor
	// of all containers, and gVisor's witness, tell them apart. The backends of each
	// of these watchers share such rows between them. So do those whose supervisor
	// takes connections the rows about what is behind it.
	Within bool

	InC     bool // no event of the interpreter's tells of it: the hook in Python cannot
	Stopped bool // as RunStopped does

	// Hooked has the hooks of the interpreter stop the program. Everywhere else
	// they only look on: what is attacked is below them.
	Hooked bool
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

// Unlimited are the names of the rows that attack no limit: for a test of what
// limits do not depend on. Those that backends share are among them, because each
// is somebody's part. With ROWS_ALL=1 it is every row.
func Unlimited() (names []string) {
	for _, r := range Rows() {
		switch r.Control {
		case sandbox.ControlWall, sandbox.ControlCPU, sandbox.ControlMemory, sandbox.ControlPids, sandbox.ControlDisk:
			if !r.Within && os.Getenv("ROWS_ALL") != "1" {
				continue
			}
		}
		names = append(names, r.Name)
	}
	return names
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
	// For good: tests beside this one look for the same.
	if err := os.Setenv("SALLYPORT_CANARY", w.Secret); err != nil {
		t.Fatal(err)
	}
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

// Patient is the limit of what must come to an end by itself: nobody waits for
// it but where a sandbox hangs.
const Patient = 5 * time.Minute

// patience is for how many seconds a program that has taken too much waits to be
// stopped: it is the last of its arguments.
const patience = "60"

// RunStopped runs a program that its limit of time stops after it has said
// "there". One that a busy machine did not let come so far, or whose files it did
// not let come out, gets twice the time.
func RunStopped(ctx context.Context, b sandbox.Backend, s sandbox.Spec) (sandbox.Result, error) {
	for {
		res, err := b.Run(ctx, s)
		if err != nil || bytes.Contains(res.Stdout, []byte("there\n")) && !res.ArtifactsMissing || s.Limits.Wall > Patient ||
			res.Reason != sandbox.TimedOut && res.Reason != sandbox.CPU {
			return res, err
		}
		s.Limits.Wall, s.Limits.CPU = s.Limits.Wall*2, s.Limits.CPU*2
	}
}

// Attempt runs the row and returns what went wrong, nothing if it held.
func (r Row) Attempt(b sandbox.Backend, w World, o Options) []string {
	run := b.Run
	if r.Stopped {
		run = func(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) { return RunStopped(ctx, b, s) }
	}
	res, err := run(context.Background(), r.spec(w, o))
	if err != nil {
		return []string{"Run: " + err.Error()}
	}
	return r.judge(res)
}

// spec is what the row asks a backend for.
func (r Row) spec(w World, o Options) sandbox.Spec {
	s := Spec(r.Language, r.Code)
	s.Args = []string{w.File, w.Port, w.Secret, w.Abstract, patience}
	if o.Removed {
		s.Args[4] = "0"
	}
	s.Runtime = o.Runtime
	s.Limits = sandbox.Limits{Wall: Patient, CPU: Patient}
	if r.Bare {
		s = bare(s)
	}
	s.Observe = !r.Hooked
	if r.Edit != nil {
		r.Edit(&s)
	}
	return s
}

func (r Row) judge(res sandbox.Result) []string {
	if r.Want == nil {
		return held(res)
	}
	return r.Want(res)
}
