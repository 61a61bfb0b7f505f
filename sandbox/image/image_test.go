package image

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sys/unix"

	"sallyport/internal/hint"
)

// file, dir and link are entries of a layer under test.
func file(name, content string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}, content}
}
func dir(name string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeDir, Mode: 0o755}, ""}
}
func link(name, to string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to, Mode: 0o777}, ""}
}
func hard(name, to string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeLink, Linkname: to}, ""}
}
func special(name string, kind byte) entry {
	return entry{tar.Header{Name: name, Typeflag: kind, Mode: 0o666, Devmajor: 1, Devminor: 3}, ""}
}

type entry struct {
	tar.Header
	content string
}

func (e entry) mode(m int64) entry {
	e.Mode = m
	return e
}

// archiveOf is an uncompressed layer.
func archiveOf(t testing.TB, entries []entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// imageOf is an image of these layers for this machine.
func imageOf(t *testing.T, layers ...[]entry) v1.Image {
	t.Helper()
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers"}, Config: v1.Config{Env: []string{"PATH=/opt/bin:/bin"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, entries := range layers {
		raw := archiveOf(t, entries)
		l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil })
		if err != nil {
			t.Fatal(err)
		}
		if img, err = mutate.AppendLayers(img, l); err != nil {
			t.Fatal(err)
		}
	}
	return img
}

