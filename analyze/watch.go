package analyze

import (
	"context"
	"time"
)

// watched waits for a reading until ctx is done or the time of one is over. A reading counts its
// steps and ends by itself; one that goes on all the same is left alone, since nobody can end a
// goroutine.
func (a *Analyzer) watched(ctx context.Context, src Source, read func() (Facts, error)) (facts Facts, err error) {
	done := make(chan struct{})
	var f Facts
	var failed error
	go func() {
		defer close(done)
		f, failed = read()
	}()
	timer := time.NewTimer(a.limits.Read)
	defer timer.Stop()
	select {
	case <-done:
		return f, failed
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		c := newCollector(a.limits)
		c.Problem(ProblemTime, "reading it takes too long", Span{})
		facts = c.facts(src)
	}
	go a.tellIfHung(done)
	return facts, err
}

// tellIfHung waits once more as long for a reading that was given up.
func (a *Analyzer) tellIfHung(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(a.limits.Read):
		if a.Hung != nil {
			a.Hung()
		}
	}
}
