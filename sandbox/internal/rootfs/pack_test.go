package rootfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/erofs/go-erofs"
)

// newPacked is a finder, and an interpreter of a file, a link to it and a directory,
// that is version 1 wherever it starts.
func newPacked(t *testing.T) (*Finder, Interpreter) {
	t.Helper()
	host := t.TempDir()
	for name, text := range map[string]string{"bin/node-1": "program", "lib/modules/a.js": "1", "lib/modules/deep/b.js": "2", "etc/secret": "s"} {
		p := filepath.Join(host, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("node-1", filepath.Join(host, "bin/node")); err != nil {
		t.Fatal(err)
	}
	f := New(Options{Dir: t.TempDir(), Scratch: t.TempDir(), Version: func(context.Context, Interpreter) (string, error) { return "1", nil }})
	root, err := f.prepare(Interpreter{links: rootLinks()})
	if err != nil {
		t.Fatal(err)
	}
	return f, Interpreter{Language: "javascript", Version: "1", Executable: filepath.Join(host, "bin/node"), Root: root,
		Parts: []string{filepath.Join(host, "bin/node"), filepath.Join(host, "lib/modules")}}
}

// contents are the files and links of an image, with what is in them.
func contents(t *testing.T, image string) map[string]string {
	t.Helper()
	file, err := os.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := erofs.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	err = fs.WalkDir(img, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			all["/"+p], err = fs.ReadLink(img, p)
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s is %v", p, info.Mode())
		}
		data, rerr := fs.ReadFile(img, p)
		all["/"+p] = string(data)
		return errors.Join(err, rerr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPack puts what the root file system holds and what the interpreter needs into
// an image, and nothing beside it.
func TestPack(t *testing.T) {
	f, in := newPacked(t)
	if got := f.Pack(t.Context(), in, false); got.Image != "" {
		t.Fatalf("there is an image that nobody made: %s", got.Image)
	}
	packed := f.Pack(t.Context(), in, true)
	if packed.Image == "" {
		t.Fatal("there is no image")
	}
	want := maps.Clone(rootFiles())
	for name, text := range rootFiles() {
		delete(want, name)
		want["/"+name] = text
	}
	for name, to := range rootLinks() {
		want["/"+name] = to
	}
	host := filepath.Dir(filepath.Dir(in.Executable))
	want[host+"/bin/node"], want[host+"/bin/node-1"] = "node-1", "program"
	want[host+"/lib/modules/a.js"], want[host+"/lib/modules/deep/b.js"] = "1", "2"
	got := contents(t, packed.Image)
	if !maps.Equal(got, want) {
		t.Errorf("in it are %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	if again := f.Pack(t.Context(), in, false); again.Image != packed.Image {
		t.Errorf("the next is %q, want %q", again.Image, packed.Image)
	}
	if left, err := os.ReadDir(f.o.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestPackAgain makes an image anew when any of its files is another than it was,
// and leaves none of the old ones.
func TestPackAgain(t *testing.T) {
	f, in := newPacked(t)
	host := filepath.Dir(filepath.Dir(in.Executable))
	last := f.Pack(t.Context(), in, true).Image
	for _, tt := range []struct {
		name   string
		change func() error
	}{
		{"a file that is written", func() error { return os.WriteFile(host+"/lib/modules/deep/b.js", []byte("3"), 0o700) }},
		{"a file that is new", func() error { return os.WriteFile(host+"/lib/modules/c.js", nil, 0o600) }},
		{"a file that is gone", func() error { return os.Remove(host + "/lib/modules/a.js") }},
		{"a file that nobody may write", func() error { return os.Chmod(host+"/bin/node-1", 0o555) }},
		{"a link that leads elsewhere", func() error {
			return errors.Join(os.WriteFile(host+"/bin/node-2", []byte("new"), 0o755), os.Remove(host+"/bin/node"), os.Symlink("node-2", host+"/bin/node"))
		}},
	} {
		if err := tt.change(); err != nil {
			t.Fatal(err)
		}
		if now := f.Pack(t.Context(), in, false).Image; now != "" {
			t.Errorf("%s: the image is still %s", tt.name, now)
		}
		now := f.Pack(t.Context(), in, true).Image
		if now == last || now == "" {
			t.Errorf("%s: the image is %q and was %q", tt.name, now, last)
		}
		if all, err := filepath.Glob(f.o.Dir + "/image-*"); err != nil || !slices.Equal(all, []string{now}) {
			t.Errorf("%s: images are %q, %v", tt.name, all, err)
		}
		last = now
	}
}

// TestNotPacked leaves an interpreter as it is that does not start from its image,
// or is too much for one. It is tried once.
func TestNotPacked(t *testing.T) {
	for name, edit := range map[string]func(t *testing.T, f *Finder, in *Interpreter){
		"another version":   func(_ *testing.T, _ *Finder, in *Interpreter) { in.Version = "2" },
		"changes meanwhile": func(_ *testing.T, f *Finder, in *Interpreter) { f.o.Scratch = in.Parts[1] }, // which is in it
		"no room":           func(_ *testing.T, f *Finder, _ *Interpreter) { f.o.Scratch = f.o.Dir + "/none" },
		"too many bytes": func(t *testing.T, _ *Finder, in *Interpreter) {
			if err := errors.Join(os.WriteFile(in.Parts[1]+"/big", nil, 0o600), os.Truncate(in.Parts[1]+"/big", maxPacked)); err != nil {
				t.Fatal(err)
			}
		},
		"says nothing of what it loaded": func(_ *testing.T, _ *Finder, in *Interpreter) { in.Parts = nil },
		"is not the host's":              func(_ *testing.T, _ *Finder, in *Interpreter) { in.Binds = []Graft{} },
	} {
		t.Run(name, func(t *testing.T) {
			f, in := newPacked(t)
			starts, version := 0, f.o.Version
			f.o.Version = func(ctx context.Context, in Interpreter) (string, error) {
				starts++
				return version(ctx, in)
			}
			edit(t, f, &in)
			for range 2 {
				if got := f.Pack(t.Context(), in, true); got.Image != "" || starts > 1 {
					t.Errorf("it is %q after %d starts", got.Image, starts)
				}
			}
		})
	}
}

// TestFewFiles: a process that starts one program does not look at many files, and
// counts no more of them than it may.
func TestFewFiles(t *testing.T) {
	f, in := newPacked(t)
	all, err := in.inventory(maxParts)
	if err != nil {
		t.Fatal(err)
	}
	all.watch.close()
	for limit, ok := range map[int]bool{len(all.parts): true, len(all.parts) - 1: false} {
		v, err := in.inventory(limit)
		if (err == nil) != ok {
			t.Errorf("%d files where %d are allowed: %v", len(all.parts), limit, err)
		}
		if err == nil {
			v.watch.close()
		}
	}
	for n, want := range map[int]bool{maxLooked: true, maxLooked + 1: false} {
		image := filepath.Join(f.o.Dir, fmt.Sprintf("%s%d-x.erofs", in.imagePrefix(), n))
		if err := os.WriteFile(image, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := f.hasImage(in); got != want {
			t.Errorf("an image of %d files is looked for: %v, want %v", n, got, want)
		}
		if err := os.Remove(image); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLookAgain finds a change that the kernel does not tell, of a file that has another
// name elsewhere, some time after it.
func TestLookAgain(t *testing.T) {
	f, in := newPacked(t)
	file, elsewhere := in.Parts[1]+"/a.js", filepath.Join(t.TempDir(), "a.js")
	if err := os.Link(file, elsewhere); err != nil {
		t.Fatal(err)
	}
	first := f.Pack(t.Context(), in, true).Image
	if err := os.WriteFile(elsewhere, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if now := f.Pack(t.Context(), in, true).Image; now != first {
		t.Fatalf("the kernel told it: %s", now)
	}
	p := f.packedAs(in)
	p.mu.Lock()
	p.looked = p.looked.Add(-lookEvery)
	p.mu.Unlock()
	for now := first; now == first; now = f.Pack(t.Context(), in, true).Image {
		if t.Context().Err() != nil {
			t.Fatal("it is never found")
		}
		time.Sleep(time.Millisecond)
	}
	if got := contents(t, f.Pack(t.Context(), in, true).Image)[file]; got != "another" {
		t.Errorf("in the image it is %q", got)
	}
}

// TestNeeded finds libraries where the loader would, and none that a sandbox would not
// see.
func TestNeeded(t *testing.T) {
	in, err := examine(t.Context(), "python", "/usr/bin/python3", "/usr/bin")
	if err != nil {
		if os.Getenv("REQUIRE_PYTHON") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no Python of the system: %v", err)
	}
	in.Root = t.TempDir()
	v, err := in.inventory(maxParts)
	if err != nil {
		t.Fatal(err)
	}
	defer v.watch.close()
	there := map[string]bool{}
	for at := range v.parts {
		there[filepath.Base(at)] = true
	}
	var modules int
	for at, p := range v.parts {
		if !strings.Contains(at, "/lib-dynload/") || !isLibrary(at) {
			continue
		}
		modules++
		names, _ := needs(p.source)
		for _, name := range names {
			if !there[name] {
				t.Errorf("%s needs %s, which is not there", at, name)
			}
		}
	}
	if modules < 10 {
		t.Errorf("%d modules in C", modules)
	}
	in.Mounts = slices.DeleteFunc(in.Mounts, func(m string) bool { return slices.Contains(libraryDirs[:], m) })
	less, err := in.inventory(maxParts)
	if err != nil {
		t.Fatal(err)
	}
	defer less.watch.close()
	if len(less.parts) >= len(v.parts) {
		t.Errorf("%d files are in it, and %d where the libraries are mounted", len(less.parts), len(v.parts))
	}
}
