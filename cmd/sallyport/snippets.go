package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"sallyport/gate"
	"sallyport/policy"
)

// label says what should become of a snippet: its effect, and rules that must
// be among those that say so.
type label struct {
	Effect policy.Effect `json:"effect"`
	Action policy.Action `json:"action"` // of the rules
	Rules  []string      `json:"rules"`
}

func (l label) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", l.Action, strings.Join(l.Rules, " ")))
}

// snippetResult is the outcome of one labelled snippet.
type snippetResult struct {
	Name   string        `json:"name"`
	Want   label         `json:"want"`
	Got    policy.Effect `json:"got"`
	Passed bool          `json:"passed"`
	Detail string        `json:"detail,omitempty"`
}

var expectLine = regexp.MustCompile(`^(?:#|//) expect: (.*)$`)

// labelOf reads the label of a snippet: its first line, "# expect: deny RULE…"
// or "// expect: …", or else the name of a directory above it: allow, deny, ask
// or warn. It is for tests alone; comments decide nothing about a program.
func labelOf(name, source string) (label, bool, error) {
	first, _, _ := strings.Cut(source, "\n")
	if m := expectLine.FindStringSubmatch(strings.TrimRight(first, "\r")); m != nil {
		words := strings.Fields(m[1])
		if len(words) == 0 {
			return label{}, false, fmt.Errorf("an empty expect line; write for instance: expect: deny RULE")
		}
		l, ok := labelFor(words[0])
		if !ok {
			return label{}, false, fmt.Errorf("expect: %q is not one of allow, deny, ask, warn, log", words[0])
		}
		l.Rules = words[1:]
		return l, true, nil
	}
	dirs := strings.Split(filepath.ToSlash(filepath.Dir(name)), "/")
	for _, d := range slices.Backward(dirs) {
		if l, ok := labelFor(d); ok {
			return l, true, nil
		}
	}
	return label{}, false, nil
}

func labelFor(word string) (label, bool) {
	l := label{Action: policy.Action(word), Rules: []string{}}
	switch word {
	case "deny":
		l.Effect = policy.Deny
	case "ask":
		l.Effect = policy.Ask
	case "allow", "warn", "log":
		l.Effect = policy.Allow
	default:
		return label{}, false
	}
	return l, true
}

// judgeSnippets judges every labelled program below the paths, and counts those
// without a label, which nobody can say anything about.
func (a *app) judgeSnippets(ctx context.Context, g *gate.Gate, paths []string) (out []snippetResult, unlabeled int, err error) {
	out = []snippetResult{}
	found, err := collect(ctx, paths, "")
	if err != nil {
		return out, 0, nil // no program at all: nothing to judge
	}
	type judged struct {
		result  snippetResult
		labeled bool
		err     error
	}
	judge := func(ctx context.Context, t target) judged {
		c := a.judgeTarget(ctx, g, t, "")
		if c.err != nil {
			return judged{err: c.err}
		}
		want, labeled, err := labelOf(c.name, c.source)
		if err != nil {
			return judged{err: usagef("%s: %v", c.name, err)}
		}
		return judged{result: compareSnippet(c.name, want, c.answer.Decision), labeled: labeled}
	}
	err = inOrder(ctx, found.list, runtime.GOMAXPROCS(0), judge, func(j judged) error {
		switch {
		case j.err != nil:
		case j.labeled:
			out = append(out, j.result)
		default:
			unlabeled++
		}
		return j.err
	})
	return out, unlabeled, err
}

func compareSnippet(name string, want label, d policy.Decision) snippetResult {
	r := snippetResult{Name: name, Want: want, Got: d.Effect, Passed: true}
	var found []string
	for _, f := range reasons(d) {
		found = append(found, string(f.Action)+" "+f.Rule)
	}
	complain := func(format string, args ...any) {
		r.Passed, r.Detail = false, fmt.Sprintf(format, args...)
	}
	if d.Effect != want.Effect {
		complain("want %s, got %s", want, d.Effect)
		if len(found) > 0 {
			r.Detail += ": " + strings.Join(slices.Compact(found), ", ")
		}
		return r
	}
	for _, rule := range want.Rules {
		if !slices.Contains(found, string(want.Action)+" "+rule) {
			complain("want %s, but rule %s does not say so", want, rule)
		}
	}
	if want.Action == policy.ActionWarn && len(want.Rules) == 0 && !warned(d) {
		complain("want a warning, got none")
	}
	return r
}
