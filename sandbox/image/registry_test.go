package image

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// serve pushes an image to a registry on loopback and returns its reference.
// Between the registry and who pulls, each wrap may lie.
func serve(t *testing.T, img remote.Taggable, wrap ...func(http.Handler) http.Handler) string {
	t.Helper()
	var h http.Handler = registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	lying := false
	honest := h
	for _, w := range wrap {
		h = w(h)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lying {
			h.ServeHTTP(w, r)
		} else {
			honest.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	repo := strings.TrimPrefix(srv.URL, "http://") + "/some/image"
	tag, err := name.NewTag(repo + ":pushed")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Push(tag, img); err != nil {
		t.Fatal(err)
	}
	d, err := remote.Get(tag)
	if err != nil {
		t.Fatal(err)
	}
	lying = true
	return repo + "@" + d.Digest.String()
}

// answer changes the answers to requests whose path holds part.
func answer(part string, change func(w http.ResponseWriter, r *http.Request, next http.Handler)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, part) {
				change(w, r, next)
			} else {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// edited answers with a changed body.
func edited(edit func([]byte) []byte) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		for k, v := range rec.Header() {
			if k != "Content-Length" {
				w.Header()[k] = v
			}
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(edit(rec.Body.Bytes()))
	}
}

func flip(b []byte) []byte {
	if len(b) > 0 {
		b[len(b)/2] ^= 1
	}
	return b
}

// TestLyingRegistry wants one clear error from each registry that does not do
// its work, soon, and nothing in the cache.
func TestLyingRegistry(t *testing.T) {
	img := imageOf(t, []entry{file("a", strings.Repeat("content ", 1000))})
	blob := func() string {
		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}
		d, err := layers[0].Digest()
		if err != nil {
			t.Fatal(err)
		}
		return "/blobs/" + d.String()
	}()
	config, err := img.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	status := func(code int) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "trouble \x1b[31mhere", code)
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }
	for _, tt := range []struct {
		name, part string
		change     func(http.ResponseWriter, *http.Request, http.Handler)
		want       string
	}{
		{"wrong manifest", "/manifests/", edited(flip), "does not match requested digest"},
		{"other image", "/manifests/", edited(func([]byte) []byte { raw, _ := imageOf(t, []entry{file("evil", "")}).RawManifest(); return raw }), "does not match requested digest"},
		{"huge manifest", "/manifests/", edited(func(b []byte) []byte { return append(b, make([]byte, 5<<20)...) }), "does not match requested digest"},
		{"wrong configuration", config.Hex, edited(flip), "reading the configuration"},
		{"wrong layer", blob, edited(flip), "layer 1: error verifying sha256 checksum"},
		{"short layer", blob, edited(func(b []byte) []byte { return b[:len(b)/2] }), "layer 1: error verifying sha256 checksum"},
		{"long layer", blob, edited(func(b []byte) []byte { return append(b, b...) }), "layer 1: it has another size"},
		{"no layer", blob, edited(func([]byte) []byte { return nil }), "layer 1: error verifying sha256 checksum"},
		{"broken off", blob, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "layer 1: unexpected EOF"},
		{"500 for the manifest", "/manifests/", status(500), "reading the manifest sha256:"},
		{"500 for the layer", blob, status(500), "layer 1: GET "},
		{"404", "/manifests/", status(404), "404 Not Found"},
		{"401", "/manifests/", status(401), "401 Unauthorized"},
		{"hangs", "/v2/", hang, "the registry stopped answering"},
		{"hangs at the manifest", "/manifests/", hang, "the registry stopped answering"},
		{"hangs within the layer", blob, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "layer 1: the registry stopped answering"},
		{"sends elsewhere", blob, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, "http://registry.invalid/blob", http.StatusFound)
		}, "the registry speaks http"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ref := serve(t, img, answer(tt.part, tt.change))
			var s *Store
			var err error
			for stall := time.Second; ; stall *= 2 { // of a slow machine, what comes before may take as long
				s = newStore(t, func(o *Options) {
					o.LoopbackHTTP = true
					if strings.HasPrefix(tt.name, "hangs") {
						o.Stall = stall
					}
				})
				if _, err = get(t, s, ref); !errors.Is(err, errStalled) || strings.Contains(err.Error(), tt.want) || stall > 5*time.Minute {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Get = %v, want %q", err, tt.want)
			}
			if err != nil && (strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 700) {
				t.Errorf("the error is not a clear line: %q", err)
			}
			clean(t, s)
		})
	}
}

// TestHTTP wants http for loopback addresses alone, and only when allowed.
func TestHTTP(t *testing.T) {
	ref := serve(t, imageOf(t, []entry{file("a", "")}))
	if _, err := get(t, newStore(t), ref); !errors.Is(err, errPlain) {
		t.Errorf("not allowed: %v, want errPlain", err)
	}
	if _, err := get(t, newStore(t, func(o *Options) { o.LoopbackHTTP = true }), ref); err != nil {
		t.Error(err)
	}
	for _, url := range []string{"http://192.168.1.1/", "http://registry.local/", "http://127.0.0.1.example/", "http://10.0.0.1:5000/", "ftp://127.0.0.1/"} {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := &guarded{next: reached{t}, stall: time.Second, loopbackHTTP: true}
		if resp, err := g.RoundTrip(req); !errors.Is(err, errPlain) {
			t.Errorf("%s: %v, %v", url, resp, err)
		}
	}
}

