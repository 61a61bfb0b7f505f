package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"sallyport/audit"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// recordTimeout bounds how long the record of an end may take once the caller
// has given up: the evidence is worth more than the caller's patience.
const recordTimeout = 10 * time.Second

// recordDecision makes the decision durable and gives the answer its ID.
func (g *Gate) recordDecision(ctx context.Context, req Request, j *judgement) error {
	started := g.opts.Now()
	caller := g.caller(req)
	caller.Labels = req.Labels
	rec, err := g.opts.Log.Append(ctx, audit.Record{
		Event:   audit.EventDecision,
		Time:    started.UTC(),
		Caller:  caller,
		Source:  g.sourceRecord(req, *j),
		Verdict: verdict(j.answer),
		Cell:    cellRecord(j.answer.Cell),
	})
	j.answer.Durations.Record = g.opts.Now().Sub(started)
	j.step(telemetry.Timing{Step: telemetry.Record, Start: started, Took: j.answer.Durations.Record}, err)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	j.answer.ID = rec.ID
	return nil
}

// recordEnd records how a started run ended, also when the caller is gone.
func (g *Gate) recordEnd(ctx context.Context, req Request, j judgement, limits sandbox.Limits, inputs []audit.Reference, runErr error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	started := g.opts.Now()
	run := runRecord(g.opts.Backend.Describe(), j.answer, limits, runErr)
	run.References = inputs
	_, err := g.opts.Log.Append(ctx, audit.Record{
		Event:    audit.EventEnd,
		Decision: j.answer.ID,
		Caller:   g.caller(req),
		Run:      run,
		Cell:     cellRecord(j.answer.Cell),
	})
	j.step(telemetry.Timing{Step: telemetry.End, Start: started, Took: g.opts.Now().Sub(started)}, err)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEndNotRecorded, err)
	}
	return nil
}

func cellRecord(c *Cell) *audit.Cell {
	if c == nil {
		return nil
	}
	return &audit.Cell{Session: c.ID, Name: c.Session, Number: c.Number, SHA256: c.SHA256, Bytes: c.Bytes}
}

func (g *Gate) sourceRecord(req Request, j judgement) *audit.Source {
	s := &audit.Source{
		Name:     req.Name,
		Language: j.answer.Source.Language,
		Goal:     j.answer.Source.Goal,
		SHA256:   j.answer.Source.SHA256,
		Bytes:    j.answer.Source.Bytes,

		TypeScriptSHA256: j.answer.Source.TypeScriptSHA256,
		NotebookSHA256:   j.answer.Source.NotebookSHA256,
	}
	for _, f := range j.files {
		s.Files = append(s.Files, audit.Artifact{Path: f.Path, Bytes: len(f.Data), SHA256: digest(f.Data)})
	}
	s.References = req.opened.record()
	denied := j.answer.Decision.Effect != policy.Allow
	if g.opts.KeepCode == KeepAll || g.opts.KeepCode == KeepDenied && denied {
		s.Code = string(req.Source)
	}
	if j.facts.Version != "" {
		if b, err := json.Marshal(j.facts); err == nil {
			s.FactsSHA256 = digest(b)
		}
	}
	return s
}

func verdict(a Answer) *audit.Verdict {
	d := a.Decision
	v := &audit.Verdict{
		Effect:       string(d.Effect),
		Reason:       string(d.Reason),
		Detail:       d.Detail,
		Findings:     make([]audit.Finding, len(d.Findings)),
		Limits:       raw(d.Limits),
		Packs:        append([]string{}, d.Packs...),
		PolicyDigest: d.Policy,
		Revision:     d.Revision,
		Exceptions:   d.Exceptions,
		Loosened:     d.Loosened,
		Micros:       a.Durations.Judge.Microseconds(),
	}
	for i, f := range d.Findings {
		v.Findings[i] = audit.Finding{
			Rule:       f.Rule,
			Action:     string(f.Action),
			Severity:   f.Severity,
			Message:    f.Message,
			Line:       f.Span.Line,
			Column:     f.Span.Column,
			Symbol:     f.Symbol,
			Capability: f.Capability,
		}
	}
	return v
}

func runRecord(d sandbox.Description, a Answer, limits sandbox.Limits, runErr error) *audit.Run {
	r := &audit.Run{
		Backend:        d.Name,
		BackendVersion: d.Version,
		Limits:         raw(toPolicyLimits(limits)),
		Reason:         "error",
		WallMicros:     a.Durations.Run.Microseconds(),
	}
	if runErr != nil {
		r.Error = runErr.Error()
	}
	res := a.Result
	if res == nil {
		return r
	}
	r.Interpreter = res.Runtime.Interpreter
	r.InterpreterVersion = res.Runtime.Version
	r.RuntimeSHA256 = res.Runtime.SHA256
	r.Controls = make(map[string]string, len(res.Enforced))
	for c, how := range res.Enforced {
		r.Controls[string(c)] = how
	}
	r.Start, r.Preloaded = start(*res), res.Preloaded
	r.Reason, r.Exit, r.Signal = string(res.Reason), res.Exit, res.Signal
	r.CPUMicros, r.PeakMemory = res.Usage.CPU.Microseconds(), res.Usage.PeakMemory
	r.StdoutBytes, r.StdoutSHA256 = len(res.Stdout), digest(res.Stdout)
	r.StderrBytes, r.StderrSHA256 = len(res.Stderr), digest(res.Stderr)
	for _, f := range res.Artifacts {
		r.Artifacts = append(r.Artifacts, audit.Artifact{Path: f.Path, Bytes: len(f.Data), SHA256: digest(f.Data)})
	}
	for _, v := range res.Violations {
		text := v.Capability + ": " + v.Detail
		if v.Line > 0 {
			text += fmt.Sprintf(", line %d", v.Line)
		}
		if v.Library {
			text += ", by a library"
		}
		r.Violations = append(r.Violations, text)
	}
	return r
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// raw marshals a struct of plain numbers, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// Discard is a Recorder for dry runs that the operator wants unrecorded. A
// Gate with a Backend refuses it.
type Discard struct{}

// Append records nothing.
func (Discard) Append(_ context.Context, r audit.Record) (audit.Record, error) { return r, nil }
