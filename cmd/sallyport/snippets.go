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
	"sallyport/internal/hint"
	"sallyport/internal/report"
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
func judgeSnippets(ctx context.Context, by judging, paths []string) (out []snippetResult, unlabeled int, err error) {
	out = []snippetResult{}
	found, err := collect(ctx, paths, "")
	if err != nil {
		return out, 0, nil // no program at all: nothing to judge
	}
	type judged struct {
		result   snippetResult
		labeled  bool
		requests []snippetResult
		err      error
	}
	compare := func(ctx context.Context, t target) judged {
		c := by.program(ctx, t)
		if c.Err != nil {
			return judged{err: c.Err}
		}
		want, labeled, err := labelOf(c.Name, c.Source)
		if err != nil {
			return judged{err: hint.Usage("%s: %v", c.Name, err)}
		}
		requests, err := by.requests(ctx, c)
		if err != nil {
			return judged{err: err}
		}
		return judged{result: compareSnippet(c.Name, want, c.Answer.Decision), labeled: labeled, requests: requests}
	}
	err = inOrder(ctx, found.list, runtime.GOMAXPROCS(0), compare, func(j judged) error {
		switch {
		case j.err != nil:
			return j.err
		case j.labeled:
			out = append(out, j.result)
		default:
			unlabeled++
		}
		out = append(out, j.requests...)
		return nil
	})
	return out, unlabeled, err
}

var requestLine = regexp.MustCompile(`^(?:#|//) request: (.*)$`)

// requests judges the requests that a snippet names below its label, each with
// what should become of it: "# request: deny RULE… METHOD URL".
func (by judging) requests(ctx context.Context, c checked) (out []snippetResult, err error) {
	for i, line := range strings.Split(c.Source, "\n") {
		m := requestLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			if i == 0 {
				continue // the label
			}
			return out, nil
		}
		words := strings.Fields(m[1])
		if len(words) < 3 {
			return nil, hint.Usage("%s:%d: write for instance: request: deny RULE POST https://host/path", c.Name, i+1)
		}
		want, ok := labelFor(words[0])
		if !ok {
			return nil, hint.Usage("%s:%d: request: %q is not one of allow, deny, ask, warn, log", c.Name, i+1, words[0])
		}
		want.Rules = words[1 : len(words)-2]
		q, err := gate.ParseRequest(strings.Join(words[len(words)-2:], " "))
		if err != nil {
			return nil, hint.Usage("%s:%d: request: %v", c.Name, i+1, err)
		}
		a, err := by.gate.ExplainRequest(ctx, c.request, q, false)
		if err != nil {
			return nil, err
		}
		d := policy.Decision{Effect: a.Decision.Effect, Reason: a.Decision.Reason, Findings: a.Decision.Findings}
		out = append(out, compareSnippet(fmt.Sprintf("%s:%d", c.Name, i+1), want, d))
	}
	return out, nil
}

func compareSnippet(name string, want label, d policy.Decision) snippetResult {
	r := snippetResult{Name: name, Want: want, Got: d.Effect, Passed: true}
	var found []string
	for _, f := range report.Reasons(d) {
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
	if want.Action == policy.ActionWarn && len(want.Rules) == 0 && !report.Warned(d) {
		complain("want a warning, got none")
	}
	return r
}
