package gate

import (
	"context"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/python"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

// What a program can import is judged as the program is.
func TestInputFilesAreJudged(t *testing.T) {
	const evil, evilJS = "import os\r\nos.system('id')\r\n", "require('child_process').execSync('id')\n"
	for _, tt := range []struct {
		name     string
		language analyze.Language
		source   string
		file     sandbox.File
		want     string // in the first finding; "" is allowed
	}{
		{"data", analyze.Python, "print(1)\n", sandbox.File{Path: "a.csv", Data: []byte("os.system('id')")}, ""},
		{"good module", analyze.Python, "import helper\n", sandbox.File{Path: "helper.py", Data: []byte("X = 1\r\n")}, ""},
		{"empty package", analyze.Python, "import pkg\n", sandbox.File{Path: "pkg/__init__.py"}, ""},
		{"package of an empty line", analyze.Python, "import pkg\n", sandbox.File{Path: "pkg/__init__.py", Data: []byte("\n")}, ""},
		{"bad module", analyze.Python, "import helper\n", sandbox.File{Path: "helper.py", Data: []byte(evil)}, "helper.py:2:1: os.system"},
		{"bad module in capitals", analyze.Python, "import helper\n", sandbox.File{Path: "helper.PY", Data: []byte(evil)}, "helper.PY"},
		{"bad module of the other language", analyze.Python, "print(1)\n", sandbox.File{Path: "x.cjs", Data: []byte(evilJS)}, "x.cjs:1:1: "},
		{"no syntax", analyze.Python, "import helper\n", sandbox.File{Path: "helper.py", Data: []byte("def (:\n")}, "helper.py:1:"},
		{"two readings", analyze.Python, "import helper\n", sandbox.File{Path: "helper.py", Data: []byte("# x\rimport os\n")}, "helper.py:1:"},
		{"bytecode", analyze.Python, "import helper\n", sandbox.File{Path: "helper.pyc", Data: []byte{1}}, "helper.pyc: it would be loaded"},
		{"extension module", analyze.Python, "import helper\n", sandbox.File{Path: "helper.so", Data: []byte{1}}, "helper.so: it would be loaded"},
		{"path file", analyze.Python, "import helper\n", sandbox.File{Path: "x.pth", Data: []byte("import os")}, "x.pth: it would be loaded"},
		{"bad script", analyze.JavaScript, "require('./x')\n", sandbox.File{Path: "x.js", Data: []byte(evilJS)}, "x.js:1:1: "},
		{"script by another name", analyze.JavaScript, "require('./x.txt')\n", sandbox.File{Path: "x.txt", Data: []byte(evilJS)}, "x.txt: the program loads it as code"},
		{"script by a path", analyze.JavaScript, "require('/workspace/d/../x.txt')\n", sandbox.File{Path: "x.txt", Data: []byte(evilJS)}, "x.txt: the program loads it as code"},
		{"package", analyze.JavaScript, "require('./d')\n", sandbox.File{Path: "d/package.json", Data: []byte(`{"main":"x.txt"}`)}, "d/package.json: the program loads it as code"},
		{"script by another folder", analyze.JavaScript, "require(\"../workspace/x.txt\")\n", sandbox.File{Path: "x.txt", Data: []byte(evilJS)}, "x.txt: the program loads it as code"},
		{"script by an escape", analyze.JavaScript, "import \"./d%61ta\"\n", sandbox.File{Path: "data", Data: []byte(evilJS)}, "data: the program loads it as code"},
		{"script with a query", analyze.JavaScript, "import \"./data?x\"\n", sandbox.File{Path: "data", Data: []byte(evilJS)}, "data: the program loads it as code"},
		{"script with a fragment", analyze.JavaScript, "import \"./data#x\"\n", sandbox.File{Path: "data", Data: []byte(evilJS)}, "data: the program loads it as code"},
		{"script by a URL", analyze.JavaScript, "import \"file:///workspace/d%61ta?x\"\n", sandbox.File{Path: "data", Data: []byte(evilJS)}, "data: the program loads it as code"},
		{"script with a backslash", analyze.JavaScript, "import \"./d\\\\..\\\\data\"\n", sandbox.File{Path: "data", Data: []byte(evilJS)}, "data: the program loads it as code"},
		{"script with a line end", analyze.JavaScript, "import \"./da\\nta\"\n", sandbox.File{Path: "data", Data: []byte(evilJS)}, "data: the program loads it as code"},
		{"script of a package", analyze.JavaScript, "require(\"x/data\")\n", sandbox.File{Path: "node_modules/x/data", Data: []byte(evilJS)}, "node_modules/x/data: the program loads it as code"},
		{"in the place of a module", analyze.Python, "import colorsys\n", sandbox.File{Path: "colorsys.py", Data: []byte("X = 1\n")}, "colorsys.py: it would be loaded in the place of the module colorsys"},
		{"a package in the place of a module", analyze.Python, "from colorsys import x\n", sandbox.File{Path: "colorsys/__init__.py"}, "colorsys/__init__.py: it would be loaded in the place"},
		{"in the place of a module that the library looks for", analyze.Python, "import ntpath\nnt = 1\n", sandbox.File{Path: "nt.py", Data: []byte("X = 1\n")}, "nt.py: it would be loaded in the place"},
		{"in the place of a module, by the text of another's name", analyze.Python, "import importlib\nimportlib.import_module('helper.xml')\n", sandbox.File{Path: "xml/__init__.py", Data: []byte("X = 1\n")}, "xml/__init__.py: it would be loaded in the place"},
		{"in the place of what the library loads by itself", analyze.Python, "import time\nprint(time.strptime('1', '%d'))\n", sandbox.File{Path: "_strptime.py", Data: []byte("X = 1\n")}, "_strptime.py: it would be loaded in the place of the module _strptime"},
		{"named as what is private, and no module of the library", analyze.Python, "print(1)\n", sandbox.File{Path: "_helper.py", Data: []byte("X = 1\n")}, ""},
		{"the program as a package", analyze.Python, "print(1)\n", sandbox.File{Path: "__main__.py", Data: []byte("X = 1\n")}, ""},
		{"named as a module, and not loaded", analyze.Python, "print(1)\n", sandbox.File{Path: "colorsys.py", Data: []byte("X = 1\n")}, ""},
		{"named as a module in a package", analyze.Python, "import colorsys\n", sandbox.File{Path: "d/colorsys.py", Data: []byte("X = 1\n")}, ""},
		{"json", analyze.JavaScript, "console.log(require('./x.json'))\n", sandbox.File{Path: "x.json", Data: []byte("{}")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			ans, err := f.gate.Run(context.Background(), Request{Language: tt.language, Source: []byte(tt.source), Files: []sandbox.File{tt.file}})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if ans.Decision.Effect != policy.Allow || len(f.backend.specs) != 1 {
					t.Errorf("denied: %+v", ans.Decision.Findings)
				}
				return
			}
			if ans.Decision.Effect != policy.Deny || len(f.backend.specs) != 0 {
				t.Fatalf("effect %s after %d runs, want a denial", ans.Decision.Effect, len(f.backend.specs))
			}
			if len(ans.Decision.Findings) == 0 || !strings.Contains(ans.Decision.Findings[0].Message, tt.want) {
				t.Errorf("findings %+v, want the first to say %q", ans.Decision.Findings, tt.want)
			}
		})
	}
}

