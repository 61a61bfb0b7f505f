package policy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"
)

// Lint says what is wrong with a policy or could be better: first all that
// keeps it from loading, and, when nothing does, what makes it slow, blind to
// a misspelt path, untested or hard to read. Opts says what it stands beside;
// its own Policies are not looked at.
func (p *Policy) Lint(opts Options) ([]Issue, error) {
	opts.Policies = []*Policy{p}
	e, err := New(opts)
	var le *LoadError
	switch {
	case errors.As(err, &le):
		return le.Issues, nil
	case err != nil:
		return nil, err
	}
	var out []Issue
	for _, f := range p.files {
		issues, err := lintFile(f)
		if err != nil {
			return nil, err
		}
		out = append(out, issues...)
	}
	own := map[string]bool{}
	for _, f := range p.files {
		own[f.name] = true
	}
	for _, r := range e.Rules() {
		if own[r.File] {
			out = append(out, p.lintRule(r)...)
		}
	}
	return out, nil
}

func lintFile(f file) ([]Issue, error) {
	m, err := parse(f)
	if err != nil {
		return nil, err
	}
	var out []Issue
	neat, err := format.SourceWithOpts(f.name, []byte(f.text), format.Opts{RegoVersion: ast.RegoV1})
	if err == nil && !bytes.Equal(neat, []byte(f.text)) {
		out = append(out, Issue{File: f.name, Message: "not in the usual form", Hint: "opa fmt --write " + f.name})
	}
	ast.WalkTerms(m, func(t *ast.Term) bool {
		if i, ok := lintTerm(t); ok {
			out = append(out, i)
		}
		return false
	})
	return out, nil
}

// lintTerm finds what costs time with every mention in a source, and what the
// type checker cannot see through.
func lintTerm(t *ast.Term) (Issue, bool) {
	switch v := t.Value.(type) {
	case ast.Ref:
		if len(v) >= 4 && v.HasPrefix(ast.MustParseRef("input.source.uses")) && !v[3].IsGround() {
			return lintAt(t.Location, "walks over every mention, in each decision", `ask for what you look for: "os.system" in input.source.names, or input.source.uses["os.system"]`), true
		}
	case ast.Call:
		if name := v[0].String(); len(v) > 1 && (name == "object.get" || name == "walk") && strings.HasPrefix(v[1].String(), "input") {
			return lintAt(t.Location, name+" hides a misspelt path from the type checker", "write the path out: input.source.names"), true
		}
	}
	return Issue{}, false
}

func lintAt(loc *ast.Location, message, hint string) Issue {
	return Issue{File: loc.File, Line: loc.Row, Column: loc.Col, Message: message, Hint: hint}
}

// lintRule asks for what a person needs who was denied, and for a test.
func (p *Policy) lintRule(r RuleInfo) []Issue {
	var out []Issue
	add := func(message, hint string) {
		out = append(out, Issue{File: r.File, Line: r.Line, Message: fmt.Sprintf("rule %q %s", r.ID, message), Hint: hint})
	}
	if r.Description == "" {
		add("does not say why it exists", "put \"# description: …\" into its METADATA")
	}
	if r.Remediation == "" && r.Action != ActionLog {
		add("does not say what to do instead", "put \"#   remediation: …\" below \"# custom:\"")
	}
	for _, f := range p.tests {
		if strings.Contains(f.text, `"`+r.ID+`"`) {
			return out
		}
	}
	add("has no test that names it", "put one into a file whose name ends in _test.rego")
	return out
}
