package gvisor

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
)

// How often memory and processor time are looked at. Between two looks a
// program can take a few tens of megabytes; it cannot keep them.
const (
	memoryEvery = 20 * time.Millisecond
	cpuEvery    = 5 // looks at memory
)

// watch is what ends a program from outside; the first reason counts.
type watch struct {
	c      *box
	limits sandbox.Limits
	begin  time.Time
	quit   chan struct{}
	wg     sync.WaitGroup
	timers []func() bool

	mu     sync.Mutex // guards what follows
	grace  *time.Timer
	reason sandbox.Reason
	done   bool
	usage  sandbox.Usage
}

// watch starts to watch the program: its wall clock, its memory, its
// processor time, and whether the caller still wants it.
func (c *box) watch(ctx context.Context, l sandbox.Limits) *watch {
	c.sandbox.rested()
	w := &watch{c: c, limits: l, begin: time.Now(), quit: make(chan struct{})}
	w.timers = []func() bool{
		time.AfterFunc(l.Wall, func() { w.stop(sandbox.TimedOut) }).Stop,
		context.AfterFunc(ctx, func() { w.stop(sandbox.Cancelled) }),
	}
	w.wg.Go(w.poll)
	return w
}

func (w *watch) poll() {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		w.look(n%cpuEvery == cpuEvery-1)
		select {
		case <-tick.C:
		case <-w.quit:
			return
		}
	}
}

func (w *watch) look(cpu bool) {
	memory, used := w.c.sandbox.used(), time.Duration(0)
	if cpu {
		used = w.c.sandbox.cpu()
	}
	w.mu.Lock()
	w.usage.PeakMemory = max(w.usage.PeakMemory, memory)
	w.usage.CPU = max(w.usage.CPU, used)
	w.mu.Unlock()
	if memory > w.limits.Memory {
		w.stop(sandbox.Memory)
	}
	if memory > 2*w.limits.Memory {
		w.kill() // no grace
	}
	if used > w.limits.CPU {
		w.stop(sandbox.CPU)
	}
}

// stop kills the program, for the given reason unless there is one already.
func (w *watch) stop(r sandbox.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done || w.reason != "" {
		return
	}
	w.reason = r
	if r == sandbox.Cancelled || !w.c.b.own {
		w.kill()
		return
	}
	w.grace = time.AfterFunc(evidence.Grace, w.kill)
	w.wg.Go(func() {
		if err := w.c.killInit(); err != nil {
			w.kill()
		}
	})
}

// kill ends the sandbox process, which is gVisor's kernel: nothing inside
// survives it.
func (w *watch) kill() { _ = unix.PidfdSendSignal(w.c.sandbox.fd, unix.SIGKILL, nil, 0) }

// finish ends the watch and returns the reason for which the program was
// stopped, "" if it ended by itself, and what it used.
func (w *watch) finish() (sandbox.Reason, sandbox.Usage) {
	for _, stop := range w.timers {
		stop()
	}
	close(w.quit)
	w.mu.Lock()
	w.done = true
	if w.grace != nil {
		w.grace.Stop()
	}
	w.mu.Unlock()
	w.wg.Wait()
	w.usage.Wall = time.Since(w.begin)
	return w.reason, w.usage
}
