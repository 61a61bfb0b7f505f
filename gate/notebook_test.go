package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sallyport/analyze"
	"sallyport/policy"
)

// notebookOf makes a notebook of cells of code that stand below lines of %.
func notebookOf(t *testing.T, text string) []byte {
	t.Helper()
	cells := []map[string]any{}
	for _, cell := range strings.Split(text, "\n%\n") {
		cells = append(cells, map[string]any{"cell_type": "code", "source": cell})
	}
	b, err := json.Marshal(map[string]any{"nbformat": 4, "cells": cells})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNotebooks judges each notebook of the corpus, and looks for what was found at
// its place.
func TestNotebooks(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(filepath.Join(corpusDir, "notebooks.txtar"))
	if err != nil || len(archive.Files) < 40 {
		t.Fatalf("%v, or too few notebooks", err)
	}
	g := checker(t, "baseline")
	for _, f := range archive.Files {
		text, want := string(f.Data), "allowed"
		denied := strings.HasPrefix(f.Name, "deny/")
		if denied {
			want, text, _ = strings.Cut(text, "\n")
		}
		a, err := g.Check(context.Background(), Request{Language: analyze.Notebook, Source: notebookOf(t, strings.TrimSuffix(text, "\n"))})
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		found := false
		for _, x := range a.Decision.Findings {
			found = found || want == fmt.Sprintf("%s %d:%d:%d", x.Rule, x.Cell, x.Span.Line, x.Span.Column)
		}
		if denied != (a.Decision.Effect == policy.Deny) || denied != found {
			t.Errorf("%s: want %s, got %s: %+v", f.Name, want, a.Decision.Effect, a.Decision.Findings)
		}
		if a.Source.TypeScriptSHA256 != "" || (a.Decision.Reason == policy.ReasonPolicy) && (a.Source.NotebookSHA256 == "" || a.Source.NotebookSHA256 == a.Source.SHA256 || a.Source.Language != "python") {
			t.Errorf("%s: the source is %+v", f.Name, a.Source)
		}
	}
}