// The bytes of a module that were judged are the bytes that are put inside.
func TestInputFilesAreCanonical(t *testing.T) {
	f := newFixture(t)
	given := []sandbox.File{{Path: "helper.py", Data: []byte("X = 1\r\nY = 2\r\n")}}
	req := py("import helper\n")
	req.Files = given
	if _, err := f.gate.Run(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if got := string(f.backend.specs[0].Files[0].Data); got != "X = 1\nY = 2\n" {
		t.Errorf("inside is %q", got)
	}
	if string(given[0].Data) != "X = 1\r\nY = 2\r\n" {
		t.Error("the caller's file was changed")
	}
	if fs := f.log.records[0].Source.Files; len(fs) != 1 || fs[0].SHA256 != digest([]byte("X = 1\nY = 2\n")) {
		t.Errorf("the record says %+v", fs)
	}
}

// What a file names is no less known to the hooks than what the program does: a module that it imports.
func TestInputFilesAreKnown(t *testing.T) {
	t.Parallel()
	b := hookedBackend(t)
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Options{Analyzer: analyze.New(python.Reader()), Policy: e, Log: &memoryLog{}, Backend: b})
	if err != nil {
		t.Fatal(err)
	}
	req := py("import helper\nprint(helper.X)\n")
	req.Files = []sandbox.File{{Path: "helper.py", Data: []byte("import colorsys\nimport dataclasses\n@dataclasses.dataclass\nclass P:\n    unsaid: int\nX = colorsys.hls_to_rgb(0, 1, 0)[0]\n")}}
	ans, err := g.Run(t.Context(), req)
	if err != nil || ans.Result == nil || string(ans.Result.Stdout) != "1\n" {
		t.Errorf("%v: %+v", err, ans.Result)
	}
}

