package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"sallyport/internal/hint"
)

// ErrNoRules is wrapped by the error of New when there is nothing to decide by.
var ErrNoRules = errors.New("no policy rules")

// LoadError is a policy that cannot be used, with each place that is wrong.
type LoadError struct {
	Issues []Issue
}

// Issue is one thing that is wrong with a policy. Line is 0 when it concerns
// the file as a whole; Hint says what would mend it, or is empty.
type Issue struct {
	File    string
	Line    int
	Column  int
	Message string
	Hint    string
}

// Place is the file, with the line where there is one.
func (i Issue) Place() string {
	if i.Line > 0 {
		return fmt.Sprintf("%s:%d", i.File, i.Line)
	}
	return i.File
}

func (i Issue) String() string {
	if i.Hint != "" {
		return i.Place() + ": " + i.Message + "\n  hint: " + i.Hint
	}
	return i.Place() + ": " + i.Message
}

func (e *LoadError) Error() string {
	lines := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "\n")
}

// OptionError is an error about one of the Options, and not about a file: it names
// which one, so that whoever read them somewhere can say where.
type OptionError struct {
	Option string // packs, overrides, exceptions or catalog
	Name   string // of the pack, the rule, the exception, or the language and the symbol
	Err    error
}

func (e *OptionError) Error() string { return e.Err.Error() }
func (e *OptionError) Unwrap() error { return e.Err }

// issueAt is a LoadError of one place.
func issueAt(loc *ast.Location, hint, format string, args ...any) *LoadError {
	i := Issue{Message: fmt.Sprintf(format, args...), Hint: hint}
	if loc != nil {
		i.File, i.Line, i.Column = loc.File, loc.Row, loc.Col
	}
	return &LoadError{Issues: []Issue{i}}
}

// opaError makes an error of OPA's one of ours, in the order of the files.
func opaError(file string, err error) *LoadError {
	var list ast.Errors
	if !errors.As(err, &list) {
		return &LoadError{Issues: []Issue{{File: file, Message: err.Error()}}}
	}
	out := &LoadError{}
	for _, e := range list {
		i := Issue{File: file, Message: strings.TrimPrefix(e.Message, "rego_"), Hint: hintFor(e)}
		if e.Location != nil {
			i.File, i.Line, i.Column = e.Location.File, e.Location.Row, e.Location.Col
		}
		out.Issues = append(out.Issues, i)
	}
	slices.SortStableFunc(out.Issues, func(a, b Issue) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return out
}

// hintFor says what would mend an error of the compiler.
func hintFor(e *ast.Error) string {
	switch d := e.Details.(type) {
	case *ast.RefErrInvalidDetail:
		return fieldHint(d.Ref, d.Pos, d.OneOf)
	}
	if name, ok := strings.CutPrefix(e.Message, "undefined function "); ok {
		return fmt.Sprintf("rules are pure: %s is not among the built-ins they may call, nor a function of this policy", name)
	}
	if e.Code == ast.ParseErr {
		return "the file must be whole and Rego v1: \"deny contains … if { … }\""
	}
	return ""
}

// fieldHint says which fields stand where an unknown one was asked for.
func fieldHint(ref ast.Ref, pos int, oneOf []ast.Value) string {
	fields := make([]string, 0, len(oneOf))
	for _, v := range oneOf {
		if s, ok := v.(ast.String); ok {
			fields = append(fields, string(s))
		}
	}
	have, ok := ref[pos].Value.(ast.String)
	if !ok || len(fields) == 0 {
		return ""
	}
	if best := hint.Nearest(string(have), fields); best != "" {
		return fmt.Sprintf("%s has no %q; did you mean %q?", ref[:pos], string(have), best)
	}
	slices.Sort(fields)
	return fmt.Sprintf("%s has no %q; it has %s", ref[:pos], string(have), strings.Join(fields, ", "))
}
