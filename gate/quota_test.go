package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/sandbox"
)

// When the processor time of a day is used up, nothing runs until the next one,
// in a session neither; that it did not is on record.
func TestQuotaOfADay(t *testing.T) {
	t.Parallel()
	f := newSessionFixture(t, SessionLimits{})
	f.backend.res.Usage = sandbox.Usage{CPU: 600 * time.Millisecond}
	now := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	f.gate.opts.Now = func() time.Time { return now }
	f.gate.spending.most, f.gate.spending.day = time.Second, dayOf(now)
	begun := func(name string) *Session {
		s, err := f.gate.Begin(Request{Name: name, Language: analyze.Python, Tool: "test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	cell := begun("calc")
	for i := range 2 {
		if _, err := f.gate.Run(t.Context(), py("print(1)\n")); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
	}
	ran := len(f.backend.specs)
	_, runErr := f.gate.Run(t.Context(), py("print(1)\n"))
	_, cellErr := cell.Run(t.Context(), Request{Source: []byte("x = 1\n")})
	for name, err := range map[string]error{"a run": runErr, "a cell": cellErr} {
		var quota *QuotaError
		if !errors.As(err, &quota) || quota.Wait != time.Hour {
			t.Errorf("%s: %v, want a QuotaError of an hour", name, err)
		}
	}
	if n := len(f.backend.specs); n != ran {
		t.Errorf("%d programs ran beyond the quota", n-ran)
	}
	if got := f.log.events(); got != "decision end decision end access access" {
		t.Errorf("records %q", got)
	}
	if r := f.log.records[4]; !strings.HasPrefix(r.Note, "quota refused: ") || r.Caller.User == "" {
		t.Errorf("the refusal: %q of %q", r.Note, r.Caller.User)
	}
	if _, err := f.gate.Check(t.Context(), py("print(1)\n")); err != nil {
		t.Errorf("a check uses nothing: %v", err)
	}
	now = now.Add(time.Hour)
	if _, err := f.gate.Run(t.Context(), py("print(1)\n")); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

// A clock that goes back brings no day anew.
func TestQuotaKeepsItsDay(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	s := spending{most: time.Second, day: day, used: time.Second}
	if s.spare(t.Context(), day.Add(-time.Hour)) == nil {
		t.Error("yesterday's quota is there again")
	}
}

// What was used of a day is read from the records: a restart forgets nothing.
func TestSpentSince(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	log, err := audit.Open(audit.Options{Dir: dir, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	end := func(at time.Time, run audit.Run) {
		now = at
		rec, err := log.Append(t.Context(), audit.Record{Event: audit.EventDecision, Source: &audit.Source{}, Verdict: &audit.Verdict{Effect: "allow"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(t.Context(), audit.Record{Event: audit.EventEnd, Decision: rec.ID, Run: &run}); err != nil {
			t.Fatal(err)
		}
	}
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	end(midnight.Add(-time.Second), audit.Run{Reason: "exited", CPUMicros: 7_000_000})
	end(midnight.Add(time.Second), audit.Run{Reason: "exited", CPUMicros: 2_000_000, WallMicros: 9_000_000})
	end(midnight.Add(2*time.Second), audit.Run{Reason: "error", WallMicros: 500_000})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := SpentSince(dir, midnight); err != nil || got != 2500*time.Millisecond {
		t.Errorf("SpentSince = %v, %v; want 2.5s", got, err)
	}
	if _, err := SpentSince(filepath.Join(dir, "none"), midnight); err == nil {
		t.Error("a log that is not there can be summed up")
	}
}

// The processor time of a day may be that of several gates: each is told what all
// have used, and when it cannot be told nothing runs, on record.
func TestQuotaTogether(t *testing.T) {
	t.Parallel()
	f := newSessionFixture(t, SessionLimits{})
	f.backend.res.Usage = sandbox.Usage{CPU: 600 * time.Millisecond}
	var elsewhere, told time.Duration
	var away error
	f.gate.spending.most = time.Second
	f.gate.spending.together = func(_ context.Context, _ time.Time, own time.Duration) (time.Duration, error) {
		told = own
		return own + elsewhere, away
	}
	if _, err := f.gate.Run(t.Context(), py("print(1)\n")); err != nil || told != 600*time.Millisecond {
		t.Fatalf("told %v, %v", told, err)
	}
	elsewhere = 400 * time.Millisecond
	var quota *QuotaError
	if _, err := f.gate.Run(t.Context(), py("print(1)\n")); !errors.As(err, &quota) {
		t.Errorf("where others have used the rest: %v", err)
	}
	elsewhere, away = 0, fmt.Errorf("%w: no route", ErrAway)
	if _, err := f.gate.Run(t.Context(), py("print(1)\n")); !errors.Is(err, ErrAway) {
		t.Errorf("where nobody knows what others have used: %v", err)
	}
	if n := len(f.backend.specs); n != 1 {
		t.Errorf("%d programs ran", n)
	}
	if got := f.log.events(); got != "decision end access access" {
		t.Errorf("records %q", got)
	}
}
