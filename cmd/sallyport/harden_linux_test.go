package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that has run any verb cannot be attached to and dumps no core. It is
// one of its own, in which nothing has run before.
func TestHarden(t *testing.T) {
	if os.Getenv("HARDEN") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHarden$")
		cmd.Env = append(os.Environ(), "HARDEN=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	before, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil || before != 1 {
		t.Fatalf("dumpable is %d, %v before anything ran: the test would prove nothing", before, err)
	}
	t.Cleanup(func() {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			t.Error(err)
		}
	})
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"exit-codes"}, strings.NewReader(""), &out, &errs, os.LookupEnv); code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	if after, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || after != 0 {
		t.Errorf("dumpable is %d, %v, want 0", after, err)
	}
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil || core.Cur != 0 || core.Max != 0 {
		t.Errorf("core limit is %+v, %v, want none", core, err)
	}
	// What it starts gets its dumpability back at exec, but not the limit.
	if out, err := exec.Command("sh", "-c", "ulimit -Sc; ulimit -Hc").Output(); err != nil || string(out) != "0\n0\n" {
		t.Errorf("core limits of a child are %q, %v, want none", out, err)
	}
}
