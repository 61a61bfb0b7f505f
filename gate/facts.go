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

// facts makes a request's source canonical and reads it.
func facts(ctx context.Context, a *analyze.Analyzer, req Request) (analyze.Source, analyze.Facts, error) {
	src, err := a.Canonical(req.Language, req.Goal, req.Source)
	if err != nil {
		return src, analyze.Facts{}, err
	}
	f, err := a.Facts(ctx, src)
	return src, f, err
}
