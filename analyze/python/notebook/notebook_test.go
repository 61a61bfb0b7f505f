package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/analyze"
	"sallyport/analyze/python"
)

func notebook(raw string) (analyze.Source, error) {
	return analyze.New(python.Reader(), Reader()).Canonical(analyze.Notebook, "", []byte(raw))
}

// Each row is one change of a notebook that is read.
func TestNotebooksThatAreRefused(t *testing.T) {
	t.Parallel()
	const valid = `{"nbformat": 4, "metadata": {"kernelspec": {"name": "python3", "language": "python"}}, "cells": [{"cell_type": "code", "source": ["x = 1\n", "y = 2"], "outputs": [{"data": "!ls"}]}]}`
	src, err := notebook(valid)
	if err != nil || src.Text() != "x = 1\ny = 2\n" || src.Language() != analyze.Python {
		t.Fatalf("%q, %v", src.Text(), err)
	}
	for _, tt := range []struct{ name, from, to, want string }{
		{"no JSON", `]}`, `]`, "no JSON"},
		{"cut off", `]}]}`, `]`, "it ends too early"},
		{"more behind it", `]}]}`, `]}]} {}`, "something stands behind its end"},
		{"not UTF-8", "x = 1", "x = \xff", "the notebook is not UTF-8"},
		{"another format", `"nbformat": 4`, `"nbformat": 5`, "nbformat 3 and 4 are read"},
		{"no format", `"nbformat": 4, `, ``, "nbformat 3 and 4 are read"},
		{"a format that is a fraction", `"nbformat": 4`, `"nbformat": 4.5`, "a value is of another kind"},
		{"the cells of the other format", `"nbformat": 4`, `"nbformat": 3`, "the cells are not where nbformat 3 has them"},
		{"cells of both formats", `"nbformat": 4`, `"nbformat": 4, "worksheets": []`, "the cells are not where nbformat 4 has them"},
		{"cells twice", `"nbformat": 4`, `"nbformat": 4, "cells": []`, `"cells" is there twice`},
		{"code twice", `"source": [`, `"source": "", "s\u006furce": [`, `"source" is there twice`},
		{"a kind twice", `"cell_type": "code"`, `"cell_type": "raw", "cell_type": "code"`, `"cell_type" is there twice`},
		{"no code", `"source"`, `"Source"`, "cell 1 has no code"},
		{"code that is no text", `"x = 1\n"`, `1`, "a value is of another kind"},
		{"cells that are no list", `"cells": [`, `"cells": {}, "x": [`, "a list or an object is missing"},
		{"a cell that is no object", `"cells": [`, `"cells": [7, `, "a list or an object is missing"},
		{"an unknown kind of cell", `"code"`, `"sql"`, "cell 1 is of no kind that is known"},
		{"another language", `"language": "python"`, `"language": "julia"`, `this notebook is in "julia": notebooks in Python 3 alone are judged`},
		{"another language of a cell", `"cell_type"`, `"language": "R", "cell_type"`, `this notebook is in "R"`},
		{"a kernel of another language", `"name": "python3"`, `"name": "bash"`, `the kernel of this notebook is "bash"`},
		{"R's kernel", `"name": "python3"`, `"name": "ir"`, `the kernel of this notebook is "ir"`},
		{"Python 2", `"name": "python3"`, `"name": "python2"`, `the kernel of this notebook is "python2"`},
		{"a kernel of no language that is told", `"name": "python3", "language": "python"`, `"name": "mine"`, `"mine", and it does not say that it is in Python`},
		{"no code at all", `"code"`, `"markdown"`, "the notebook has no code"},
		{"nested without end", `"x = 1\n"`, strings.Repeat("[", 100_000), "no JSON"},
		{"much code", `"x = 1\n"`, `"` + strings.Repeat("x", analyze.MaxSourceBytes) + `"`, "the cells of the notebook together are larger"},
		{"much else", `"!ls"`, `"` + strings.Repeat("x", analyze.MaxNotebookBytes) + `"`, "the notebook is larger"},
		{"a form feed", `x = 1`, `x = 1 #\f!ls`, "a form feed ends a line for the notebook"},
		{"a character that does not show", `x = 1`, `x = '\u202e'`, "bidirectional control character"},
	} {
		raw := strings.Replace(valid, tt.from, tt.to, 1)
		if raw == valid {
			t.Fatalf("%s changes nothing", tt.name)
		}
		var refusal *analyze.Refusal
		if _, err := notebook(raw); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestNotebookOfFormat3(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`["a = 1", "b = 2"]`, `["a = 1\n", "b = 2"]`, `"a = 1\nb = 2"`} {
		src, err := notebook(`{"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [{"cell_type": "heading", "source": "x"}, {"cell_type": "code", "language": "python", "input": ` + input + `}]}]}`)
		if err != nil || src.Text() != "a = 1\nb = 2\n" {
			t.Errorf("%s: %q, %v", input, src.Text(), err)
		}
		if cell, at := src.Place(analyze.Span{Line: 2, Column: 1, EndLine: 2, EndColumn: 2}); cell != 2 || at.Line != 2 {
			t.Errorf("%s: cell %d, %v", input, cell, at)
		}
	}
}

// What is neither code nor where it stands changes nothing.
func TestOutputsAreNotLookedAt(t *testing.T) {
	t.Parallel()
	src, err := notebook(`{"cells": [{"cell_type": "code", "source": "x = 1", "outputs": [{"cells": [], "text": "import os", "source": "import os"}], "cells": 3}], "nbformat": 4, "metadata": {"source": 1}}`)
	if err != nil || src.Text() != "x = 1\n" {
		t.Errorf("%q, %v", src.Text(), err)
	}
}

// What is translated as a known magic is what the catalog knows.
func TestMagicsAreInTheCatalog(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../policies/catalog/python-packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "IPython.magics."); ok && name[0] != ' ' {
			listed[strings.Fields(name)[0]] = true
		}
	}
	if diff := cmp.Diff(listed, known); diff != "" {
		t.Errorf("catalog and table (-catalog +table):\n%s", diff)
	}
}

func FuzzNotebook(f *testing.F) {
	for _, seed := range []string{"!ls", "x = !ls \\\n y", "= !ls", "%%time\n%%bash\n!ls", "f\"{d['''\"\n%ls", "a?\n??b", "x = (\n%ls)", "%%timeit -n 1 x\ny", "\\", "%", "%%"} {
		f.Add(seed)
	}
	a := analyze.New(python.Reader(), Reader())
	f.Fuzz(func(t *testing.T, cell string) {
		raw, err := json.Marshal(map[string]any{"nbformat": 4, "cells": []any{map[string]any{"cell_type": "code", "source": cell}}})
		if err != nil {
			t.Fatal(err)
		}
		src, err := a.Canonical(analyze.Notebook, "", raw)
		if err != nil {
			return
		}
		text, _, refusal := translate(cell, names(cell))
		if refusal != nil {
			t.Fatalf("refused only by itself: %v", refusal)
		}
		if got, want := strings.Count(text, "\n"), strings.Count(strings.ReplaceAll(cell, "\r\n", "\n"), "\n"); got != want {
			t.Fatalf("%d lines, not %d: %q", got, want, text)
		}
		if _, err := a.Facts(context.Background(), src); err != nil {
			t.Fatal(err)
		}
	})
}
