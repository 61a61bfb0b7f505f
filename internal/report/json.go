package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// jsonReport writes one document, check/v1, piece by piece.
type jsonReport struct {
	w      io.Writer
	n      int
	errors []FileError
}

// FileError is a file without an answer.
type FileError struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func (j *jsonReport) File(f File) error {
	if f.Err != nil {
		j.errors = append(j.errors, FileError{f.Name, f.Err.Error()})
		return nil
	}
	sep := ",\n    "
	if j.n++; j.n == 1 {
		sep = "{\n  \"version\": \"check/v1\",\n  \"answers\": [\n    "
	}
	return j.piece(sep, f.Answer, "    ")
}

func (j *jsonReport) End(s Summary) error {
	head := "\n  ],\n  \"errors\": "
	if j.n == 0 {
		head = "{\n  \"version\": \"check/v1\",\n  \"answers\": [],\n  \"errors\": "
	}
	if j.errors == nil {
		j.errors = []FileError{}
	}
	if err := j.piece(head, j.errors, "  "); err != nil {
		return err
	}
	if err := j.piece(",\n  \"summary\": ", s, "  "); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, "\n}\n")
	return err
}

// piece writes a value inside the document, as far indented as it stands.
func (j *jsonReport) piece(before string, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, before+strings.TrimSuffix(b.String(), "\n"))
	return err
}
