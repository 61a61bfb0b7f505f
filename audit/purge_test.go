package audit

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// agedLog writes 5 segments of 4 records, an hour apart.
func agedLog(t *testing.T, dir string) (*Log, time.Time) {
	t.Helper()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	now := start
	l := openLog(t, Options{Dir: dir, MaxAge: time.Hour, Now: func() time.Time { return now }})
	for range 5 {
		appendN(t, l, 4)
		now = now.Add(time.Hour)
	}
	now = now.Add(-time.Hour) // the purge itself opens no further segment
	return l, start
}

func TestPurge(t *testing.T) {
	dir := t.TempDir()
	l, start := agedLog(t, dir)
	gone, err := l.Purge(t.Context(), start.Add(2*time.Hour+time.Minute))
	if err != nil || len(gone) != 2 {
		t.Fatalf("Purge() = %v, %v, want two segments", gone, err)
	}
	r := mustVerify(t, dir)
	if !r.OK() || !r.Purged || r.First != 11 || r.Segments != 3 {
		t.Errorf("Verify() = %+v", r)
	}
	if gone, err := l.Purge(t.Context(), start.Add(2*time.Hour+time.Minute)); err != nil || gone != nil {
		t.Errorf("a second Purge() = %v, %v, want nothing to do", gone, err)
	}
	if gone, err := l.Purge(t.Context(), start.Add(100*time.Hour)); err != nil || len(gone) != 2 {
		t.Errorf("Purge() = %v, %v, want all but the newest gone", gone, err)
	}
	appendN(t, l, 1)
	if r := mustVerify(t, dir); !r.OK() || r.First != 21 || r.Segments != 1 {
		t.Errorf("Verify() = %+v", r)
	}
}

func TestPurgeByHandShows(t *testing.T) {
	dir := t.TempDir()
	l, start := agedLog(t, dir)
	names, err := segments(dir)
	check(t, err)
	check(t, os.Remove(filepath.Join(dir, names[0])))
	if r := mustVerify(t, dir); r.OK() {
		t.Error("Verify() accepts a log without its first segment")
	}
	if _, err := l.Purge(t.Context(), start.Add(2*time.Hour+time.Minute)); err != nil {
		t.Fatal(err)
	}
	check(t, os.Remove(filepath.Join(dir, names[2])))
	if r := mustVerify(t, dir); r.OK() {
		t.Error("Verify() accepts that more is gone than the log says")
	}
}

// A purge that dies between its record and its last deletion leaves more than
// it said.
func TestPurgeInterrupted(t *testing.T) {
	dir := t.TempDir()
	l, start := agedLog(t, dir)
	names, err := segments(dir)
	check(t, err)
	second, err := os.ReadFile(filepath.Join(dir, names[1]))
	check(t, err)
	if _, err := l.Purge(t.Context(), start.Add(2*time.Hour+time.Minute)); err != nil {
		t.Fatal(err)
	}
	check(t, os.WriteFile(filepath.Join(dir, names[1]), second, 0o600))
	if r := mustVerify(t, dir); !r.OK() || r.First != 6 {
		t.Errorf("Verify() = first %d, problems %v", r.First, r.Problems)
	}
}
