package python

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// flow is one way for a value to go: statements, and the expression that it
// comes out of.
type flow struct{ statements, expression string }

// flows reads the ways of testdata/flows.txt.
func flows(t *testing.T) []flow {
	t.Helper()
	raw, err := os.ReadFile("testdata/flows.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []flow
	for line := range strings.Lines(string(raw)) {
		statements, expression, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			out = append(out, flow{strings.ReplaceAll(statements, `\n`, "\n"), expression})
		}
	}
	if len(out) < 200 {
		t.Fatalf("only %d flows", len(out))
	}
	return out
}

// loot is what a program gets hold of, and what it does with it in the end.
type loot struct{ imports, value, use string }

func loots() []loot {
	return []loot{
		{"import random", "random", "%s._os.system('expr 40 + 1001')"},
		{"import random", "random._os", "%s.system('expr 40 + 1001')"},
		{"import shutil", "shutil", "print(%s.os.popen('expr 40 + 1001').read())"},
		{"import json", "json", `%s.codecs.builtins.exec("import os; os.system('expr 40 + 1001')")`},
		{"import timeit", "timeit", `%s.timeit("import os; os.system('expr 40 + 1001')", number=1)`},
		{"import os", "os.system", "%s('expr 40 + 1001')"},
		{"", "eval", `%s("__import__('os').system('expr 40 + 1001')")`},
		{"", "print", `%s.__self__.exec("import os; os.system('expr 40 + 1001')")`},
	}
}

// program carries some loot along up to three flows, one after the other.
func program(r *rand.Rand, ways []flow) string {
	l := loots()[r.IntN(len(loots()))]
	lines, value := []string{l.imports}, l.value
	for range 1 + r.IntN(3) {
		way := ways[r.IntN(len(ways))]
		fill := strings.NewReplacer("{v}", value, "{n}", fmt.Sprint(r.IntN(1e6)))
		lines = append(lines, fill.Replace(way.statements))
		value = fill.Replace(way.expression)
	}
	lines = append(lines, fmt.Sprintf(l.use, value))
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n") + "\n"
}

// TestPythonFlows holds that a module or a function is still known for what it
// is wherever a program takes it: generated programs carry it through calls,
// containers, operators, descriptors, generators, exceptions and patterns.
func TestPythonFlows(t *testing.T) {
	ways := flows(t)
	forbidden := []string{"process", "code.eval", "introspection"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		code := program(r, ways)
		got := pythonShows(analyzetest.Facts(t, Reader(), code))
		if !slices.ContainsFunc(forbidden, func(c string) bool { return got[c] }) {
			t.Errorf("shows %v:\n%s", got, code)
		}
	}
}

