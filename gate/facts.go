package gate

import (
	"context"

	"sallyport/analyze"
	"sallyport/policy"
)

// Facts returns what rules see of a request's source, as input.source. Nothing
// is judged and nothing recorded: it is for tools that show or test policies.
// The error wraps *analyze.Refusal for a source that has no single reading.
func Facts(ctx context.Context, a *analyze.Analyzer, req Request) (policy.Source, error) {
	_, facts, err := facts(ctx, a, req)
	if err != nil {
		return policy.Source{}, err
	}
	return source(facts), nil
}

// Input returns the whole document that rules see for a request. As with
// Facts, nothing is judged or recorded.
func (g *Gate) Input(ctx context.Context, req Request) (policy.Input, error) {
	req, err := g.identified(req)
	if err != nil {
		return policy.Input{}, err
	}
	_, facts, err := facts(ctx, g.opts.Analyzer, req)
	if err != nil {
		return policy.Input{}, err
	}
	return g.input(req, facts), nil
}

// Explained is how rules saw a program. Notebook is as in an Answer.
type Explained struct {
	policy.Explanation
	Notebook []string `json:"-"`
}

// Explain judges a request and says of each rule how far it came, with what the
// evaluation did where trace is asked for. As with Facts, nothing is recorded.
func Explain(ctx context.Context, g *Gate, req Request, trace bool) (Explained, error) {
	req, err := g.identified(req)
	if err != nil {
		return Explained{}, err
	}
	src, facts, err := facts(ctx, g.opts.Analyzer, req)
	if err != nil {
		return Explained{}, err
	}
	e := Explained{g.opts.Policy.Explain(ctx, g.input(req, facts), trace), src.Written()}
	locate(src, e.Decision.Findings)
	for _, r := range e.Rules {
		locate(src, r.Findings)
	}
	return e, nil
}

// facts makes a request's source canonical and reads it.
func facts(ctx context.Context, a *analyze.Analyzer, req Request) (analyze.Source, analyze.Facts, error) {
	src, err := a.Canonical(req.Language, req.Goal, req.Source)
	if err != nil {
		return src, analyze.Facts{}, err
	}
	f, err := a.Facts(ctx, src)
	return src, f, err
}
