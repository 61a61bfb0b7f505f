package python

import (
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonNamesOfOptions holds that a name is seen under which a parser puts a value, whatever
// the program says that options begin with.
func TestPythonNamesOfOptions(t *testing.T) {
	t.Parallel()
	const head = "import argparse, ast, copy\np = argparse.ArgumentParser(prefix_chars='-+')\n"
	for _, code := range []string{
		"p.add_argument('--__class__', type=lambda s: int)",
		"p.add_argument('+__class__', type=lambda s: int)",
		"p.add_argument('-a', '++__class__', type=lambda s: int)",
		"p.add_argument('+--class--', type=lambda s: int)",
		"p.add_argument('+__reduce_ex__', type=lambda s: print)",
		"p.add_argument('+__dict__', type=lambda s: {})",
		"p.add_argument('+tb_frame')",
		"p.add_argument('/__class__', type=lambda s: int)",
		"p.add_argument_group('g', prefix_chars='+').add_argument('+f-code')",
		"p.add_argument('§__class__')",
		"p.prefix_chars = 'a'",
		"p.prefix_chars = input()",
		"p.add_argument_group('g', prefix_chars='-_')",
		"p.add_argument_group('g', **dict(zip(input(), input())))",
		"argparse.ArgumentParser(prefix_chars='é')",
		"argparse.ArgumentParser(prefix_chars=''.join(['a']))",
		"argparse.ArgumentParser(None, None, None, None, [], argparse.HelpFormatter, 'x')",
		"p.add_subparsers().add_parser('a', prefix_chars='x')",
		"p.add_argument('--_fields', default=['a'])\nprint(*ast.iter_fields(p.parse_args()))",
		"p.add_argument('--a', dest='_attributes', default=['a'])\nprint(ast.dump(p.parse_args()))",
		"p.add_argument('-x', type=lambda s: print).dest = '__reduce_ex__'",
		"p.add_argument('-x', type=lambda s: print).dest = ''.join(['__reduce', '_ex__'])",
		"a = p.add_argument('-x', type=lambda s: print)\nfor a.dest in ['__reduce_ex__']: pass",
		"a = p.add_argument('-x', type=lambda s: print)\na.dest = '__reduce'\na.dest += '_ex__'",
		"a = p.add_argument('-x', metavar='__dict__', type=lambda s: {})\na.dest = a.metavar",
		"setattr(p.add_argument('-x', type=lambda s: print), 'dest', input())",
		"class A(argparse.Action):\n    @property\n    def dest(self): return '_fields'\np.add_argument('--a', action=lambda **k: A(**k), default=['a'])",
		"add = p.add_argument\nadd('+__reduce_ex__', type=lambda s: print)",
		"add = p.add_argument\nadd(input(), type=lambda s: print)",
		"print(*map(p.add_argument, ['--__reduce_ex__']))",
		"import threading\nthreading.Thread(target=p.add_argument, args=('+__reduce_ex__',)).start()",
		"import functools\nfunctools.partial(p.add_argument, type=lambda s: print)('+__reduce_ex__')",
		"argparse.BooleanOptionalAction(['--a'], '__class__')",
		"class P(argparse.ArgumentParser):\n    def __getattr__(self, name): return 'a'",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code); !reported(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, code := range []string{
		"p.add_argument('+x', '++long-name', type=int)\nprint(p.parse_args())",
		"p.prefix_chars = '-/'\np.add_argument('/a')",
		"p.add_argument_group('g', prefix_chars='+').add_argument('+a')",
		"argparse.ArgumentParser(None, None, None, None, [], argparse.HelpFormatter, '+')",
		"p.add_argument_group(**{'title': 'g'})",
		"add = p.add_argument\nadd('--a', '-b', type=int)\nadd('c', help='__init__ %(default)s', action='store_true')\nprint('__name__')",
		"a = p.add_argument('-x')\na.dest = 'y'",
		"class C:\n    def __init__(self, dest): self.dest = dest\nprint(C(input()).dest)",
		"class A(argparse.Action):\n    def __init__(self, option_strings, dest, **others): super().__init__(option_strings, dest, **others)\np.add_argument('--a', action=A)",
		"p.add_argument('--fields', '--é', type=int)",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code); reported(f) {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}
