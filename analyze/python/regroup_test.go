package python

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestRegroup holds that a tree is whole after it was mended, and that its parts stand where the
// interpreter has them.
func TestRegroup(t *testing.T) {
	t.Parallel()
	r := Reader()
	var tree *analyze.Tree
	r.Walk = func(w *analyze.Walk) { tree = w.Tree }
	a := analyze.New(r)
	for code, want := range map[string][]string{
		"(x := a if b else c)":                        {"x := a if b else c", "a if b else c"},
		"f(x := a if b else (y := c if d else e), z)": {"x := a if b else (y := c if d else e)", "a if b else (y := c if d else e)", "y := c if d else e", "c if d else e"},
		"with a if b else c as d: pass":               {"a if b else c as d", "a if b else c"},
		"with (a if b else lambda: c as d, e): pass":  {"a if b else lambda: c as d", "a if b else lambda: c", "lambda: c"},
		"with (a if b else c if d else e as f): pass": {"a if b else c if d else e as f", "a if b else c if d else e", "c if d else e"},
		"try: pass\nexcept a if b else c as d: pass":  {"a if b else c as d", "a if b else c"},
		"try: pass\nexcept lambda: a as b: pass":      {"lambda: a as b", "lambda: a"},
		"f((a), *b or c)":                             {"*b or c"},
		"d = a, *b(c).d[0] + 1":                       {"*b(c).d[0] + 1"},
		"(x := a) if b else c":                        {"(x := a) if b else c", "x := a"},
	} {
		src, err := a.Canonical(analyze.Python, "", []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Facts(context.Background(), src); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range tree.Len() {
			switch tree.Kind(i) {
			case kindListSplat, kindNamedExpression, kindConditionalExpression, kindAsPattern, kindLambda:
				got = append(got, tree.Source(i))
			}
			behind := i + 1
			for c := tree.First(i); c != analyze.NoNode; c = tree.Next(c) {
				if c != behind || tree.Parent(c) != i || tree.Start(c) < tree.Start(i) || tree.End(c) > tree.End(i) {
					t.Errorf("%q: node %d does not stand in %d", code, c, i)
				}
				if f := tree.Field(c); f != 0 && tree.Child(i, f) == analyze.NoNode {
					t.Errorf("%q: node %d is not found in its field", code, c)
				}
				behind = tree.After(c)
			}
			if behind != tree.After(i) {
				t.Errorf("%q: node %d ends before %d, not %d", code, i, behind, tree.After(i))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q, not %q", code, got, want)
		}
	}
}

// TestPythonExceptHidesNothing holds that a name is gone behind the except that binds it, whatever it is
// for.
func TestPythonExceptHidesNothing(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"A if b else C", "A if b else C if d else E", "lambda: A", "(A if b else C)"} {
		for _, star := range []string{"", "*"} {
			f := analyzetest.Facts(t, Reader(), "def eval(x): return x\ntry: f()\nexcept"+star+" "+what+" as eval: pass\neval(input())\n")
			if !slices.Contains(f.Names, "builtins.eval") {
				t.Errorf("except%s %s: names %q", star, what, f.Names)
			}
		}
	}
}

// TestPythonFormatNamesNothing holds that what looks like := between the braces of an f-string, and is the
// beginning of a format to the interpreter, hides no builtin.
func TestPythonFormatNamesNothing(t *testing.T) {
	t.Parallel()
	for _, field := range []string{
		"{eval:=5}", "{eval:=+5.2}", "{1:{eval:=5}}", "{eval:=^30}", "{eval :=+6d}", "{eval:=<3} {eval:=>3}", "{eval:=}", `{eval:="a"}`, "{eval:={x}}", "{eval:=^{eval:=2}}",
		"{1 if x else eval:=^9}", `{x["a"] or eval:=,}`, "{eval:=^{x}.{x}}", "{[x, {eval}][0], eval:=^9}", "{f(x) + eval!r:=^9}", "{x, eval:=5}", "{1:{eval:=y}}",
	} {
		f := analyzetest.Facts(t, Reader(), "def f(x):\n    f'"+field+"'\n    eval(x)")
		if !slices.Contains(f.Names, "builtins.eval") {
			t.Errorf("%s: names %q", field, f.Names)
		}
		if len(f.Syntax) > 0 {
			t.Errorf("%s: %v", field, f.Syntax)
		}
	}
	for _, field := range []string{"{(eval:=5)}", "{[eval:=5]}", "{1:{(eval:=5)}}"} {
		if f := analyzetest.Facts(t, Reader(), "def f(x):\n    f'"+field+"'\n    eval(x)"); slices.Contains(f.Names, "builtins.eval") {
			t.Errorf("%s: names %q", field, f.Names)
		}
	}
}

// TestPythonFormatIsAFormat holds that a ":=" that was taken for the beginning of a format is refused where it
// is none, however the grammar came to that.
func TestPythonFormatIsAFormat(t *testing.T) {
	t.Parallel()
	r := Reader()
	r.Misread = func(t *analyze.Tree) []int {
		if at := strings.Index(t.Text, ":="); at >= 0 {
			return []int{at + 1}
		}
		return nil
	}
	for _, code := range []string{"d[y:=5]", "d[y:=f]", "d[y:=(5)]", "d[y:=-5]", "d[y:=[5]]"} {
		if f := analyzetest.Facts(t, r, code); len(f.Syntax) == 0 {
			t.Errorf("%s: not refused", code)
		}
	}
}

// TestPythonTypeHidesNothing holds that an assignment to what is asked of type, which reads like a name for
// one, binds no name.
func TestPythonTypeHidesNothing(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"type [eval] = x", "type (eval).y = x", "type (eval)[0] = x", "type [eval].y = x", "type(eval)[0] = x", "type x = eval", "type x[y: eval] = x"} {
		if f := analyzetest.Facts(t, Reader(), "def f(x):\n    "+line+"\n    eval(x)"); !slices.Contains(f.Names, "builtins.eval") {
			t.Errorf("%s: names %q", line, f.Names)
		}
	}
	if f := analyzetest.Facts(t, Reader(), "def f(x):\n    type eval = x\n    eval(x)"); slices.Contains(f.Names, "builtins.eval") {
		t.Errorf("names %q", f.Names)
	}
}
