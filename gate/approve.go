package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"sallyport/audit"
	"sallyport/policy"
	"sallyport/telemetry"
)

// Question is a decision that asks, and all that a yes to it is about.
type Question struct {
	Answer Answer // its ID is that of the decision's record
	Source string // what would run: of a session, the new cell; "" for a request of a running program

	Principal   Principal // who asks
	Tool        string
	Client      string // its own word
	Environment string
	Args        []string
	Stdin       []byte
	Files       []policy.File // with their hashes, also of those by reference
	Labels      map[string]string
	Limits      policy.Limits // of the run

	// Binding is a hash of all of this but Tool and Client. A request of another
	// principal, or one that differs in anything, also in how it was judged and by
	// which rules, has another one.
	Binding string

	Patience time.Duration           // the caller's, as in Request
	Aside    func(wait func()) error // as in Request
}

// Approval is a person's answer to a decision that asks.
type Approval struct {
	Yes    bool
	Answer string // for the record: accepted, declined, cancelled, timeout, pending, changed, too_many, unsupported, away, failed; told, untold

	// Of a question that other people answer than the one who asks.
	ID      string
	Binding string
	By      Principal // who answered, as verified
	Reason  string    // in their words
	Until   time.Time // the answer, or the wait for it, ends
	Note    string    // of told and untold, for the record: how it went

	// Where a service has several replicas, and not this one asked, or answered.
	Asked    Elsewhere // of an answer: the decision that asks
	Answered Elsewhere // of a run: the record of the answer
}

// Elsewhere is a record in the log of another replica of the service.
type Elsewhere struct {
	Replica string
	Record  string
}

func (e Elsewhere) record() *audit.Elsewhere {
	if e == (Elsewhere{}) {
		return nil
	}
	rec := audit.Elsewhere(e)
	return &rec
}

func (a Approval) record() *audit.Approval {
	if a.ID == "" {
		return nil
	}
	rec := &audit.Approval{ID: a.ID, Binding: a.Binding, Reason: a.Reason, Asked: a.Asked.record(), Answered: a.Answered.record()}
	if a.By.How != "" {
		by := audit.Principal(a.By)
		rec.By = &by
	}
	return rec
}

// ask settles a decision that asks, and records the answer before anything
// depends on it.
func (g *Gate) ask(ctx context.Context, req Request, j *judgement) error {
	d := j.answer.Decision
	if d.Effect != policy.Ask {
		return nil
	}
	ap := Approval{Answer: "unsupported"}
	var away error
	if g.opts.Approve != nil {
		stage(req, "asked")
		started := g.opts.Now()
		err := guard("asking", func() (err error) {
			ap, err = asking{g, req, *j}.approved(ctx)
			return err
		})
		switch {
		case errors.Is(err, ErrAway):
			ap, away = Approval{Answer: "away"}, err
		case err != nil:
			ap = Approval{Answer: "failed"}
		}
		j.step(telemetry.Timing{Step: telemetry.Approve, Start: started, Took: g.opts.Now().Sub(started)}, nil)
	}
	j.answer.Decision, j.answer.Approval = d.Approve(ap.Yes), ap
	_, err := g.opts.Log.Append(ctx, audit.Record{
		Event:    audit.EventApproval,
		Decision: j.answer.ID,
		Caller:   g.caller(req),
		Verdict:  verdict(j.answer),
		Answer:   ap.Answer,
		Approval: ap.record(),
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	return away
}

// asking is a request whose decision asks.
type asking struct {
	gate *Gate
	req  Request
	j    judgement
}

// approved asks. A yes counts for what was asked about: files by reference can
// change while somebody thinks.
func (a asking) approved(ctx context.Context) (Approval, error) {
	q, err := a.question(ctx)
	if err != nil {
		return Approval{}, err
	}
	ap, err := a.gate.opts.Approve(ctx, q)
	if err != nil || !ap.Yes {
		return ap, err
	}
	now, err := a.question(ctx)
	if errors.Is(err, errChanged) || err == nil && now.Binding != q.Binding {
		ap.Yes, ap.Answer, err = false, "changed", nil
	}
	return ap, err
}

var errChanged = errors.New("a file by reference has changed since it was opened")

func (a asking) question(ctx context.Context) (Question, error) {
	g, req, j := a.gate, a.req, a.j
	q := Question{
		Answer: j.answer, Source: j.source.Text()[j.earlier:],
		Principal: req.Principal, Tool: req.Tool, Client: req.Client, Environment: cmp.Or(req.Environment, "default"),
		Args: req.Args, Stdin: req.Stdin, Files: append(files(j.files), req.opened.files()...), Labels: req.Labels,
		Limits:   toPolicyLimits(g.limits(req, j.answer.Decision)),
		Patience: req.Patience, Aside: req.Aside,
	}
	for i, o := range req.opened {
		if o.Dir != "" {
			continue
		}
		f := &q.Files[len(j.files)+i]
		if f.SHA256 = g.hashes.of(ctx, o); f.SHA256 == "" {
			return q, fmt.Errorf("%w: %.300q cannot be read", ErrReference, o.from)
		}
		if _, same := o.now(); !same {
			return q, errChanged
		}
	}
	cell := Cell{}
	if j.answer.Cell != nil {
		cell = *j.answer.Cell
	}
	// As Go writes them: quoted, so that nothing of one can pass for another.
	q.Binding = digest(fmt.Appendf(nil, "%#v", []any{
		q.Principal.How, q.Principal.Issuer, q.Principal.Subject, q.Principal.Tenant,
		j.answer.Source, cell, j.answer.Decision,
		q.Environment, q.Args, digest(q.Stdin), q.Files, q.Labels, q.Limits,
	}))
	return q, nil
}

// Answered puts on record that somebody answered a question about a decision of this
// log, or of ap.Asked, or heard of it, and returns the record's ID. The error wraps
// ErrNotRecorded: the answer is none then.
func (g *Gate) Answered(ctx context.Context, decision string, ap Approval) (record string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	rec, err := g.opts.Log.Append(ctx, audit.Record{
		Event:    audit.EventApproval,
		Decision: decision,
		Caller:   g.caller(Request{Principal: ap.By, Tool: "approvals"}),
		Answer:   ap.Answer,
		Approval: ap.record(),
		Note:     ap.Note,
	})
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	return rec.ID, nil
}
