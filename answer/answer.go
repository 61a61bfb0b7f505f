// Package answer is what sallyport says about a program, in one place for the
// command line, the MCP server and programs that embed it.
//
// An [Answer] is the published JSON, and text is made of it. The sentences
// about how a run ended and what failed stand here and nowhere else. Whatever
// others chose (a name of a file, an identifier, a message of a rule that quotes
// them) passes through [Visible] before people or models see it.
package answer

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"sallyport/gate"
	"sallyport/policy"
)

// Version names the shape of an Answer in JSON. Fields are only ever added to
// it; a field that goes, or means something else, makes it answer/v2.
const Version = "answer/v1"

// Answer is what came of one program. Its JSON is published.
type Answer struct {
	Version   string          `json:"version"`
	ID        string          `json:"id"` // of the decision's record
	Name      string          `json:"name"`
	Source    Source          `json:"source"`
	Decision  policy.Decision `json:"decision"`
	Approval  *Approval       `json:"approval,omitempty"` // nil: no other person was asked
	Result    *Result         `json:"result,omitempty"`   // nil: nothing ran
	Durations Durations       `json:"durations_us"`
	Hint      string          `json:"hint,omitempty"`  // where a module is that was not found: see Advise
	Error     string          `json:"error,omitempty"` // why sallyport could not do its work

	notebook []string
}

// Text is what a finding's Span counts the lines of: the source, or its cell of a
// notebook.
func (a Answer) Text(source string, f policy.Finding) string { return TextOf(a.notebook, source, f) }

// TextOf is Text for the cells of a notebook, nil for what is none.
func TextOf(notebook []string, source string, f policy.Finding) string {
	switch {
	case f.Cell == 0:
		return source
	case f.Cell < len(notebook):
		return notebook[f.Cell]
	}
	return ""
}

// Place is where a finding is: NAME:LINE:COLUMN, NAME#CELL:LINE:COLUMN in a
// notebook, or the name alone.
func Place(name string, f policy.Finding) string {
	if f.Cell > 0 {
		name = fmt.Sprintf("%s#%d", name, f.Cell)
	}
	if f.Span.Line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d:%d", name, f.Span.Line, f.Span.Column)
}

// Source identifies the program that was judged.
type Source struct {
	Language string `json:"language"`
	Goal     string `json:"goal,omitempty"`
	SHA256   string `json:"sha256"`
	Bytes    int    `json:"bytes"`
	Lines    int    `json:"lines"`

	TypeScriptSHA256 string `json:"typescript_sha256,omitempty"` // of what was written: the rest is of the JavaScript made of it
	NotebookSHA256   string `json:"notebook_sha256,omitempty"`   // of the notebook: the rest is of the Python made of its cells
}

// Approval is what came of asking other people than the one who asks to run.
type Approval struct {
	ID     string    `json:"id"`
	Answer string    `json:"answer"`           // accepted, declined, timeout, changed; pending: ask again
	By     string    `json:"by,omitempty"`     // who answered
	Reason string    `json:"reason,omitempty"` // in their words
	Until  time.Time `json:"until"`            // of one that is pending: an answer comes
}

// Durations says where the time went, in microseconds.
type Durations struct {
	Judge  int64 `json:"judge"`
	Record int64 `json:"record"`
	Run    int64 `json:"run,omitempty"`
}

// Result is what came of a run.
type Result struct {
	Reason             string            `json:"reason"` // how it ended: a sandbox.Reason
	Exit               int               `json:"exit"`
	Signal             int               `json:"signal,omitempty"`
	Stdout             Output            `json:"stdout"`
	Stderr             Output            `json:"stderr"`
	Artifacts          []Artifact        `json:"artifacts"`
	ArtifactsDropped   int               `json:"artifacts_dropped,omitempty"`
	ArtifactsLeft      []string          `json:"artifacts_left,omitempty"` // some of those, by their paths
	ArtifactsMissing   bool              `json:"artifacts_missing,omitempty"`
	Incomplete         bool              `json:"incomplete,omitempty"` // something of it was cut or left behind, or the program was stopped
	Violations         []Violation       `json:"violations"`
	UnknownIdentifiers []string          `json:"unknown_identifiers,omitempty"`
	CPUMicros          int64             `json:"cpu_us"`
	PeakMemory         int64             `json:"peak_memory_bytes"`
	Enforced           map[string]string `json:"enforced"`
	Interpreter        string            `json:"interpreter"`
	InterpreterVersion string            `json:"interpreter_version"`
}

