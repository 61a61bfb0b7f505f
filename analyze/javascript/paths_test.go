package javascript

import (
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestJavaScriptPaths wants to know which file a function is given: as its
// constant, or as far as that is known.
func TestJavaScriptPaths(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"path.join('/etc', 'passwd')":           "/etc/passwd",
		"path.join('a', '..', '..', 'b')":       "../b",
		"path.posix.join('/', 'etc')":           "/etc",
		"path.join(os.homedir(), '.ssh/id')":    "~/.ssh/id",
		"path.join(os.tmpdir(), x)":             "/tmp/*",
		"path.join('/srv', x, 'a')":             "/srv/*/a",
		"path.join(x, 'a')":                     "",
		"path.join(__dirname, '..', 'x')":       "../x",
		"path.resolve(__dirname, '/etc')":       "/etc",
		"path.resolve('/etc', x)":               "", // x may be anywhere
		"path.join(process.cwd(), 'out')":       "out",
		"`/home/${x}/f`":                        "/home/*",
		"`/home/u${x}`":                         "/home/*",
		"`${os.homedir()}/.ssh`":                "~/*",
		"`/${x}`":                               "",
		"`out/${x}`":                            "",
		"`../${x}`":                             "../*",
		"'/srv/' + x":                           "/srv/*",
		"'/s' + x":                              "",
		"new URL('file:///etc/passwd')":         "file:///etc/passwd",
		"new URL('../../x', import.meta.url)":   "../../x",
		"new URL('./x', 'https://example.com')": "./x",
		"new URL('https://example.com/x')":      "",
		"new URL(x)":                            "",
		"(path.join('/srv', x))":                "/srv/*",
		"x":                                     "",
		"new URL()":                             "",
		"import('x')":                           "",
	} {
		f := analyzetest.Facts(t, Reader(), "import fs from 'fs'; import path from 'path'; import os from 'os'; const x = process.argv[2];\nfs.readFileSync("+code+")")
		uses := f.Uses["node:fs.readFileSync"]
		if len(uses) == 0 || len(uses[len(uses)-1].Args) != 1 {
			t.Fatalf("%s: %+v", code, uses)
		}
		arg := uses[len(uses)-1].Args[0]
		got := arg.MayBe
		if s, ok := arg.Value.(string); ok {
			got = s
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestJavaScriptResolved holds that import.meta.resolve is known by whatever name it is called.
func TestJavaScriptResolved(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"import.meta.resolve(x)", "import.meta?.['resolve']?.(x)", "const m = import.meta; m.resolve(x)", "const { resolve: r } = import.meta; r(x)",
		"[x].map(import.meta.resolve)",
	} {
		if f := analyzetest.Facts(t, Reader(), "const x = process.argv[2];\n"+code); len(f.Uses["globalThis.import.meta.resolve"]) == 0 {
			t.Errorf("not seen: %s, names %v", code, f.Names)
		}
	}
}

// TestGlobs wants to know below which directory a pattern is looked for: "?" is one that is not known, and "" none
// but the work directory.
func TestGlobs(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"fs.globSync('*', { cwd: '/usr' })":                            "/usr",
		"fs.glob('*', { cwd: './src' }, f)":                            "./src",
		"fs.promises.glob('*', { cwd: k })":                            "?",
		"require('fs/promises').glob('*', { cwd: k })":                 "?",
		"fs.globSync('*', { cwd: new URL('file:///usr') })":            "?",
		"fs.globSync('*', k)":                                          "?",
		"fs.globSync('*', ...k)":                                       "?",
		"fs.globSync('*', { ...k })":                                   "?",
		"fs.globSync('*', { [k]: 1 })":                                 "?",
		"fs.globSync('*', { get cwd() { return '/usr' } })":            "?",
		"fs.globSync('*', { __proto__: { cwd: '/usr' } })":             "?",
		"fs.globSync('*', Object.assign(() => 1, { cwd: '/usr' }))":    "",
		"fs.globSync('*', Object.assign([], { cwd: '/usr' }))":         "/usr",
		"const o = {}; o.cwd = '/usr'; fs.globSync('*', o)":            "/usr",
		"const o = {}; ((x) => { x.cwd = k })(o); fs.globSync('*', o)": "?",
		"const o = { withFileTypes: true }; fs.globSync('*', o)":       "",
		"const e = new (require('events'))(), o = {}; e.on('x', (x) => { x.cwd = '/usr' }); e.emit('x', o); fs.globSync('*', o)": "/usr",
		"const o = { a: {} }; o.a[k][k] = k; o[k].cwd = '/usr'; fs.globSync('*', {})":                                            "?",
		"fs.globSync.call(fs, '*', { cwd: '/usr' })":                                                                             "/usr",
		"fs.globSync.bind(fs, '*', { cwd: '/usr' })()":                                                                           "/usr",
		"require('util').promisify(fs.glob)('*', { cwd: '/usr' })":                                                               "/usr",
		"fs.globSync('*')":                                                   "",
		"fs.globSync('*', undefined)":                                        "",
		"fs.globSync('*', { cwd: undefined })":                               "",
		"fs.globSync('*', { exclude: (x) => x, withFileTypes: false })":      "",
		"fs.globSync('*', { exclude: (x) => x, withFileTypes: true })":       "?",
		"fs.globSync('*', { exclude: (x) => x, ['withFile' + 'Types']: k })": "?",
		"fs.glob('*', { withFileTypes: true }, (e, all) => all)":             "",
		"fs.promises.glob('*', { withFileTypes: true })":                     "?",
		"fs.glob('*', (e, all) => console.log(all))":                         "",
	} {
		f := analyzetest.Facts(t, Reader(), "const fs = require('fs'), k = process.argv[2], f = () => 1;\n"+code)
		got := ""
		for _, u := range f.Uses["node:fs.readdirSync"] {
			got = "?"
			if s, ok := u.Args[0].Value.(string); ok && u.Args[0].Known {
				got = s
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
