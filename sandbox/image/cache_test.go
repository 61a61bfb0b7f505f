package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// TestVictim is no test: it is the process that others start, and kill.
func TestVictim(t *testing.T) {
	ref, dir := os.Getenv("IMAGE_REF"), os.Getenv("IMAGE_CACHE")
	if ref == "" {
		return
	}
	s, err := NewStore(Options{Dir: dir, LoopbackHTTP: true, Stall: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	i, err := get(t, s, ref)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(i.Root, "last")); err != nil || string(b) != "layer" {
		t.Fatalf("%q, %v", b, err)
	}
}

func victim(t *testing.T, s *Store, ref string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestVictim$", "-test.timeout=10m")
	cmd.Env = []string{"IMAGE_REF=" + ref, "IMAGE_CACHE=" + s.opts.Dir, "TMPDIR=" + t.TempDir()}
	return cmd
}

// TestKilled wants an image that a killed process had half unpacked not taken
// for whole, and no trace of it once somebody unpacks the image again.
func TestKilled(t *testing.T) {
	img := imageOf(t, []entry{file("first", "layer")}, []entry{file("last", "layer")})
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	second, err := layers[1].Digest()
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	var once sync.Once
	ref := serve(t, img, answer(second.Hex, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		first := false
		once.Do(func() { first = true })
		if first {
			close(asked)
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	}))
	s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
	cmd := victim(t, s, ref)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if _, err := s.Get(context.Background(), parse(t, ref), false); !errors.Is(err, ErrAbsent) {
		t.Fatalf("after the kill: %v, want ErrAbsent", err)
	}
	if half, _ := filepath.Glob(filepath.Join(s.opts.Dir, ".*", rootName, "first")); len(half) != 1 {
		t.Fatalf("the kill came at another moment: %q", half)
	}
	if out, err := victim(t, s, ref).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(s.opts.Dir, ".[0-9a-f]*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestKilledThenPruned wants what a killed process left removed with the rest.
func TestKilledThenPruned(t *testing.T) {
	s := newStore(t)
	digest := "sha256:" + strings.Repeat("ab", 32)
	if err := os.MkdirAll(filepath.Join(s.unfinished(digest), rootName, "usr"), 0o700); err != nil {
		t.Fatal(err)
	}
	gone, err := s.Prune(context.Background(), nil)
	if err != nil || len(gone) != 1 || gone[0].Source != "half unpacked" {
		t.Errorf("Prune = %v, %v", gone, err)
	}
	clean(t, s)
}

// TestTogether has several processes and goroutines want one image: it is
// fetched once, and everybody gets it whole.
func TestTogether(t *testing.T) {
	img := imageOf(t, []entry{file("last", "layer")}, many(300))
	var fetched atomic.Int32
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	first, err := layers[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	ref := serve(t, img, answer(first.Hex, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		fetched.Add(1)
		time.Sleep(100 * time.Millisecond) // for the others to come
		next.ServeHTTP(w, r)
	}))
	s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if out, err := victim(t, s, ref).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		wg.Go(func() {
			i, err := s.Get(context.Background(), parse(t, ref), true)
			if err != nil {
				t.Error(err)
				return
			}
			if n := len(listing(t, i.Root)); n != 301 {
				t.Errorf("%d files", n)
			}
			i.Close()
		})
	}
	wg.Wait()
	if n := fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
}

// TestPrune wants exactly the images removed that nobody wants or uses.
func TestPrune(t *testing.T) {
	s := newStore(t)
	refs := map[string]Ref{}
	for _, name := range []string{"wanted", "used", "unused"} {
		refs[name] = parse(t, "oci-layout:"+layoutOf(t, imageOf(t, []entry{file(name, strings.Repeat("x", 1000)), dir("d").mode(0), file("d/e", "")})))
		i, err := s.Get(context.Background(), refs[name], false)
		if err != nil {
			t.Fatal(err)
		}
		if name == "used" {
			defer i.Close()
		} else {
			i.Close()
		}
	}
	if all, err := s.List(); err != nil || len(all) != 3 || all[0].Bytes != 1000 {
		t.Errorf("List = %v, %v", all, err)
	}
	gone, err := s.Prune(context.Background(), []Ref{refs["wanted"]})
	if err != nil || len(gone) != 1 || gone[0].Source != refs["unused"].String() || gone[0].Bytes != 1000 {
		t.Errorf("Prune = %v, %v", gone, err)
	}
	if all, err := s.List(); err != nil || len(all) != 2 {
		t.Errorf("List after = %v, %v", all, err)
	}
	// What is wanted must be found out first, or everything would go.
	if _, err := s.Prune(context.Background(), []Ref{parse(t, "oci-layout:/nosuch")}); err == nil {
		t.Error("Prune with a layout that cannot be read removed something")
	}
	if all, _ := s.List(); len(all) != 2 {
		t.Errorf("List after that = %v", all)
	}
}

// TestDamage wants files of a source that are not what their digests say, and
// a cache entry that is another one, refused with a word on what is wrong.
func TestDamage(t *testing.T) {
	img := imageOf(t, []entry{file("a", strings.Repeat("content", 100))})
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	blob := func(h v1.Hash) string { return filepath.Join("blobs", "sha256", h.Hex) }
	write := func(t *testing.T, p string, data []byte) {
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		edit func(t *testing.T, dir string)
		want string
	}{
		{"manifest", func(t *testing.T, dir string) {
			raw, _ := img.RawManifest()
			write(t, filepath.Join(dir, blob(digest)), append(raw, ' '))
		}, "the manifest is not the one that was asked for"},
		{"large manifest", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, blob(digest)), make([]byte, maxDocument+1))
		}, "is larger than 4 MiB"},
		{"configuration", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, blob(m.Config.Digest)), []byte(`{"os":"linux"}`))
		}, "the configuration is not the one that was asked for"},
		{"layer of the same size", func(t *testing.T, dir string) {
			p := filepath.Join(dir, blob(m.Layers[0].Digest))
			raw, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			write(t, p, flip(raw))
		}, "layer 1: it is not the one that the manifest names"},
		{"layer cut", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, blob(m.Layers[0].Digest)), 10); err != nil {
				t.Fatal(err)
			}
		}, "layer 1: it has another size"},
		{"layer as a pipe", func(t *testing.T, dir string) {
			p := filepath.Join(dir, blob(m.Layers[0].Digest))
			if err := errors.Join(os.Remove(p), mkfifo(p)); err != nil {
				t.Fatal(err)
			}
		}, "is not a file"},
		{"layer as a link out", func(t *testing.T, dir string) {
			p := filepath.Join(dir, blob(m.Layers[0].Digest))
			if err := errors.Join(os.Rename(p, filepath.Join(dir, "..", "layer")), os.Symlink(filepath.Join(dir, "..", "layer"), p)); err != nil {
				t.Fatal(err)
			}
		}, "path escapes"},
		{"no layout", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "index.json")); err != nil {
				t.Fatal(err)
			}
		}, "index.json: no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := newStore(t), layoutOf(t, img)
			tt.edit(t, dir)
			if _, err := get(t, s, "oci-layout:"+dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Get = %v, want %q", err, tt.want)
			}
			clean(t, s)
		})
	}
	t.Run("cache entry", func(t *testing.T) {
		s, dir := newStore(t), layoutOf(t, img)
		i, err := get(t, s, "oci-layout:"+dir)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(filepath.Dir(i.Root), noteName), []byte(`{"digest":"sha256:other"}`))
		if _, err := get(t, s, "oci-layout:"+dir); err == nil || !strings.Contains(err.Error(), "damaged: remove it") {
			t.Errorf("Get = %v", err)
		}
	})
}

