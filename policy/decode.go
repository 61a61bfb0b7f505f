package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxFindings bounds what one decision carries into records and answers. The
// effect is that of all findings, and those that decide are kept first.
const maxFindings = 1000

// severities from the least to the most severe.
var severities = []string{"low", "medium", "high", "critical"}

// verdict is what data.sallyport.decision says.
type verdict struct {
	Effect Effect                              `json:"effect"`
	Found  map[Action]map[string][]ruleFinding `json:"found"`
	Limits map[string][]Limits                 `json:"limits"`
}

// ruleFinding is what a rule says; the rest of a Finding comes from its
// METADATA.
type ruleFinding struct {
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Symbol   string `json:"symbol"`
	Severity string `json:"severity"`
	Span     Span   `json:"span"`
}

// decode reads a verdict and refuses whatever it does not know: an unknown
// field may be a misspelt one that was meant to deny.
func decode(value any) (verdict, error) {
	if err := errors.Join(checkFound(value), checkLimits(value)); err != nil {
		return verdict{}, err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return verdict{}, fmt.Errorf("the decision is not plain data: %v", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var v verdict
	if err := d.Decode(&v); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return verdict{}, fmt.Errorf("the decision has another shape than %s: a %s stands in %s", DecisionVersion, kind.Value, kind.Field)
		}
		return verdict{}, fmt.Errorf("the decision has another shape than %s: %v", DecisionVersion, err)
	}
	switch v.Effect {
	case Allow, Ask, Deny:
	default:
		return verdict{}, fmt.Errorf("unknown effect %q", v.Effect)
	}
	if len(v.Found) != len(verbs) {
		return verdict{}, fmt.Errorf("the decision lists the findings of %d actions, want %d", len(v.Found), len(verbs))
	}
	for _, action := range slices.Sorted(maps.Keys(v.Found)) {
		if !slices.Contains(verbs, action) {
			return verdict{}, fmt.Errorf("unknown action %q", action)
		}
	}
	return v, nil
}

// checkFound names the set of rules that holds something else than findings.
func checkFound(value any) error {
	decision, _ := value.(map[string]any)
	found, _ := decision["found"].(map[string]any)
	for _, action := range slices.Sorted(maps.Keys(found)) {
		packs, _ := found[action].(map[string]any)
		for _, pack := range slices.Sorted(maps.Keys(packs)) {
			list, _ := packs[pack].([]any)
			for _, f := range list {
				if _, ok := f.(map[string]any); !ok {
					return fmt.Errorf("sallyport.rules.%s.%s has an element that is no object; each must be {\"rule\": …, \"message\": …}", pack, action)
				}
			}
		}
	}
	return nil
}

// checkLimits names the set of rules that bounds a run by nothing: what is left of a
// budget may be less than there is, and is no reason to run without a bound.
func checkLimits(value any) error {
	decision, _ := value.(map[string]any)
	limits, _ := decision["limits"].(map[string]any)
	for _, pack := range slices.Sorted(maps.Keys(limits)) {
		list, _ := limits[pack].([]any)
		for _, l := range list {
			bounds, ok := l.(map[string]any)
			if !ok {
				return fmt.Errorf("sallyport.rules.%s.limits has an element that is no object; each must be {\"wall_ms\": …}", pack)
			}
			for _, name := range slices.Sorted(maps.Keys(bounds)) {
				if n, isNumber := bounds[name].(json.Number); bounds[name] == nil || isNumber && (n == "0" || strings.HasPrefix(n.String(), "-")) {
					return fmt.Errorf("sallyport.rules.%s.limits says that %s is %v; a limit is 1 or more, and one that there is not is left out", pack, name, bounds[name])
				}
			}
		}
	}
	return nil
}

// conclude turns a verdict into a decision. The effect follows from the
// findings, and the policy's own word must agree with them before overrides
// and exceptions have their say.
func (e *Engine) conclude(in Input, v verdict) Decision {
	d := Decision{Version: DecisionVersion, Reason: ReasonPolicy, Limits: e.limits}
	var err error
	if d.Findings, d.Exceptions, err = e.findings(in, aboutPrograms, v); err != nil {
		return denial(ReasonMalformed, err.Error())
	}
	for _, pack := range slices.Sorted(maps.Keys(v.Limits)) {
		for _, l := range v.Limits[pack] {
			d.Limits = d.Limits.Tighten(l)
		}
	}
	d.Effect = effectOf(d.Findings)
	d.Deny, d.Lifted = e.deniedCapabilities(in, d.Findings)
	if more := len(d.Findings) - maxFindings; more > 0 {
		d.Findings = slices.Clip(d.Findings[:maxFindings])
		d.Detail = fmt.Sprintf("%d further findings are left out", more)
	}
	d.judged = judged{effect: d.Effect, sha256: in.Source.SHA256}
	return d
}

