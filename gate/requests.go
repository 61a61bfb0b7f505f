package gate

import (
	"context"
	"slices"
	"sync"

	"sallyport/egress"
	"sallyport/policy"
)

// requestJudge judges the requests of one run that the environment's rules
// allow, by the operator's rules about requests.
type requestJudge struct {
	gate  *Gate
	ctx   context.Context // of the run: who can be asked hangs on it
	rules *policy.Requests
	about Answer

	mu      sync.Mutex        // a person is asked one thing at a time
	refused map[string]string // what came of asking about a rule that nobody approved
}

// requestJudge returns the judge of a run's requests, nil when no rule is about
// them.
func (g *Gate) requestJudge(ctx context.Context, req Request, j judgement) func(context.Context, egress.Request) (egress.Verdict, error) {
	rules := g.opts.Policy.Requests(g.input(req, j.facts), j.answer.Decision)
	if rules == nil {
		return nil
	}
	return (&requestJudge{gate: g, ctx: ctx, rules: rules, about: j.answer, refused: map[string]string{}}).judge
}

func (r *requestJudge) judge(ctx context.Context, q egress.Request) (egress.Verdict, error) {
	d := r.rules.Decide(ctx, Requested(q), r.gate.opts.Now())
	v := egress.Verdict{Allow: d.Effect == policy.Allow, Rules: said(d.Findings)}
	switch {
	case v.Allow:
	case d.Effect == policy.Ask:
		v.Answer = r.ask(ctx, q, d)
		v.Allow = v.Answer == accepted
		v.Reason = "rule " + deciding(d) + ": nobody approved it"
	case d.Reason == policy.ReasonPolicy:
		v.Reason = "rule " + deciding(d)
	default:
		v.Reason = "the policy failed: " + string(d.Reason)
	}
	if v.Allow {
		v.Reason = ""
	}
	return v, nil
}

// Requested is a request as rules see it.
func Requested(q egress.Request) policy.Requested {
	return policy.Requested{
		Rule: q.Rule, Scheme: q.Scheme, Method: q.Method, Host: q.Host, Port: q.Port, Path: q.Path, Query: q.Query,
		Headers: q.Headers, Length: q.Length, Nth: q.Nth, BytesSent: q.BytesSent,
	}
}

// said names the rules that found something, and what they ask for.
func said(findings []policy.Finding) (all []string) {
	for _, f := range findings {
		if text := string(f.Action) + " " + f.Rule; !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// deciding is the rule that decided, in words that are its author's and hold
// nothing of the program's.
func deciding(d policy.RequestDecision) string {
	f := d.Findings[0]
	return f.Rule + ", " + f.Title
}

// accepted is the answer of a person who approves.
const accepted = "accepted"

// ask has a person decide about one request. A rule to which they said no is
// not asked about again in this run.
func (r *requestJudge) ask(ctx context.Context, q egress.Request, d policy.RequestDecision) string {
	if r.gate.opts.Approve == nil {
		return "unsupported"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range d.Findings {
		if answer := r.refused[f.Rule]; f.Action == policy.ActionAsk && answer != "" {
			return answer
		}
	}
	asking, cancel := context.WithCancel(r.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	a := r.about
	a.Request = q.Method + " " + q.URL()
	a.Decision = policy.Decision{Version: policy.DecisionVersion, Effect: policy.Ask, Reason: policy.ReasonPolicy, Findings: d.Findings}
	var ap Approval
	err := guard("asking", func() (err error) {
		ap, err = r.gate.opts.Approve(asking, Question{Answer: a})
		return err
	})
	switch {
	case err != nil:
		ap = Approval{Answer: "failed"}
	case ap.Yes:
		return accepted
	}
	if ap.Answer == accepted || ap.Answer == "" {
		ap.Answer = "declined"
	}
	for _, f := range d.Findings {
		if f.Action == policy.ActionAsk {
			r.refused[f.Rule] = ap.Answer
		}
	}
	return ap.Answer
}

// RequestAnswer is what would become of a request of a program.
type RequestAnswer struct {
	Request egress.Request `json:"request"`
	Refused string         `json:"refused,omitempty"` // why no rule of egress.allow lets it through
	policy.RequestExplanation
}

// ParseRequest reads a request as people write one: METHOD URL.
func ParseRequest(text string) (egress.Request, error) { return egress.Parse(text) }

// ExplainRequest judges a request as if a program sent it, for tools that show
// or test policies: by the environment's rules and by those in Rego. Nothing is
// sent or recorded.
func (g *Gate) ExplainRequest(ctx context.Context, req Request, q egress.Request, trace bool) (RequestAnswer, error) {
	in, err := g.Input(ctx, req)
	if err != nil {
		return RequestAnswer{}, err
	}
	a := RequestAnswer{Request: q}
	a.Request.Rule, a.Refused = egress.Find(g.opts.Environments[in.Request.Environment].Rules, q)
	d := g.opts.Policy.Decide(ctx, in)
	if d.Effect == policy.Ask {
		d = d.Approve(true)
	}
	if rules := g.opts.Policy.Requests(in, d); rules != nil {
		a.RequestExplanation = rules.Explain(ctx, Requested(a.Request), g.opts.Now(), trace)
	} else {
		a.Decision = policy.RequestDecision{Effect: d.Effect, Reason: d.Reason, Findings: []policy.Finding{}}
	}
	return a, nil
}
