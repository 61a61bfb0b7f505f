package python

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestLocals tells the dictionary of a function's names from the namespace of a program.
func TestLocals(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"def f(a, b):\n  d = locals()\n  del d['a']\n  return all(isinstance(v, int) for v in d.values())",
		"def f(a, b):\n  return '{a} {b}'.format(**locals())\nprint(f(1, 2))",
		"def f(a):\n  vars()['a'] = 1\n  return [locals()[k] for k in ('a', 'b')]",
	} {
		facts := analyzetest.Facts(t, Reader(), source)
		if len(facts.Dynamic[analyze.DynamicPatch])+len(facts.Dynamic[analyze.DynamicNamespace]) > 0 {
			t.Errorf("%v in:\n%s", facts.Dynamic, source)
		}
	}
	for _, source := range []string{
		"d = locals()\ndel d['a']",
		"class C:\n  d = locals()\n  d['a'] = 1", "class C:\n  globals()['a'] = 1", "class C:\n  def f(s): globals().update(a=1)", "[locals() for _ in 'a'][0]['a'] = 1",
		"def f():\n  globals()['a'] = 1",
		"exec(\"locals()['a'] = 1\")",
	} {
		if facts := analyzetest.Facts(t, Reader(), source); len(facts.Dynamic[analyze.DynamicPatch]) == 0 {
			t.Errorf("nothing is changed in:\n%s", source)
		}
	}
	passes(t, "class C:\n  locals()['a'] = 1", "class C:\n  for n in input().split(): vars()[n] = property(print)", "class C:\n  locals().update({n: 1 for n in input().split()})", "class C: vars().update(a=1)")
	reports(t, "class C:\n  locals()['a'] = 1", "class C:\n  for n in input().split(): vars()[n] = property(print)", "class C:\n  locals().update({n: 1 for n in input().split()})", "class C: vars().update(a=1)")
	for _, source := range []string{
		"import os\nclass C:\n  locals()['o'] = os\n  o.system('id')", "import os\nclass C:\n  vars().update(o=os)\nC.o.system('id')", "import os\nclass C:\n  vars().update({'o': os})\nC().o.system('id')",
		"import os\ndef f():\n  o = os\n  locals()['o'].system('id')",
		"import os\ndef f():\n  o = os\n  for v in locals().values(): v.system('id')",
		"import os\ndef f():\n  o = os\n  def g():\n    o\n    locals()['o'].system('id')",
		"import os\ndef f():\n  locals()['o'] = os\n  locals()['o'].system('id')",
		"import os\ndef f():\n  exec('o = os')\n  locals()['o'].system('id')",
		"import os\ndef f(x):\n  return [locals()['o'].system('id') for o in (os,)]",
		"import os\ndef f():\n  o = os\n  return locals()\nf()['o'].system('id')",
	} {
		if names := analyzetest.Facts(t, Reader(), source).Names; !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "os.system") }) {
			t.Errorf("no os.system among %v in:\n%s", names, source)
		}
	}
}
