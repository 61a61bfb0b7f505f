package python

import (
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonShownPaths wants to know which file a function is given where that is
// no constant.
func TestPythonShownPaths(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"open(f'/home/{x}/f')":                   "/home/*",
		"open('/srv/part%d.csv' % x)":            "/srv/*",
		"open('/srv/' + x)":                      "/srv/*",
		"open('../out' + x)":                     "../*",
		"open(f'out/{x}')":                       "",
		"open(f'/{x}')":                          "",
		"open(f'/t{x}')":                         "",
		"open(x)":                                "",
		"open(os.path.expanduser('~/.aws/key'))": "~/.aws/*",
		"open(os.path.join(os.path.expanduser('~'), 'key'))": "~/*",
		"def f(p):\n  open(p)\nf('/etc/shadow')\nf(x)":       "/etc/shadow",
		"for p in ['/tmp/a', '/etc/shadow', x]:\n  open(p)":  "/etc/shadow",
		"for p in ['a', 'b']:\n  open(p)":                    "",
		"open(os.path.expanduser('~/a').replace('a', 'b'))":  "",
		"open(['a', '/etc/shadow'])":                         "/etc/shadow", // as configparser reads
		"open(('a', 'b'))":                                   "",
		"open({'/etc/shadow': 'a'})":                         "",
	} {
		f := analyzetest.Facts(t, Reader(), "import os\nx = input()\n"+code+"\n")
		uses := f.Uses["builtins.open"]
		if len(uses) == 0 || len(uses[0].Args) == 0 {
			t.Fatalf("%s: %+v", code, uses)
		}
		if got := uses[0].Args[0].MayBe; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestPythonHomeward wants paths known as pathlib makes them, which then begin with the name
// of a home directory.
func TestPythonHomeward(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"pathlib.Path('./~/.profile')":                   "~/.profile",
		"pathlib.Path('.//./~root')":                     "~root",
		"(pathlib.Path('a').parent / '~' / 'x')":         "~/x",
		"pathlib.Path('./a~')":                           "a~",
		"pathlib.Path('a/~')":                            "a/~",
		"pathlib.Path('a.txt').with_name('b')":           "b",
		"[p for p in pathlib.Path('.').iterdir()][0]":    "",
		"pathlib.Path('/tmp/~')":                         "/tmp/~",
		"[p for p in pathlib.Path('.').glob('?a.t')][0]": "",
	} {
		f := analyzetest.Facts(t, Reader(), "import pathlib\n"+code+".expanduser().read_text()\n")
		uses := f.Uses["pathlib.Path.read_text"]
		if len(uses) == 0 {
			t.Fatalf("%s: not seen", code)
		}
		if got := uses[0].Path; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
