package python

import (
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestPythonWorkedOut holds that what the analysis works out as the library would shows
// what a program may reach, and never clears it: here each text is another one at run time
// or could be, and picks a name.
func TestPythonWorkedOut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"'ab cd'.title()", "' a'.strip(None)", "'\\x1ca'.strip()", "'a\\rb'.splitlines()[0]", "'ß'.upper()", "'\\ud800'", "b'\\xc2\\x85a'.split()[0]",
		"str(1.0)", "chr(len('\\ud83d\\ude00'))", "'%d' % True", "'{}'.format(True)", "f'{True & True}'", "int('0b1', 16)", "bytearray(b'a').decode()",
		"''.join({'a', 'b'})", "list({'a', 'b'})[0]", "list(set(['a', 'b']))[0]", "next(iter(['a', 'b']))", "list(map(str.upper, ['a', 'b']))[0]",
		"__import__('base64').b64decode('YQ==').decode()", "__import__('urllib.parse').parse.unquote('%41')", "__import__('urllib.parse').parse.unquote_plus('a+b')", "__import__('json').loads('\"a\"')",
	} {
		for _, use := range []string{"getattr(f, {'A': '__name__'}.get(x, '__globals__'))", "getattr(f, x)", "d = {x: '__globals__'}\ngetattr(f, d['a'])", "__import__(x)"} {
			if f := analyzetest.Facts(t, Reader(), "def f(): pass\nx = "+text+"\n"+use+"\n"); !reported(f) {
				t.Errorf("%s: %s is seen by nobody", text, use)
			}
		}
	}
	for _, pick := range []string{
		"{1: '__name__', True: '__globals__'}[1]", "{0.0: '__name__', -0.0: '__globals__'}[0.0]", "{10**20: '__name__', 1e20: '__globals__'}[10**20]",
		"{'a\\nb': '__globals__', 'a\\r\\nb': '__name__'}['''a\r\nb''']",
	} {
		if f := analyzetest.Facts(t, Reader(), "def f(): pass\ngetattr(f, "+pick+")\n"); !reported(f) {
			t.Errorf("%s is seen by nobody", pick)
		}
	}
	for _, text := range []string{"'__na' 'me__'", "'__na' + 'me__'", "f'__{\"name\"}__'", "'name'[0:4]", "('a', 'name')[1]", "{'a': 'name'}['a']"} {
		if f := analyzetest.Facts(t, Reader(), "def f(): pass\nx = "+text+"\nprint(getattr(f, x))\n"); reported(f) {
			t.Errorf("%s: dynamic %v", text, f.Dynamic)
		}
	}
}

// TestPythonNamesAreGone holds that a name which a program may have taken away again, or
// which the interpreter keeps in another form, is not taken for the program's own.
func TestPythonNamesAreGone(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"eval = print\ndel [eval]\neval('6*7')",
		"a = eval = print\ndel (a, [eval])\neval('6*7')",
		"eval = print\ndef d():\n    global eval\n    del [eval]\nd()\neval('6*7')",
	} {
		f := analyzetest.Facts(t, Reader(), code)
		if len(f.Uses["builtins.eval"]) == 0 {
			t.Errorf("eval is not seen:\n%s", code)
		}
	}
	for _, code := range []string{
		"from os import system as _C__f\nfrom math import floor as __f\nclass C:\n    def g(self): return __f('id')\nC().g()",
		"import math\nclass C:\n    def g(self):\n        global __f\n        __f = math.floor\n    def h(self): return __f('id')\nfrom os import system as _C__f\nC().h()",
	} {
		called := false
		for _, u := range analyzetest.Facts(t, Reader(), code).Uses["os.system"] {
			called = called || u.How == analyze.HowCall
		}
		if !called {
			t.Errorf("the call of os.system is not seen:\n%s", code)
		}
	}
}

