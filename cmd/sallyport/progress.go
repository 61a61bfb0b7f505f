package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress is one line on a terminal that says how far a long work has come.
// It is gone when the work is done; off a terminal, in CI and under --quiet
// there is none.
type progress struct {
	w     io.Writer // nil: show nothing
	total int
	done  int
	last  time.Time
	shown bool
}

// progressEvery keeps the line from costing more than the work.
const progressEvery = 100 * time.Millisecond

func (a *app) newProgress(total int) *progress {
	term, _ := a.env("TERM")
	_, ci := a.env("CI")
	if a.quiet || total < 2 || ci || term == "dumb" || !isTerminal(a.stderr) {
		return &progress{}
	}
	p := &progress{w: a.stderr, total: total}
	if out, ok := a.stdout.(*outWriter); ok && isTerminal(out) {
		out.before = p.clear // both stand on one terminal
	}
	return p
}

// step counts one more and shows the line when it is time.
func (p *progress) step(now time.Time) {
	p.done++
	if p.w == nil || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	const width = 24
	full := width * p.done / p.total
	fmt.Fprintf(p.w, "\r\x1b[Kchecking [%s%s] %d/%d", strings.Repeat("#", full), strings.Repeat(".", width-full), p.done, p.total)
}

// clear takes the line away, before anything else is written.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
