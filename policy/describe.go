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
	Pack        string   `json:"pack"` // NAME of its package sallyport.rules.NAME or sallyport.requests.NAME
	About       subject  `json:"about,omitempty"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Severity    string   `json:"severity"`
	Action      Action   `json:"action"`
	Effective   Action   `json:"effective"` // what it does here, after pack and overrides
	Capability  string   `json:"capability,omitempty"`
	Unless      string   `json:"unless,omitempty"` // "egress": where requests are judged one by one, the capability is there at run time
	CWE         string   `json:"cwe,omitempty"`
	Controls    []string `json:"controls,omitempty"`
	Remediation string   `json:"remediation,omitempty"`
	File        string   `json:"file"`
	Line        int      `json:"line"`
}

// unlessEgress is of a rule about the network whose conditions look at
// input.sandbox.egress: it denies the capability where there is none.
const unlessEgress = "egress"

// verbs are the sets that rules add to, by the action that each stands for.
var verbs = []Action{ActionDeny, ActionAsk, ActionWarn, ActionLog}

// describe collects the rules and refuses one that does not say who it is: a
// denial must be traceable to a rule with a name.
func describe(compilers map[subject]*ast.Compiler, l *loaded) (map[string]RuleInfo, error) {
	rules := map[string]RuleInfo{}
	for _, name := range slices.Sorted(maps.Keys(l.modules)) {
		m := l.modules[name] // as it was written; the compiler has a copy
		pack, about, ok := rulesPackage(m)
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
			info, err := ruleInfo(r, pack, about, action)
			if err != nil {
				return nil, err
			}
			if err := checkShape(compilers[about], r, info); err != nil {
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

// subject is what a rule is about.
type subject string

const (
	aboutPrograms subject = ""        // package sallyport.rules.NAME
	aboutRequests subject = "request" // package sallyport.requests.NAME
)

func (s subject) folder() string {
	if s == aboutRequests {
		return "requests"
	}
	return "rules"
}

// rulesPackage returns NAME of a module in package sallyport.rules.NAME or
// sallyport.requests.NAME, and what its rules are about.
func rulesPackage(m *ast.Module) (string, subject, bool) {
	p := m.Package.Path // data.sallyport.rules.NAME
	if len(p) != 4 || !p[1].Equal(ast.InternedTerm("sallyport")) {
		return "", "", false
	}
	for _, about := range []subject{aboutPrograms, aboutRequests} {
		if p[2].Equal(ast.InternedTerm(about.folder())) {
			name, ok := p[3].Value.(ast.String)
			return string(name), about, ok
		}
	}
	return "", "", false
}

// modulesAbout are the modules that are compiled for programs, or for requests.
// What belongs to neither, such as a library, is compiled for both, unless it
// speaks of requests: those have all that programs have, and more.
func modulesAbout(about subject, modules map[string]*ast.Module) map[string]*ast.Module {
	out := map[string]*ast.Module{}
	for name, m := range modules {
		switch _, of, isRules := rulesPackage(m); {
		case m.Package.Path.HasPrefix(requestsRef), name == egressModuleName:
			of = aboutRequests
			fallthrough
		case isRules, m.Package.Path.HasPrefix(sallyportRef):
			if of == about {
				out[name] = m
			}
		case about == aboutRequests || !speaksOfRequests(m):
			out[name] = m
		}
	}
	return out
}

var (
	sallyportRef = ast.MustParseRef("data.sallyport")
	requestsRef  = ast.MustParseRef("data.sallyport.requests")
	ofRequests   = []ast.Ref{requestsRef, ast.MustParseRef("data.sallyport.egress"), ast.MustParseRef("input.egress"), ast.MustParseRef("input.decision")}
)

func speaksOfRequests(m *ast.Module) (does bool) {
	ast.WalkRefs(m, func(r ast.Ref) bool {
		for _, prefix := range ofRequests {
			does = does || r.HasPrefix(prefix)
		}
		return does
	})
	return does
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
func ruleInfo(r *ast.Rule, pack string, about subject, action Action) (RuleInfo, error) {
	loc := r.Loc()
	info := RuleInfo{Pack: pack, About: about, Action: action, Severity: "medium", File: loc.File, Line: loc.Row}
	if r.Head.Key == nil || len(r.Head.Ref()) != 1 {
		return RuleInfo{}, issueAt(loc, fmt.Sprintf(`write: %s contains {"rule": …, "message": …} if { … }`, action), "%s must be a set of objects", action)
	}
	for _, a := range r.Annotations {
		info.Title, info.Description = a.Title, strings.TrimSpace(a.Description)
		for _, key := range slices.Sorted(maps.Keys(a.Custom)) {
			if err := info.set(key, a.Custom[key]); err != nil {
				return RuleInfo{}, issueAt(a.Loc(), "", "METADATA: %v", err)
			}
		}
	}
	if info.ID == "" || info.Title == "" {
		return RuleInfo{}, issueAt(loc, `put "# METADATA", "# title: …" and "# custom:", "#   id: …" above it`, "a %s rule needs METADATA with a title and custom.id", action)
	}
	if about == aboutRequests && (info.Capability != "" || info.Unless != "") {
		return RuleInfo{}, issueAt(loc, "leave it out: what a program is able to do is for rules in package sallyport.rules."+pack, "a rule about requests has no capability")
	}
	return info, nil
}

// set takes one key of the custom METADATA.
func (i *RuleInfo) set(key string, value any) error {
	targets := map[string]*string{
		"id": &i.ID, "severity": &i.Severity, "capability": &i.Capability, "unless": &i.Unless,
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
		if key == "unless" && text != unlessEgress {
			return fmt.Errorf("custom.unless is %q, want %q", text, unlessEgress)
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