// layoutOf writes images as an OCI layout.
func layoutOf(t *testing.T, images ...v1.Image) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "layout")
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range images {
		if err := p.AppendImage(img); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newStore(t *testing.T, edit ...func(*Options)) *Store {
	t.Helper()
	o := Options{Dir: filepath.Join(t.TempDir(), "images"), Stall: 5 * time.Minute, Retry: time.Millisecond}
	for _, e := range edit {
		e(&o)
	}
	s, err := NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, s string) Ref {
	t.Helper()
	r, err := ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// get unpacks and closes at the end of the test.
func get(t *testing.T, s *Store, ref string) (*Image, error) {
	t.Helper()
	i, err := s.Get(context.Background(), parse(t, ref), true)
	if err == nil {
		t.Cleanup(func() { i.Close() })
	}
	return i, err
}

// listing is every path of a tree with its kind, permissions and content.
func listing(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			text = "-> " + to
		case d.Type().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text = fmt.Sprintf("%v %s", info.Mode(), b)
		default:
			text = info.Mode().String()
		}
		rel, err := filepath.Rel(root, p)
		out[rel] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// clean wants a store that holds nothing, half unpacked or whole, and no lock.
func clean(t *testing.T, s *Store) {
	t.Helper()
	left, err := os.ReadDir(s.opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range left {
		t.Errorf("left in the cache: %s", d.Name())
	}
}

func TestParseRef(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	for _, tt := range []struct{ in, want string }{ // want: of the error, "" for none
		{"python@" + digest, ""},
		{"registry.example:5000/a/b:1.2@" + digest, ""},
		{"docker-archive:/a/b.tar", ""},
		{"docker-archive:/a/b.tar@" + digest, ""},
		{"oci-layout:/a@" + digest, ""},
		{"python:3.12", "named by a tag, which may point to something else tomorrow: write python@sha256:…"},
		{"localhost:5000/python", "write localhost:5000/python@sha256"},
		{"python@sha256:abc", "is not a digest"},
		{"python@sha512:" + strings.Repeat("a", 128), "is not a digest"},
		{"py thon", "is not the name of an image"},
		{"", "is not the name of an image"},
		{"UPPER@" + digest, "is not the name of an image"},
		{"docker-archive:a.tar", "not absolute and clean"},
		{"docker-archive:/a/../b.tar", "not absolute and clean"},
		{"oci-layout:/a@sha256:12", "is not a digest"},
	} {
		r, err := ParseRef(tt.in)
		if tt.want == "" && (err != nil || r.String() != tt.in) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("ParseRef(%q) = %v, %v, want %q", tt.in, r, err, tt.want)
		}
	}
}

// TestSources wants the same tree of one image from each kind of source, with
// the layers applied in their order.
func TestSources(t *testing.T) {
	img := imageOf(t,
		[]entry{dir("etc/"), file("etc/kept", "1"), file("etc/gone", "2"), dir("opq"), file("opq/low", "3"), link("lib", "usr/lib"), file("usr/lib/a.so", "so")},
		[]entry{file("etc/.wh.gone", ""), file("opq/.wh..wh..opq", ""), file("opq/high", "4"), file("lib/b.so", "through the link"), hard("etc/same", "etc/kept")},
	)
	want := map[string]string{
		"etc": "drwxr-xr-x", "etc/kept": "-rw-r--r-- 1", "etc/same": "-rw-r--r-- 1",
		"opq": "drwxr-xr-x", "opq/high": "-rw-r--r-- 4",
		"lib": "-> usr/lib", "usr": "drwxr-xr-x", "usr/lib": "drwxr-xr-x", "usr/lib/a.so": "-rw-r--r-- so", "usr/lib/b.so": "-rw-r--r-- through the link",
	}
	dir := layoutOf(t, img)
	save := filepath.Join(t.TempDir(), "save.tar")
	if err := tarball.WriteToFile(save, nil, img); err != nil {
		t.Fatal(err)
	}
	manifest, _ := img.Digest()
	config, _ := img.ConfigName()
	for ref, digest := range map[string]string{
		"oci-layout:" + dir:                              manifest.String(),
		"oci-layout:" + dir + "@" + manifest.String():    manifest.String(),
		"docker-archive:" + save:                         config.String(),
		"docker-archive:" + save + "@" + config.String(): config.String(),
		serve(t, img):                                    manifest.String(),
	} {
		t.Run(ref[:12], func(t *testing.T) {
			s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
			i, err := get(t, s, ref)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, listing(t, i.Root)); diff != "" {
				t.Error(diff)
			}
			if i.Digest != digest || i.Path != "/opt/bin:/bin" {
				t.Errorf("image %+v, want digest %s", i, digest)
			}
			if st, err := os.Stat(i.Root); err != nil || st.Mode().Perm() != 0o755 {
				t.Errorf("root directory: %v, %v", st.Mode(), err)
			}
		})
	}
}

// TestAttacks unpacks hostile layers. What a layer may do ends at its root
// directory, and nothing in it has more rights than a plain file.
func TestAttacks(t *testing.T) {
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		layers [][]entry
		err    string            // of the refusal
		want   map[string]string // or what is unpacked
	}{
		{name: "climbs", layers: [][]entry{{file("../../victim", "x")}}, err: `climbs with ".."`},
		{name: "climbs from within", layers: [][]entry{{file("a/../../victim", "x")}}, err: `climbs with ".."`},
		{name: "absolute", layers: [][]entry{{file(victim, "x")}}, want: tree(victim, "-rw-r--r-- x")},
		{name: "absolute link above", layers: [][]entry{{link("out", outside), file("out/victim", "x")}}, want: join(map[string]string{"out": "-> " + outside}, tree(outside+"/victim", "-rw-r--r-- x"))},
		{name: "absolute link above, below the root directory", layers: [][]entry{{link("d/out", outside), file("d/out/victim", "x")}}, want: join(map[string]string{"d": "drwxr-xr-x", "d/out": "-> " + outside}, tree(outside+"/victim", "-rw-r--r-- x"))},
		{name: "climbing link above", layers: [][]entry{{link("out", "../../../../../../../../../.."+outside), file("out/victim", "x")}}, want: join(map[string]string{"out": "-> ../../../../../../../../../.." + outside}, tree(outside+"/victim", "-rw-r--r-- x"))},
		{name: "link above, of a lower layer", layers: [][]entry{{link("out", outside)}, {file("out/victim", "x")}}, want: join(map[string]string{"out": "-> " + outside}, tree(outside+"/victim", "-rw-r--r-- x"))},
		{name: "link replaced, not followed", layers: [][]entry{{link("f", victim), file("f", "mine")}}, want: map[string]string{"f": "-rw-r--r-- mine"}},
		{name: "link to a directory replaced", layers: [][]entry{{link("d", outside)}, {dir("d"), file("d/x", "")}}, want: map[string]string{"d": "drwxr-xr-x", "d/x": "-rw-r--r-- "}},
		{name: "links in a circle", layers: [][]entry{{link("a", "b"), link("b", "a"), file("a/x", "")}}, err: "too many links"},
		{name: "hard link out", layers: [][]entry{{hard("f", "../../victim")}}, err: `climbs with ".."`},
		{name: "hard link out, absolute", layers: [][]entry{{hard("f", victim)}}, err: "it links to"},
		{name: "hard link through a link", layers: [][]entry{{link("out", outside), hard("f", "out/victim")}}, err: "it links to"},
		{name: "hard link to a link, then written", layers: [][]entry{{link("l", victim), hard("f", "l"), file("f", "x")}}, want: map[string]string{"l": "-> " + victim, "f": "-rw-r--r-- x"}},
		{name: "hard link to a directory", layers: [][]entry{{dir("d"), hard("f", "d")}}, err: "is not a file"},
		{name: "hard link, then one is written", layers: [][]entry{{file("a", "old"), hard("b", "a")}, {file("b", "new")}}, want: map[string]string{"a": "-rw-r--r-- old", "b": "-rw-r--r-- new"}},
		{name: "whiteout that climbs", layers: [][]entry{{file("a/.wh...", "")}}, err: "whiteout of nothing"},
		{name: "whiteout of itself", layers: [][]entry{{file("a/.wh..", "")}}, err: "whiteout of nothing"},
		{name: "whiteout of no name", layers: [][]entry{{file("a/.wh.", "")}}, err: "whiteout of nothing"},
		{name: "whiteout through a link", layers: [][]entry{{link("out", outside)}, {file("out/.wh.victim", "")}}, want: join(map[string]string{"out": "-> " + outside}, tree(outside, ""))},
		{name: "opaque through a link", layers: [][]entry{{link("out", outside)}, {file("out/.wh..wh..opq", "")}}, want: join(map[string]string{"out": "-> " + outside}, tree(outside, ""))},
		{name: "whiteout of a link", layers: [][]entry{{link("out", outside)}, {file(".wh.out", "")}}, want: map[string]string{}},
		{name: "whiteout in one layer", layers: [][]entry{{file("a", "low")}, {file("a", "new"), file(".wh.a", "")}}, want: map[string]string{"a": "-rw-r--r-- new"}},
		{name: "opaque after its own files", layers: [][]entry{{file("d/low", ""), file("d/e/low", "")}, {file("d/new", ""), file("d/e/new", ""), file("d/.wh..wh..opq", "")}},
			want: map[string]string{"d": "drwxr-xr-x", "d/new": "-rw-r--r-- ", "d/e": "drwxr-xr-x", "d/e/new": "-rw-r--r-- "}},
		{name: "whiteout of a link in one layer", layers: [][]entry{{file("d/low", "")}, {link("l", "d"), file(".wh.l", "")}}, want: map[string]string{"d": "drwxr-xr-x", "d/low": "-rw-r--r-- ", "l": "-> d"}},
		{name: "bookkeeping of aufs", layers: [][]entry{{file(".wh..wh.plnk", "x"), file("a", "")}}, want: map[string]string{"a": "-rw-r--r-- "}},
		{name: "devices and pipes", layers: [][]entry{{special("null", tar.TypeChar), special("disk", tar.TypeBlock), special("pipe", tar.TypeFifo), file("a", "")}}, want: map[string]string{"a": "-rw-r--r-- "}},
		{name: "device in the place of a file", layers: [][]entry{{file("a", "")}, {special("a", tar.TypeChar)}}, want: map[string]string{}},
		{name: "rights", layers: [][]entry{{file("suid", "").mode(0o6755), file("all", "").mode(0o7777), file("none", "").mode(0), dir("closed").mode(0), dir("tmp").mode(0o1777)}},
			want: map[string]string{"suid": "-rwxr-xr-x ", "all": "-rwxr-xr-x ", "none": "-rw------- ", "closed": "drwx------", "tmp": "drwxr-xr-x"}},
		{name: "twice", layers: [][]entry{{file("a", "first"), file("a", "second"), dir("b"), dir("b")}}, want: map[string]string{"a": "-rw-r--r-- second", "b": "drwxr-xr-x"}},
		{name: "a directory in the place of a file", layers: [][]entry{{file("a", ""), dir("a"), file("a/b", "")}}, want: map[string]string{"a": "drwxr-xr-x", "a/b": "-rw-r--r-- "}},
		{name: "a file in the place of a directory", layers: [][]entry{{file("a/b", "")}, {file("a", "")}}, want: map[string]string{"a": "-rw-r--r-- "}},
		{name: "a file as a directory", layers: [][]entry{{file("a", ""), file("a/b", "")}}, err: "is not a directory"},
		{name: "root directory", layers: [][]entry{{dir("./"), dir("/"), file("./a", "")}}, want: map[string]string{"a": "-rw-r--r-- "}},
		{name: "root directory as a link", layers: [][]entry{{link(".", outside), file("a", "")}}, want: map[string]string{"a": "-rw-r--r-- "}},
		{name: "long name", layers: [][]entry{{dir(strings.Repeat("a/", 3000))}}, err: "the name is too long"},
		{name: "unknown kind", layers: [][]entry{{special("a", 'Z')}}, err: "unknown kind"},
		{name: "many files", layers: [][]entry{many(600)}, err: "too many files"},
		{name: "many directories of few names", layers: [][]entry{{dir(strings.Repeat("a/", 400)), dir(strings.Repeat("b/", 400))}}, err: "too many files"},
		{name: "large", layers: [][]entry{{file("a", strings.Repeat("x", 3<<20))}}, err: "larger than 2 MiB"},
		{name: "large, in layers", layers: [][]entry{{file("a", strings.Repeat("x", 1<<20))}, {file("a", strings.Repeat("x", 1<<20))}}, err: "larger than 2 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t, func(o *Options) { o.MaxBytes, o.MaxEntries = 2<<20, 500 })
			i, err := get(t, s, "oci-layout:"+layoutOf(t, imageOf(t, tt.layers...)))
			switch {
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("Get = %v, want %q", err, tt.err)
			case tt.err != "":
				clean(t, s)
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(tt.want, listing(t, i.Root)); diff != "" {
					t.Error(diff)
				}
			}
			if diff := cmp.Diff(map[string]string{"victim": "-rw------- whole"}, listing(t, outside)); diff != "" {
				t.Errorf("outside: %s", diff)
			}
		})
	}
}

