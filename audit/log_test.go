package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patient is how long a lock is waited for where that is not what is tried.
const patient = 5 * time.Minute

func openLog(t testing.TB, opts Options) *Log {
	t.Helper()
	if opts.LockTimeout == 0 {
		opts.LockTimeout = patient
	}
	l, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func decision(i int) Record {
	return Record{
		Event:  EventDecision,
		Caller: Caller{User: "ana", Client: "claude-code/2.1", Tool: "run_python_code", Session: "s1", PID: 4711},
		Source: &Source{Language: "python", SHA256: strings.Repeat("ab", 32), Bytes: 100 + i, Code: fmt.Sprintf("print(%d)", i)},
		Verdict: &Verdict{Effect: "deny", Reason: "policy", Packs: []string{"baseline"}, PolicyDigest: strings.Repeat("cd", 32),
			Findings: []Finding{{Rule: "py.process", Action: "deny", Severity: "high", Message: "starts a process", Line: 2, Column: 1}}},
	}
}

func allowed(i int) Record {
	rec := decision(i)
	rec.Verdict = &Verdict{Effect: "allow", Reason: "policy", Findings: []Finding{}, Packs: []string{"baseline"}, PolicyDigest: strings.Repeat("cd", 32)}
	return rec
}

func appendN(t testing.TB, l *Log, n int) []Record {
	t.Helper()
	var recs []Record
	for i := range n {
		rec, err := l.Append(t.Context(), decision(i))
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

func mustVerify(t testing.TB, dir string) Report {
	t.Helper()
	r, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantIntact(t testing.TB, dir string, records uint64) Report {
	t.Helper()
	r := mustVerify(t, dir)
	if !r.OK() || r.Records != records || r.Last != records {
		t.Fatalf("Verify() = %d records up to %d, problems %v, want %d intact", r.Records, r.Last, r.Problems, records)
	}
	return r
}

func TestAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "audit")
	l := openLog(t, Options{Dir: dir})
	first, err := l.Append(t.Context(), allowed(0))
	if err != nil {
		t.Fatal(err)
	}
	if first.Seq != 1 || first.Prev != "" || len(first.Hash) != 64 || len(first.ID) != 36 || first.Time.IsZero() || first.Version != RecordVersion {
		t.Errorf("first record = %+v", first)
	}
	second, err := l.Append(t.Context(), Record{Event: EventEnd, Decision: first.ID, Run: &Run{Reason: "exited"}})
	if err != nil {
		t.Fatal(err)
	}
	if second.Seq != 2 || second.Prev != first.Hash {
		t.Errorf("second record = %+v, want it chained to the first", second)
	}
	wantIntact(t, dir, 2)

	line, _, _ := bytes.Cut(lastSegment(t, dir), []byte("\n"))
	var got Record
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, got); diff != "" {
		t.Errorf("the line differs from what Append returned:\n%s", diff)
	}
}

func lastSegment(t testing.TB, dir string) []byte {
	t.Helper()
	names, err := segments(dir)
	if err != nil || len(names) == 0 {
		t.Fatalf("segments = %v, %v", names, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, names[len(names)-1]))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	appendN(t, openLog(t, Options{Dir: dir}), 1)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v, want mode 0700", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("entries = %v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v, want mode 0600", e.Name(), info.Mode(), err)
		}
	}
}

// The documented recipe must give the same hash without any of our code.
func TestHashRecipe(t *testing.T) {
	dir := t.TempDir()
	rec := appendN(t, openLog(t, Options{Dir: dir}), 1)[0]
	line := bytes.TrimSuffix(lastSegment(t, dir), []byte("\n"))
	sum := sha256.Sum256(bytes.Replace(line, []byte(`,"hash":"`+rec.Hash+`"}`), []byte("}"), 1))
	if got := hex.EncodeToString(sum[:]); got != rec.Hash {
		t.Errorf("recipe gives %s, record says %s", got, rec.Hash)
	}
}

