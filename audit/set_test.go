package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// replicas are n logs beside each other, as those of a service.
func replicas(t *testing.T, n int) (parent string, dirs []string) {
	t.Helper()
	parent = t.TempDir()
	for i := range n {
		dir := filepath.Join(parent, "replica-"+string(rune('0'+i)))
		l := openLog(t, Options{Dir: dir})
		appendN(t, l, 5)
		check(t, l.Close())
		dirs = append(dirs, dir)
	}
	return parent, dirs
}

func TestSetVerifies(t *testing.T) {
	parent, dirs := replicas(t, 3)
	got, err := Logs(parent)
	check(t, err)
	if !slices.Equal(got, dirs) {
		t.Fatalf("in %s are the logs %q, want %q", parent, got, dirs)
	}
	if got, err := Logs(dirs[1]); err != nil || !slices.Equal(got, dirs[1:2]) {
		t.Errorf("a log stands for %q, %v", got, err)
	}
	s, err := VerifyAll(dirs, Trust{})
	check(t, err)
	if !s.OK() || len(s.Logs) != 3 || s.Records != 15 {
		t.Errorf("three logs: %+v", s)
	}
	if _, err := VerifyAll(dirs, Trust{Checkpoints: []Checkpoint{{}}}); err == nil {
		t.Error("a checkpoint of nobody knows which log is taken")
	}
}

// A log that was replaced by a copy of another verifies by itself.
func TestSetFindsWhatOneLogHides(t *testing.T) {
	for name, row := range map[string]struct {
		hurt func(dirs []string) error
		want string
	}{
		"a copy in another's place": {func(dirs []string) error {
			check(t, os.RemoveAll(dirs[2]))
			return os.CopyFS(dirs[2], os.DirFS(dirs[0]))
		}, "one of them is a copy"},
		"an older copy": {func(dirs []string) error {
			check(t, os.RemoveAll(dirs[2]))
			check(t, os.CopyFS(dirs[2], os.DirFS(dirs[0])))
			l := openLog(t, Options{Dir: dirs[0]})
			appendN(t, l, 2)
			return l.Close()
		}, "one of them is a copy"},
		"a record changed in one of them": {func(dirs []string) error {
			names, _ := segments(dirs[1])
			path := filepath.Join(dirs[1], names[0])
			b, err := os.ReadFile(path)
			check(t, err)
			return os.WriteFile(path, []byte(strings.Replace(string(b), `"deny"`, `"denY"`, 1)), 0o600)
		}, "was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, dirs := replicas(t, 3)
			check(t, row.hurt(dirs))
			s, err := VerifyAll(dirs, Trust{})
			check(t, err)
			var said []string
			for _, r := range s.Logs {
				for _, p := range r.Problems {
					said = append(said, p.String())
				}
			}
			if s.OK() || !strings.Contains(strings.Join(said, "\n"), row.want) {
				t.Errorf("found %d: %q", s.Found, said)
			}
		})
	}
	parent, dirs := replicas(t, 2)
	check(t, os.RemoveAll(dirs[1]))
	check(t, os.Mkdir(dirs[1], 0o700))
	list, err := Logs(parent)
	check(t, err)
	s, err := VerifyAll(list, Trust{})
	check(t, err)
	if len(s.Logs) != 2 || len(s.Logs[1].Warnings) == 0 {
		t.Errorf("a log without records is not named: %+v", s)
	}
}

func TestSelectAll(t *testing.T) {
	parent := t.TempDir()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var dirs []string
	for i, name := range []string{"a", "b", "c"} {
		now := start.Add(time.Duration(i) * time.Minute)
		dir := filepath.Join(parent, name)
		l := openLog(t, Options{Dir: dir, Now: func() time.Time { return now }})
		for range 4 {
			_, err := l.Append(t.Context(), Record{Event: EventNote, Note: name})
			check(t, err)
			now = now.Add(3 * time.Minute)
		}
		check(t, l.Close())
		dirs = append(dirs, dir)
	}
	check(t, os.WriteFile(filepath.Join(dirs[1], "00000000000000000005.jsonl"), []byte("nonsense\n"), 0o600))
	read := func() (notes string, bad int) {
		for e, err := range SelectAll(dirs, Filter{}) {
			if err != nil {
				bad++
				continue
			}
			notes += e.Note
		}
		return notes, bad
	}
	for range 2 { // a report reads it twice
		if notes, bad := read(); notes != "abcabcabcabc" || bad != 1 {
			t.Errorf("read %q and %d lines that are no record", notes, bad)
		}
	}
	for range SelectAll(dirs, Filter{}) {
		break // leaves nothing open
	}
}
