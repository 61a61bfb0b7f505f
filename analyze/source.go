package analyze

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Language is a language that sallyport can judge. The zero value is none.
type Language string

const (
	Python     Language = "python"
	JavaScript Language = "javascript"

	// TypeScript is made JavaScript of by Canonical: no Source is in it.
	TypeScript Language = "typescript"

	// Notebook is made Python of by Canonical: no Source is in it.
	Notebook Language = "notebook"
)

// Runs is the language whose interpreter runs a program: JavaScript's runs
// TypeScript, and Python's a notebook.
func (l Language) Runs() Language {
	switch l {
	case TypeScript:
		return JavaScript
	case Notebook:
		return Python
	}
	return l
}

// Goal is how the interpreter is asked to read the source. The zero value, of
// a Source only, leaves it to the analysis: a JavaScript source that uses
// import, export or top-level await is a Module, any other a Script, as in
// Node. Facts always carry the goal that was settled on, and the sandbox runs
// the source with that one.
type Goal string

const (
	Script Goal = "script" // Python; CommonJS for JavaScript
	Module Goal = "module" // ECMAScript module
)

// MaxSourceBytes bounds a source before anything reads it. A megabyte of code
// is far more than an agent writes and still parses in well under a second.
const MaxSourceBytes = 1 << 20

// Source is canonical source: the exact bytes that are hashed, judged and run.
// Only Canonical makes one; the zero Source is empty and cannot be analysed.
// It is immutable and safe for concurrent use.
type Source struct {
	language Language
	goal     Goal
	text     string
	sha256   string
	original string // hash of the TypeScript or notebook that text was made of, "" for none
	cells    *[]int // where each cell of a session or notebook begins, never written to; nil for a program

	notebook *notebook // that text was made of, nil for none
}

func (s Source) Language() Language { return s.language }
func (s Source) Goal() Goal         { return s.goal }

// Text returns the canonical bytes, the only ones that may be run.
func (s Source) Text() string { return s.text }

// SHA256 returns the lower-case hex digest of Text.
func (s Source) SHA256() string { return s.sha256 }

// Original returns the hash of what Text was made of: TypeScript in its canonical
// form, or a notebook as it came; "" where Text is what was written.
func (s Source) Original() string { return s.original }

func newSource(lang Language, goal Goal, text string) Source {
	return Source{language: lang, goal: goal, text: text, sha256: digest(text)}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Refusal is the error of a source that cannot be made canonical: it has no
// single reading that the parser, the policy and the interpreter share.
// Code is stable; Message is for people and holds no text of the source.
type Refusal struct {
	Code    string
	Message string
	Span    Span // zero when the refusal is about the source as a whole
	Cell    int  // of a notebook that Span is in, 0 for none
}

func (r *Refusal) Error() string {
	if r.Span.Line == 0 {
		return r.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", r.Span.Line, r.Span.Column, r.Message)
}
