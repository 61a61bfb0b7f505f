package answer

import (
	"slices"

	"sallyport/policy"
)

// Spot is what the rules found at one place of a program: the first finding, and
// the other rules that found something there. To mend it is one thing to do.
type Spot struct {
	policy.Finding
	Also []string
}

// Spots gathers the findings with one of these actions, or all, by place, in their
// order: those that stop a program come first. What has no place stands for itself.
func Spots(all []policy.Finding, actions ...policy.Action) []Spot {
	type place struct{ cell, line, column int }
	var out []Spot
	at := map[place]int{}
	for _, f := range all {
		if len(actions) > 0 && !slices.Contains(actions, f.Action) {
			continue
		}
		p := place{f.Cell, f.Span.Line, f.Span.Column}
		n, there := at[p]
		if !there || p.line == 0 {
			at[p] = len(out)
			out = append(out, Spot{Finding: f})
			continue
		}
		if s := &out[n]; f.Rule != s.Rule && !slices.Contains(s.Also, f.Rule) {
			s.Also = append(s.Also, f.Rule)
		}
	}
	return out
}
