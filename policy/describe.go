package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// RuleInfo is what a rule says about itself in its METADATA.
type RuleInfo struct {
	ID          string   `json:"id"`
	Pack        string   `json:"pack"` // NAME of its package sallyport.rules.NAME
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Severity    string   `json:"severity"`
	Action      Action   `json:"action"`
	Effective   Action   `json:"effective"` // what it does here, after pack and overrides
	Capability  string   `json:"capability,omitempty"`
	CWE         string   `json:"cwe,omitempty"`
	Controls    []string `json:"controls,omitempty"`
	Remediation string   `json:"remediation,omitempty"`
	File        string   `json:"file"`
	Line        int      `json:"line"`
}

// verbs are the sets that rules add to, by the action that each stands for.
var verbs = []Action{ActionDeny, ActionAsk, ActionWarn, ActionLog}

// describe collects the rules and refuses one that does not say who it is: a
// denial must be traceable to a rule with a name.
func describe(c *ast.Compiler, l *loaded) (map[string]RuleInfo, error) {
	rules := map[string]RuleInfo{}
	for _, name := range slices.Sorted(maps.Keys(l.modules)) {
		m := l.modules[name] // as it was written; the compiler has a copy
		pack, ok := rulesPackage(m)
		if !ok {
			continue
		}
		for _, r := range m.Rules {
			action, ok := verbOf(r)
			if !ok {
				if err := checkVerb(r); err != nil {
					return nil, err
				}
				continue
			}
			info, err := ruleInfo(r, pack, action)
			if err != nil {
				return nil, err
			}
			if err := checkShape(c, r, info); err != nil {
				return nil, err
			}
			other, ok := rules[info.ID]
			if ok && (other.File != info.File || other.Action != info.Action) {
				return nil, issueAt(r.Loc(), "give each rule an id of its own", "rule id %q is also used in %s:%d", info.ID, other.File, other.Line)
			}
			if !ok {
				rules[info.ID] = info
			}
		}
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%w: %s has no deny, ask, warn or log rule in a package sallyport.rules.NAME", ErrNoRules, strings.Join(l.packs, ", "))
	}
	return rules, nil
}

// rulesPackage returns NAME of a module in package sallyport.rules.NAME.
func rulesPackage(m *ast.Module) (string, bool) {
	p := m.Package.Path // data.sallyport.rules.NAME
	if len(p) != 4 || !p[1].Equal(ast.InternedTerm("sallyport")) || !p[2].Equal(ast.InternedTerm("rules")) {
		return "", false
	}
	name, ok := p[3].Value.(ast.String)
	return string(name), ok
}

// verbOf returns which set a rule adds to, if it is one of the verbs.
func verbOf(r *ast.Rule) (Action, bool) {
	name, ok := r.Head.Ref()[0].Value.(ast.Var)
	return Action(name), ok && slices.Contains(verbs, Action(name))
}

// Rules returns the rules in force, by id.
func (e *Engine) Rules() []RuleInfo {
	if e == nil {
		return nil
	}
	out := make([]RuleInfo, 0, len(e.rules))
	for _, id := range slices.Sorted(maps.Keys(e.rules)) {
		out = append(out, e.rules[id])
	}
	return out
}

// ruleInfo reads the METADATA of a rule.
func ruleInfo(r *ast.Rule, pack string, action Action) (RuleInfo, error) {
	loc := r.Loc()
	info := RuleInfo{Pack: pack, Action: action, Severity: "medium", File: loc.File, Line: loc.Row}
	if r.Head.Key == nil || len(r.Head.Ref()) != 1 {
		return RuleInfo{}, issueAt(loc, fmt.Sprintf(`write: %s contains {"rule": …, "message": …} if { … }`, action), "%s must be a set of objects", action)
	}
	for _, a := range r.Annotations {
		info.Title, info.Description = a.Title, strings.TrimSpace(a.Description)
		for key, value := range a.Custom {
			if err := info.set(key, value); err != nil {
				return RuleInfo{}, issueAt(a.Loc(), "", "METADATA: %v", err)
			}
		}
	}
	if info.ID == "" || info.Title == "" {
		return RuleInfo{}, issueAt(loc, `put "# METADATA", "# title: …" and "# custom:", "#   id: …" above it`, "a %s rule needs METADATA with a title and custom.id", action)
	}
	return info, nil
}

// set takes one key of the custom METADATA.
func (i *RuleInfo) set(key string, value any) error {
	targets := map[string]*string{
		"id": &i.ID, "severity": &i.Severity, "capability": &i.Capability,
		"cwe": &i.CWE, "remediation": &i.Remediation,
	}
	if target, ok := targets[key]; ok {
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("custom.%s must be text", key)
		}
		*target = strings.TrimSpace(text)
		if key == "severity" && !slices.Contains(severities, text) {
			return fmt.Errorf("custom.severity is %q, want one of %s", text, strings.Join(severities, ", "))
		}
		return nil
	}
	if key != "controls" {
		return fmt.Errorf("custom.%s is unknown", key)
	}
	list, _ := value.([]any)
	for _, c := range list {
		text, ok := c.(string)
		if !ok {
			return fmt.Errorf("custom.controls must be a list of texts")
		}
		i.Controls = append(i.Controls, text)
	}
	return nil
}
