package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// registry serves one image on loopback.
type registry struct {
	*httptest.Server
	manifest []byte
	blobs    map[string][]byte
	fault    func(http.ResponseWriter, *http.Request) bool // answers in its place
}

// newRegistry serves a copy, of an ID of its own, of an image that an engine has.
func newRegistry(t *testing.T, o Options, ref string) *registry {
	t.Helper()
	saved, err := exec.Command("docker", "-H", o.Host, "save", ref).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(saved)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var content []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &content); err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(files[content[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	config["author"] = rand.Text()
	g := &registry{blobs: map[string][]byte{}}
	blob := func(data []byte, kind string) map[string]any {
		digest := digestOf(data)
		g.blobs[digest] = data
		return map[string]any{"mediaType": "application/vnd.docker." + kind, "size": len(data), "digest": digest}
	}
	var layers []any
	for _, l := range content[0].Layers {
		layers = append(layers, blob(files[l], "image.rootfs.diff.tar.gzip"))
	}
	g.manifest = jsonOf(t, map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
		"config": blob(jsonOf(t, config), "container.image.v1+json"), "layers": layers,
	})
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.Close)
	return g
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (g *registry) serve(w http.ResponseWriter, r *http.Request) {
	if g.fault != nil && g.fault(w, r) {
		return
	}
	data := g.blobs[path.Base(r.URL.Path)]
	switch {
	case r.URL.Path == "/v2/":
		return
	case strings.Contains(r.URL.Path, "/manifests/"):
		w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v2+json")
		w.Header().Set("Docker-Content-Digest", digestOf(g.manifest))
		data = g.manifest
	case data == nil:
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data)
}

func (g *registry) ref() string {
	return strings.TrimPrefix(g.URL, "http://") + "/team/python@" + digestOf(g.manifest)
}

// TestPull: a missing image is fetched by digest, only where the operator lets
// it, and with word of how it goes. It comes before the tests that run side by side:
// an engine that fetches a layer from two registries asks one of them, and theirs have
// others to give.
func TestPull(t *testing.T) {
	o := requireDocker(t)
	g := newRegistry(t, o, testImages()["python"])
	o.Images = map[string]string{"python": g.ref()}
	forbidden := open(t, o)
	if _, err := forbidden.Run(context.Background(), sandboxtest.Spec("python", "print(1)")); !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), "there is no image") {
		t.Errorf("without leave to fetch it: %v", err)
	}
	var mu sync.Mutex
	var lines []string
	o.Pull, o.Progress = true, func(line string) { mu.Lock(); defer mu.Unlock(); lines = append(lines, line) }
	b := open(t, o)
	t.Cleanup(func() {
		if _, err := b.api.ImageRemove(context.Background(), g.ref(), image.RemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	})
	if r := run(t, b, sandboxtest.Spec("python", "print(6*7)")); string(r.Stdout) != "42\n" {
		t.Errorf("%s %q %s", r.Reason, r.Stdout, r.Stderr)
	}
	if len(lines) == 0 || lines[0] != "pulling image "+g.ref() {
		t.Errorf("progress: %q", lines)
	}
}

// TestPullFails: each way in which fetching an image fails has its one error,
// and the next run does not suffer from it.
func TestPullFails(t *testing.T) {
	t.Parallel()
	base := requireDocker(t)
	g := newRegistry(t, base, testImages()["python"])
	hung := make(chan struct{})
	hang := func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-hung:
		case <-r.Context().Done():
		}
		return true
	}
	t.Cleanup(func() { close(hung) })
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(code); return true }
	}
	blobs := func(f func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			return strings.Contains(r.URL.Path, "/blobs/") && f(w, r)
		}
	}
	for _, tt := range []struct {
		name  string
		ref   string
		fault func(http.ResponseWriter, *http.Request) bool
		want  string
	}{
		{"refused", "127.0.0.1:1/team/python@" + digestOf(nil), nil, "connection refused"},
		{"silent", "", hang, "the registry says nothing for"},
		{"silent over a layer", "", blobs(hang), "the registry says nothing for"},
		{"unknown", "", status(http.StatusNotFound), "pulling image"},
		{"forbidden", "", status(http.StatusForbidden), "pulling image"},
		{"broken", "", status(http.StatusInternalServerError), "pulling image"},
		{"another image", "", blobs(func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "forged"); return true }), "pulling image"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.fault = tt.fault
			o := base
			o.Pull, o.Images = true, map[string]string{"python": tt.ref, "javascript": testImages()["javascript"]}
			if tt.ref == "" {
				o.Images["python"] = g.ref()
			}
			b := open(t, o)
			b.stall = sandboxtest.Patient
			if strings.HasPrefix(tt.name, "silent") {
				b.stall = time.Second
			}
			_, err := b.Run(context.Background(), sandboxtest.Spec("python", "print(1)"))
			if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), tt.want) || !strings.Contains(hint.Text(err), "check the reference") {
				t.Errorf("got %v, want one that wraps ErrUnavailable and says %q", err, tt.want)
			}
			if r := run(t, b, sandboxtest.Spec("javascript", "console.log(1)")); string(r.Stdout) != "1\n" {
				t.Errorf("the next run: %s %q", r.Reason, r.Stdout)
			}
		})
	}
}

// TestPullCancelled: who gives up waits for no registry, nor for another one's
// fetching of the same image.
func TestPullCancelled(t *testing.T) {
	t.Parallel()
	o := requireDocker(t)
	g := newRegistry(t, o, testImages()["python"])
	asked, hung := make(chan struct{}, 100), make(chan struct{})
	t.Cleanup(func() { close(hung) })
	g.fault = func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- struct{}{}
		select {
		case <-hung:
		case <-r.Context().Done():
		}
		return true
	}
	o.Pull, o.Images = true, map[string]string{"python": g.ref()}
	b := open(t, o)
	var runs sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		runs.Go(func() {
			r, err := b.Run(ctx, sandboxtest.Spec("python", "print(1)"))
			if err != nil || r.Reason != sandbox.Cancelled {
				t.Errorf("cancelled: %v %+v", err, r)
			}
		})
	}
	<-asked
	cancel()
	runs.Wait() // the registry goes on to say nothing
}

// TestProgress: lines come at most once a second, and sum up the layers.
func TestProgress(t *testing.T) {
	got := summary(map[string]pulling{
		"a": {Status: "Downloading", Detail: struct{ Current, Total int64 }{5e6, 20e6}},
		"b": {Status: "Downloading", Detail: struct{ Current, Total int64 }{7e6, 10e6}},
		"c": {Status: "Waiting"},
	})
	if got != "12 of 30 MB" {
		t.Errorf("summary() = %q", got)
	}
	var lines []string
	b := &Backend{opts: Options{Progress: func(line string) { lines = append(lines, line) }}}
	news, begun := 0, time.Now()
	stream := strings.NewReader(strings.Repeat(`{"id":"a","status":"Downloading","progressDetail":{"current":1,"total":2}}`, 100))
	if err := b.follow("x", stream, func() { news++ }); err != nil || len(lines) == 0 || len(lines) > 1+int(time.Since(begun)/progressEvery) || news != len(lines) {
		t.Errorf("%v, %d news, lines %q", err, news, lines)
	}
	if err := b.follow("x", strings.NewReader(`{"status":"y"}{"error":"no such thing"}`), func() {}); err == nil || err.Error() != "no such thing" {
		t.Errorf("an error in the stream became %v", err)
	}
}