type reached struct{ t *testing.T }

func (r reached) RoundTrip(req *http.Request) (*http.Response, error) {
	r.t.Errorf("asked %s", req.URL)
	return nil, errors.New("reached")
}

// TestFetchOnlyWhenAsked wants a run to find an image in the cache or not, and
// never to go to the network for it.
func TestFetchOnlyWhenAsked(t *testing.T) {
	s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
	ref := parse(t, serve(t, imageOf(t, []entry{file("a", "")})))
	if _, err := s.Get(context.Background(), ref, false); !errors.Is(err, ErrAbsent) {
		t.Fatalf("Get = %v, want ErrAbsent", err)
	}
	if _, err := get(t, s, ref.String()); err != nil {
		t.Fatal(err)
	}
	i, err := s.Get(context.Background(), ref, false)
	if err != nil {
		t.Fatal(err)
	}
	i.Close()
}

// TestCancel wants an end of the wait when the caller gives up.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ref := parse(t, serve(t, imageOf(t, []entry{file("a", "")}), answer("/blobs/", func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		cancel()
		<-r.Context().Done()
	})))
	s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
	if _, err := s.Get(ctx, ref, true); !errors.Is(err, context.Canceled) {
		t.Errorf("Get = %v", err)
	}
	clean(t, s)
}

// TestCredentials wants docker's own configuration used, and only when named.
func TestCredentials(t *testing.T) {
	img := imageOf(t, []entry{file("a", "")})
	var seen string
	ref := serve(t, img, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, ok := r.BasicAuth()
			if seen = user + ":" + password; !ok || seen != "robot:secret" {
				w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
				http.Error(w, "no", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	dir := t.TempDir()
	host, _, _ := strings.Cut(ref, "/")
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"auths":{"`+host+`":{"auth":"cm9ib3Q6c2VjcmV0"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
	if _, err := get(t, s, ref); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without credentials: %v", err)
	}
	s.opts.DockerConfig = dir
	if _, err := get(t, s, ref); err != nil {
		t.Errorf("with credentials, of which %q was seen: %v", seen, err)
	}
	s.opts.DockerConfig = filepath.Join(dir, "nosuch")
	if _, err := get(t, s, ref); err != nil {
		t.Errorf("from the cache: %v", err)
	}
	if _, err := get(t, s, serve(t, imageOf(t, []entry{file("b", "")}))); err == nil || !strings.Contains(err.Error(), "docker's configuration") {
		t.Errorf("with a configuration that is not there: %v", err)
	}
}

// TestIndex wants the image for this machine out of an index.
func TestIndex(t *testing.T) {
	mine := imageOf(t, []entry{file("mine", "")})
	other := imageOf(t, []entry{file("other", "")})
	add := func(img v1.Image, p v1.Platform) mutate.IndexAddendum {
		return mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &p}}
	}
	s390 := v1.Platform{OS: "linux", Architecture: "s390x"}
	unknown := v1.Platform{OS: "unknown", Architecture: "unknown"}
	both := mutate.AppendManifests(empty.Index, add(other, unknown), add(other, s390), add(mine, platform()))
	s := newStore(t, func(o *Options) { o.LoopbackHTTP = true })
	ref := serve(t, both)
	i, err := get(t, s, ref)
	if err != nil {
		t.Fatal(err)
	}
	if got := listing(t, i.Root); got["mine"] == "" || !strings.HasSuffix(ref, i.Digest) {
		t.Errorf("%v, %s", got, i.Digest)
	}
	none := mutate.AppendManifests(empty.Index, add(other, s390))
	if _, err := get(t, s, serve(t, none)); err == nil || !strings.Contains(err.Error(), `there is no image for linux/`) || !strings.Contains(err.Error(), "s390x") {
		t.Errorf("no image for this machine: %v", err)
	}
	// An index that says one thing about an image whose configuration says another.
	foreign, err := mutate.ConfigFile(mine, &v1.ConfigFile{OS: "linux", Architecture: "s390x", RootFS: v1.RootFS{Type: "layers"}})
	if err != nil {
		t.Fatal(err)
	}
	lying := mutate.AppendManifests(empty.Index, add(foreign, platform()))
	if _, err := get(t, s, serve(t, lying)); err == nil || !strings.Contains(err.Error(), "the image is for") {
		t.Errorf("foreign image: %v", err)
	}
	nested := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: both, Descriptor: v1.Descriptor{Platform: func() *v1.Platform { p := platform(); return &p }()}})
	if _, err := get(t, s, serve(t, nested)); err == nil || !strings.Contains(err.Error(), "there is no image for") {
		t.Errorf("index in an index: %v", err)
	}
}