// TestPythonFlowsOfFormats holds that the method format of text which is not known is
// reported wherever a program takes it before something with a way out is formatted by it.
func TestPythonFlowsOfFormats(t *testing.T) {
	for _, text := range []string{"input().format", "getattr(input(), 'format')", "operator.attrgetter('format')(input())", "string.Formatter().format"} {
		use := "(secret)"
		if text == "string.Formatter().format" {
			use = "(input(), secret)"
		}
		for _, way := range flows(t) {
			fill := strings.NewReplacer("{v}", text, "{n}", "1")
			code := "import operator, string\ndef secret(): pass\n" + fill.Replace(way.statements) + "\nprint(" + fill.Replace(way.expression) + use + ")\n"
			if f := analyzetest.Facts(t, Reader(), code); !reported(f) {
				t.Errorf("seen by nobody:\n%s", code)
			}
		}
	}
	for _, code := range []string{
		"class M(type):\n    def __instancecheck__(c, x):\n        c.held = x\nclass A(metaclass=M): pass\nisinstance(input(), A)\nisinstance(input().format, A)\nprint(A.held(len))",
		"class A:\n    def __eq__(s, x):\n        A.held = x\na = A()\nif input().format == a: pass",
		"def f(*x): return x\nf(input().format)",
		"class A:\n    held = kept = input().format",
		"a = A()\na.held = b = input().format",
		"import json\nfrom json import dumps\ndumps(input().format, default=print)",
		"def f(): return input().format",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !reported(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, code := range []string{
		"import queue\nq = queue.Queue()\nq.put('{} of {}'.format)\nprint(q.get()(1, 2))",
		"template = 'a {name}'\nprint(template.format(name=1))\nrows = [1, 2]\nprint(list(map('{:>3}'.format, rows)))",
		"import queue\nq = queue.Queue()\nq.put(f'{input()}')\nprint(q.get())",
		"import argparse\np = argparse.ArgumentParser()\np.add_argument('--format')\na = p.parse_args()\nif a.format == 'json':\n    print(a.format.upper())\ndef write(rows, format):\n    print(format, f'{format}')\nwrite([1], a.format)",
	} {
		if f := analyzetest.Facts(t, Reader(), code); reported(f) {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}

// TestPythonFlowsOfFunctions holds that a function of the library whose harm depends on
// what it is given is seen wherever a program takes it before it is called.
func TestPythonFlowsOfFunctions(t *testing.T) {
	t.Parallel()
	used := func(f analyze.Facts, symbol string) bool { return len(f.Uses[symbol]) > 0 }
	for _, fn := range []struct{ imports, name, call string }{
		{"import operator", "operator.attrgetter", "('__glo'+'bals__')(secret)"},
		{"import operator", "operator.methodcaller", "('__getattri'+'bute__', '__globals__')(secret)"},
		{"import functools", "functools.wraps", "(secret, ['__glo'+'bals__'])(secret)"},
		{"import functools", "functools.update_wrapper", "(secret, secret, ['__glo'+'bals__'])"},
		{"import dataclasses", "dataclasses.make_dataclass", "('A', [input()])"},
		{"import dataclasses", "dataclasses.dataclass", "(input())"},
		{"import types", "types.new_class", "('A', (), {}, input())"},
		{"import logging", "logging.Formatter", "(input(), style='{')"},
		{"import logging", "logging.basicConfig", "(filename='a.py')"},
		{"import argparse", "argparse.ArgumentParser", "(**input())"},
	} {
		for _, way := range flows(t) {
			fill := strings.NewReplacer("{v}", fn.name, "{n}", "1")
			code := fn.imports + "\ndef secret(): pass\n" + fill.Replace(way.statements) + "\nprint(" + fill.Replace(way.expression) + fn.call + ")\n"
			f := analyzetest.Facts(t, Reader(), code)
			if !reported(f) && !used(f, "logging.FileHandler") && !used(f, "argparse.ArgumentParser.fromfile_prefix_chars") {
				t.Errorf("seen by nobody:\n%s", code)
			}
		}
	}
	for _, code := range []string{
		"from operator import attrgetter, methodcaller\nrows = sorted([1], key=attrgetter('real'))\nprint(list(map(methodcaller('bit_length'), rows)))",
		"import functools\ndef d(f):\n    @functools.wraps(f)\n    def g(*a, **k): return f(*a, **k)\n    return g\n@d\ndef h(x): return x\nprint(h(1))",
		"import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int = 1\n@dataclasses.dataclass(frozen=True)\nclass B(A):\n    y: int = 2\nclass C:\n    z: int = 3\nprint(B(), dataclasses.dataclass(C), dataclasses.dataclass(order=True)(C))",
		"import logging\nclass F(logging.Formatter):\n    def formatTime(self, record: logging.LogRecord, datefmt=None) -> str:\n        return ''\nlogging.basicConfig(level='INFO', format='%(message)s')\nf = F()\nprint(isinstance(f, logging.Formatter))",
		"import argparse\ndef parser(p: argparse.ArgumentParser = None) -> argparse.ArgumentParser:\n    p = p or argparse.ArgumentParser(description='a', prefix_chars='-')\n    s = p.add_subparsers(dest='c')\n    s.add_parser('b', help='c')\n    return p\nclass P(argparse.ArgumentParser):\n    def __init__(self, text):\n        super().__init__(prog='a', description=text)\nclass Q(argparse.ArgumentParser):\n    def error(self, message): print(message)\nprint(parser(), P('a'), Q('a'), isinstance(Q(), argparse.ArgumentParser))",
	} {
		if f := analyzetest.Facts(t, Reader(), code); reported(f) || used(f, "logging.FileHandler") || used(f, "argparse.ArgumentParser.fromfile_prefix_chars") {
			t.Errorf("dynamic %v, uses %v:\n%s", f.Dynamic, f.Names, code)
		}
	}
}

// TestPythonFlowsOfNothing holds that the flows themselves accuse nobody.
func TestPythonFlowsOfNothing(t *testing.T) {
	for _, way := range flows(t) {
		if strings.HasPrefix(way.statements, "exec(") {
			continue
		}
		fill := strings.NewReplacer("{v}", "len", "{n}", "1")
		code := fill.Replace(way.statements) + "\nx = " + fill.Replace(way.expression) + "\nprint(x('ab'))\n"
		f := analyzetest.Facts(t, Reader(), code)
		if got := pythonShows(f); got["process"] || got["code.eval"] || got["introspection"] && len(f.Dynamic[analyze.DynamicNamespace]) == 0 {
			t.Errorf("shows %v, dynamic %v:\n%s", got, f.Dynamic, code)
		}
	}
}
