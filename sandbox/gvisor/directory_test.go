package gvisor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// explorer does with a directory by reference what no program may: it writes, it
// loads code from it by every way, and it follows what leads out.
const explorer = `
import os, sys
def attempt(what, do, *args):
    try:
        print(what, do(*args))
    except (OSError, ImportError) as e:
        print(what, "refused")
def read(path):
    with open(path) as f:
        return f.read()
def write(path, mode):
    with open(path, mode) as f:
        f.write("vandal")
def load(name, *path):
    sys.path[:0] = path
    try:
        return __import__(name)
    finally:
        del sys.path[:len(path)]
print(read("data/deep/in.txt"), sorted(os.listdir("data/deep")))
attempt("write", write, "data/deep/in.txt", "w")
attempt("append", write, "data/new.txt", "a")
attempt("remove", os.unlink, "data/deep/in.txt")
attempt("rename", os.rename, "data", "mine")
attempt("mode", os.chmod, "data/deep/in.txt", 0o777)
attempt("package", load, "data.helper")
attempt("path", load, "helper", "data")
attempt("absolute", load, "helper", "/workspace/data")
attempt("dots", load, "helper", "/workspace/data/deep/..")
attempt("bytecode", load, "compiled", "data")
attempt("archive", load, "packed", "data/code.zip")
os.symlink("data/helper.py", "linked.py")
attempt("link to it", load, "linked")
attempt("hard link", os.link, "data/helper.py", "hard.py")
with open("copied.py", "w") as f:
    f.write(read("data/helper.py"))
attempt("copy", load, "copied")
for name in ("out", "absolute", "deep/up"):
    attempt("out by " + name, read, "data/" + name)
attempt("beside", read, "data/../outside.txt")
for name in ("pipe", "socket", "null", "zero"):
    attempt(name, os.open, "data/" + name, os.O_RDWR | os.O_NONBLOCK)
`

// explored is what comes of it.
const explored = `in ['in.txt', 'up']
write refused
append refused
remove refused
rename refused
mode refused
package refused
path refused
absolute refused
dots refused
bytecode refused
archive refused
link to it refused
hard link refused
copy refused
out by out refused
out by absolute refused
out by deep/up refused
beside refused
pipe refused
socket refused
null refused
zero refused
`

const explorerJS = `
const fs = require('fs');
const attempt = (what, load) => { try { load(); console.log(what, 'LOADED'); } catch (e) { console.log(what, /judged/.test(e.message) ? 'refused' : e.message); } };
console.log(fs.readFileSync('data/deep/in.txt', 'utf8'), require('./data/facts.json').n);
attempt('script', () => require('./data/helper.js'));
attempt('package', () => require('./data'));
attempt('text', () => require('./data/deep/in.txt'));
fs.symlinkSync('data/helper.js', 'linked.js');
attempt('link', () => require('./linked'));
fs.copyFileSync('data/helper.js', 'copied.js');
attempt('copy', () => require('./copied'));
import('./data/helper.mjs').then(() => console.log('module LOADED'), (e) => console.log('module', /judged/.test(e.message) ? 'refused' : e.message));
`

// TestDirectory gives programs that may do everything else a directory by
// reference, with all in it that has ever led anywhere.
func TestDirectory(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	dir := filepath.Join(b.opts.StateDir, "given")
	write := func(name, text string) error {
		path := filepath.Join(dir, name)
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644), os.Chmod(path, 0o666), os.Chmod(filepath.Dir(path), 0o777))
	}
	err := errors.Join(write("../outside.txt", "outside"), write("deep/in.txt", "in"), write("__init__.py", "print('LOADED')"), write("helper.py", "print('LOADED')"),
		write("helper.js", "console.log('LOADED')"), write("helper.mjs", "console.log('LOADED')"), write("index.js", "console.log('LOADED')"), write("facts.json", `{"n": 5}`),
		write("compiled.pyc", "LOADED"), write("code.zip", string(sandboxtest.Zip("packed.py", "print('LOADED')"))),
		os.Symlink("../outside.txt", filepath.Join(dir, "out")), os.Symlink(filepath.Join(dir, "../outside.txt"), filepath.Join(dir, "absolute")),
		os.Symlink("../../outside.txt", filepath.Join(dir, "deep/up")), unix.Mkfifo(filepath.Join(dir, "pipe"), 0o666), listening(t, filepath.Join(dir, "socket")))
	if os.Geteuid() == 0 {
		err = errors.Join(err, unix.Mknod(filepath.Join(dir, "null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))), unix.Mknod(filepath.Join(dir, "zero"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))))
	}
	if err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	for language, program := range map[string]struct{ code, want string }{
		"python":     {explorer, explored},
		"javascript": {explorerJS, "in 5\nscript refused\npackage refused\ntext refused\nlink refused\ncopy refused\nmodule refused\n"},
	} {
		s := sandboxtest.Spec(language, program.code)
		s.Grant = sandboxtest.Interpreter()
		s.References = []sandbox.Reference{{Path: "data", Dir: dir}}
		res, err := b.Run(context.Background(), s)
		if diff := cmp.Diff(program.want, string(res.Stdout)); err != nil || diff != "" {
			t.Errorf("%s: %v, %s %d: %s%s", language, err, res.Reason, res.Exit, diff, res.Stderr)
		}
		for _, f := range res.Artifacts {
			if strings.HasPrefix(f.Path, "data/") {
				t.Errorf("%s: %s came out as a file of the program", language, f.Path)
			}
		}
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("the directory was changed: %s", diff)
	}
}

// TestDirectoryCopied wants a directory refused by who would have to copy it.
func TestDirectoryCopied(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Spec("python", "print(1)")
	s.References = []sandbox.Reference{{Path: "data", Dir: t.TempDir()}}
	if _, err := (&Backend{}).inPlace(s); !errors.Is(err, sandbox.ErrRefused) {
		t.Errorf("a runsc without a witness: %v, want a refusal", err)
	}
	of := &session{b: newTestBackend(t), first: s}
	if err := of.check(s); !errors.Is(err, sandbox.ErrRefused) {
		t.Errorf("a session: %v, want a refusal", err)
	}
}

// listening leaves a socket that nobody serves.
func listening(t *testing.T, path string) error {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	// The name of a socket is short, a directory's is not.
	at, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer at.Close()
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join("/proc/self/fd", strconv.Itoa(int(at.Fd())), filepath.Base(path))}); err != nil {
		return err
	}
	return unix.Listen(fd, 1)
}

// TestDirectoryRefused puts one where the sandbox has something itself.
func TestDirectoryRefused(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	for _, path := range []string{"", ".", "..", "../etc", "/etc", "main.py", "main.py/x", "a/../b", "in.txt", "in.txt/below", "folder"} {
		s := sandboxtest.Spec("python", "print(1)")
		s.Files = []sandbox.File{{Path: "in.txt"}, {Path: "folder/in.txt"}}
		s.References = []sandbox.Reference{{Path: path, Dir: t.TempDir()}}
		if _, err := b.Run(context.Background(), s); !errors.Is(err, sandbox.ErrRefused) {
			t.Errorf("%q: %v, want a refusal", path, err)
		}
	}
}