func TestLineIsPrintableASCII(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	rec := decision(0)
	rec.Source.Code = "\x1b[2J \u202e \u2028 é 漢 😀 \x7f \u0085 \"\\u00e9\" \xff"
	want, err := l.Append(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	line := lastSegment(t, dir)
	for i, c := range line[:len(line)-1] {
		if c < 0x20 || c > 0x7e {
			t.Fatalf("byte %d of the line is %#x", i, c)
		}
	}
	var got Record
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ToValidUTF8(want.Source.Code, "\ufffd"), got.Source.Code); diff != "" {
		t.Error(diff)
	}
	wantIntact(t, dir, 1)
}

func TestReopenGoesOn(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		l := openLog(t, Options{Dir: dir})
		appendN(t, l, 2)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(t.Context(), decision(0)); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("Append after Close = %v, want ErrNotRecorded", err)
		}
	}
	wantIntact(t, dir, 6)
}

func TestManyLogsOneChain(t *testing.T) {
	dir := t.TempDir()
	const logs, each = 4, 50
	var wg sync.WaitGroup
	for range logs {
		l := openLog(t, Options{Dir: dir, MaxBytes: 8 << 10})
		for range 2 {
			wg.Go(func() {
				for i := range each {
					if _, err := l.Append(context.Background(), decision(i)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	r := mustVerify(t, dir)
	notes := uint64(r.Segments - 1)
	if !r.OK() || r.Records-notes != logs*2*each || r.Segments < 5 {
		t.Errorf("Verify() = %d records in %d segments, problems %v", r.Records, r.Segments, r.Problems)
	}
}

// Eight callers, each of whom comes back as soon as its record is durable: those
// who wait while one syncs are written together, and pay for one sync. How many
// come back in time for the next one is what BenchmarkAppendParallel says.
func TestConcurrentAppendsShareASync(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	appendN(t, l, 1)
	const callers, each = 8, 25
	var inside, living, syncs atomic.Int32 // callers of Append, callers, syncs
	living.Store(callers)
	l.sync = func(f *os.File) error {
		syncs.Add(1)
		for inside.Load() < living.Load() { // a disk that is slower than any machine
			time.Sleep(time.Millisecond)
		}
		return f.Sync()
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			defer living.Add(-1)
			for i := range each {
				inside.Add(1)
				if _, err := l.Append(t.Context(), decision(i)); err != nil {
					t.Error(err)
				}
				inside.Add(-1)
			}
		})
	}
	wg.Wait()
	if n := syncs.Load(); n > callers*each/2 {
		t.Errorf("%d records took %d syncs", callers*each, n)
	}
	l.sync = (*os.File).Sync
	appendN(t, l, 3) // and one alone waits for nobody who does not come
	wantIntact(t, dir, 1+callers*each+3)
}

func TestRotationByAge(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := openLog(t, Options{Dir: dir, MaxAge: time.Hour, Now: func() time.Time { return now }})
	appendN(t, l, 2)
	now = now.Add(time.Hour)
	appendN(t, l, 2)
	if r := wantIntact(t, dir, 5); r.Segments != 2 {
		t.Errorf("segments = %d, want 2", r.Segments)
	}
}

// A process that dies between closing one segment and showing the next leaves
// an announcement, which the next append makes true.
func TestRotationInterrupted(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, MaxBytes: 1})
	appendN(t, l, 2)
	check(t, l.Close())
	names, err := segments(dir)
	check(t, err)
	next := filepath.Join(dir, names[1])
	check(t, os.Rename(next, next+tempExt))
	if r := mustVerify(t, dir); r.Found != 1 || !strings.Contains(r.Problems[0].Detail, names[1]) {
		t.Errorf("problems %v, want the missing segment", r.Problems)
	}
	appendN(t, openLog(t, Options{Dir: dir}), 1)
	wantIntact(t, dir, 3)
}

func TestTornTailIsSetAside(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	appendN(t, l, 3)
	names, _ := segments(dir)
	path := filepath.Join(dir, names[0])
	torn := []byte(`{"version":"record/v1","seq":4,"id":"01`)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(torn); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if r := mustVerify(t, dir); !r.OK() || len(r.Torn) != 1 || r.Torn[0].Bytes != int64(len(torn)) {
		t.Errorf("Verify() = torn %v, problems %v, want the torn tail reported", r.Torn, r.Problems)
	}
	appendN(t, l, 1) // a log that was open meanwhile
	appendN(t, openLog(t, Options{Dir: dir}), 1)
	if r := wantIntact(t, dir, 6); r.Segments != 2 || len(r.Torn) != 1 {
		t.Errorf("Verify() = %d segments, torn %v", r.Segments, r.Torn)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the torn segment was touched: %v", err)
	}
	// The note is evidence as well: other bytes there are noticed.
	if err := os.WriteFile(path, before[:len(before)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, dir); r.OK() {
		t.Error("Verify() accepts a torn tail that was changed after it was recorded")
	}
}

func TestRefusesToGoOn(t *testing.T) {
	tests := map[string]func(t *testing.T, dir, segment string){
		"segment removed": func(t *testing.T, dir, segment string) { check(t, os.Remove(segment)) },
		"segment replaced": func(t *testing.T, dir, segment string) {
			b, err := os.ReadFile(segment)
			check(t, err)
			check(t, os.Remove(segment))
			check(t, os.WriteFile(segment, b, 0o600))
		},
		"segment cut":      func(t *testing.T, dir, segment string) { check(t, os.Truncate(segment, 100)) },
		"lock removed":     func(t *testing.T, dir, segment string) { check(t, os.Remove(filepath.Join(dir, lockName))) },
		"directory moved":  func(t *testing.T, dir, segment string) { check(t, os.Rename(dir, dir+".old")) },
		"foreign line":     func(t *testing.T, dir, segment string) { appendTo(t, segment, "{}\n") },
		"nul bytes behind": func(t *testing.T, dir, segment string) { appendTo(t, segment, "\x00\x00\n") },
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "audit")
			l := openLog(t, Options{Dir: dir})
			appendN(t, l, 3)
			names, err := segments(dir)
			check(t, err)
			damage(t, dir, filepath.Join(dir, names[0]))
			for range 2 {
				if _, err := l.Append(t.Context(), decision(9)); !errors.Is(err, ErrNotRecorded) {
					t.Fatalf("Append() = %v, want ErrNotRecorded", err)
				}
			}
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	_, err = f.WriteString(text)
	check(t, errors.Join(err, f.Close()))
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	open := filepath.Join(t.TempDir(), "open")
	check(t, os.Mkdir(open, 0o700))
	check(t, os.Chmod(open, 0o777))
	for name, dir := range map[string]string{"no directory": "", "a file": file, "writable by others": open} {
		if _, err := Open(Options{Dir: dir}); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("%s: Open() = %v, want ErrNotRecorded", name, err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	l := openLog(t, Options{Dir: t.TempDir()})
	appendN(t, l, 1)
	if _, err := l.Append(t.Context(), Record{Event: "other"}); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("unknown event: %v", err)
	}
	long := decision(0)
	long.Source.Code = strings.Repeat("x", maxLine)
	if _, err := l.Append(t.Context(), long); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("too long: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, decision(0)); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("cancelled: %v", err)
	}
	appendN(t, l, 1) // none of these harms the log
	wantIntact(t, l.opts.Dir, 2)
}

func TestLockTimeout(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, LockTimeout: 20 * time.Millisecond})
	other := openLog(t, Options{Dir: dir})
	if ok, err := tryLock(other.lock); !ok || err != nil {
		t.Fatalf("tryLock() = %v, %v", ok, err)
	}
	if _, err := l.Append(t.Context(), decision(0)); !errors.Is(err, ErrNotRecorded) || !strings.Contains(err.Error(), "waiting for the lock") {
		t.Errorf("Append() = %v, want a time-out", err)
	}
	check(t, unlock(other.lock))
	appendN(t, l, 1)
}