// TestContentHash wants a layer refused that is the stored one, but unpacks to
// something else than the configuration says.
func TestContentHash(t *testing.T) {
	honest := imageOf(t, []entry{file("a", "honest")})
	config, err := honest.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	evil := imageOf(t, []entry{file("a", "evil")})
	layers, err := evil.Layers()
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t)
	var h v1.Hash
	if c, err := honest.ConfigFile(); err != nil {
		t.Fatal(err)
	} else {
		h = c.RootFS.DiffIDs[0]
	}
	dir := handmade(t, config, layers[0])
	if _, err := get(t, s, "oci-layout:"+dir); err == nil || !strings.Contains(err.Error(), "its content is not what the configuration says") || !strings.Contains(err.Error(), short(h.String())) {
		t.Errorf("Get = %v", err)
	}
	clean(t, s)
}

// handmade writes a layout of a configuration and layers that need not fit.
func handmade(t *testing.T, config []byte, layers ...v1.Layer) string {
	t.Helper()
	dir := t.TempDir()
	put := func(raw []byte, mt types.MediaType) v1.Descriptor {
		h, n, err := v1.SHA256(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		p := filepath.Join(dir, "blobs", "sha256", h.Hex)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, raw, 0o600)); err != nil {
			t.Fatal(err)
		}
		return v1.Descriptor{MediaType: mt, Size: n, Digest: h}
	}
	m := v1.Manifest{SchemaVersion: 2, Config: put(config, types.OCIConfigJSON)}
	for _, l := range layers {
		r, err := l.Compressed()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		mt, err := l.MediaType()
		if err != nil {
			t.Fatal(err)
		}
		m.Layers = append(m.Layers, put(raw, mt))
	}
	index := v1.IndexManifest{SchemaVersion: 2, Manifests: []v1.Descriptor{put(marshal(t, m), types.OCIManifestSchema1)}}
	if err := os.WriteFile(filepath.Join(dir, "index.json"), marshal(t, index), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestBombs wants a small layer that unpacks to a lot stopped on the way, in
// each compression, and also where the lot is no file of the archive.
func TestBombs(t *testing.T) {
	zeros := bytes.Repeat([]byte{0}, 64<<20)
	plain := func(w io.Writer) io.WriteCloser { return kept{w} }
	for name, raw := range map[string][]byte{
		"gzip":                   packed(t, zeros, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"zstd":                   packed(t, zeros, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }),
		"hole":                   packed(t, sparse(t, 64<<20), plain),
		"zstd that needs memory": packed(t, zeros, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w, zstd.WithWindowSize(1<<28)); return z }),
		"gzip after the end":     packed(t, append(archiveOf(t, []entry{file("a", "")}), zeros...), func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
	} {
		t.Run(name, func(t *testing.T) {
			if len(raw) > 1<<20 {
				t.Fatalf("the bomb is no bomb: %d bytes", len(raw))
			}
			want := "larger than 2 MiB"
			if strings.HasSuffix(name, "memory") {
				want = "window size exceeded"
			}
			s := newStore(t, func(o *Options) { o.MaxBytes = 2 << 20 })
			img := imageOf(t, []entry{file("a", "")})
			config, err := img.RawConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			dir := handmade(t, config, static.NewLayer(raw, types.OCILayer))
			if _, err := get(t, s, "oci-layout:"+dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Get = %v, want %q", err, want)
			}
			clean(t, s)
		})
	}
}