// TestPythonLogging has a formatter of the program's own show the record that logging gave
// it, and nothing else.
func TestPythonLogging(t *testing.T) {
	t.Parallel()
	const head, body = "import logging\n", "    def format(self, record):\n        return super().format(record).upper()\n"
	for _, code := range []string{
		"class F(logging.Formatter):\n" + body + "F('%(message)s')",
		"class F(logging.Formatter):\n    def format(self, record):\n        text = super().format(record)\n        return f'{record.levelname} {text}'\nF()",
		"class B(logging.Formatter):\n" + body + "class F(B):\n" + body + "F('{message}', style='{')",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code+"\n"); reported(f) {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
	for _, code := range []string{
		"class F(logging.Formatter):\n" + body + "F(input(), style='{')",
		"class F(logging.Formatter):\n" + body + "F('{msg.x}', style=input())",
		"class F(logging.Formatter):\n" + body + "F(**input())",
		"class F(logging.Formatter):\n    def format(self, record):\n        record = input\n        return super().format(record)\nF()",
		"class F(logging.Formatter):\n    def format(self, record):\n        return super().format(input)\nF()",
		"class F(logging.Formatter):\n    def other(self, record):\n        return super().format(record)\nF().other(input)",
		"class F(logging.Formatter):\n" + body + "    other = format\nF().other(input)",
		"class F(logging.Formatter, input()):\n" + body + "F()",
		"class F(str):\n" + body + "F(input())",
		"class F(input()):\n" + body + "F()",
		"class M(type):\n    def __new__(c, n, b, d): return type.__new__(c, n, (str,), d)\nclass F(logging.Formatter, metaclass=M):\n" + body + "F(input())",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code+"\n"); !reported(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
}

// TestPythonTestsByName has a test be made with the name of the method that it calls.
func TestPythonTestsByName(t *testing.T) {
	t.Parallel()
	const class = "import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\nclass U(T): pass\n"
	for _, code := range []string{"unittest.TestCase(input())", "T(input())", "U(methodName=input())", "U(*input())", "map(T, input())", "T('te' + input())"} {
		if f := analyzetest.Facts(t, Reader(), class+code+"\n"); !reported(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{"T('test')", "U(methodName='test').debug()", "unittest.TestLoader().loadTestsFromTestCase(T)", "unittest.main()",
		"s = unittest.TestSuite()\ns.addTest(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nunittest.TextTestRunner().run(s)"} {
		if f := analyzetest.Facts(t, Reader(), class+code+"\n"); reported(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
}

// TestPythonNamesOfFunctions holds that what a function is called counts as known only where
// nothing in the program gives it the name of another, however it gets the function.
func TestPythonNamesOfFunctions(t *testing.T) {
	t.Parallel()
	const head = "import functools\ndef f(): pass\ndef __globals__(): pass\n"
	for _, body := range []string{
		"class C:\n    def __eq__(self, o):\n        functools.update_wrapper(o, __globals__)\n        return True\nf == C()",
		"class C:\n    def __eq__(self, o): return functools.wraps(__globals__)(o)\nf == C()",
		"from functools import wraps as w\nclass C:\n    def __contains__(self, o): return w(wrapped=__globals__)(o)\nf in C()",
		"try:\n    assert 0, f\nexcept AssertionError as e:\n    functools.update_wrapper(e.args[0], __globals__)",
		"class B:\n    def __init_subclass__(cls, t):\n        functools.update_wrapper(t, __globals__)\nclass C(B, t=f): pass",
		"import tempfile\nclass C:\n    def __eq__(self, o): tempfile._functools.update_wrapper(o, __globals__)\nf == C()",
		"import argparse\np = argparse.ArgumentParser()\np.add_argument('--__name__')\nclass C:\n    def __eq__(self, o): p.parse_args(['--__name__=a'], o)\nf == C()",
	} {
		code := head + body + "\ngetattr(f, f.__name__)\n"
		if facts := analyzetest.Facts(t, Reader(), code); len(facts.Dynamic[analyze.DynamicMember]) == 0 {
			t.Errorf("the name is known:\n%s", code)
		}
	}
	for _, body := range []string{"f == 1", "@functools.lru_cache\ndef g(x): return x", "class C:\n    def __eq__(self, o): return self is o\nf == C()"} {
		if facts := analyzetest.Facts(t, Reader(), head+body+"\ngetattr(f, f.__name__)\n"); reported(facts) {
			t.Errorf("dynamic %v:\n%s", facts.Dynamic, body)
		}
	}
}

// TestPythonRecordsAndNamespaces holds that objects which the library gives attributes under
// names that nobody sees may be anything that it asks by name, and that others may not.
func TestPythonRecordsAndNamespaces(t *testing.T) {
	t.Parallel()
	const head = "import argparse, asyncio, json, logging, traceback\nd = json.load(open('a.json'))\np = argparse.ArgumentParser()\nl = logging.getLogger('a')\nb = {}\n"
	const use = "\ntraceback.format_exception(None, o, None)\n"
	for _, code := range []string{
		"o = logging.makeLogRecord(d)", "o = logging.makeLogRecord({**d})", "o = logging.makeLogRecord(dict(zip(d, d)))", "b.update(d)\no = logging.makeLogRecord(b)", "o = asyncio.log.logging.makeLogRecord(d)",
		"o = l.makeRecord('a', 1, 'b', 1, 'c', (), None, 'd', d)", "o = l.makeRecord('a', 1, 'b', 1, 'c', (), None, extra=d)", "l.error('a', extra=d)\no = input()", "l.error('a', **d)\no = input()\nl.info('a', extra={**d, 'b': 1})",
		"logging.LoggerAdapter(l, d).error('a')\no = input()", "a = logging.LoggerAdapter(l)\na.extra = d\no = input()",
		"p.add_argument(d[0], default=d)\no = p.parse_args()", "p.add_argument('--' + d[0], default=d)\no = p.parse_args()", "p.add_argument('--tb_' + d[0])\no = p.parse_args()", "p.add_argument('--a', dest=d[0])\no = p.parse_args()",
		"p.add_argument(*d)\no = p.parse_args()", "p.add_argument('--a').dest = d[0]\no = p.parse_args()", "p.add_subparsers(dest=d[0])\no = p.parse_args()", "p.set_defaults(**d)\no = p.parse_args()",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code+use); len(f.Dynamic[analyze.DynamicFrame]) == 0 {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, code := range []string{"p.add_argument('--tb-frame')", "p.add_argument('--a', dest='f_code')", "p.add_argument('co_filename')"} {
		if f := analyzetest.Facts(t, Reader(), head+code); len(f.Dynamic[analyze.DynamicFrame]) == 0 {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, code := range []string{
		"l.error('a', extra={'user': d})\no = input()", "o = logging.makeLogRecord({'msg': d, 'levelno': 20})", "b['user'] = d\nlogging.LoggerAdapter(l, b).error('a')\no = input()", "o = l.makeRecord('a', 1, 'b', 1, d, (d,), None, 'd', {'user': d})",
		"p.add_argument('--verbose', '-v')\nfor n in ('a', 'b'): p.add_argument('--' + n)\np.add_argument('--my_' + d[0])\np.set_defaults(a=d)\no = p.parse_args()",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code+use); reported(f) {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}

// TestPythonBrought holds that what is asked of objects of a module is asked where another
// module that is imported may give them out.
func TestPythonBrought(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"import asyncio\nasyncio.log.logger.makeRecord('a', 1, 'b', 1, 'c', (), (None, input(), input()))",
		"import asyncio\nclass F:\n    def __getattr__(self, name): return F()\nasyncio.log.logger.handle(F())",
		"import concurrent.futures\nclass F:\n    def __getattr__(self, name): return F()\nconcurrent.futures._base.LOGGER.handle(F())",
		"import unittest\nclass F:\n    def __getattr__(self, name): return F()\nclass T(unittest.TestCase):\n    def test(self):\n        with self.assertLogs() as c: c.handle(F())",
		"import asyncio\nasync def f(x): x.capture_locals = input()",
		"import dataclasses\nclass A:\n    def __init__(self, p): p.add_argument(input())\n",
	} {
		f := analyzetest.Facts(t, Reader(), code)
		if want := strings.Contains(code, "asyncio") || strings.Contains(code, "handle"); reported(f) != want {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
	shown := "import asyncio\ndef f(loop, context):\n    x = context['source_traceback'][0]\n    x.filename = 'a'\nasyncio.get_event_loop().set_exception_handler(f)\n"
	if f := analyzetest.Facts(t, Reader(), shown); len(f.Uses["traceback.FrameSummary.filename"]) == 0 {
		t.Errorf("the file of a frame is not seen:\n%s", shown)
	}
	shown = "import asyncio\nclass L(asyncio.SelectorEventLoop):\n    def call_exception_handler(self, context): context['source_traceback'][0].filename = 'a'\n"
	if f := analyzetest.Facts(t, Reader(), shown); len(f.Uses["traceback.FrameSummary.filename"]) == 0 {
		t.Errorf("the file of a frame is not seen:\n%s", shown)
	}
	if f := analyzetest.Facts(t, Reader(), "import asyncio\ndef f(x): x.filename = input()\nasyncio.run(f(1))"); len(f.Uses["traceback.FrameSummary.filename"]) > 0 {
		t.Error("the file of a frame is seen where there is none")
	}
}
