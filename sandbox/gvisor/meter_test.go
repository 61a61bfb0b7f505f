package gvisor

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSandboxPid reads a state file that is being written.
func TestSandboxPid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if _, err := sandboxPid(file); err == nil {
		t.Error("a file that is not there has a process")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		time.Sleep(20 * time.Millisecond)
		written <- os.WriteFile(file, []byte(`{"sandbox":{"pid":42}}`), 0o600)
	}()
	pid, err := sandboxPid(file)
	if werr := <-written; werr != nil {
		t.Fatal(werr)
	}
	if err != nil || pid != 42 {
		t.Errorf("sandboxPid = %d, %v", pid, err)
	}
}

// TestRested has a sandbox process give memory back while it waits, which is not
// the program's to have on top of its limit.
func TestRested(t *testing.T) {
	m := &meter{pid: os.Getpid(), base: 1 << 50}
	if m.rested(); m.base == 1<<50 || m.base <= 0 {
		t.Errorf("after a rest the base is %d", m.base)
	}
	m.base = 1
	if m.rested(); m.base != 1 {
		t.Errorf("a process that grew has a base of %d", m.base)
	}
}
