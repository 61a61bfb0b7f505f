package gate

import (
	"context"
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
		{"its own files", "open('a'); open('b/../c'); open('/workspace/d')", analyze.Python, nil, sandbox.Seen{}},
		{"a text", "print('/data/a'); x = '/data/b'", analyze.Python, nil, sandbox.Seen{}},
		{"what it writes", "import pathlib\npathlib.Path('a').write_text('/data/a')", analyze.Python, nil, sandbox.Seen{}},
		{"a path that is not known", "open('/data/' + input())", analyze.Python, nil, sandbox.Seen{}},
		{"modules and a file of Node's", "const fs = require('fs'); fs.readFileSync('/data/a'); import('node:os')", analyze.JavaScript, nil,
			sandbox.Seen{Paths: []string{"/data/a"}, Modules: []string{"fs", "os"}}},
		{"what Node writes", "require('fs').writeFileSync('a', '/data/a')", analyze.JavaScript, nil, sandbox.Seen{Modules: []string{"fs"}}},
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
