package python

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// askPathlib is a program that says what pathlib makes of each of the texts it is given: a
// path, its parent, and what it comes to with another name, suffix or stem, "" where it raises.
const askPathlib = `
import json, sys
from pathlib import PurePosixPath as P
def said(f):
    try:
        return str(f())
    except ValueError:
        return ""
texts = json.load(sys.stdin)
json.dump([[str(P(a)), str(P(a, b)), str(P(a) / b), str(P(a).parent), said(lambda: P(a).with_name(b)), said(lambda: P(a).with_suffix(b)), said(lambda: P(a).with_stem(b))] for a, b in texts], sys.stdout)
`

// pathTexts are pairs of texts of paths, made of parts that pathlib treats in a way of their own.
func pathTexts() (out [][2]string) {
	parts := []string{"", ".", "..", "a", "b.txt", ".git", "c.tar.gz", "d.", "..e", "~", " "}
	var paths []string
	for _, root := range []string{"", "/", "//", "///", "./"} {
		for _, one := range parts {
			paths = append(paths, root+one)
			for _, two := range parts {
				paths = append(paths, root+one+"/"+two, root+one+"//"+two+"/")
			}
		}
	}
	for _, path := range paths {
		for _, second := range []string{"x", "", ".", "..", "/y", "//z", ".py", "x.py", "./w", "v/", "..u", "t."} {
			out = append(out, [2]string{path, second})
		}
	}
	return out
}

// TestPythonPathsAsPathlib holds that paths are kept as pathlib keeps them, where they are known.
func TestPythonPathsAsPathlib(t *testing.T) {
	t.Parallel()
	texts := pathTexts()
	asked, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(requirePython(t), "-I", "-c", askPathlib)
	cmd.Stdin = strings.NewReader(string(asked))
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var said [][]string
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	known := map[string]int{}
	holds := func(what string, of [2]string, got string, ok bool, want string) {
		if ok {
			known[what]++
		}
		if ok && want != "" && got != want {
			t.Errorf("%s of %q: %q, pathlib says %q", what, of, got, want)
		}
	}
	for k, of := range texts {
		a, want := normalPath(of[0]), said[k]
		holds("path", of, a, true, want[0])
		holds("join", of, normalPath(joinPath(of[0], of[1])), true, want[1])
		holds("divide", of, normalPath(joinPath(a, of[1])), true, want[2])
		parent, ok := parentPath(a)
		holds("parent", of, parent, ok, want[3])
		for n, what := range []string{"name", "suffix", "stem"} {
			renamed, ok := renamedPath(what, a, of[1])
			holds(what, of, normalPath(renamed), ok, want[4+n])
		}
	}
	for what, n := range known {
		if n < len(texts)/8 {
			t.Errorf("%s: only %d of %d are known", what, n, len(texts))
		}
	}
}

