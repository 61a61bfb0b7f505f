package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// told is a test that notes what it was told.
type told struct {
	testing.TB
	said string
}

func (t *told) Helper()                       {}
func (t *told) Errorf(form string, of ...any) { t.said += fmt.Sprintf(form, of...) }

// What differs from its file fails, and leaves the file as it is; -update writes it.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	if err := os.WriteFile(path, []byte("{\n  \"a\": 1\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	hold := func(v int) string {
		to := &told{TB: t}
		HoldJSON(to, path, map[string]int{"a": v})
		return to.said
	}
	if said := hold(1); said != "" {
		t.Errorf("the same: %s", said)
	}
	for range 2 {
		if said := hold(2); !strings.Contains(said, `"a": 2`) {
			t.Errorf("another: %q", said)
		}
	}
	*update = true
	defer func() { *update = false }()
	hold(2)
	*update = false
	if said := hold(2); said != "" {
		t.Errorf("after -update: %s", said)
	}
}
