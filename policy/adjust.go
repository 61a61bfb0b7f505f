package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sallyport/internal/hint"
)

// Exception lets one rule pass in a narrow case: its findings are logged and
// do not stop the run. Rule, Owner, Reason and Expires are required. Each list
// narrows the case; an empty one does not.
type Exception struct {
	ID           string
	Rule         string
	Owner        string // who answers for it
	Reason       string
	Expires      time.Time // from then on the rule decides again
	Symbols      []string
	SHA256       []string // of sources
	Languages    []string
	Clients      []string
	Users        []string // by the ID of their principal
	Groups       []string
	Environments []string
}

// check refuses an exception that nobody could answer for.
func (x Exception) check(rules map[string]RuleInfo) error {
	for _, f := range []struct{ name, value string }{
		{"an id", x.ID}, {"a rule", x.Rule}, {"an owner", x.Owner}, {"a reason", x.Reason},
	} {
		if strings.TrimSpace(f.value) == "" {
			return fmt.Errorf("exception %q needs %s", x.ID, f.name)
		}
	}
	if x.Expires.IsZero() {
		return fmt.Errorf("exception %q needs a date on which it expires", x.ID)
	}
	if _, ok := rules[x.Rule]; !ok {
		return fmt.Errorf("exception %q: %v", x.ID, unknownRule(rules, x.Rule))
	}
	return nil
}

// covers reports whether the exception is about this finding, expired or not.
func (x Exception) covers(in Input, f Finding) bool {
	within := func(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }
	return x.Rule == f.Rule &&
		within(x.Symbols, f.Symbol) &&
		within(x.SHA256, in.Source.SHA256) &&
		within(x.Languages, in.Source.Language) &&
		within(x.Clients, in.Request.Client) &&
		within(x.Users, in.Request.User) &&
		(len(x.Groups) == 0 || slices.ContainsFunc(in.Request.Principal.Groups, func(g string) bool { return slices.Contains(x.Groups, g) })) &&
		within(x.Environments, in.Request.Environment)
}

// settle fixes the action of each rule: what it says itself, at most what its
// pack may do, and what the operator says instead. It returns what the
// operator made less strict.
func settle(rules map[string]RuleInfo, atMost map[string]Action, overrides map[string]Action) ([]string, error) {
	for id, r := range rules {
		r.Effective = r.Action
		if limit, ok := atMost[r.Pack]; ok {
			r.Effective = milder(r.Action, limit)
		}
		rules[id] = r
	}
	var loosened []string
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		action := overrides[id]
		r, ok := rules[id]
		switch {
		case !ok:
			return nil, &OptionError{"overrides", id, unknownRule(rules, id)}
		case !slices.Contains(verbs, action):
			return nil, &OptionError{"overrides", id, fmt.Errorf("rule %q: unknown action %q, want one of %v", id, action, verbs)}
		case strictness(action) < strictness(r.Effective):
			loosened = append(loosened, fmt.Sprintf("rule %s: %s instead of %s", id, action, r.Effective))
		}
		r.Effective = action
		rules[id] = r
	}
	return loosened, nil
}

func unknownRule(rules map[string]RuleInfo, id string) error {
	if best := hint.Nearest(id, slices.Sorted(maps.Keys(rules))); best != "" {
		return fmt.Errorf("unknown rule %q; did you mean %q?", id, best)
	}
	return hint.With(fmt.Errorf("unknown rule %q", id), "sallyport policy list names the rules")
}

// adjust applies overrides and exceptions to what the rules found. It returns
// the ids of the exceptions used.
func (e *Engine) adjust(in Input, findings []Finding) []string {
	var used []string
	for i := range findings {
		f := &findings[i]
		f.Action = e.rules[f.Rule].Effective
		if strictness(f.Action) <= strictness(ActionWarn) {
			continue
		}
		for _, x := range e.exceptions {
			if !x.covers(in, *f) {
				continue
			}
			if !in.Time.Before(x.Expires) {
				f.Message += fmt.Sprintf(" (exception %s expired on %s)", x.ID, x.Expires.Format(time.DateOnly))
				continue
			}
			f.Action, f.Exception = ActionLog, x.ID
			if !slices.Contains(used, x.ID) {
				used = append(used, x.ID)
			}
			break
		}
	}
	slices.Sort(used)
	return used
}
