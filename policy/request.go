package policy

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/util"
)

// EgressVersion names the shape of what rules about requests see.
const EgressVersion = "egress/v1"

// Requested is one request of a running program, in the form in which package
// egress judges it.
type Requested struct {
	Rule, Scheme, Method, Host string
	Port                       int
	Path, Query                string
	Headers                    []string // names
	Length, Nth, BytesSent     int64
}

// RequestDecision is what the policy says about one request. The zero value
// denies.
type RequestDecision struct {
	Effect   Effect    `json:"effect"`
	Reason   Reason    `json:"reason"`
	Detail   string    `json:"detail,omitempty"`
	Findings []Finding `json:"findings"`
}

// Requests judges the requests of one run. It is safe for concurrent use; a nil
// one denies everything.
type Requests struct {
	engine   *Engine
	in       Input
	decision Decision

	document func() map[string]*ast.Term // what all requests of the run have in common
}

// Requests returns the judge of a run's requests, or nil when there is no rule
// about requests: then those that the operator's egress rules allow are allowed.
// The input and the decision are those of the program.
func (e *Engine) Requests(in Input, d Decision) *Requests {
	if e == nil || e.requests == nil {
		return nil
	}
	r := &Requests{engine: e, in: in, decision: d}
	r.document = sync.OnceValue(r.build)
	return r
}

// build makes the part of the input that stays the same, once and for
// evaluations that go on at the same time.
func (r *Requests) build() map[string]*ast.Term {
	terms := map[string]*ast.Term{}
	whole(r.engine.inputValue(r.in)).(ast.Object).Foreach(func(key, value *ast.Term) {
		terms[string(key.Value.(ast.String))] = value
	})
	rules := map[string]bool{}
	for _, f := range r.decision.Findings {
		rules[f.Rule] = true
	}
	terms["version"] = ast.StringTerm(EgressVersion)
	terms["decision"] = ast.NewTerm(object(
		"effect", str(string(r.decision.Effect)), "reason", str(string(r.decision.Reason)), "rules", strs(slices.Sorted(maps.Keys(rules))),
	))
	return terms
}

// input is the document that rules see of a request.
func (r *Requests) input(q Requested, now time.Time) ast.Value {
	items := make([][2]*ast.Term, 0, 8)
	for key, term := range r.document() {
		if key != "time" {
			items = append(items, [2]*ast.Term{ast.InternedTerm(key), term})
		}
	}
	return ast.NewObject(append(items,
		[2]*ast.Term{ast.InternedTerm("time"), ast.StringTerm(now.UTC().Format(time.RFC3339Nano))},
		[2]*ast.Term{ast.InternedTerm("egress"), ast.NewTerm(q.value())})...)
}

func (q Requested) value() ast.Value {
	return object(
		"rule", str(q.Rule), "scheme", str(q.Scheme), "method", str(q.Method), "host", str(q.Host), "port", num(int64(q.Port)),
		"path", str(q.Path), "query", str(q.Query), "headers", strs(q.Headers), "length", num(q.Length), "nth", num(q.Nth), "bytes_sent", num(q.BytesSent),
	)
}

// Decide judges a request that the operator's egress rules allow. It never
// fails: what goes wrong becomes a decision that denies and says why.
func (r *Requests) Decide(ctx context.Context, q Requested, now time.Time) (d RequestDecision) {
	if r == nil {
		return refusedRequest(ReasonEmpty, "no rules are loaded")
	}
	if r.decision.Effect != Allow {
		return refusedRequest(ReasonInput, "the program is not allowed, and sends nothing")
	}
	defer func() {
		if p := recover(); p != nil {
			d = refusedRequest(ReasonError, fmt.Sprintf("the policy engine failed: %v", p))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, r.engine.timeout)
	defer cancel()
	if ctx.Err() != nil {
		return refusedRequest(failure(ctx, ctx.Err()))
	}
	rs, err := r.engine.watchdog.eval(ctx, *r.engine.requests, rego.EvalParsedInput(r.input(q, now)), rego.EvalTime(now))
	if errors.Is(err, errHung) {
		return refusedRequest(ReasonTimeout, "the rules took too long and could not be stopped")
	}
	if err != nil {
		return refusedRequest(failure(ctx, err))
	}
	if len(rs) != 1 || len(rs[0].Expressions) != 1 {
		return refusedRequest(ReasonUndefined, "data.sallyport.egress is undefined")
	}
	v, err := decode(rs[0].Expressions[0].Value)
	if err != nil {
		return refusedRequest(ReasonMalformed, err.Error())
	}
	in := r.in
	in.Time = now
	findings, _, err := r.engine.findings(in, aboutRequests, v)
	if err != nil {
		return refusedRequest(ReasonMalformed, err.Error())
	}
	return RequestDecision{Effect: effectOf(findings), Reason: ReasonPolicy, Findings: findings}
}

func refusedRequest(reason Reason, detail string) RequestDecision {
	return RequestDecision{Effect: Deny, Reason: reason, Detail: detail, Findings: []Finding{}}
}

//go:embed schema/egress.v1.json
var egressSchema []byte

// withRequest adds the request to the schema of rules about programs.
func withRequest(schema map[string]any) (map[string]any, error) {
	var own map[string]any
	if err := util.UnmarshalJSON(egressSchema, &own); err != nil {
		return nil, fmt.Errorf("reading the schema of requests: %v", err)
	}
	for _, part := range []string{"properties", "definitions"} {
		mine, _ := own[part].(map[string]any)
		all, _ := schema[part].(map[string]any)
		maps.Copy(all, mine)
	}
	required, _ := schema["required"].([]any)
	more, _ := own["required"].([]any)
	schema["required"] = append(required, more...)
	schema["title"], schema["description"] = own["title"], own["description"]
	return schema, nil
}

// RequestExplanation is a decision about a request with the part that each rule
// about requests had in it.
type RequestExplanation struct {
	Decision RequestDecision   `json:"decision"`
	Rules    []RuleExplanation `json:"rules"` // by id
	Trace    string            `json:"trace,omitempty"`
}

// Explain judges a request as Decide does and says, for each rule about
// requests, how far it came.
func (r *Requests) Explain(ctx context.Context, q Requested, now time.Time, trace bool) RequestExplanation {
	out := RequestExplanation{Decision: r.Decide(ctx, q, now)}
	if r == nil {
		return out
	}
	var stops map[string]stop
	stops, out.Trace = r.engine.follow(ctx, *r.engine.requests, r.input(q, now), now, trace)
	out.Rules = r.engine.outcomes(aboutRequests, out.Decision.Findings, stops)
	return out
}
