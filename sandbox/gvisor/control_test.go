package gvisor

import (
	"errors"
	"testing"
)

func TestFromShell(t *testing.T) {
	lost := errors.New("lost")
	for _, tt := range []struct {
		code, exit, signal int
		err                error
	}{
		{code: 0}, {code: 7, exit: 7}, {code: 127, exit: 127},
		{code: 128, err: lost}, {code: 128 + 9, signal: 9}, {code: 128 + 64, signal: 64},
		{code: 200, err: lost}, {code: -1, err: lost},
	} {
		status, err := fromShell(tt.code, lost)
		if !errors.Is(err, tt.err) {
			t.Errorf("%d: error %v, want %v", tt.code, err, tt.err)
		}
		if err == nil && tt.signal == 0 && (!status.Exited() || status.ExitStatus() != tt.exit) {
			t.Errorf("%d: %v, want exit %d", tt.code, status, tt.exit)
		}
		if tt.signal != 0 && (!status.Signaled() || int(status.Signal()) != tt.signal) {
			t.Errorf("%d: %v, want signal %d", tt.code, status, tt.signal)
		}
	}
}