// findings are those of a verdict, after overrides and exceptions, in order,
// and the exceptions that were used.
func (e *Engine) findings(in Input, about subject, v verdict) (all []Finding, exceptions []string, err error) {
	all = []Finding{}
	for _, action := range verbs {
		for _, pack := range slices.Sorted(maps.Keys(v.Found[action])) {
			for _, rf := range v.Found[action][pack] {
				f, err := e.finding(in.Source, about, pack, action, rf)
				if err != nil {
					return nil, nil, err
				}
				all = append(all, f)
			}
		}
	}
	if effect := effectOf(all); effect != v.Effect {
		return nil, nil, fmt.Errorf("the policy says %q, its findings say %q", v.Effect, effect)
	}
	exceptions = e.adjust(in, all)
	slices.SortStableFunc(all, compareFindings)
	return all, exceptions, nil
}

// finding completes what a rule said with what its METADATA says.
func (e *Engine) finding(src Source, about subject, pack string, action Action, rf ruleFinding) (Finding, error) {
	info, ok := e.rules[rf.Rule]
	switch {
	case !ok || info.About != about || info.Pack != pack || info.Action != action:
		return Finding{}, fmt.Errorf("sallyport.%s.%s.%s: no rule with METADATA has the id %q", about.folder(), pack, action, rf.Rule)
	case rf.Message == "":
		return Finding{}, fmt.Errorf("rule %q gave a finding without a message", rf.Rule)
	case rf.Severity == "":
		rf.Severity = info.Severity
	case !slices.Contains(severities, rf.Severity):
		return Finding{}, fmt.Errorf("rule %q gave the unknown severity %q", rf.Rule, rf.Severity)
	}
	if rf.Span == (Span{}) && rf.Symbol != "" {
		rf.Span = src.where(rf.Symbol)
	}
	return Finding{
		Rule: info.ID, Title: info.Title, Message: rf.Message, Severity: rf.Severity, Action: action,
		Span: rf.Span, Symbol: rf.Symbol, Capability: info.Capability, CWE: info.CWE,
		Controls: info.Controls, Remediation: info.Remediation,
	}, nil
}

// where returns the first place where a symbol, module or attribute stands.
func (s Source) where(symbol string) Span {
	if uses := s.Uses[symbol]; len(uses) > 0 {
		return uses[0].Span
	}
	if spans := s.ImportSpans[symbol]; len(spans) > 0 {
		return spans[0]
	}
	return s.AttrSpans[strings.TrimPrefix(symbol, ".")]
}

// effectOf is the strictest effect that any finding asks for.
func effectOf(findings []Finding) Effect {
	effect := Allow
	for _, f := range findings {
		switch f.Action {
		case ActionDeny:
			return Deny
		case ActionAsk:
			effect = Ask
		case ActionWarn, ActionLog:
		default:
			return Deny
		}
	}
	return effect
}

// deniedCapabilities are those whose rules deny: what such a rule did not see
// must be impossible all the same. What an exception let pass is needed at run
// time: those capabilities are lifted, for the symbols that it let pass.
func (e *Engine) deniedCapabilities(in Input, findings []Finding) (deny []string, lifted map[string][]string) {
	denied := map[string]bool{}
	for _, r := range e.rules {
		if r.Unless == unlessEgress && in.Sandbox.Egress != nil {
			continue
		}
		if r.Capability != "" && r.Effective == ActionDeny {
			denied[r.Capability] = true
		}
	}
	for _, f := range findings {
		if f.Action != ActionDeny && e.rules[f.Rule].Effective == ActionDeny {
			delete(denied, f.Capability)
			if lifted == nil {
				lifted = map[string][]string{}
			}
			if !slices.Contains(lifted[f.Capability], f.Symbol) {
				lifted[f.Capability] = append(lifted[f.Capability], f.Symbol)
			}
		}
	}
	for _, symbols := range lifted {
		slices.Sort(symbols)
	}
	return append([]string{}, slices.Sorted(maps.Keys(denied))...), lifted
}

// compareFindings orders by action, then by place, then by rule.
func compareFindings(a, b Finding) int {
	for _, c := range []int{
		slices.Index(verbs, a.Action) - slices.Index(verbs, b.Action),
		a.Span.Line - b.Span.Line,
		a.Span.Column - b.Span.Column,
	} {
		if c != 0 {
			return c
		}
	}
	if c := strings.Compare(a.Rule, b.Rule); c != 0 {
		return c
	}
	if c := strings.Compare(a.Symbol, b.Symbol); c != 0 {
		return c
	}
	return strings.Compare(a.Message, b.Message)
}
