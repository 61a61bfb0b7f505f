package gvisor

import (
	"context"
	"strings"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestClock wants a program to read the time without a system call also in the
// first second of a sandbox, in which most programs come and go.
func TestClock(t *testing.T) {
	be := newTestBackend(t)
	res, err := be.Run(context.Background(), sandboxtest.Spec("python", `import os, time

def cost(f):
    start = time.perf_counter_ns()
    for _ in range(500):
        f()
    return time.perf_counter_ns() - start

age = time.monotonic()
call, clock = (min(cost(f) for _ in range(5)) for f in (os.getppid, time.monotonic_ns))
print("early" if age < 1 else "late", "cheap" if clock * 4 < call else "%d ns, a system call %d ns" % (clock / 500, call / 500))
`))
	if err != nil {
		t.Fatal(err)
	}
	out := strings.TrimSpace(string(res.Stdout))
	if out == "late cheap" {
		t.Log("the sandbox took a second to start: this says nothing")
	} else if out != "early cheap" {
		t.Errorf("reading the clock: %s%s", out, res.Stderr)
	}
}
