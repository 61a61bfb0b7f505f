// Package notebook reads Jupyter notebooks and makes Python of their cells, with a call
// in the place of each magic that says what it does.
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
)

// Reader returns the reader of Jupyter notebooks, of which it makes Python.
func Reader() *analyze.Reader {
	return &analyze.Reader{
		Language: analyze.Notebook,
		Cells: func(raw []byte) (analyze.Language, []analyze.NotebookCell, *analyze.Refusal) {
			cells, err := readNotebook(raw)
			if err != nil {
				return "", nil, &analyze.Refusal{Code: analyze.RefusedNotebook, Message: err.Error()}
			}
			var all strings.Builder
			for _, c := range cells {
				all.WriteString(c.Written + "\n")
			}
			if all.Len() > analyze.MaxSourceBytes {
				return "", nil, &analyze.Refusal{Code: analyze.RefusedSize, Message: fmt.Sprintf("the cells of the notebook together are larger than %d bytes", analyze.MaxSourceBytes)}
			}
			own := names(all.String())
			for i, c := range cells {
				text, changed, refusal := translate(c.Written, own)
				if refusal != nil {
					refusal.Cell = c.Number
					return "", nil, refusal
				}
				cells[i].Text, cells[i].Changed = text, changed
			}
			return analyze.Python, cells, nil
		},
	}
}

// readNotebook returns the cells of code of an nbformat 3 or 4 document whose
// kernel is Python's. It reads keys as Jupyter does, by their exact spelling,
// refuses one that is there twice, and never looks at outputs.
func readNotebook(raw []byte) ([]analyze.NotebookCell, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the notebook is not UTF-8")
	}
	r := notebookReader{dec: json.NewDecoder(bytes.NewReader(raw)), version: -1}
	r.dec.UseNumber()
	err := r.object(map[string]func() error{
		"nbformat":   func() error { return r.value(&r.version) },
		"cells":      func() error { r.top = true; return r.array(func() error { return r.cell("source") }) },
		"worksheets": func() error { r.sheets = true; return r.array(r.worksheet) },
		"metadata":   r.metadata,
	})
	if err == nil {
		if _, more := r.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something stands behind its end")
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("this is no notebook: %w", plainly(err))
	case r.version != 3 && r.version != 4:
		return nil, errors.New("nbformat 3 and 4 are read, and this notebook does not say that it is either")
	case r.version == 4 && (r.sheets || !r.top), r.version == 3 && r.top:
		return nil, fmt.Errorf("the cells are not where nbformat %d has them", r.version)
	}
	return r.cells, r.checkKernel()
}

// plainly is an error of the decoder without anything that the notebook says.
func plainly(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON, at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return errors.New("a value is of another kind than it must be")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("it ends too early")
	}
	return err
}

type notebookReader struct {
	dec         *json.Decoder
	version     int
	top, sheets bool
	cells       []analyze.NotebookCell
	number      int // of cells

	kernel   string   // its name
	language []string // what the kernel, the notebook and its cells say that they are in
}

var errShape = errors.New("a list or an object is missing where there must be one")

func (r *notebookReader) open(delim json.Delim) error {
	t, err := r.dec.Token()
	if err == nil && t != delim {
		err = errShape
	}
	return err
}

// object reads one: keys that have a function by it, and the rest not at all.
func (r *notebookReader) object(keys map[string]func() error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		read := keys[key]
		if read == nil {
			read = r.skip
		} else if seen[key] {
			return fmt.Errorf("%q is there twice", key)
		}
		seen[key] = keys[key] != nil
		if err := read(); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

func (r *notebookReader) array(each func() error) error {
	if err := r.open('['); err != nil {
		return err
	}
	for r.dec.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

func (r *notebookReader) skip() error {
	var v json.RawMessage
	return r.dec.Decode(&v)
}

func (r *notebookReader) value(v any) error { return r.dec.Decode(v) }

func (r *notebookReader) worksheet() error {
	return r.object(map[string]func() error{
		"cells": func() error { return r.array(func() error { return r.cell("input") }) },
	})
}

// cell reads one, whose code stands under a key.
func (r *notebookReader) cell(code string) error {
	r.number++
	kind, written, is := "", "", false
	err := r.object(map[string]func() error{
		"cell_type": func() error { return r.value(&kind) },
		"language":  r.languageIs,
		code: func() (err error) {
			is = true
			written, err = r.text(code == "input")
			return err
		},
	})
	switch {
	case err != nil:
		return err
	case kind == "code" && !is:
		return fmt.Errorf("cell %d has no code", r.number)
	case kind == "code":
		r.cells = append(r.cells, analyze.NotebookCell{Number: r.number, Written: written})
	case kind != "markdown" && kind != "raw" && kind != "heading" && kind != "html":
		return fmt.Errorf("cell %d is of no kind that is known", r.number)
	}
	return nil
}

// text reads what is one string, or a list of them. Of nbformat 3, where the
// first has no line end, each is a line.
func (r *notebookReader) text(lines bool) (string, error) {
	var raw json.RawMessage
	if err := r.value(&raw); err != nil {
		return "", err
	}
	var parts []string
	if err := json.Unmarshal(raw, &parts); err != nil {
		var one string
		return one, json.Unmarshal(raw, &one)
	}
	if lines && len(parts) > 0 && !strings.HasSuffix(parts[0], "\n") && !strings.HasSuffix(parts[0], "\r") {
		return strings.Join(parts, "\n"), nil
	}
	return strings.Join(parts, ""), nil
}

func (r *notebookReader) metadata() error {
	return r.object(map[string]func() error{
		"kernelspec": func() error {
			return r.object(map[string]func() error{
				"name":     func() error { return r.value(&r.kernel) },
				"language": r.languageIs,
			})
		},
		"language_info": func() error {
			return r.object(map[string]func() error{"name": r.languageIs})
		},
	})
}

func (r *notebookReader) languageIs() error {
	var name string
	err := r.value(&name)
	if name != "" {
		r.language = append(r.language, name[:min(len(name), 40)])
	}
	return err
}

// checkKernel refuses a notebook that another interpreter than Python 3 runs.
func (r *notebookReader) checkKernel() error {
	const only = "notebooks in Python 3 alone are judged"
	for _, l := range r.language {
		switch strings.ToLower(l) {
		case "python", "python3", "ipython", "ipython3":
		default:
			return fmt.Errorf("this notebook is in %q: %s", l, only)
		}
	}
	r.kernel = r.kernel[:min(len(r.kernel), 40)]
	kernel := strings.ToLower(r.kernel)
	for _, other := range []string{"python2", "ir", "irkernel", "bash", "julia", "deno", "javascript", "ijavascript", "typescript", "tslab", "xcpp", "rust", "evcxr", "scala", "octave", "ruby", "gonb", ".net", "calysto", "zsh", "powershell", "sql", "wolfram", "matlab", "kotlin", "java"} {
		if kernel == other || strings.HasPrefix(kernel, other) && len(other) > 2 {
			return fmt.Errorf("the kernel of this notebook is %q: %s", r.kernel, only)
		}
	}
	if len(r.language) == 0 && kernel != "" && !strings.HasPrefix(kernel, "python") {
		return fmt.Errorf("the kernel of this notebook is %q, and it does not say that it is in Python: %s", r.kernel, only)
	}
	return nil
}