// tree is the listing of a path and the directories above it; "" for a last
// one that is a directory.
func tree(p, what string) map[string]string {
	out := map[string]string{}
	for at := strings.Trim(p, "/"); at != "."; at = filepath.Dir(at) {
		out[at] = "drwxr-xr-x"
	}
	if what != "" {
		out[strings.Trim(p, "/")] = what
	}
	return out
}

func join(a, b map[string]string) map[string]string {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func many(n int) []entry {
	var out []entry
	for i := range n {
		out = append(out, file(fmt.Sprint(i), ""))
	}
	return out
}

func mkfifo(p string) error { return unix.Mkfifo(p, 0o600) }

// FuzzUnpack wants of any layer that it leaves the rest of the disk alone, and
// nothing in its tree that gives rights.
func FuzzUnpack(f *testing.F) {
	for _, entries := range [][]entry{
		{dir("a"), file("a/b", "x"), link("l", "/etc"), file("l/c", "y"), hard("h", "a/b"), special("p", tar.TypeFifo)},
		{file("a/.wh.b", ""), file("a/.wh..wh..opq", ""), file("../x", ""), link("a", "../.."), file("a/x", "")},
		{link("o", "../../outside"), file("o/victim", "x"), hard("v", "o/victim"), file("o/.wh.victim", "")},
	} {
		f.Add(archiveOf(f, entries))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		top := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Join(top, "in", "tree"), 0o700), os.Mkdir(filepath.Join(top, "outside"), 0o700),
			os.WriteFile(filepath.Join(top, "outside", "victim"), []byte("whole"), 0o600)); err != nil {
			t.Fatal(err)
		}
		tree, err := os.OpenRoot(filepath.Join(top, "in", "tree"))
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		u := &unpacker{tree: tree, bytes: 1 << 20, stream: 1 << 20, maxBytes: 1 << 20, entries: 200}
		_ = u.apply(context.Background(), bytes.NewReader(raw), "") // refused or not, and never by that hash
		for p, what := range listing(t, top) {
			if !strings.HasPrefix(p, "in/tree/") && !slices.Contains([]string{"in", "in/tree", "outside", "outside/victim"}, p) || p == "outside/victim" && what != "-rw------- whole" {
				t.Errorf("outside of the tree: %s %s", p, what)
			}
			if strings.HasPrefix(what, "-> ") {
				continue
			}
			if kind := what[0]; kind != '-' && kind != 'd' || strings.ContainsAny(what[:10], "sStT") || what[5] == 'w' || what[8] == 'w' {
				t.Errorf("in the tree: %s %s", p, what)
			}
		}
	})
}

// TestDiskFull wants one clear word, and the disk as it was.
func TestDiskFull(t *testing.T) {
	requireRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s := newStore(t, func(o *Options) { o.Dir = dir })
	layout := layoutOf(t, imageOf(t, []entry{file("a", strings.Repeat("x", 4<<20))}))
	if _, err := get(t, s, "oci-layout:"+layout); !errors.Is(err, unix.ENOSPC) || hint.Fix(err) != "make room, or remove unused images: sallyport env prune" {
		t.Errorf("Get = %v", err)
	}
	clean(t, s)
}

// requireRoot skips what needs a file system of its own.
func requireRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("REQUIRE_ROOT") == "1" {
		t.Fatal("REQUIRE_ROOT=1: not root")
	}
	t.Skip("requires root")
}
