package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"

	"sallyport/gate"
	"sallyport/policy"
)

// answerJSON is the one shape of an answer on the command line.
type answerJSON struct {
	Version   string          `json:"version"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Source    sourceJSON      `json:"source"`
	Decision  policy.Decision `json:"decision"`
	Result    *resultJSON     `json:"result,omitempty"`
	Durations durationsJSON   `json:"durations_us"`
	Error     string          `json:"error,omitempty"`
}

type sourceJSON struct {
	Language string `json:"language"`
	Goal     string `json:"goal,omitempty"`
	SHA256   string `json:"sha256"`
	Bytes    int    `json:"bytes"`
	Lines    int    `json:"lines"`
}

type durationsJSON struct {
	Judge  int64 `json:"judge"`
	Record int64 `json:"record"`
	Run    int64 `json:"run,omitempty"`
}

type resultJSON struct {
	Reason             string            `json:"reason"`
	Exit               int               `json:"exit"`
	Signal             int               `json:"signal,omitempty"`
	Stdout             textJSON          `json:"stdout"`
	Stderr             textJSON          `json:"stderr"`
	Artifacts          []artifactJSON    `json:"artifacts"`
	ArtifactsDropped   int               `json:"artifacts_dropped,omitempty"`
	ArtifactsMissing   bool              `json:"artifacts_missing,omitempty"`
	Violations         []violationJSON   `json:"violations"`
	UnknownIdentifiers []string          `json:"unknown_identifiers,omitempty"`
	CPUMicros          int64             `json:"cpu_us"`
	PeakMemory         int64             `json:"peak_memory_bytes"`
	Enforced           map[string]string `json:"enforced"`
	Interpreter        string            `json:"interpreter"`
	InterpreterVersion string            `json:"interpreter_version"`
}

// textJSON is output of a program: Base64 is used for what is not UTF-8.
type textJSON struct {
	Text      string `json:"text"`
	Base64    string `json:"base64,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

type artifactJSON struct {
	Path      string `json:"path"`
	MediaType string `json:"media_type"`
	Bytes     int    `json:"bytes"`
	Base64    string `json:"base64"`
}

type violationJSON struct {
	Capability string `json:"capability"`
	Detail     string `json:"detail"`
}

func runJSON(a gate.Answer, err error) answerJSON {
	out := answerJSON{
		Version:  gate.AnswerVersion,
		ID:       a.ID,
		Name:     a.Name,
		Source:   sourceJSON(a.Source),
		Decision: a.Decision,
		Durations: durationsJSON{
			Judge:  a.Durations.Judge.Microseconds(),
			Record: a.Durations.Record.Microseconds(),
			Run:    a.Durations.Run.Microseconds(),
		},
		Result: newResultJSON(a),
	}
	if err != nil {
		out.Error = err.Error()
	}
	if out.Decision.Findings == nil {
		out.Decision.Findings = []policy.Finding{}
	}
	return out
}

func newResultJSON(a gate.Answer) *resultJSON {
	r := a.Result
	if r == nil {
		return nil
	}
	out := &resultJSON{
		Reason:             string(r.Reason),
		Exit:               r.Exit,
		Signal:             r.Signal,
		Stdout:             text(r.Stdout, r.StdoutTruncated),
		Stderr:             text(r.Stderr, r.StderrTruncated),
		Artifacts:          []artifactJSON{},
		ArtifactsDropped:   r.ArtifactsDropped,
		ArtifactsMissing:   r.ArtifactsMissing,
		Violations:         []violationJSON{},
		UnknownIdentifiers: r.UnknownIdentifiers,
		CPUMicros:          int64(r.Usage.CPU / time.Microsecond),
		PeakMemory:         r.Usage.PeakMemory,
		Enforced:           map[string]string{},
		Interpreter:        r.Runtime.Interpreter,
		InterpreterVersion: r.Runtime.Version,
	}
	for _, f := range r.Artifacts {
		out.Artifacts = append(out.Artifacts, artifactJSON{f.Path, f.MediaType, len(f.Data), base64.StdEncoding.EncodeToString(f.Data)})
	}
	for _, v := range r.Violations {
		out.Violations = append(out.Violations, violationJSON(v))
	}
	for c, how := range r.Enforced {
		out.Enforced[string(c)] = how
	}
	return out
}

func text(b []byte, truncated bool) textJSON {
	if utf8.Valid(b) {
		return textJSON{Text: string(b), Truncated: truncated}
	}
	return textJSON{Base64: base64.StdEncoding.EncodeToString(b), Truncated: truncated}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
