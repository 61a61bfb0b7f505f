package runner_test

import (
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestAnnotationsOfLibraries has typing evaluate annotations while code from text is
// denied: one that stands in the source of a library, among that library's names, passes,
// as with clients that check what they send by their own annotations. Any other is stopped,
// also where the program says that it is of that library.
func TestAnnotationsOfLibraries(t *testing.T) {
	t.Parallel()
	// 3.14 evaluates no text that is a name.
	const begin = "import importlib.metadata as m, os, sys, typing\nlate = sys.version_info >= (3, 14)\ndef given(text): return 'Optional[%s]' % text if late else text\n"
	const own = "class A: pass\nA.__annotations__ = {'x': given(input())}\n"
	const ofLibrary = own + "A.__module__ = m.__name__\n"
	for _, without := range []string{"", "hook.so"} {
		b := newBare(t, func(files map[string]string) { delete(files, without) })
		for _, tt := range []struct{ name, text, code, want string }{
			{"of a library", "", "if sys.version_info >= (3, 10): typing.get_type_hints(m.EntryPoint)\nprint('held')", "held\n"},
			{"that stands there", "Distribution", ofLibrary + "typing.get_type_hints(A)\nprint('held')", "held\n"},
			{"of the program", "Distribution", own + "typing.get_type_hints(A)\nprint('reached')", ""},
			{"that does not stand there", "PathDistribution", ofLibrary + "typing.get_type_hints(A)\nprint('reached')", ""},
			{"that is more than what stands there", "Distribution.discover", ofLibrary + "typing.get_type_hints(A)\nprint('reached')", ""},
			{"that calls", "Distribution()", ofLibrary + "typing.get_type_hints(A)\nprint('reached')", ""},
			{"that reaches everything", "__builtins__", ofLibrary + "typing.get_type_hints(A)\nprint('reached')", ""},
			{"among names that are made up", "Distribution", own + "names = {'__name__': m.__name__, '__file__': m.__file__}\ntyping.get_type_hints(A, names, names)\nprint('reached')", ""},
			{"that stands in a file of the program", "Distribution.discover", ofLibrary + "open('made.py', 'w').write('x: ' + given('revocsid.noitubirtsiD'[::-1]) + ' = 1')\nm.__file__ = os.getcwd() + '/made.py'\ntyping.get_type_hints(A)\nprint('reached')", ""},
			{"that stands in a file of the program, reached from the library", "Distribution.discover", ofLibrary + "open('made.py', 'w').write('x: ' + given('revocsid.noitubirtsiD'[::-1]) + ' = 1')\nm.__file__ = os.path.dirname(os.__file__) + '/..' * 20 + os.getcwd() + '/made.py'\ntyping.get_type_hints(A)\nprint('reached')", ""},
			{"with code of another text", "Distribution", ofLibrary + "a = typing.ForwardRef(given(input()))\nb = typing.ForwardRef(A.__annotations__['x'])\nsetattr(b, '__code__' if late else '__forward_code__', a.__forward_code__)\nA.__annotations__ = {'x': b}\ntyping.get_type_hints(A)\nprint('reached')", ""},
		} {
			t.Run(tt.name+without, func(t *testing.T) {
				t.Parallel()
				s := sandboxtest.Spec("python", begin+tt.code)
				s.Stdin = []byte(tt.text + "\nPathDistribution\n")
				res := b.run(t, s)
				v, stopped := res.Stopped()
				if string(res.Stdout) != tt.want || stopped != (tt.want == "") || stopped && (v.Capability != string(sandbox.CapabilityCodeEval) || v.Detail != "exec") {
					t.Errorf("%q, %v, %s: %.800s", res.Stdout, v, res.Reason, res.Stderr)
				}
			})
		}
	}
}
