package gvisor

import (
	"os"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	sandboxtest.RunSessions(t, func(*testing.T) sandbox.Sessions { return b })
	b.boxes.Settled() // of the parsers that were asked
	if left := marked(b.dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	entries, err := os.ReadDir(b.runscRoot())
	if err != nil || len(entries) > 0 {
		t.Errorf("left in the state directory: %v %v", entries, err)
	}
}
