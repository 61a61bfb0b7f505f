package client

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sallyport/internal/hint"
)

func with(token string) func(string) (string, bool) {
	return func(name string) (string, bool) { return token, name == tokenVariable }
}

func asking(t *testing.T, server string) *Client {
	t.Helper()
	c, err := New(Options{Server: server, Version: "test", Env: with("spt_OURS")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// service answers each request by h, and counts them.
func service(t *testing.T, h http.HandlerFunc) (*Client, *httptest.Server) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return asking(t, s.URL), s
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestOptions(t *testing.T) {
	t.Parallel()
	good := Options{Server: "https://sandbox.example", Env: with("spt_A")}
	for name, edit := range map[string]func(*Options){
		"no scheme":           func(o *Options) { o.Server = "sandbox.example" },
		"another scheme":      func(o *Options) { o.Server = "ftp://sandbox.example" },
		"a token in sight":    func(o *Options) { o.Server = "http://sandbox.example" },
		"an address in sight": func(o *Options) { o.Server = "http://192.0.2.1:8443" },
		"loopback by name":    func(o *Options) { o.Server = "http://localhost.example" },
		"a password":          func(o *Options) { o.Server = "https://ada:pw@sandbox.example" },
		"a question":          func(o *Options) { o.Server = "https://sandbox.example?token=spt_A" },
		"no token":            func(o *Options) { o.Env = nil },
		"an empty token":      func(o *Options) { o.Env = with(" \n") },
		"two tokens":          func(o *Options) { o.Env = with("spt_A\nspt_B") },
		"a header":            func(o *Options) { o.Env = with("spt_A\r\nX-Tenant: acme") },
		"no such file":        func(o *Options) { o.TokenFile = "/none" },
		"an empty file":       func(o *Options) { o.TokenFile = "/dev/null" },
		"an endless file":     func(o *Options) { o.TokenFile = "/dev/zero" },
		"no authority":        func(o *Options) { o.CA = write(t, "none") },
	} {
		o := good
		if edit(&o); fails(o) == nil {
			t.Errorf("%s: taken", name)
		} else if !errors.Is(fails(o), hint.ErrUsage) {
			t.Errorf("%s: %v is not a mistake of who called", name, fails(o))
		}
	}
	for name, edit := range map[string]func(*Options){
		"all of it":    func(*Options) {},
		"loopback":     func(o *Options) { o.Server = "http://127.0.0.1:8443" },
		"loopback, 6":  func(o *Options) { o.Server = "http://[::1]:8443/below" },
		"localhost":    func(o *Options) { o.Server = "http://localhost:8443" },
		"a token file": func(o *Options) { o.Env, o.TokenFile = nil, write(t, "spt_A\n") },
	} {
		o := good
		if edit(&o); fails(o) != nil {
			t.Errorf("%s: %v", name, fails(o))
		}
	}
}

func fails(o Options) error {
	_, err := New(o)
	return err
}

func TestDo(t *testing.T) {
	t.Parallel()
	c, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"said": %q}`, strings.Join([]string{r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), r.Header.Get("User-Agent"), string(b)}, " "))
	})
	var out struct{ Said string }
	if err := c.Do(t.Context(), http.MethodPost, "/v1/check", map[string]int{"a": 1}, &out); err != nil {
		t.Fatal(err)
	}
	if want := `POST /v1/check Bearer spt_OURS application/json sallyport/test {"a":1}`; out.Said != want {
		t.Errorf("the service saw %s, want %s", out.Said, want)
	}
	c.most = 10
	if err := c.Do(t.Context(), http.MethodGet, "/", nil, &out); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("an answer that is too large: %v", err)
	}
}

// What a service refuses is told with what to do about it, and what it says can do
// nothing to a terminal.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status     int
		wait, body string
		what, fix  string
		usage      bool
	}{
		{400, "", `{"error":"arguments","detail":"no."}`, "no.", "", true},
		{401, "", `{"error":"invalid_token","detail":"no."}`, "does not take the token", "sallyport serve token", false},
		{403, "", `{"error":"insufficient_scope","detail":"needs run"}`, "needs run", "--scope", false},
		{403, "", `{"error":"tenant","detail":"nothing for it"}`, "nothing for it", "operator", false},
		{413, "", `{"error":"too_large","detail":"at most 1"}`, "at most 1", "send less", false},
		{421, "", `{"error":"host","detail":"not by that name"}`, "not by that name", "serve.hosts", false},
		{429, "90", `{"error":"quota","detail":"too many"}`, "too many", "try again in 1m30s", false},
		{503, "1", `{"error":"busy","detail":"Busy."}`, "Busy.", "try again in 1s", false},
		{503, "", `{"error":"busy","detail":"\u001b[2Jgone\nagain"}`, "<U+001B>[2Jgone again", "later", false},
		{502, "", `{"detail":5}`, "502 Bad Gateway", "sallyport serve?", false},
		{500, "", ``, "500 Internal Server Error", "sallyport serve?", false},
	} {
		c, _ := service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if row.wait != "" {
				w.Header().Set("Retry-After", row.wait)
			}
			w.WriteHeader(row.status)
			_, _ = io.WriteString(w, row.body)
		})
		err := c.Do(t.Context(), http.MethodPost, "/v1/run", nil, nil)
		if err == nil || !strings.Contains(err.Error(), row.what) || !strings.Contains(hint.Fix(err), row.fix) || errors.Is(err, hint.ErrUsage) != row.usage {
			t.Errorf("%d: %v, hint %q", row.status, err, hint.Fix(err))
		}
		if r, ok := errors.AsType[*Refused](err); !ok || r.Status != row.status {
			t.Errorf("%d is lost: %v", row.status, err)
		}
	}
}

// A service that sends on gets nothing sent on: neither token nor program.
func TestRedirection(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	_, thief := service(t, func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header.Get("Authorization") })
	for _, status := range []int{301, 302, 303, 307, 308} {
		c, _ := service(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL, status) })
		err := c.Do(t.Context(), http.MethodPost, "/v1/run", map[string]string{"code": "secret"}, nil)
		if err == nil || !strings.Contains(err.Error(), "sends on") {
			t.Errorf("%d: %v", status, err)
		}
	}
	if len(asked) > 0 {
		t.Errorf("somebody else was asked, with %q", <-asked)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	const stream = ": nothing\n\nevent: output\ndata: one\n\nevent: answer\r\ndata:two\r\ndata: lines\r\n\r\nevent: lost\n\ndata: bare\n\nevent: answer\ndata: cut off"
	var kind string
	c, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			t.Error("the service is not asked for events")
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, stream)
	})
	for k, want := range map[string]string{
		"text/event-stream; charset=utf-8": `output="one" answer="two\nlines" lost="bare"`,
		"application/json":                 fmt.Sprintf("answer=%q", stream),
	} {
		kind = k
		var got []string
		if err := c.Events(t.Context(), "/", nil, func(kind string, data []byte) error {
			got = append(got, fmt.Sprintf("%s=%q", kind, data))
			return nil
		}); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %s, %v; want %s", k, strings.Join(got, " "), err, want)
		}
	}
	kind = "text/event-stream"
	stop := errors.New("enough")
	if err := c.Events(t.Context(), "/", nil, func(string, []byte) error { return stop }); err != stop {
		t.Errorf("stopped: %v", err)
	}
	c.most = 20
	if err := c.Events(t.Context(), "/", nil, func(string, []byte) error { return nil }); err == nil {
		t.Error("a stream that is too large is read")
	}
}

// Who stops waiting is gone for the service, too.
func TestCancel(t *testing.T) {
	t.Parallel()
	gone, ctx := make(chan struct{}), context.Context(nil)
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := service(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
		close(gone)
	})
	if err := c.Do(ctx, http.MethodPost, "/", 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	select {
	case <-gone:
	case <-time.After(5 * time.Minute):
		t.Error("the service still works")
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := write(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	_, plain := service(t, func(http.ResponseWriter, *http.Request) {})
	other := httptest.NewUnstartedServer(s.Config.Handler)
	l, err := net.Listen("tcp", "127.0.0.2:0") // which its certificate does not name
	if err != nil {
		t.Fatal(err)
	}
	_ = other.Listener.Close()
	other.Listener = l
	other.StartTLS()
	t.Cleanup(other.Close)
	for name, row := range map[string]struct{ server, ca, fix string }{
		"its authority":     {s.URL, ca, ""},
		"another authority": {s.URL, "", "--ca FILE"},
		"another name":      {other.URL, ca, "call it by a name"},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), "", "http://127.0.0.1"},
		"nobody":            {"http://127.0.0.1:1", "", "is sallyport serve running"},
	} {
		c, err := New(Options{Server: row.server, CA: row.ca, Env: with("spt_A")})
		if err != nil {
			t.Fatal(err)
		}
		var out any
		err = c.Do(t.Context(), http.MethodGet, "/", nil, &out)
		if (err == nil) != (row.fix == "") || err != nil && !strings.Contains(hint.Fix(err), row.fix) {
			t.Errorf("%s: %v, hint %q", name, err, hint.Fix(err))
		}
	}
}
