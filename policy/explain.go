package policy

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// maxTraceEvents bounds what Explain keeps of a trace.
const maxTraceEvents = 50_000

// Explanation is a decision with the part that each rule had in it.
type Explanation struct {
	Decision Decision          `json:"decision"`
	Rules    []RuleExplanation `json:"rules"` // by id
	Trace    string            `json:"trace,omitempty"`
}

// Outcome says how far a rule came.
type Outcome string

const (
	OutcomeFired  Outcome = "fired"
	OutcomeAlmost Outcome = "almost" // its first conditions held, a later one did not
	OutcomeSilent Outcome = "silent"
)

// RuleExplanation is one rule and how far it came. File, Line and Condition
// name the condition that an almost fired rule stopped at.
type RuleExplanation struct {
	RuleInfo
	Outcome   Outcome   `json:"outcome"`
	Findings  []Finding `json:"findings,omitempty"`
	Condition string    `json:"condition,omitempty"`
	StopFile  string    `json:"stop_file,omitempty"`
	StopLine  int       `json:"stop_line,omitempty"`
}

// Explain judges an input as Decide does and says, for each rule, whether it
// fired or which of its conditions did not hold. With trace it adds what the
// evaluation did, step by step.
func (e *Engine) Explain(ctx context.Context, in Input, trace bool) Explanation {
	out := Explanation{Decision: e.Decide(ctx, in)}
	if e == nil || len(e.rules) == 0 || checkInput(in) != "" {
		return out
	}
	var stops map[string]stop
	stops, out.Trace = e.follow(ctx, e.query, e.inputValue(in), in.Time, trace)
	out.Rules = e.outcomes(aboutPrograms, out.Decision.Findings, stops)
	return out
}

// follow evaluates once more, watched: where each rule came to a stop and, on
// demand, all steps.
func (e *Engine) follow(ctx context.Context, query rego.PreparedEvalQuery, input ast.Value, now time.Time, trace bool) (map[string]stop, string) {
	follow := &follower{stops: map[string]stop{}, rules: map[uint64]*ast.Rule{}}
	opts := []rego.EvalOption{
		rego.EvalParsedInput(input), rego.EvalTime(now),
		rego.EvalRuleIndexing(false), rego.EvalQueryTracer(follow),
	}
	buffer := &boundedTrace{}
	if trace {
		opts = append(opts, rego.EvalQueryTracer(buffer))
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	// An evaluation that fails has failed in Decide too, and stands there.
	_, _ = e.watchdog.eval(ctx, query, opts...)
	if !trace {
		return follow.stops, ""
	}
	var text bytes.Buffer
	topdown.PrettyTraceWithLocation(&text, buffer.events)
	return follow.stops, text.String()
}

func (e *Engine) outcomes(about subject, findings []Finding, stops map[string]stop) []RuleExplanation {
	var out []RuleExplanation
	for _, id := range slices.Sorted(maps.Keys(e.rules)) {
		if e.rules[id].About != about {
			continue
		}
		r := RuleExplanation{RuleInfo: e.rules[id], Outcome: OutcomeSilent}
		for _, f := range findings {
			if f.Rule == id {
				r.Findings, r.Outcome = append(r.Findings, f), OutcomeFired
			}
		}
		if s, ok := stops[place(r.File, r.Line)]; ok && r.Outcome != OutcomeFired {
			r.Outcome = OutcomeAlmost
			r.Condition, r.StopFile, r.StopLine = s.condition, s.file, s.line
		}
		out = append(out, r)
	}
	return out
}

// stop is the last condition that a rule came to.
type stop struct {
	index     int
	condition string
	file      string
	line      int
}

// follower notes, for each rule, how far its body was evaluated.
type follower struct {
	rules map[uint64]*ast.Rule // by query
	stops map[string]stop      // by place of the rule
}

func (f *follower) Enabled() bool { return true }

func (f *follower) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (f *follower) TraceEvent(ev topdown.Event) {
	if rule, ok := ev.Node.(*ast.Rule); ok && ev.Op == topdown.EnterOp {
		f.rules[ev.QueryID] = rule
		return
	}
	expr, ok := ev.Node.(*ast.Expr)
	rule := f.rules[ev.QueryID]
	if !ok || rule == nil || ev.Op != topdown.FailOp || expr.Index == 0 || expr.Location == nil {
		return
	}
	at := place(rule.Loc().File, rule.Loc().Row)
	if old, ok := f.stops[at]; ok && old.index >= expr.Index {
		return
	}
	f.stops[at] = stop{
		index: expr.Index, condition: strings.TrimSpace(string(expr.Location.Text)),
		file: expr.Location.File, line: expr.Location.Row,
	}
}

func place(file string, line int) string { return Issue{File: file, Line: line}.String() }

// boundedTrace keeps the first events of an evaluation.
type boundedTrace struct{ events []*topdown.Event }

func (b *boundedTrace) Enabled() bool { return len(b.events) < maxTraceEvents }

func (b *boundedTrace) Config() topdown.TraceConfig { return topdown.TraceConfig{PlugLocalVars: true} }

func (b *boundedTrace) TraceEvent(ev topdown.Event) {
	if b.Enabled() {
		b.events = append(b.events, &ev)
	}
}
