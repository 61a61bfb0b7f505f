// Package golden holds what a test got against the file that keeps it. With -update
// the file is written anew, to be reviewed as code.
package golden

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that tests hold things against anew")

// Update tells whether files are written anew. Who keeps things in files of another
// form, of which a test writes a part, asks here.
func Update() bool { return *update }

// Hold holds got against the whole file at path.
func Hold(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s is another (-file +got); -update writes it anew\n%s", path, diff)
	}
}

// HoldJSON holds what v is in JSON against the whole file at path.
func HoldJSON(t testing.TB, path string, v any) {
	t.Helper()
	got, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	Hold(t, path, string(got)+"\n")
}
