package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// Answer is what came of a request.
type Answer struct {
	ID       string // of the decision record; "" when it could not be written
	Name     string
	Source   SourceInfo
	Decision policy.Decision

	// Notebook has the cells of a notebook by their numbers, as they were written;
	// nil where there is none. The Cell of a finding is one of these.
	Notebook []string

	// Request is that of a running program, METHOD URL, when a person is asked
	// about it and not about the program. It is the program's words.
	Request string

	// Approval is what came of asking a person, the zero one where nobody was asked.
	Approval Approval

	// Result is nil unless the program was started and its end is known.
	Result *sandbox.Result

	// Cell is nil for a program that is no cell of a session.
	Cell *Cell

	Durations Durations
}

// Cell places an answer in a session. The Source of the Answer is all cells up
// to this one; findings are placed in the cell itself.
type Cell struct {
	Session string // name
	ID      string
	Number  int // from 1; of the next one, when this one was denied
	SHA256  string
	Bytes   int
	Ended   string // why the session is over, "" while it is not
}

// SourceInfo identifies the judged source. For a source that was refused, the
// hash is that of the bytes as they came.
type SourceInfo struct {
	Language string
	Goal     string
	SHA256   string
	Bytes    int
	Lines    int

	// TypeScriptSHA256 is the hash of the TypeScript that the source was made of,
	// NotebookSHA256 that of the notebook; "" where there was none.
	TypeScriptSHA256 string
	NotebookSHA256   string
}

// Durations says where the time went.
type Durations struct {
	Judge  time.Duration // canonicalise, parse, decide
	Record time.Duration // making the decision durable
	Run    time.Duration // the sandbox, from start to gone
}

// judgement is an Answer in the making, with what the later steps need.
type judgement struct {
	answer Answer
	source analyze.Source
	facts  analyze.Facts
	files  []sandbox.File // of the request, as judged
	loads  []loader       // what may load them
	seen   *telemetry.Request

	reaches sandbox.Seen // with its files

	// What the interpreter's own parser may find, and how much of the source
	// has run already: less than all of it for a cell.
	identifiers []string
	earlier     int
}

// unrecorded is the answer when the decision could not be made durable: it
// denies, whatever the policy said.
func (j judgement) unrecorded() Answer {
	a := j.answer
	a.ID = ""
	a.Decision = policy.Decision{
		Version: policy.DecisionVersion,
		Effect:  policy.Deny,
		Reason:  policy.ReasonUnauditable,
		Detail:  "the decision could not be recorded, and nothing runs without a record",
		Packs:   a.Decision.Packs,
		Policy:  a.Decision.Policy,
	}
	return a
}

// judge takes a request through the first door: the source as decide judges it,
// and the input files by the same policy. Earlier are the files that are in the
// sandbox already. It has no error: whatever goes wrong on the way is a denial
// with its own reason.
func (g *Gate) judge(ctx context.Context, req Request, decide func(context.Context, Request) judgement, earlier []string) judgement {
	started := g.opts.Now()
	j := decide(ctx, req)
	j.seen = &telemetry.Request{Tool: req.Tool}
	j.files = slices.Clone(req.Files)
	g.judgeFiles(ctx, req, &j, earlier)
	j.answer.Name = req.Name
	j.answer.Durations.Judge = g.opts.Now().Sub(started)
	j.step(telemetry.Timing{Step: telemetry.Judge, Start: started, Took: j.answer.Durations.Judge}, nil)
	return j
}

func (g *Gate) decide(ctx context.Context, req Request) (j judgement) {
	// No source is known to do this. Should one, it must end in a denial that
	// is on record.
	defer func() {
		if p := recover(); p != nil {
			j = refused(req, fmt.Errorf("%v", p))
		}
	}()
	src, facts, err := facts(ctx, g.opts.Analyzer, req)
	if err != nil {
		return refused(req, err)
	}
	return g.decideFacts(ctx, req, src, facts)
}

// known are the identifiers of a program and the builtin functions that it uses: the hooks let it have
// no other.
func known(f analyze.Facts) []string {
	names := slices.Clone(f.Identifiers)
	for _, name := range f.Names {
		if strings.HasPrefix(name, "builtins.") {
			names = append(names, name)
		}
	}
	return names
}

func (g *Gate) decideFacts(ctx context.Context, req Request, src analyze.Source, facts analyze.Facts) judgement {
	j := judgement{source: src, facts: facts, identifiers: known(facts)}
	j.answer.Source = SourceInfo{
		Language: string(facts.Language),
		Goal:     string(facts.Goal),
		SHA256:   facts.SHA256,
		Bytes:    facts.Bytes,
		Lines:    facts.Lines,
	}
	if src.FromNotebook() {
		j.answer.Source.NotebookSHA256 = src.Original()
	} else {
		j.answer.Source.TypeScriptSHA256 = src.Original()
	}
	j.answer.Decision = g.opts.Policy.Decide(ctx, g.input(req, facts))
	if j.answer.Decision.Effect != policy.Deny {
		j.reaches = seen(g.opts.Policy, facts)
	}
	j.answer.Notebook = src.Written()
	locate(src, j.answer.Decision.Findings)
	return j
}

// locate says of what was found in a notebook where that was written.
func locate(src analyze.Source, findings []policy.Finding) {
	for i := range findings {
		cell, at := src.Place(analyze.Span(findings[i].Span))
		findings[i].Cell, findings[i].Span = cell, policy.Span(at)
	}
}

// refused is the judgement of a source that has no facts to judge. Its
// Decision is made here and not by the engine, so it can give no permit.
func refused(req Request, err error) judgement {
	sum := sha256.Sum256(req.Source)
	var j judgement
	j.answer.Source = SourceInfo{
		Language: string(req.Language),
		Goal:     string(req.Goal),
		SHA256:   hex.EncodeToString(sum[:]),
		Bytes:    len(req.Source),
	}
	d := policy.Decision{
		Version: policy.DecisionVersion,
		Effect:  policy.Deny,
		Reason:  policy.ReasonIncomplete,
		Detail:  fmt.Sprintf("the source could not be analysed: %v", err),
	}
	var r *analyze.Refusal
	if errors.As(err, &r) {
		d.Reason, d.Detail = policy.ReasonSource, r.Message
		rule, title := "source."+r.Code, "Source refused"
		if r.Code == analyze.RefusedSyntax {
			d.Reason, rule, title = policy.ReasonSyntax, "analysis.syntax", "Syntax error"
		}
		d.Findings = []policy.Finding{{
			Rule:     rule,
			Title:    title,
			Message:  r.Message,
			Severity: "high",
			Action:   policy.ActionDeny,
			Span:     policy.Span(r.Span),
			Cell:     r.Cell,
		}}
	}
	j.answer.Decision = d
	return j
}