// TestPythonPathAnew holds that what begins in a directory that has no name in the program
// takes the place of what it is joined to, and is no part of it.
func TestPythonPathAnew(t *testing.T) {
	t.Parallel()
	const head = "import os, pathlib, tempfile\nfrom pathlib import Path\nd = tempfile.mkdtemp()\n"
	for code, want := range map[string]string{
		"Path('a')":                                  "a",
		"Path('./a//b/.')":                           "a/b",
		"Path('a/b').parent":                         "a",
		"Path('a/').parent":                          ".",
		"Path('a/').absolute().parent":               ".",
		"Path('a/').absolute().parent.parent":        "",
		"Path('a', '').resolve().parent.parent":      "",
		"Path.cwd().parent":                          "",
		"Path.cwd().with_name('b')":                  "",
		"Path('.').resolve().with_name('b')":         "",
		"Path.cwd() / 'a'":                           "a",
		"Path('a') / Path.cwd() / 'b'":               "b",
		"Path('a', Path('b').absolute())":            "b",
		"Path(d) / Path('b').resolve()":              "b",
		"Path(d) / './b/'":                           "<temporary>/*/b",
		"Path('./<temporary>/b')":                    "",
		"Path('b').with_name('<temporary>')":         "",
		"Path('a').joinpath(Path.home(), 'b')":       "~/b",
		"Path('a') / Path('~/b').expanduser()":       "~/b",
		"Path('a') / Path('~root/b').expanduser()":   "~root/b",
		"Path.home().parent":                         "",
		"Path('d/.git').with_suffix('')":             "d/.git",
		"Path('a.tar.gz').with_suffix('.xz')":        "a.tar.xz",
		"Path('a.txt').with_stem('b')":               "b.txt",
		"Path('/tmp/a').absolute().parent":           "/tmp",
		"Path('//tmp/a').parent":                     "//tmp",
		"[p for p in Path('a').glob('**')][0]":       "a/**",
		"[*Path('a').glob('**/b')][0].parent":        "",
		"[*Path('a').rglob('.')][0].parent":          "",
		"[*Path('a').glob('<temporary>/b.py')][0]":   "",
		"[*Path('a').glob('*.txt')][0].parent":       "a",
		"Path(str(Path('./a').absolute()))":          "a",
		"Path(str(Path('a')) + '/b')":                "a/b",
		"Path(f\"{str(Path('a'))}/{1}\")":            "a/1",
		"Path(os.path.join(d, Path('b').resolve()))": "b",
		"Path('<tempo' + str(Path('rary>/a')))":      "",
		"Path('a' + str(Path.cwd()))":                "",
		"Path('a', f\"a/{str(Path.home())}\")":       "",
		"Path(str(Path.cwd()) + 'a')":                "",
		"Path(str(Path.cwd()) + '/a')":               "a",
		"Path(str(Path('a')) + chr(98))":             "",
		"Path(str(Path('a').absolute())[0] + 'b')":   "",
	} {
		uses := analyzetest.Facts(t, Reader(), head+"("+code+").read_text()\n").Uses["pathlib.Path.read_text"]
		if len(uses) == 0 {
			t.Fatalf("%s: not seen", code)
		}
		if got := uses[0].Path; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	for code, want := range map[string]string{
		"str(Path('a'))": "a", "str(Path('a').absolute())": "a", "str(Path('./a/')) + '.txt'": "a.txt", "os.path.join(str(Path('a')), 'b')": "a/b", "f\"{str(Path('a'))}.txt\"": "a.txt",
		"os.path.join('a', Path.cwd(), 'b')": "b", "os.fspath(Path.cwd() / 'b')": "b", "str(Path('a'))[0]": "", "str(Path('a')).upper()": "", "str(Path('a').resolve())[1:]": "",
	} {
		uses := analyzetest.Facts(t, Reader(), head+"open("+code+")\n").Uses["builtins.open"]
		if len(uses) == 0 || len(uses[0].Args) == 0 {
			t.Fatalf("%s: not seen", code)
		}
		if got := uses[0].Args[0]; got.Path != want || got.Known {
			t.Errorf("%s: %+v, want %q", code, got, want)
		}
	}
}

// TestPythonTextOfPath holds that the text of a path shows what it leads to and clears nothing.
func TestPythonTextOfPath(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"str(Path('./__globals__'))", "Path('./__globals__/').as_posix()", "os.fspath(Path('__globals__'))", "str(Path('a').absolute())", "str(Path('__glo')) + 'bals__'", "f\"{str(Path('./__globals__'))}\"", "os.path.join('', Path('./__globals__'))"} {
		f := analyzetest.Facts(t, Reader(), "import os\nfrom pathlib import Path\ndef f(): pass\ngetattr(f, "+text+")\n")
		if !reported(f) || !strings.Contains(text, "absolute") && !slices.Contains(f.Attrs, "__globals__") {
			t.Errorf("%s: dynamic %v, attributes %v", text, f.Dynamic, f.Attrs)
		}
	}
}

// TestPythonMethodsOfPaths holds that each method by which a path asks the system is seen where
// nobody knows that the object is a path.
func TestPythonMethodsOfPaths(t *testing.T) {
	t.Parallel()
	raw, err := exec.Command(requirePython(t), "-I", "-c", "import pathlib; print(*sorted(set(dir(pathlib.Path)) - set(dir(pathlib.PurePath))))").Output()
	if err != nil {
		t.Fatal(err)
	}
	harmless := []string{"absolute", "cwd"} // which say where the work directory is
	seen := 0
	for name := range strings.FieldsSeq(string(raw)) {
		if strings.HasPrefix(name, "_") || slices.Contains(harmless, name) {
			continue
		}
		f := analyzetest.Facts(t, Reader(), "import queue\nfrom pathlib import Path\nq = queue.Queue()\nq.put(Path('a'))\nq.get()."+name+"('b')\n")
		if !slices.Contains(f.Names, "pathlib.Path."+name) {
			t.Errorf("%s is not seen", name)
		}
		seen++
	}
	if seen < 30 {
		t.Errorf("%d methods", seen)
	}
}
