package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/internal/executable"
	"sallyport/sandbox/sandboxtest"
)

// TestInterrupt presses Ctrl-C in the middle of the long verbs: they end before
// their work does, with their own exit code, and leave nothing behind.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 3000 {
		write(t, filepath.Join(dir, "tree", fmt.Sprintf("%04d.py", i)), fmt.Sprintf("import json\nprint(json.dumps([%d]))\n", i))
	}
	write(t, filepath.Join(dir, "forever.py"), "while True:\n    pass\n")
	write(t, filepath.Join(dir, "lock.txt"), "numpy==1.0 --hash=sha256:00\n")
	python := []byte("#!/bin/sh\ncase \"$*\" in *venv*) for dir; do :; done; mkdir -p \"$dir/lib/python3.1/site-packages\"; exit ;; esac\nsh -c 'while :; do sleep 0.1; done' " + dir + " & touch " + dir + "/started; wait\n")
	if err := executable.Write(filepath.Join(dir, "python3"), python); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "sallyport.yaml"), "sandbox: {python: "+dir+"/python3}\nenvironments: {data: {python: {lock: "+dir+"/lock.txt}}}\n")
	for _, tt := range []struct {
		name    string
		args    []string
		sandbox bool
		begun   func(state string) bool
		says    string
		left    string // a pattern below dir that nothing may match
	}{
		{
			name: "run", args: []string{"run", "forever.py"}, sandbox: true,
			begun: func(state string) bool { return len(sandboxesOf(t, state)) > 0 },
			says:  `stopped: the call was cancelled\nsallyport: error: interrupted`,
		},
		{
			name: "check", args: []string{"check", "--format", "sarif", "-o", "report.sarif", "tree"},
			begun: func(state string) bool { return exists(filepath.Join(state, "sallyport", "audit", "*.jsonl")) },
			says:  `error: interrupted after \d+ of 3000 files: \d+ checked, \d+ allowed, 0 denied`,
			left:  "*report*",
		},
		{
			name: "env build", args: []string{"env", "build", "--config", "sallyport.yaml", "data"},
			begun: func(string) bool { return exists(filepath.Join(dir, "started")) },
			says:  `error: interrupted`,
			left:  "data/sallyport/env/*",
		},
		{
			name: "reading", args: []string{"check", "--language", "python", "-"},
			begun: func(string) bool { return true },
			says:  `error: interrupted`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.sandbox && !requireRunsc(t) {
				t.Skip("no runsc on PATH") // requireRunsc
			}
			state := sandboxtest.ShortDir(t)
			r, w, err := os.Pipe() // a standard input that does not end
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			var stderr bytes.Buffer
			cmd := exec.Command("sallyport", tt.args...)
			cmd.Dir, cmd.Stdin, cmd.Stderr = dir, r, &stderr
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+state, "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+dir)
			cmd.WaitDelay = time.Minute // what is left must not keep the test
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the beginning of "+tt.name, func() bool { return tt.begun(state) })
			if tt.name == "reading" {
				if _, err := w.Write([]byte("#")); err != nil {
					t.Fatal(err)
				}
				waitFor(t, "the reading of a byte", func() bool {
					n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
					return err == nil && n == 0
				})
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !asExit(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("ended with %v, want exit code 130\n%s", err, &stderr)
			}
			if !regexp.MustCompile(tt.says).Match(stderr.Bytes()) {
				t.Errorf("it said %q, want %s", &stderr, tt.says)
			}
			if tt.left != "" && exists(filepath.Join(dir, tt.left)) {
				t.Errorf("it left %s", tt.left)
			}
			if left := sandboxesOf(t, state); len(left) > 0 {
				t.Errorf("it left %v running", left)
			}
			// What a command for env build has started is killed, and nobody's child.
			waitFor(t, "the end of what it started", func() bool { return len(sandboxesOf(t, dir)) == 0 })
		})
	}
}

// exists reports whether a pattern matches anything.
func exists(pattern string) bool {
	found, err := filepath.Glob(pattern)
	return err == nil && len(found) > 0
}

func TestInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if n, err := interruptible(ctx, func() (int, error) { return 7, syscall.EIO }); n != 7 || !errors.Is(err, syscall.EIO) {
		t.Errorf("interruptible() = %d, %v: it changes what the work returned", n, err)
	}
	numbers := func(yield func(int, error) bool) {
		for i := range 100 {
			if i == 3 {
				cancel()
			}
			if !yield(i, nil) {
				return
			}
		}
	}
	var seen []int
	var last error
	for n, err := range untilInterrupted(ctx, numbers) {
		if last = err; err == nil {
			seen = append(seen, n)
		}
	}
	if len(seen) != 3 || !errors.Is(last, context.Canceled) {
		t.Errorf("untilInterrupted() gave %v and then %v", seen, last)
	}
	never := make(chan struct{})
	defer close(never)
	if _, err := interruptible(ctx, func() (int, error) { <-never; return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("interruptible() = %v after an interrupt", err)
	}
}
