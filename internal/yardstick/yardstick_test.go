//go:build unix

package yardstick

import (
	"testing"
	"time"
)

// failed notes a failure in place of having it.
type failed struct {
	testing.TB
	errors int
}

func (f *failed) Helper()               {}
func (f *failed) Errorf(string, ...any) { f.errors++ }

// TestWithin wants a limit that is far too small noticed, and one that is not
// kept, whatever the machine does besides; waiting does not count.
func TestWithin(t *testing.T) {
	work := func() {
		for range 5 { // less than endless, also where a unit takes ten milliseconds
			unit()
		}
	}
	for _, tt := range []struct {
		name  string
		limit time.Duration
		work  func()
		want  int
	}{
		{"much less", time.Millisecond, work, 1},
		{"much more", 10 * time.Second, work, 0},
		{"waiting", 20 * time.Millisecond, func() { time.Sleep(50 * time.Millisecond) }, 0},
	} {
		f := &failed{}
		if Within(f, tt.limit, tt.name, tt.work); f.errors != tt.want {
			t.Errorf("%s: %d failures, want %d", tt.name, f.errors, tt.want)
		}
	}
}

func BenchmarkUnit(b *testing.B) {
	for b.Loop() {
		unit()
	}
}
