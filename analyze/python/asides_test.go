package python

import (
	"slices"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonAsides holds that a method which does more with what it is given is seen where
// it is read by one name and called by another, and where its arguments have names.
func TestPythonAsides(t *testing.T) {
	t.Parallel()
	const held = "import argparse, asyncio, functools, logging, unittest, traceback\nclass T:\n    def __getattr__(self, n): return self\nn, p, lg, r = input(), argparse.ArgumentParser(), logging.getLogger(), unittest.TestResult()\nhappened = (ValueError, ValueError(), T())\n"
	for _, way := range []string{
		"getattr(p, 'parse_args')([], T())",
		"getattr(asyncio.new_event_loop(), 'call_exception_handler')({n: []})",
		"getattr(lg, 'error')('a', **{n: happened})",
		"getattr(r, 'addError')(T(), happened)",
		"add = r.addError\nadd(T(), happened)",
		"list(map(r.addFailure, [T()], [happened]))",
		"r.addError(test=T(), err=happened)",
		"r.addSubTest(test=T(), subtest=T(), err=happened)",
		"try: pass\nexcept ValueError as e: unittest.TestResult.addError(r, e, happened)",
		"logging.Formatter().formatException(ei=happened)",
		"f = logging.Formatter().formatException\nf(happened)",
		"logging.getLoggerClass().makeRecord(lg, 'n', 1, 'f', 1, 'm', None, happened)",
		"logging.getLogRecordFactory()('n', 1, 'f', 1, 'm', None, happened)",
		"logging.setLogRecordFactory(lambda *a, **k: T())",
		"class L(logging.Logger):\n    def makeRecord(self, *a, **k): return T()",
		"lg.makeRecord = lambda *a, **k: T()",
		"lg.addFilter(lambda r: T())",
		"class F(logging.Filter):\n    def filter(self, r): return T()",
		"logging.StreamHandler().handle(T())",
		"logging.lastResort.emit(T())",
		"call = lg.callHandlers\ncall(T())",
		"class A(logging.LoggerAdapter):\n    def process(self, m, k): return m, {n: happened}\nA(lg, {}).error('a')",
		"traceback.TracebackException(exc_type=ValueError, exc_value=T(), exc_traceback=None)",
	} {
		reports(t, held+way)
	}
	const path = "import pathlib, queue, traceback, unittest, asyncio\nq = queue.Queue()\nq.put(pathlib.Path('a'))\n"
	for way, symbol := range map[string]string{
		"import argparse\ngetattr(argparse.ArgumentParser().add_subparsers(), 'add_parser')('a', **input())":                "argparse.ArgumentParser.fromfile_prefix_chars",
		"import shlex\nclass S(shlex.shlex): pass\nS.source = property(lambda s: 'source', lambda s, v: None)":              "shlex.shlex.source",
		"import shlex\nclass B: pass\nclass S(B, shlex.shlex): pass\nB.source = input":                                      "shlex.shlex.source",
		"import shlex\nclass S(shlex.shlex):\n    source = 'source'\n    def __init__(self): pass":                          "shlex.shlex.source",
		"import argparse\nclass P(argparse.ArgumentParser):\n    fromfile_prefix_chars = 'a'\n    def __init__(self): pass": "argparse.ArgumentParser.fromfile_prefix_chars",
		"import logging\nlogging.StrFormatStyle.default_format = '{msg.a}'":                                                 "logging.StrFormatStyle.default_format",
		"q.get().rename(target=input())":                      "pathlib.Path.rename",
		"q.get().replace(target=input())":                     "pathlib.Path.replace",
		"q.get().rename(*input())":                            "pathlib.Path.rename",
		"r = q.get().rename\nr(input())":                      "pathlib.Path.rename",
		"getattr(q.get(), 'rename')(input())":                 "pathlib.Path.rename",
		"(q.get() / input()).resolve()":                       "pathlib.Path.resolve",
		"q.get().stack.from_list([(input(), 1, 'a', None)])":  "traceback.StackSummary.from_list",
		"unittest.main(catchbreak=input())":                   "unittest.installHandler",
		"unittest.main(argv=['a', '-c'])":                     "unittest.installHandler",
		"asyncio.get_event_loop_policy().get_child_watcher()": "asyncio.DefaultEventLoopPolicy.get_child_watcher",
		"pathlib.PureWindowsPath.parser.expandvars(input())":  "os.path.expandvars",
		"m = pathlib.Path.parser\nm.realpath(input())":        "os.path.realpath",
		"getattr(pathlib.PurePath, 'parser').exists(input())": "os.path.exists",
		"q.get().parser.expandvars(input())":                  "os.path.expandvars",
	} {
		if f := analyzetest.Facts(t, Reader(), path+way); !slices.Contains(f.Names, symbol) {
			t.Errorf("%s is not in %v:\n%s", symbol, f.Names, way)
		}
	}
	for _, name := range []string{"__cause__", "__context__", "__reduce__", "__signature__", "__dict__"} { // put on a class as if they stood in it
		reports(t, "class C(Exception): pass\nC."+name+" = property(lambda s: s)")
	}
	accusesNone(t,
		"import logging\nlg = logging.getLogger()\ngetattr(lg, 'info')('a')\nlog = lg.warning\nlog('b')",
		"import logging\nclass H(logging.Handler):\n    def __init__(self, to):\n        super().__init__()\n        self.to = to\n    def emit(self, record): self.to.handle(record)\nclass A(logging.LoggerAdapter):\n    def process(self, m, k): return m, {**k, 'a': 1}\nold = logging.getLogRecordFactory()\ndef make(*a, **k):\n    r = old(*a, **k)\n    r.a = 1\n    return r\nlogging.setLogRecordFactory(make)\nprint(A, H)",
		"import argparse\np = argparse.ArgumentParser()\nread = p.parse_known_args()\nprint(read)",
		"import argparse, pathlib\nclass A:\n    def __init__(self): self.parser = argparse.ArgumentParser()\n    def run(self): return [a.parser.parse_args() for a in input() or [self]]\nprint(A().run(), pathlib.PurePosixPath.parser.join('a', 'b'))",
		"import pathlib\nprint('a'.replace(*('a', 'b')), input().replace('a', 'b'), pathlib.Path('a').name)",
	)
}
