package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/types"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// remoteRepo is one repository of a registry.
type remoteRepo struct {
	repo name.Repository
	opts []remote.Option
}

func (s *Store) remote(ref Ref) remoteRepo {
	opts := []remote.Option{
		remote.WithTransport(&guarded{next: s.transport(), stall: s.opts.Stall, loopbackHTTP: s.opts.LoopbackHTTP}),
		remote.WithUserAgent("sallyport"),
		remote.WithRetryBackoff(remote.Backoff{Duration: s.opts.Retry, Factor: 3, Jitter: 0.1, Steps: 3}),
	}
	if s.opts.DockerConfig != "" {
		opts = append(opts, remote.WithAuthFromKeychain(keychain(s.opts.DockerConfig)))
	}
	return remoteRepo{repo: ref.repo.Context(), opts: opts}
}

func (s *Store) transport() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: s.opts.Stall}).DialContext,
		TLSHandshakeTimeout: s.opts.Stall,
		ForceAttemptHTTP2:   true,
		DisableKeepAlives:   true, // a handful of requests, and nothing is left behind
	}
}

func (r remoteRepo) manifest(ctx context.Context, digest v1.Hash) ([]byte, error) {
	d, err := remote.Get(r.repo.Digest(digest.String()), append(r.opts, remote.WithContext(ctx))...)
	if err != nil {
		return nil, explain(err)
	}
	return d.Manifest, nil
}

func (r remoteRepo) blob(ctx context.Context, digest v1.Hash) (io.ReadCloser, error) {
	l, err := remote.Layer(r.repo.Digest(digest.String()), append(r.opts, remote.WithContext(ctx))...)
	if err != nil {
		return nil, explain(err)
	}
	rc, err := l.Compressed()
	return rc, explain(err)
}

// explain bounds what a registry says in an error.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errStalled):
		return errStalled
	case errors.Is(err, errPlain):
		return errPlain
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return errors.New(plain(err.Error()))
}

var (
	errStalled = errors.New("the registry stopped answering")
	errPlain   = errors.New("the registry speaks http, which anybody on the way can change: use https, or allow http for loopback addresses")
)

// guarded lets requests through that are safe to make, and ends those whose
// answer stops coming.
type guarded struct {
	next         http.RoundTripper
	stall        time.Duration
	loopbackHTTP bool
}

// RoundTrip implements http.RoundTripper.
func (g *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !(req.URL.Scheme == "http" && g.loopbackHTTP && loopback(req.URL.Hostname())) {
		return nil, errPlain
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watched{cancel: cancel, stall: g.stall, ctx: ctx, timer: time.AfterFunc(g.stall, func() { cancel(errStalled) })}
	resp, err := g.next.RoundTrip(req.Clone(ctx))
	if err != nil {
		w.stop()
		return nil, w.cause(err)
	}
	w.body, resp.Body = resp.Body, w
	return resp, nil
}

// loopback reports whether a name is certain to be this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// watched is the body of an answer; each read must bring something in time.
type watched struct {
	body   io.ReadCloser
	ctx    context.Context // of the request, whose cause says why it ended
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.stall)
	n, err := w.body.Read(p)
	w.timer.Stop() // what the reader does with it may take its time
	if err != nil && err != io.EOF {
		err = w.cause(err)
	}
	return n, err
}

func (w *watched) Close() error {
	w.stop()
	return w.body.Close()
}

func (w *watched) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// cause prefers our own reason for an end to what it looked like.
func (w *watched) cause(err error) error {
	if errors.Is(context.Cause(w.ctx), errStalled) {
		return errStalled
	}
	return err
}

// keychain reads credentials as docker's own client does, from the config.json
// of a directory and the credential helpers that it names.
type keychain string

// Resolve implements authn.Keychain.
func (k keychain) Resolve(target authn.Resource) (authn.Authenticator, error) {
	if _, err := os.Stat(string(k)); err != nil {
		return nil, fmt.Errorf("reading docker's configuration: %w", err)
	}
	file, err := config.Load(string(k))
	if err != nil {
		return nil, fmt.Errorf("reading docker's configuration: %v", err)
	}
	for _, key := range []string{target.String(), target.RegistryStr()} {
		if key == name.DefaultRegistry {
			key = authn.DefaultAuthKey
		}
		c, err := file.GetAuthConfig(key)
		if err != nil {
			return nil, fmt.Errorf("credentials for %s: %v", key, err)
		}
		c.ServerAddress = ""
		if c != (types.AuthConfig{}) {
			return authn.FromConfig(authn.AuthConfig{
				Username: c.Username, Password: c.Password, Auth: c.Auth,
				IdentityToken: c.IdentityToken, RegistryToken: c.RegistryToken,
			}), nil
		}
	}
	return authn.Anonymous, nil
}
