package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sallyport/audit"
)

// QuotaError is the error of a run that was not begun because the runs of the
// day have used what Options.CPUPerDay lets them.
type QuotaError struct {
	Until time.Time     // the next day begins
	Wait  time.Duration // until then
}

func (e *QuotaError) Error() string {
	return "the processor time of the day is used up until " + e.Until.Format(time.RFC3339)
}

// ErrAway is wrapped by the error of what was not done because it needs what
// several replicas of a service share, and that cannot be reached.
var ErrAway = errors.New("what this service shares with its other replicas cannot be reached")

// spending is what the runs of a day, of UTC, have used.
type spending struct {
	most     time.Duration // 0: any
	together func(ctx context.Context, day time.Time, own time.Duration) (all time.Duration, err error)

	mu   sync.Mutex // guards the fields below
	day  time.Time
	used time.Duration
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func (s *spending) add(ctx context.Context, now time.Time, d time.Duration) {
	s.mu.Lock()
	s.on(now)
	s.used += d
	s.mu.Unlock()
	if s.most > 0 && s.together != nil {
		_, _ = s.all(context.WithoutCancel(ctx), now) // who begins the next run is told whether it was heard
	}
}

// all is what was used of today, also by those who share it.
func (s *spending) all(ctx context.Context, now time.Time) (time.Duration, error) {
	s.mu.Lock()
	s.on(now)
	day, used := s.day, s.used
	s.mu.Unlock()
	if s.together == nil {
		return used, nil
	}
	return s.together(ctx, day, used)
}

// on begins a new day when there is one. The caller holds the lock.
func (s *spending) on(now time.Time) {
	if day := dayOf(now); day.After(s.day) {
		s.day, s.used = day, 0
	}
}

// spare is the error of a run that begins now, nil when it may. Runs that are
// under way are not counted, and not stopped: each has its own limit.
func (s *spending) spare(ctx context.Context, now time.Time) error {
	if s.most == 0 {
		return nil
	}
	used, err := s.all(ctx, now)
	if err != nil || used < s.most {
		return err
	}
	s.mu.Lock()
	until := s.day.Add(24 * time.Hour)
	s.mu.Unlock()
	return &QuotaError{Until: until, Wait: until.Sub(now)}
}

// afford refuses a run for which nothing is left of the day, on record.
func (g *Gate) afford(ctx context.Context, req Request) error {
	err := g.spending.spare(ctx, g.opts.Now())
	if err == nil {
		return nil
	}
	if rerr := g.Refused(ctx, req.Principal, "", req.Tool, "quota refused: "+err.Error()); rerr != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, rerr)
	}
	return err
}

// used is what a run is counted as: processor time, or the time that it took
// where that was not measured.
func used(a Answer) time.Duration {
	if a.Result != nil && a.Result.Usage.CPU > 0 {
		return a.Result.Usage.CPU
	}
	return a.Durations.Run
}

// SpentSince sums up from the records in dir what runs used that ended since t.
func SpentSince(dir string, t time.Time) (sum time.Duration, err error) {
	for e, err := range audit.Select(dir, audit.Filter{Since: t}) {
		if err != nil {
			return 0, fmt.Errorf("counting what was used today: %w", err)
		}
		if e.Event != audit.EventEnd || e.Run == nil {
			continue
		}
		us := e.Run.CPUMicros
		if us == 0 {
			us = e.Run.WallMicros
		}
		sum += time.Duration(us) * time.Microsecond
	}
	return sum, nil
}

// denials bounds how many of them go on record: whoever sends many cannot fill
// the disk. Beyond a rate they are counted, and the next record says how many.
type denials struct {
	rate *rate.Limiter

	mu      sync.Mutex // guards unheard
	unheard int
}

const (
	refusalsEvery = 200 * time.Millisecond // once there were
	refusalsAtOne = 100                    // of them
)

func (r *denials) note(now time.Time, why string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.rate.AllowN(now, 1) {
		r.unheard++
		return "", false
	}
	if r.unheard > 0 {
		why += fmt.Sprintf(" (and %d more refusals before it)", r.unheard)
	}
	r.unheard = 0
	return why, true
}

// Refused records that somebody was refused before anything was judged: a login
// that failed, a scope that was missing, a quota that was used up. Who is the
// zero Principal where nobody knows who it was. Of many in a short time some are
// counted in the next record.
func (g *Gate) Refused(ctx context.Context, who Principal, address, asked, why string) error {
	why, ok := g.denials.note(g.opts.Now(), why)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	rec := audit.Record{Event: audit.EventAccess, Caller: g.caller(Request{Principal: who, Tool: asked}), Note: why}
	rec.Caller.Address = address
	_, err := g.opts.Log.Append(ctx, rec)
	return err
}
