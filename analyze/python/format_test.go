package python

import (
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonFormatFields holds that fields of format texts are read as Python reads them:
// which argument each is about, and which element or attribute of it.
func TestPythonFormatFields(t *testing.T) {
	t.Parallel()
	for _, use := range []string{
		// elements
		`'{0[a].os.environ}'.format({'a': glob})`,
		`'{0[1].os.environ}'.format([1, glob])`,
		`'{[a].os.environ}'.format({'a': glob})`,
		`'{a[0].os.environ}'.format(a=[glob])`,
		`'{0[0][0][a].os.environ}'.format([[{'a': glob}]])`,
		`'{0[１].os.environ}'.format([1, glob])`,
		// what stands in brackets
		`'{0[}].os.environ}'.format({'}': glob})`,
		`'{0[{].os.environ}'.format({'{': glob})`,
		`'{0[!].os.environ}'.format({'!': glob})`,
		`'{0[:].os.environ}'.format({':': glob})`,
		`'{0[.].os.environ}'.format({'.': glob})`,
		// numbers
		`'{a}{.os.environ}'.format(glob, a=1)`,
		`'{:{.os.environ}} {}'.format(1, glob, 1)`,
		`'{０.os.environ}'.format(glob)`,
		`'{１.os.environ}'.format(1, glob)`,
		`'{+0.os.environ}'.format(**{'+0': glob})`,
		`'{1000.os.environ}'.format(*[glob])`,
		// a mistake behind it
		`'{0:{1.os.environ}} {'.format(1, glob)`,
		`'{0.os.environ!{'.format(glob)`,
	} {
		code := "import glob\nprint(" + use + ")\n"
		if f := analyzetest.Facts(t, Reader(), code); len(f.Uses["os.environ"]) == 0 {
			t.Errorf("os.environ seen by nobody:\n%s", code)
		}
	}
	for _, use := range []string{
		`'{0[os]} {0[_id]} {1[0]:.2f}'.format(row, [1.0])`,
		`'{:>{}} {!r:<{width}}'.format(1, 2, 3, width=4)`,
		`'{{{}}} {p.x} {p.y[0]}'.format(1, p=point)`,
		`'{0[os.environ]}'.format({'os.environ': glob})`,
	} {
		code := "import glob\nrow = point = 1\nprint(" + use + ")\n"
		if f := analyzetest.Facts(t, Reader(), code); reported(f) || len(f.Uses["os.environ"]) > 0 {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}
