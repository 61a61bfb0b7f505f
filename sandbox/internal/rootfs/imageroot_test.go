package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestLayout pins what of a tree is mounted where, and what is made for it.
func TestLayout(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{
		"usr/bin/python3.11*", "usr/bin/sh*", "usr/bin/readme", "usr/bin/plugins/x*", "usr/lib/libc.so", "usr/local/bin/tool*", "usr/local/lib/y",
		"opt/app/bin/z*", "opt/app/data", "etc/passwd", "etc/shadow", "etc/ssl/openssl.cnf", "etc/ld.so.cache", "proc/x", "workspace/x", "tmp/x", ".sallyport/hook.cjs",
		"entry.sh*", "notes.txt", "srv/",
	} {
		name, program := strings.CutSuffix(p, "*")
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(p, "/") {
			continue
		}
		mode := fs.FileMode(0o644)
		if program {
			mode = 0o755
		}
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"bin": "usr/bin", "lib": "usr/lib", "usr/bin/python3": "python3.11", "usr/bin/out": "/etc/passwd", "usr/local/man": "share/man", "etc/localtime": "/usr/share/zoneinfo/UTC"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "srv"), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tr := tree{dir: dir, path: "/bin:/opt/app/bin:/nosuch:relative:/"}
	in, real, err := tr.find(root, "python", "")
	if err != nil || real != "usr/bin/python3.11" || in.Executable != "/usr/bin/python3.11" {
		t.Fatalf("found %+v, %q, %v", in, real, err)
	}
	for name, want := range map[string]string{
		"denied":  "binds /etc/ld.so.cache /etc/ssl /notes.txt /opt/app/data /srv /usr/bin/plugins /usr/bin/python3.11 /usr/lib /usr/local/lib; links bin etc/localtime lib usr/local/man",
		"allowed": "binds /entry.sh /etc/ld.so.cache /etc/ssl /notes.txt /opt /srv /usr; links bin etc/localtime lib",
	} {
		l := layout{dir: dir, tree: root, links: map[string]string{}}
		if name == "denied" {
			l.programs = tr.programs(root, real)
		}
		if err := l.lay(in, real, nil); err != nil {
			t.Fatal(err)
		}
		var binds []string
		for _, b := range l.binds {
			if b.Source != filepath.Join(dir, b.Target) {
				t.Errorf("%s: %s is mounted on %s", name, b.Source, b.Target)
			}
			binds = append(binds, b.Target)
		}
		slices.Sort(binds)
		if got := "binds " + strings.Join(binds, " ") + "; links " + strings.Join(slices.Sorted(maps.Keys(l.links)), " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// TestRootIsMadeOnce has many runs want the same root file system when none of
// them finds it.
func TestRootIsMadeOnce(t *testing.T) {
	dir, files := t.TempDir(), map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("etc/%d", i)] = "x"
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := prepareRoot(dir, files, nil, []string{"tmp"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if left, err := filepath.Glob(filepath.Join(dir, "root-*")); err != nil || len(left) != 1 {
		t.Errorf("made %q, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".root-*")); err != nil || len(left) != 0 {
		t.Errorf("left %q, %v", left, err)
	}
}
