// Package report writes what came of programs, and what the audit log says, in
// the forms that people and other programs read: one file a form.
//
// A check is told to a [Handler], program by program. Its forms are made of the
// same [answer.Answer]; a field of SARIF, say, is one of the structs in
// sarif.go and is filled where the answer is read.
package report

import (
	"fmt"
	"io"
	"strings"

	"sallyport/answer"
	"sallyport/policy"
)

// Handler is told the outcome of a check: each program in order, then the sum.
// It keeps no source.
type Handler interface {
	File(f File) error
	End(s Summary) error
}

// File is the outcome for one program: an answer, or why there is none.
type File struct {
	Name   string
	Named  bool // by the caller, and not found below a directory
	Err    error
	Answer answer.Answer
	Source string
}

// Options say what a report shows.
type Options struct {
	FailOn         FailOn
	Quiet, Verbose bool
	Version        string            // of sallyport
	Rules          []policy.RuleInfo // those in force
	Style          Style             // of text
}

// Formats are the names of the forms that New knows.
func Formats() []string { return []string{"text", "json", "sarif", "junit", "github"} }

// New returns the Handler that writes a check in a form.
func New(format string, w io.Writer, o Options) (Handler, error) {
	switch format {
	case "text":
		return &textReport{NewText(w, o.Style), o}, nil
	case "json":
		return &jsonReport{w: w}, nil
	case "sarif":
		return newSARIF(w, o), nil
	case "junit":
		return &junitReport{w: w, failOn: o.FailOn}, nil
	case "github":
		return &githubReport{w, o}, nil
	}
	return nil, fmt.Errorf("no report has the form %q: %s", format, strings.Join(Formats(), ", "))
}
