package gvisor

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/sandbox"
	"sallyport/sandbox/runner"
	"sallyport/sandbox/sandboxtest"
)

// ending is what a program left, in a form that both ways have in common.
type ending struct {
	Exit           int // 128 and the signal of a killed program
	Stdout, Stderr string
}

// TestSameAsBare runs programs in a sandbox that waited and bare, and wants
// the same output, errors and exit codes.
func TestSameAsBare(t *testing.T) {
	b := newTestBackend(t)
	b.opts.Warm = 2
	b.pool = newPool(b, b.opts)
	total := 0
	for _, kind := range []struct{ file, language, goal string }{
		{"python.txt", "python", "script"}, {"javascript.txt", "javascript", "script"}, {"module.txt", "javascript", "module"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "same", kind.file))
		if err != nil {
			t.Fatal(err)
		}
		for i, code := range regexp.MustCompile(`(?m)^-- ?\n`).Split(string(data), -1) {
			total++
			t.Run(fmt.Sprintf("%s/%d", kind.file, i+1), func(t *testing.T) {
				t.Parallel()
				s := sandboxtest.Spec(kind.language, code)
				s.Goal, s.Args, s.Stdin = kind.goal, []string{"a", "b c"}, []byte("typed\nlines\n")
				want := bare(t, b, s)
				got := inside(t, b, s)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("bare and inside differ (-bare +inside):\n%s\nthe program:\n%s", diff, code)
				}
			})
		}
	}
	if total < 100 {
		t.Errorf("%d programs are too few", total)
	}
}

func bare(t *testing.T, b *Backend, s sandbox.Spec) ending {
	t.Helper()
	in, err := b.interpreter(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, runner.MainName(s.Language, s.Goal)), []byte(s.Code), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{runner.MainName(s.Language, s.Goal)}
	if s.Language == "python" {
		args = append([]string{"-B", "-s", "-X", "utf8"}, args...)
	}
	cmd := exec.Command(in.Executable, append(args, s.Args...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin", "HOME=/tmp", "LANG=C.UTF-8"}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(s.Stdin), &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	code := cmd.ProcessState.ExitCode()
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		code = 128 + int(ws.Signal())
	}
	return ending{code, stdout.String(), shape(strings.ReplaceAll(stderr.String(), dir, runner.WorkDir))}
}

func inside(t *testing.T, b *Backend, s sandbox.Spec) ending {
	t.Helper()
	if err := b.Warm(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	res, err := b.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	switch res.Reason {
	case sandbox.Exited:
	case sandbox.Killed:
		res.Exit = 128 + res.Signal
	default:
		t.Errorf("ended with %s, unknown %q", res.Reason, res.UnknownIdentifiers)
	}
	return ending{res.Exit, string(res.Stdout), shape(string(res.Stderr))}
}

// shape leaves out what two runs of a program never have in common: addresses,
// process numbers, and the frames of a crash dump.
func shape(s string) string {
	s = regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(s, "0x")
	s = regexp.MustCompile(`\(node:\d+\)`).ReplaceAllString(s, "(node)")
	if i := strings.Index(s, "----- Native stack trace -----"); i >= 0 {
		s = s[:i]
	}
	return s
}
