package main

import (
	"reflect"
	"time"

	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// firstTick is how long after its first look at the host's clock gVisor takes
// the second. The interval only bounds the error of the rate until the next
// look, a second later: some microseconds.
const firstTick = 20 * time.Millisecond

// tick has gVisor look at the host's clock now and not only a second after a
// program has started. Two looks give the rate, and from then on a program
// reads the time without a system call, which Node does hundreds of times
// before its program is a second old. gVisor has no other way to ask for this
// than the timer that it waits for; without that timer nothing changes.
func tick(k *kernel.Kernel) {
	f := reflect.ValueOf(k.Timekeeper()).Elem().FieldByName("timer")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Timer]() {
		return
	}
	if timer := *(**time.Timer)(f.Addr().UnsafePointer()); timer != nil {
		timer.Reset(0)
	}
}
