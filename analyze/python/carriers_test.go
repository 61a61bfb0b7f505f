package python

import (
	"os"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// carrier is a way for text to go before it becomes a name or code.
type carrier struct{ name, program string }

func carriersIn(t *testing.T) []carrier {
	t.Helper()
	raw, err := os.ReadFile("testdata/carriers.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []carrier
	for line := range strings.Lines(string(raw)) {
		if name, program, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && !strings.HasPrefix(line, "#") {
			out = append(out, carrier{name, strings.ReplaceAll(program, `\n`, "\n")})
		}
	}
	if len(out) < 70 {
		t.Fatalf("only %d carriers", len(out))
	}
	return out
}

// carry fills a carrier in: a use of several lines is indented as its place is.
func carry(c carrier, v, use string) string {
	var b strings.Builder
	for line := range strings.Lines(c.program) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(line, "{use}", strings.ReplaceAll(use, "\n", "\n"+indent)), "{v}", v))
	}
	return b.String() + "\n"
}

func reported(f analyze.Facts) bool {
	for _, spans := range f.Dynamic {
		if len(spans) > 0 {
			return true
		}
	}
	return false
}

// TestPythonCarriers composes text that is not fully known, where it goes and what
// it becomes, each with each: what it becomes is reported.
func TestPythonCarriers(t *testing.T) {
	sources := map[string]string{
		"input":       `input()`,
		"data":        `json.loads('["a"]')[0]`,
		"known start": `("tb_" + input())`,
		"character":   `chr(len(input()))`,
	}
	sinks := map[string]string{
		"attribute":             `getattr(thing, x)`,
		"attribute of a module": `getattr(json, x)`,
		"attribute by getter":   "import operator\noperator.attrgetter(x)(thing)",
		"method":                "import operator\noperator.methodcaller(x)(thing)",
		"attribute set":         `setattr(thing, x, 1)`,
		"module":                `__import__(x)`,
		"module by importlib":   "import importlib\nimportlib.import_module(x)",
		"code":                  `exec(x)`,
		"expression":            `eval(x)`,
		"compiled":              `compile(x, "a", "eval")`,
		"annotation":            "def h(): pass\nh.__annotations__ = {'a': x}",
		"annotation by key":     "def h(): pass\nh.__annotations__['a'] = x",
		"annotations updated":   "def h(): pass\nh.__annotations__.update(a=x)\nprint(h.__annotations__)",
		"annotations of class":  "class H:\n    __annotations__ = {x: int}",
		"annotations decorated": "class H:\n    @lambda c: {x: int}\n    class __annotations__: pass",
		"annotations by meta":   "class H:\n    class __annotations__(metaclass=lambda *a: {x: int}): pass",
		"annotations by type":   "type('H', (), {'__annotations__': {x: int}})",
		"annotations set":       "def h(): pass\nsetattr(h, '__annotations__', {'a': x})",
		"field":                 "import dataclasses\nclass T(str): pass\ndataclasses.make_dataclass('H', [x])",
		"field with type":       "import dataclasses\nclass T(str): pass\ndataclasses.make_dataclass('H', [(x, int)])",
		"copied attribute":      "import functools\nfunctools.update_wrapper(thing, len, assigned=[x])",
		"copied by wraps":       "import functools\nfunctools.wraps(len, assigned=[x])(thing)",
		"test":                  "import unittest\nunittest.main(module=None, argv=['a', x])",
		"default test":          "import unittest\nunittest.main(module=None, defaultTest=x)",
		"test by argv":          "import sys, unittest\nsys.argv[1:] = [x]\nunittest.main(module=None)",
		"located":               "import pkgutil\npkgutil.resolve_name(x)",
		"patched":               "from unittest import mock\nmock.patch(x)",
		"configured":            "import logging.config\nlogging.config.dictConfig({'a': {'()': x}})",
	}
	a := analyze.New(Reader())
	n := 0
	for _, c := range carriersIn(t) {
		for from, v := range sources {
			for becomes, use := range sinks {
				n++
				code := "import json\nclass Thing: pass\nthing = Thing()\n" + carry(c, v, use)
				src, err := a.Canonical(analyze.Python, "", []byte(code))
				if err != nil {
					t.Fatalf("%s: %v\n%s", c.name, err, code)
				}
				f, err := a.Facts(t.Context(), src)
				if err != nil {
					t.Fatal(err)
				}
				if !f.Complete {
					t.Errorf("%s: not complete: %v\n%s", c.name, f.Syntax, code)
				} else if !reported(f) {
					t.Errorf("%s, %s, %s is seen by nobody:\n%s", from, c.name, becomes, code)
				}
			}
		}
	}
	t.Logf("%d programs", n)
}

// TestPythonCarriersOfNothing holds that the carriers accuse nobody.
func TestPythonCarriersOfNothing(t *testing.T) {
	for _, c := range carriersIn(t) {
		code := carry(c, "'text'", "print(x)")
		if f := analyzetest.Facts(t, Reader(), code); reported(f) {
			t.Errorf("%s: dynamic %v\n%s", c.name, f.Dynamic, code)
		}
	}
}