// sparse is a layer with a file that is one hole.
func sparse(t *testing.T, size int64) []byte {
	t.Helper()
	raw := archiveOf(t, []entry{{tar.Header{Name: "a", Typeflag: tar.TypeReg, Mode: 0o644, Format: tar.FormatGNU}, ""}})
	put := func(at int, s string) { copy(raw[at:], s+"\x00") }
	raw[156] = tar.TypeGNUSparse
	put(386, fmt.Sprintf("%011o", size)) // one piece of no bytes at the end
	put(398, fmt.Sprintf("%011o", 0))
	put(483, fmt.Sprintf("%011o", size))
	copy(raw[148:156], "        ")
	sum := 0
	for _, b := range raw[:512] {
		sum += int(b)
	}
	copy(raw[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return raw
}

type kept struct{ io.Writer }

func (kept) Close() error { return nil }

func packed(t *testing.T, data []byte, z func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := z(&buf)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestManifests wants documents refused that say two things, or nothing.
func TestManifests(t *testing.T) {
	for raw, want := range map[string]string{
		`{"manifests":[],"layers":[]}`: "or both",
		`{"manifests":[],"config":{}}`: "or both",
		`{}`:                           "neither that of an image nor an index",
		`{"config":{},"mediaType":"application/vnd.oci.image.index.v1+json"}`:              "calls itself",
		`{"manifests":[],"mediaType":"application/vnd.oci.image.manifest.v1+json"}`:        "calls itself",
		`{"config":{},"mediaType":"application/vnd.docker.distribution.manifest.v1+json"}`: "calls itself",
		`[]`: "not JSON",
	} {
		if _, err := isIndex([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("isIndex(%s) = %v, want %q", raw, err, want)
		}
	}
	img := imageOf(t, []entry{file("a", "")})
	config, err := img.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for want, layers := range map[string][]v1.Layer{
		"the manifest has 0 layers and the configuration 1":                                  nil,
		"the manifest has 2 layers and the configuration 1":                                  {layers[0], layers[0]},
		"layer 1 is of the kind":                                                             {static.NewLayer([]byte("x"), "application/x-else")},
		`layer 1 is of the kind "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"`: {static.NewLayer([]byte("x"), types.DockerForeignLayer)},
	} {
		if _, err := get(t, newStore(t), "oci-layout:"+handmade(t, config, layers...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Get = %v, want %q", err, want)
		}
	}
}

// TestArchives wants of a docker archive the image that was meant, and a clear
// word where there is none.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, entries ...entry) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, archiveOf(t, entries), 0o600); err != nil {
			t.Fatal(err)
		}
		return "docker-archive:" + p
	}
	a, b := imageOf(t, []entry{file("a", "")}), imageOf(t, []entry{file("b", "")})
	idA, _ := a.ConfigName()
	raw := map[string]string{}
	for name, img := range map[string]v1.Image{"a": a, "b": b} {
		c, err := img.RawConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}
		r, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		l, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		raw[name+".json"], raw[name+".tar"] = string(c), string(l)
	}
	two := file("manifest.json", `[{"Config":"b.json","Layers":["b.tar"]},{"Config":"a.json","Layers":["a.tar"]}]`)
	one := file("manifest.json", `[{"Config":"a.json","Layers":["x/a.tar"]}]`)
	files := func(names ...string) (out []entry) {
		for _, n := range names {
			out = append(out, file(n, raw[n]))
		}
		return out
	}
	both := write("both.tar", append(files("a.json", "a.tar", "b.json", "b.tar"), two)...)
	for _, tt := range []struct{ name, ref, want string }{
		{"two images", both, "the archive holds 2 images"},
		{"one of two", both + "@" + idA.String(), ""},
		{"none of two", both + "@sha256:" + strings.Repeat("0", 64), "the archive holds no image"},
		{"no archive", write("none.tar", file("x", "")), "there is no manifest.json in the archive"},
		{"linked layer", write("linked.tar", append(files("a.json", "a.tar"), link("x/a.tar", "../a.tar"), one)...), ""},
		{"links in a circle", write("circle.tar", append(files("a.json"), link("x/a.tar", "a.tar"), one)...), "leads on and on"},
		{"other layer", write("other.tar", append(files("a.json"), file("x/a.tar", raw["b.tar"]), one)...), "its content is not what the configuration says"},
		{"no layer", write("nolayer.tar", append(files("a.json"), one)...), "there is no x/a.tar in the archive"},
		{"directory", "docker-archive:" + dir, "the archive is not a file"},
		{"nothing", "docker-archive:/nosuch.tar", "no such file"},
	} {
		i, err := get(t, newStore(t), tt.ref)
		switch {
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want == "" && listing(t, i.Root)["a"] == "":
			t.Errorf("%s: it is another image", tt.name)
		}
	}
}

// TestCompressions wants layers unpacked in each way they are stored.
func TestCompressions(t *testing.T) {
	content := archiveOf(t, []entry{file("a", "same")})
	img := imageOf(t)
	for name, raw := range map[string][]byte{
		"plain": content,
		"gzip":  packed(t, content, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"zstd":  packed(t, content, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }),
	} {
		l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
		if err != nil {
			t.Fatal(err)
		}
		fitting, err := mutate.AppendLayers(img, l)
		if err != nil {
			t.Fatal(err)
		}
		config, err := fitting.RawConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		i, err := get(t, newStore(t), "oci-layout:"+handmade(t, config, static.NewLayer(raw, types.OCILayer)))
		if err != nil || listing(t, i.Root)["a"] != "-rw-r--r-- same" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStoreIsPrivate wants a cache refused that others could change.
func TestStoreIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "images")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := NewStore(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "does not belong to this user alone") {
		t.Errorf("NewStore = %v", err)
	}
	if _, err := NewStore(Options{Dir: "images"}); err == nil {
		t.Error("a relative path was taken")
	}
}

// TestProgress wants to hear what is going on.
func TestProgress(t *testing.T) {
	var steps []string
	s := newStore(t, func(o *Options) {
		o.LoopbackHTTP, o.Progress = true, func(step string) { steps = append(steps, step) }
	})
	if _, err := get(t, s, serve(t, imageOf(t, []entry{file("a", "")}))); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(steps, func(s string) bool { return strings.HasPrefix(s, "fetching layer 1 of 1, ") }) {
		t.Errorf("%q", steps)
	}
}
