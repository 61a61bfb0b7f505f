package gate

import (
	"fmt"
	"slices"
	"time"

	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// observe tells the operator's telemetry how a request went. It comes last and
// cannot undo anything: not even a panic in it reaches the caller.
func (g *Gate) observe(j *judgement) {
	if g.opts.Observe == nil {
		return
	}
	defer func() { _ = recover() }()
	t, d := j.seen, j.answer.Decision
	t.Decision, t.Language = j.answer.ID, j.answer.Source.Language
	t.Effect, t.Reason = string(d.Effect), string(d.Reason)
	for _, f := range d.Findings {
		if d.Reason == policy.ReasonSyntax {
			break // no rule denied it
		}
		if f.Action == policy.ActionDeny && !slices.Contains(t.Denied, f.Rule) {
			t.Denied = append(t.Denied, f.Rule)
		}
	}
	g.opts.Observe(*t)
}

// step notes what a step took, and whether sallyport failed at it.
func (j *judgement) step(s telemetry.Timing, err error) {
	j.seen.Steps = append(j.seen.Steps, s)
	if err != nil && j.seen.Failed == "" {
		j.seen.Failed = s.Step
	}
}

// ran notes how a run went.
func (j *judgement) ran(backend string, started time.Time, err error) {
	j.step(telemetry.Timing{Step: telemetry.Run, Start: started, Took: j.answer.Durations.Run}, err)
	j.seen.Ran, j.seen.Backend, j.seen.Ended = true, backend, "error"
	if res := j.answer.Result; res != nil {
		j.seen.Ended, j.seen.Start = string(res.Reason), start(*res)
		if v, stopped := res.Stopped(); stopped {
			j.seen.Stopped = telemetry.Stop{Capability: v.Capability, Event: v.Detail}
		}
	}
}

func start(res sandbox.Result) string {
	if res.Warm {
		return "warm"
	}
	return "cold"
}

// guard runs what is not ours alone and turns a panic into an error, so that
// whatever happened before is still recorded.
func guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s %w: %v", what, ErrPanicked, p)
		}
	}()
	return f()
}
