package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// seedLog is a small log with a rotation in it, and a checkpoint of its head.
func seedLog(tb testing.TB) (names []string, files map[string][]byte, head Checkpoint) {
	tb.Helper()
	dir := tb.TempDir()
	l := openLog(tb, Options{Dir: dir, MaxBytes: 1 << 10})
	appendN(tb, l, 3)
	check(tb, l.Close())
	files = map[string][]byte{}
	names, err := segments(dir)
	check(tb, err)
	for _, name := range names {
		files[name], err = os.ReadFile(filepath.Join(dir, name))
		check(tb, err)
	}
	r := mustVerify(tb, dir)
	return names, files, Checkpoint{Version: CheckpointVersion, Seq: r.Last, Hash: r.Head}
}

// Whatever stands in a segment: verifying, reading and opening end in an
// answer, and nothing but the original passes for it.
func FuzzSegment(f *testing.F) {
	names, files, head := seedLog(f)
	first := names[0]
	f.Add(files[first])
	f.Add([]byte{})
	f.Add([]byte("\n"))
	f.Add([]byte("{}\n"))
	f.Add(bytes.Repeat([]byte("\x00"), 4096))
	f.Add(bytes.Replace(files[first], []byte(`"prev":""`), []byte(`"prev":"00"`), 1))
	f.Add(append(bytes.Clone(files[first]), `{"version":"record/v1","seq":`...))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		for _, name := range names[1:] {
			check(t, os.WriteFile(filepath.Join(dir, name), files[name], 0o600))
		}
		check(t, os.WriteFile(filepath.Join(dir, first), b, 0o600))
		r, err := VerifyAgainst(dir, Trust{Checkpoints: []Checkpoint{head}})
		if same := bytes.Equal(b, files[first]); err == nil && r.OK() != same {
			t.Errorf("Verify() says %v of %q", r.OK(), b)
		}
		for range Select(dir, Filter{Text: "x"}) {
			continue
		}
		check(t, os.RemoveAll(filepath.Join(dir, names[len(names)-1])))
		if l, err := Open(Options{Dir: dir}); err == nil {
			check(t, l.Close())
		}
	})
}

func FuzzCheckpoints(f *testing.F) {
	_, key, _ := newKey(f)
	c := sign(key, link{seq: 3, hash: fmt.Sprintf("%064x", 7)}, time.Unix(0, 0))
	f.Add([]byte(`{"version":"checkpoint/v1","seq":3}`))
	f.Add([]byte("\n\n{"))
	f.Add([]byte(c.Text()))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _, err := ReadCheckpoints(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, c := range list {
			if c.Seq == 0 || c.Version != CheckpointVersion {
				t.Errorf("took %+v for a checkpoint", c)
			}
			if err := c.Verify(nil); err == nil {
				t.Error("a checkpoint verifies without a key")
			}
		}
	})
}
