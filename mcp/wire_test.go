package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sallyport/internal/golden"
)

// TestWire replays the transcripts in testdata: what a client writes, after ">",
// and what it must read then, after "<", line for line. "release" lets programs
// that hold end. With -update the lines after "<" are written anew.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(ar.Files) != 1 || ar.Files[0].Name != "wire" {
				t.Fatal("a transcript is one file called wire")
			}
			want := string(ar.Files[0].Data)
			var edits []any
			if strings.HasPrefix(filepath.Base(file), "session") {
				edits = append(edits, withSessions)
			}
			got := replay(t, want, edits...)
			if golden.Update() {
				ar.Files[0].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func replay(t *testing.T, script string, edits ...any) string {
	f := newFixture(t, append(edits, askForRandom(t), func(o *Options) { o.Heartbeat = time.Hour })...)
	var out []string
	for _, line := range strings.Split(strings.TrimRight(script, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, ">"):
			f.send(strings.TrimSpace(line[1:]))
		case strings.HasPrefix(line, "<"):
			line = "< " + settle(f.line())
		case line == "release":
			close(f.backend.release)
		case line != "" && !strings.HasPrefix(line, "#"):
			t.Fatalf("line %q: not a line of a transcript", line)
		}
		out = append(out, line)
	}
	f.in.Close()
	if rest, _ := f.got.ReadString('\n'); rest != "" {
		t.Errorf("a message that the transcript does not have: %s", rest)
	}
	f.ended()
	return strings.Join(out, "\n") + "\n"
}

var duration = regexp.MustCompile(`"duration_ms":\d+,?`)

// settle takes out of a message what differs from run to run.
func settle(s string) string {
	return strings.ReplaceAll(duration.ReplaceAllString(s, ""), ",}", "}")
}

// TestToolsSnapshot fails when what clients see of the tools changes: their
// prompts and allow-lists depend on it.
func TestToolsSnapshot(t *testing.T) {
	t.Run("plain", func(t *testing.T) { snapshot(t, "testdata/tools.json", newFixture(t)) })
	t.Run("with sessions", func(t *testing.T) { snapshot(t, "testdata/tools-sessions.json", newFixture(t, withSessions)) })
}

func snapshot(t *testing.T, file string, f *fixture) {
	f.initialize()
	f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var v any
	if err := json.Unmarshal(f.answer("1").Result, &v); err != nil {
		t.Fatal(err)
	}
	golden.Hold(t, file, marshal(v)+"\n")
}