// Output is what a program printed: text, or in base64 what is not UTF-8.
type Output struct {
	Text      string `json:"text"`
	Base64    []byte `json:"base64,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Bytes are what was printed.
func (o Output) Bytes() []byte {
	if len(o.Base64) > 0 {
		return o.Base64
	}
	return []byte(o.Text)
}

// Artifact is a file that a program left.
type Artifact struct {
	Path      string `json:"path"`
	MediaType string `json:"media_type"`
	Bytes     int    `json:"bytes"`
	Data      []byte `json:"base64"`
	AtLimit   bool   `json:"at_limit,omitempty"` // as large as limits.file_mb lets a file be: it may be half of what it was to be
}

// Violation is what a program tried at run time although policy denies it.
type Violation struct {
	Capability string `json:"capability"`
	Detail     string `json:"detail"`
	Line       int    `json:"line,omitempty"`    // of the program, by the word of its interpreter
	Library    bool   `json:"library,omitempty"` // a library asked by itself, and did without
	Stopped    bool   `json:"stopped,omitempty"` // the run was ended for it
}

// New is the Answer that a gate's answer and its error make. It shares the
// bytes of output and artifacts with the gate's.
func New(a gate.Answer, err error) Answer {
	out := Answer{
		Version:  Version,
		ID:       a.ID,
		Name:     a.Name,
		Source:   Source(a.Source),
		Decision: a.Decision,
		Durations: Durations{
			Judge:  a.Durations.Judge.Microseconds(),
			Record: a.Durations.Record.Microseconds(),
			Run:    a.Durations.Run.Microseconds(),
		},
		Result:   newResult(a),
		notebook: a.Notebook,
	}
	if ap := a.Approval; ap.ID != "" {
		out.Approval = &Approval{ID: ap.ID, Answer: ap.Answer, Reason: ap.Reason, Until: ap.Until}
		if ap.By.How != "" {
			out.Approval.By = ap.By.ID()
		}
	}
	if err != nil {
		out.Error = err.Error()
	}
	if out.Result != nil {
		out.Result.Incomplete = out.Incomplete()
	}
	if out.Decision.Findings == nil {
		out.Decision.Findings = []policy.Finding{}
	}
	for _, list := range []*[]string{&out.Decision.Deny, &out.Decision.Packs} { // of what no engine saw
		if *list == nil {
			*list = []string{}
		}
	}
	return out
}

func newResult(a gate.Answer) *Result {
	r := a.Result
	if r == nil {
		return nil
	}
	out := &Result{
		Reason:             string(r.Reason),
		Exit:               r.Exit,
		Signal:             r.Signal,
		Stdout:             output(r.Stdout, r.StdoutTruncated),
		Stderr:             output(r.Stderr, r.StderrTruncated),
		Artifacts:          []Artifact{},
		ArtifactsDropped:   r.ArtifactsDropped,
		ArtifactsLeft:      r.ArtifactsLeft,
		ArtifactsMissing:   r.ArtifactsMissing,
		Violations:         []Violation{},
		UnknownIdentifiers: r.UnknownIdentifiers,
		CPUMicros:          int64(r.Usage.CPU / time.Microsecond),
		PeakMemory:         r.Usage.PeakMemory,
		Enforced:           map[string]string{},
		Interpreter:        r.Runtime.Interpreter,
		InterpreterVersion: r.Runtime.Version,
	}
	for _, f := range r.Artifacts {
		data := f.Data
		if data == nil {
			data = []byte{} // an empty file is "", and not null
		}
		out.Artifacts = append(out.Artifacts, Artifact{f.Path, f.MediaType, len(f.Data), data, f.AtLimit})
	}
	for _, v := range r.Violations {
		out.Violations = append(out.Violations, Violation(v))
	}
	for c, how := range r.Enforced {
		out.Enforced[string(c)] = how
	}
	return out
}

func output(b []byte, truncated bool) Output {
	if utf8.Valid(b) {
		return Output{Text: string(b), Truncated: truncated}
	}
	return Output{Base64: b, Truncated: truncated}
}

// WriteJSON writes an Answer, or another document of ours, the way that all of
// them are written: indented, and with < and > as they are.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
