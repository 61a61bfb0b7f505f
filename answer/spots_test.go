package answer

import (
	"fmt"
	"slices"
	"testing"

	"sallyport/policy"
)

// TestSpots: one spot a place, by what stops the program first; other rules there
// are named once. Nothing without a place is put together, and nothing of two cells.
func TestSpots(t *testing.T) {
	at := func(action policy.Action, rule string, cell, line, column int) policy.Finding {
		return policy.Finding{Action: action, Rule: rule, Cell: cell, Span: policy.Span{Line: line, Column: column}}
	}
	all := []policy.Finding{
		at(policy.ActionDeny, "unreadable", 0, 0, 0),
		at(policy.ActionDeny, "too long", 0, 0, 0),
		at(policy.ActionDeny, "process", 0, 2, 1),
		at(policy.ActionDeny, "process", 0, 2, 1),
		at(policy.ActionDeny, "strict", 0, 2, 1),
		at(policy.ActionDeny, "strict", 0, 2, 1),
		at(policy.ActionDeny, "process", 1, 2, 1),
		at(policy.ActionDeny, "process", 0, 2, 7),
		at(policy.ActionWarn, "unknown", 0, 2, 1),
		at(policy.ActionWarn, "unknown", 0, 3, 1),
		at(policy.ActionLog, "seen", 0, 2, 1),
	}
	if last := Spots(all); len(last) != 6 || !slices.Equal(last[2].Also, []string{"strict", "unknown", "seen"}) {
		t.Errorf("of all: %+v", last)
	}
	var got []string
	for _, s := range Spots(all, policy.ActionDeny, policy.ActionWarn) {
		got = append(got, fmt.Sprintf("%s #%d:%d:%d %v", s.Rule, s.Cell, s.Span.Line, s.Span.Column, s.Also))
	}
	want := []string{
		"unreadable #0:0:0 []", "too long #0:0:0 []", "process #0:2:1 [strict unknown]", "process #1:2:1 []", "process #0:2:7 []", "unknown #0:3:1 []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
