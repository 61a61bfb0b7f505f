package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox"
)

// A large file goes into the outbox, and the answer has a link to it.
func TestOutbox(t *testing.T) {
	dir := t.TempDir()
	f := newFixture(t, func(o *Options) { o.Outbox = dir })
	f.initialize()
	r := f.python("# files\n")
	uri := ""
	for _, c := range r.Content {
		if c.Type == "resource_link" {
			uri = c.URI
		}
	}
	name, ok := strings.CutPrefix(uri, "file://")
	name = strings.ReplaceAll(name, "%20", " ")
	b, err := os.ReadFile(name)
	if !ok || err != nil || len(b) != maxEmbedded+1 || !strings.HasPrefix(name, dir+"/decision-") {
		t.Fatalf("the link %q leads to %d bytes, %v", uri, len(b), err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(found) != 1 {
		t.Errorf("the outbox has %q, want the large file alone", found)
	}
}

// Nothing that is there is replaced, no link is followed out, and no name is
// taken for more than a name.
func TestOutboxAttacked(t *testing.T) {
	large := make([]byte, maxEmbedded+1)
	run := func(name string) *keptRun {
		return &keptRun{id: "id", size: len(large), files: []sandbox.File{{Path: name, Data: large}}, artifacts: []artifactOutput{{Path: name, URI: "sallyport://x"}}}
	}
	dir, other := t.TempDir(), t.TempDir()
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "id"), 0o700), os.Symlink(other, filepath.Join(dir, "id", "out")), os.WriteFile(filepath.Join(dir, "id", "there"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out/x", "there"} {
		if r := run(name); deliver(dir, r) == nil || r.artifacts[0].delivered() || len(r.files[0].Data) == 0 {
			t.Errorf("%s was written", name)
		}
	}
	for _, name := range []string{".bashrc", "-rf", ".git/hooks/pre-commit", "a\u202eb"} {
		if r := run(name); deliver(dir, r) != nil || r.artifacts[0].delivered() {
			t.Errorf("%q was written", name)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(other, "*")); len(found) > 0 {
		t.Errorf("a link led out: %q", found)
	}
}