// A file that is judged may be what loads one in the place of a module.
func TestInputFilesTakeNoPlace(t *testing.T) {
	f := newFixture(t)
	req := py("import helper\n")
	req.Files = []sandbox.File{{Path: "helper.py", Data: []byte("import colorsys\n")}, {Path: "colorsys.py", Data: []byte("X = 1\n")}}
	ans, err := f.gate.Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if ans.Decision.Effect != policy.Deny || !strings.Contains(ans.Decision.Findings[0].Message, "colorsys.py: it would be loaded in the place") {
		t.Errorf("%s: %+v", ans.Decision.Effect, ans.Decision.Findings)
	}
}

// Of the files that are judged those alone may be loaded that something imports.
func TestInputFilesThatNothingImports(t *testing.T) {
	f := newFixture(t)
	req := py("import helper, pkg.mod, zoneinfo, json.decoder, pkg.__init__\njava = lang = tzdata = 1\n")
	for _, name := range []string{
		"helper.py", "other.py", "pkg/__init__.py", "pkg/mod.py", "pkg/sub.py", "lib/third.py", "java/lang.py", "lang.py",
		"tzdata/zoneinfo/__init__.py", "decoder/__init__.py", "decoder/test_x.py", // as the library asks for what it has to find
	} {
		req.Files = append(req.Files, sandbox.File{Path: name, Data: []byte("X = 1\n")})
	}
	req.Files[0].Data = []byte("import other, third\n")
	if _, err := f.gate.Run(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	for k, file := range f.backend.specs[0].Files {
		if want := k < 6; file.Judged != want {
			t.Errorf("%s may be loaded: %v", file.Path, file.Judged)
		}
	}
}

// A file that was judged can bring in one that was not, from where it is itself.
func TestInputFilesLoadEachOther(t *testing.T) {
	f := newFixture(t)
	ans, err := f.gate.Run(context.Background(), Request{Language: analyze.JavaScript, Source: []byte("require('./d/sub.js')\n"), Files: []sandbox.File{
		{Path: "d/data.txt", Data: []byte("require('child_process').execSync('id')\n")},
		{Path: "d/sub.js", Data: []byte("require('./data.txt')\n")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if ans.Decision.Effect != policy.Deny || !strings.Contains(ans.Decision.Findings[0].Message, "d/data.txt: the program loads it") {
		t.Errorf("%s: %+v", ans.Decision.Effect, ans.Decision.Findings)
	}
}
