package gate

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"strconv"
	"unicode/utf8"

	"sallyport/audit"
	"sallyport/egress"
	"sallyport/sandbox"
)

// letOut connects the way out of a run's sandbox with the environment's proxy,
// if the run has one. What it returns ends it and says what was refused.
func (g *Gate) letOut(ctx context.Context, req Request, j judgement, env Environment, spec *sandbox.Spec) (end func(*sandbox.Result) error, err error) {
	if spec.Egress == nil {
		return func(*sandbox.Result) error { return nil }, nil
	}
	outlet, err := env.Egress.Open(egress.Run{Judge: g.requestJudge(ctx, req, j), Record: func(ctx context.Context, e egress.Event) error {
		return g.recordRequest(ctx, req, j, e)
	}})
	if err != nil {
		return nil, err
	}
	spec.Egress.Accept = func(c net.Conn) { outlet.Accept(c) }
	return func(res *sandbox.Result) error {
		err := outlet.Close()
		if res != nil {
			res.Violations = append(res.Violations, refusals(outlet)...)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrEndNotRecorded, err)
		}
		return nil
	}, nil
}

// refusals are what a program was refused on its way out, each kind once.
func refusals(o *egress.Outlet) (all []sandbox.Violation) {
	refused, more := o.Refused()
	seen := map[string]bool{}
	add := func(detail string) {
		if !seen[detail] {
			seen[detail] = true
			all = append(all, sandbox.Violation{Capability: string(sandbox.CapabilityNetwork), Detail: detail})
		}
	}
	for _, r := range refused {
		add(r.String())
	}
	if more > 0 {
		add(fmt.Sprintf("%d more requests were refused", more))
	}
	return all
}

// maxRecordedPath bounds what goes on record of a request's path.
const maxRecordedPath = 1 << 10

// recordRequest makes what became of a request durable.
func (g *Gate) recordRequest(ctx context.Context, req Request, j judgement, e egress.Event) error {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	q := e.Request
	rec := audit.Record{Event: audit.EventEgress, Decision: j.answer.ID, Caller: g.caller(req), Cell: cellRecord(j.answer.Cell)}
	rec.Egress = &audit.Egress{
		Number: q.Nth, Rule: q.Rule, Method: q.Method, Scheme: q.Scheme, Host: q.Host, Port: q.Port,
		Path: cut(q.Path, maxRecordedPath), Status: e.Status, Allowed: e.Allowed, Reason: e.Reason, Secrets: e.Secrets,
		Policy: e.Verdict.Rules, Answer: e.Verdict.Answer,
	}
	if q.Query != "" {
		rec.Egress.Query = g.keyed(q.Query)
	}
	if e.Ended {
		rec.Event = audit.EventEgressEnd
		rec.Egress.Allowed = true
		rec.Egress.SentBytes, rec.Egress.ReceivedBytes = e.Sent, e.Received
		rec.Egress.Micros, rec.Egress.Address, rec.Egress.Error = e.Took.Microseconds(), e.Address, e.Failure
	}
	rec, err := g.opts.Log.Append(ctx, rec)
	if err == nil && g.opts.Requested != nil {
		g.opts.Requested(rec)
	}
	return err
}

// keyed is a hash that only this process can compute: a plain one of a short
// text can be guessed.
func (g *Gate) keyed(text string) string {
	h := hmac.New(sha256.New, g.key[:])
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// cut is the beginning of a text, and how much is missing.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "… " + strconv.Itoa(len(text)-end) + " bytes more"
}
