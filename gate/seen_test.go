package gate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

// TestSeen holds what of a program counts as seen: the files that it names where it uses
// files, and not what it writes or says elsewhere; and Node's modules, of its files, too.
func TestSeen(t *testing.T) {
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"observe"}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader()), Policy: e, Log: Discard{}, Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, code string
		language   analyze.Language
		files      []sandbox.File
		want       sandbox.Seen
	}{
		{"a file", "open('/data/a')", analyze.Python, nil, sandbox.Seen{Paths: []string{"/data/a"}}},
		{"another spelling", "open('//data/./x/../a')", analyze.Python, nil, sandbox.Seen{Paths: []string{"/data/a"}}},
		{"a directory and a path below it", "import os, pathlib\nos.listdir('/data/')\npathlib.Path('/tables', 'a').read_text()", analyze.Python, nil,
			sandbox.Seen{Paths: []string{"/data", "/tables", "/tables/a"}}},
		{"what lies beside the work directory", "open('../data/a')", analyze.Python, nil, sandbox.Seen{Paths: []string{"/data/a"}}},
		{"its own files", "open('a'); open('b/../c', 'w', encoding='latin'); open('/workspace/d', mode='a')", analyze.Python, nil,
			sandbox.Seen{Writes: []string{"/workspace/c", "/workspace/d", "/workspace/latin"}}},
		{"its own files by numbers", "for i in range(3): open(f'a{i}/b{i:02}.c', 'w')", analyze.Python, nil, sandbox.Seen{Writes: []string{"/workspace/a*/b*.c"}}},
		{"files found anywhere", "import pathlib\nfor p in pathlib.Path('a').rglob('x.txt'): p.write_text('y')", analyze.Python, nil, sandbox.Seen{Writes: []string{"/workspace/a"}}},
		{"files that it only reads", "import os\nos.listdir('a'); open('a'); open('b', 'rb'); open('c', encoding='utf-8')", analyze.Python, nil, sandbox.Seen{}},
		{"files that it only reads, of Node's", "const fs = require('fs'); fs.readFileSync('a', 'utf8'); fs.readFileSync('c', { encoding: 'utf8' })", analyze.JavaScript, nil,
			sandbox.Seen{Modules: []string{"fs"}}},
		{"files that are written where nothing else is said", "import numpy, sqlite3\nnumpy.memmap('a'); sqlite3.connect('b')", analyze.Python, nil,
			sandbox.Seen{Writes: []string{"/workspace/a", "/workspace/b"}}},
		{"files that it may write", "f = open('a', input()); open('b', 'r+'); open('c', **o)", analyze.Python, nil,
			sandbox.Seen{Writes: []string{"/workspace/a", "/workspace/b", "/workspace/c"}}},
		{"two files", "import shutil\nshutil.copy('a', 'w')", analyze.Python, nil, sandbox.Seen{Writes: []string{"/workspace/a", "/workspace/w"}}},
		{"files of new names", "import tempfile, os\nwith tempfile.TemporaryDirectory() as d: open(os.path.join(d, 'x'), 'w')", analyze.Python, nil,
			sandbox.Seen{Writes: []string{"/tmp/tmp"}}},
		{"a text", "print('/data/a'); x = '/data/b'", analyze.Python, nil, sandbox.Seen{}},
		{"what it writes", "import pathlib\npathlib.Path('a').write_text('/data/a')", analyze.Python, nil, sandbox.Seen{Writes: []string{"/workspace/a"}}},
		{"a path that is not known", "open('/data/' + input())", analyze.Python, nil, sandbox.Seen{}},
		{"modules and a file of Node's", "const fs = require('fs'); fs.readFileSync('/data/a'); import('node:os')", analyze.JavaScript, nil,
			sandbox.Seen{Paths: []string{"/data/a"}, Modules: []string{"fs", "os"}}},
		{"a module by its place", "require('/data/b.js')", analyze.JavaScript, nil, sandbox.Seen{Paths: []string{"/data/b.js"}}},
		{"what Node writes", "require('fs').writeFileSync('a', '/data/a')", analyze.JavaScript, nil, sandbox.Seen{Writes: []string{"/workspace/a"}, Modules: []string{"fs"}}},
		{"what Node writes by a path that is put together", "require('fs').writeFileSync(require('path').join('a', 'b'), '/data/a')", analyze.JavaScript, nil,
			sandbox.Seen{Writes: []string{"/"}, Modules: []string{"fs", "path"}}},
		{"what Node copies to a path that is put together", "require('fs').copyFileSync('a', b)", analyze.JavaScript, nil, sandbox.Seen{Writes: []string{"/"}, Modules: []string{"fs"}}},
		{"files of new names beside it", "import tempfile\ntempfile.NamedTemporaryFile(dir='.')", analyze.Python, nil, sandbox.Seen{Paths: []string{"/workspace"}, Writes: []string{"/tmp/tmp", "/workspace/tmp"}}},
		{"how a path is opened", "import pathlib\npathlib.Path('a').open('w'); open(mode='w', file='r')", analyze.Python, nil, sandbox.Seen{Writes: []string{"/workspace/a", "/workspace/r"}}},
		{"long names", "import pathlib\n" + manyNames(), analyze.Python, nil, sandbox.Seen{Writes: []string{"/"}}},
		{"the file of an array", "import numpy\nnumpy.memmap('a', 'f4', 'w+')", analyze.Python, nil, sandbox.Seen{Writes: []string{"/workspace/a", "/workspace/f4"}}},
		{"a file that goes with it", "require('./b.js')", analyze.JavaScript, []sandbox.File{{Path: "b.js", Data: []byte("require('url')")}},
			sandbox.Seen{Modules: []string{"url"}}},
	} {
		req := Request{Language: tt.language, Source: []byte(tt.code), Files: tt.files}
		j := g.judge(context.Background(), req, g.decide, nil)
		if diff := cmp.Diff(tt.want, g.spec(policy.Permit{}, req, j, Environment{}).Seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// manyNames writes some files whose names are long.
func manyNames() string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "open('%d%s', 'w')\n", i, strings.Repeat("a", 2000))
	}
	return b.String()
}
