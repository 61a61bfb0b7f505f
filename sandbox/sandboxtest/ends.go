package sandboxtest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
)

// Victim starts the test TestVictim of this program in a process of its own, with an
// environment besides ours, and returns it in the middle of a run.
func Victim(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "running") {
			return cmd
		}
	}
	t.Fatal("the victim did not run")
	return nil
}

// BeVictim is what TestVictim does there with the backend that it opens: it runs until
// the process is killed. Before, warm, if there is one, makes sandboxes wait.
func BeVictim(t *testing.T, b sandbox.Backend, warm func(context.Context, sandbox.Spec) error) {
	s := Spec("python", "import time\nprint('running', flush=True)\ntime.sleep(3600)")
	s.Limits = sandbox.Limits{Wall: time.Hour} // longer than anybody waits for it
	if warm != nil {
		if err := warm(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	s.Output = func(_ sandbox.Stream, p []byte) { os.Stdout.Write(p) }
	_, err := b.Run(context.Background(), s)
	t.Fatal(err)
}

// StopLeavesNothing runs programs that never end, stops each in another way, and calls
// look when Run has returned, after what stopped it.
func StopLeavesNothing(t *testing.T, b sandbox.Backend, look func(stopped sandbox.Reason)) {
	t.Helper()
	endless := func(wait string) sandbox.Spec {
		s := Spec("python", "import os, signal\nif not os.fork(): os.setsid()\nwhile True: "+wait)
		s.Grant = sandbox.Grant{sandbox.CapabilityProcess}
		return s
	}
	for _, tt := range []struct {
		want   sandbox.Reason
		limits sandbox.Limits
		cancel time.Duration
	}{
		{want: sandbox.TimedOut, limits: sandbox.Limits{Wall: time.Second, CPU: time.Minute}},
		{want: sandbox.CPU, limits: sandbox.Limits{CPU: time.Second, Wall: Patient}},
		{want: sandbox.Cancelled, limits: sandbox.Limits{CPU: Patient, Wall: Patient}, cancel: time.Second},
		{want: sandbox.Cancelled, limits: sandbox.Limits{CPU: Patient, Wall: Patient}, cancel: time.Millisecond},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		if tt.cancel > 0 {
			time.AfterFunc(tt.cancel, cancel)
		}
		s := endless("signal.pause()")
		if tt.want == sandbox.CPU {
			s = endless("pass")
		}
		s.Limits = tt.limits
		res, err := b.Run(ctx, s)
		cancel()
		if err != nil || res.Reason != tt.want {
			t.Errorf("Run = %s, %v, want %s", res.Reason, err, tt.want)
		}
		look(tt.want)
	}
}
