package runner

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
)

// The hooks that are embedded were compiled from the source beside them.
func TestHookIsOfItsSource(t *testing.T) {
	var sums string
	for _, name := range []string{"hook/hook.c", "hook/events.def"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name)
	}
	if want, err := os.ReadFile("hook.sum"); err != nil || sums != string(want) {
		t.Errorf("the source has changed since the hook was compiled (%v): scripts/hook compiles it", err)
	}
}
