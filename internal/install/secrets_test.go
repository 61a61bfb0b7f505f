package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sallyport/config"
	"sallyport/internal/hint"
)

const vaulted = "vaulted-value-123"

func TestPrinted(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"echo " + vaulted + "; echo noise >&2":                               "",
		"echo " + vaulted + "; echo " + vaulted + " >&2; exit 3":             "sh ended with exit status 3",
		"echo " + vaulted + "; kill -9 $$":                                   "sh ended with signal: killed",
		"head -c 200000 /dev/zero | tr '\\0' x":                              "sh prints more than 64 KiB",
		"head -c 65537 /dev/zero":                                            "sh prints more than 64 KiB",
		"echo":                                                               "sh prints nothing",
		"read line && echo " + vaulted + " || { cat; echo $?; } >&2; exit 4": "sh ended with exit status 4", // there is no input
	} {
		value, err := printed(t.Context(), "/bin/sh", []string{"-c", script})
		switch {
		case want == "" && (err != nil || value != vaulted):
			t.Errorf("%s: %q, %v", script, value, err)
		case want != "" && (err == nil || err.Error() != want || value != "" || strings.Contains(hint.Fix(err), vaulted)):
			t.Errorf("%s: %q, %v, want %s", script, value, err, want)
		}
	}
	if _, err := printed(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestPrintedInTime: a command that hangs is ended, with what it has started.
func TestPrintedInTime(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "child")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := make(chan int, 1)
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			text, _ := os.ReadFile(child)
			if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				pid <- n
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := printed(ctx, "/bin/sh", []string{"-c", "echo " + vaulted + "; sleep 300 & echo $! >" + child + "; wait"})
	if err == nil || err.Error() != "sh did not end in time" {
		t.Error(err)
	}
	n := <-pid
	for gone := time.Now().Add(5 * time.Minute); !errors.Is(syscall.Kill(n, 0), syscall.ESRCH); time.Sleep(time.Millisecond) {
		if stat, _ := os.ReadFile("/proc/" + strconv.Itoa(n) + "/stat"); strings.Contains(string(stat), ") Z ") {
			break // dead, and nobody has asked for it yet
		}
		if time.Now().After(gone) {
			t.Fatalf("the child %d goes on", n)
		}
	}
}

// TestCommandIsLookedFor: a check does not run the command for a secret, and sees
// when it is not there.
func TestCommandIsLookedFor(t *testing.T) {
	t.Parallel()
	env := func(string) (string, bool) { return "/usr/bin:/bin", true }
	ran := filepath.Join(t.TempDir(), "ran")
	if _, err := unread(env, config.Secret{Exec: []string{"touch", ran}}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a check ran the command")
	}
	for _, name := range []string{"no-such-vault", ran} {
		if _, err := unread(env, config.Secret{Exec: []string{name}}); err == nil {
			t.Errorf("%s is found", name)
		}
	}
}
