package sandboxtest

import (
	"bytes"
	"context"
	"embed"
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
	"sallyport/sandbox/internal/runner"
)

//go:embed same
var samePrograms embed.FS

// sameParts is how many share programs that run bare as well: the engines of package
// docker, the runtimes of package oci, and gVisor.
const sameParts = 3

// Bare is a command that runs a program without a sandbox. It starts in an
// empty directory: Outside as this process sees it, Inside as the program does.
type Bare struct {
	Cmd             *exec.Cmd // the interpreter's path and what the process is
	Outside, Inside string
}

// Ending is what a program left, in a form that both ways have in common.
type Ending struct {
	Exit           int // 128 and the signal of a killed program
	Stdout, Stderr string
}

// Same runs a part of the programs bare and in a sandbox, and wants the same output,
// errors and exit codes. What a process as a whole does, how it ends above all, is
// a program each; what a program can say and go on is one ordinary program of each
// kind. Where the kernel has a part in it, which ends a process or lets it look around,
// each of the sameParts runs it; what the interpreter makes of a program by itself,
// with the same runner in front of it, they share between them.
func Same(t *testing.T, part int, bare func(*testing.T, sandbox.Spec) Bare, backends ...sandbox.Backend) {
	share, total := Share{Part: part, Of: sameParts}, 0
	same := func(name, language, goal, code string, ordinary, everywhere bool) {
		total++
		if !everywhere && !share.has(total) {
			return
		}
		b := backends[total/sameParts%len(backends)]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Spec(language, code)
			s.Grant = Interpreter()
			s.Goal, s.Args, s.Stdin = goal, []string{"a", "b c"}, []byte("typed\nlines\n")
			want := bare(t, s).ending(t, s)
			if ordinary && want.Exit != 0 {
				t.Errorf("bare it ended with %d: what comes after that is not compared\n%s", want.Exit, want.Stderr)
			}
			if diff := cmp.Diff(want, inside(t, b, s)); diff != "" {
				t.Errorf("bare and inside differ (-bare +inside):\n%s\nthe program:\n%s", diff, code)
			}
		})
	}
	for _, kind := range []struct{ alone, killed, ordinary, language, goal string }{
		{"python.txt", "python-killed.txt", "ordinary.py", "python", "script"},
		{"javascript.txt", "javascript-killed.txt", "ordinary.js", "javascript", "script"},
		{"module.txt", "", "ordinary.mjs", "javascript", "module"},
	} {
		for _, file := range []string{kind.alone, kind.killed} {
			if file == "" {
				continue
			}
			for i, code := range regexp.MustCompile(`(?m)^-- ?\n`).Split(read(t, file), -1) {
				same(fmt.Sprintf("%s/%d", file, i+1), kind.language, kind.goal, code, false, file == kind.killed)
			}
		}
		same(kind.ordinary, kind.language, kind.goal, read(t, kind.ordinary), true, true)
	}
	if total < 80 {
		t.Errorf("%d programs are too few", total)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := samePrograms.ReadFile("same/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (b Bare) ending(t *testing.T, s sandbox.Spec) Ending {
	t.Helper()
	name := sandbox.MainName(s.Language, s.Goal)
	if err := os.WriteFile(filepath.Join(b.Outside, name), []byte(s.Code), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{name}
	if s.Language == "python" {
		args = append([]string{"-B", "-s", "-X", "utf8"}, args...)
	}
	cmd := b.Cmd
	cmd.Args = append(append(cmd.Args, args...), s.Args...)
	cmd.Dir, cmd.Env = b.Inside, []string{"PATH=/usr/bin", "HOME=/tmp", "LANG=C.UTF-8"}
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
	return Ending{code, stdout.String(), shape(strings.ReplaceAll(stderr.String(), b.Inside, runner.WorkDir))}
}

func inside(t *testing.T, b sandbox.Backend, s sandbox.Spec) Ending {
	t.Helper()
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
	return Ending{res.Exit, string(res.Stdout), shape(string(res.Stderr))}
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
