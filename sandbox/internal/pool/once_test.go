package pool

import (
	"errors"
	"testing"
)

// One sandbox is started of a kind that Keep names, and none in its place, nor of a
// kind that is only asked for.
func TestOnce(t *testing.T) {
	var w world
	p := New(Options[*fake]{Start: w.start, Once: true, Kinds: 2})
	if f, ok := p.Take(t.Context(), "b"); ok {
		t.Errorf("took %v, which nobody had named", f)
	}
	p.Keep("a")
	f, ok := p.Take(t.Context(), "a")
	if !ok || f.kind != "a" {
		t.Fatalf("Take = %v, %v", f, ok)
	}
	if again, ok := p.Take(t.Context(), "a"); ok {
		t.Errorf("took another one: %v", again)
	}
	p.Keep("b") // and nobody takes it
	if err := errors.Join(f.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if started := w.started.Load(); started > 2 || w.open.Load() != 0 {
		t.Errorf("%d were started, %d are left", started, w.open.Load())
	}
}

// One that would not start is not tried again: whoever asks for it starts one himself.
func TestOnceFails(t *testing.T) {
	var w world
	w.fail.Store(true)
	p := New(Options[*fake]{Start: w.start, Once: true, Kinds: 1})
	p.Keep("a")
	if f, ok := p.Take(t.Context(), "a"); ok {
		t.Errorf("took %v", f)
	}
	w.fail.Store(false)
	if f, ok := p.Take(t.Context(), "a"); ok {
		t.Errorf("took %v, which was started again", f)
	}
	if err := p.Close(); err != nil || w.started.Load() != 0 {
		t.Errorf("%v, %d started", err, w.started.Load())
	}
}
