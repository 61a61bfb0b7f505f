package policy

import "slices"

// Summary says what an Engine decides by; every decision carries the same.
type Summary struct {
	Packs    []string `json:"packs"` // and the operator's policies, by name
	Rules    int      `json:"rules"`
	Digest   string   `json:"policy_digest"`
	Revision string   `json:"policy_revision,omitempty"`
	Loosened []string `json:"loosened"`
}

// Summary describes the engine.
func (e *Engine) Summary() Summary {
	if e == nil {
		return Summary{}
	}
	return Summary{
		Packs: slices.Clone(e.packs), Rules: len(e.rules), Digest: e.digest, Revision: e.revision,
		Loosened: append([]string{}, e.loosened...),
	}
}

// Rule returns a rule by its id. The error of an unknown one has a suggestion.
func (e *Engine) Rule(id string) (RuleInfo, error) {
	if e == nil {
		return RuleInfo{}, ErrNoRules
	}
	r, ok := e.rules[id]
	if !ok {
		return RuleInfo{}, unknownRule(e.rules, id)
	}
	return r, nil
}
