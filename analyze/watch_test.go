package analyze_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/python"
)

// TestWatched: a reading that does not end is given up, as one that whoever asks for it gives
// up, and is told of when it goes on all the same.
func TestWatched(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	reader := *python.Reader()
	reader.Walk = func(*analyze.Walk) { <-forever }
	limits := analyze.DefaultLimits()
	limits.Read = 50 * time.Millisecond
	hung := make(chan struct{}, 2)
	a := analyze.NewLimited(limits, &reader)
	a.Hung = func() { hung <- struct{}{} }
	src, err := a.Canonical(analyze.Python, "", []byte("print(1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := a.Facts(t.Context(), src)
	if err != nil || f.Complete || len(f.Syntax) != 1 || f.Syntax[0].Code != analyze.ProblemTime {
		t.Errorf("a reading that does not end: %v, complete %v, %v", err, f.Complete, f.Syntax)
	}
	<-hung
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	limits.Read = time.Hour
	patient := analyze.NewLimited(limits, &reader)
	if _, err := patient.Facts(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("after whoever asked has gone: %v", err)
	}
	close(forever)
	if _, err := patient.Facts(t.Context(), src); err != nil {
		t.Errorf("a reading that ends: %v", err)
	}
	select {
	case <-hung:
		t.Error("told more than once, or of a reading that ended")
	default:
	}
}
