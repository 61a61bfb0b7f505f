package main

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"sallyport/gate"
	"sallyport/sandbox"
)

// A sandbox that could not be made for want of room is no case for doctor.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.EROFS, syscall.ENOSPC} {
		full := &fs.PathError{Op: "write", Path: "/state/sandbox/lock", Err: cause}
		for _, err := range []error{&sandbox.Unavailable{Backend: "gvisor", Cause: full}, fmt.Errorf("%w: %w", gate.ErrSandboxFailed, full)} {
			if _, fix := inWords(err); !strings.Contains(fix, "XDG_STATE_HOME") {
				t.Errorf("%v: %q", err, fix)
			}
		}
	}
	if _, fix := inWords(&sandbox.Unavailable{Backend: "gvisor", Cause: syscall.EPERM}); !strings.Contains(fix, "doctor") {
		t.Errorf("where it is something else: %q", fix)
	}
}
