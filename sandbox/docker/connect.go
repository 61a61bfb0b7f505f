package docker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/client"

	"sallyport/internal/hint"
)

// FromEnvironment fills in Host and TLS as Docker's own client, or Podman's,
// would find them: from the variables that lookup knows, from the current
// context, from the usual places. What o already has stands. Context names a
// context to use before all of that; "" means none in particular.
func FromEnvironment(o Options, dockerContext string, lookup func(string) (string, bool)) (Options, error) {
	get := func(name string) string { v, _ := lookup(name); return v }
	if o.Host != "" {
		return o, nil
	}
	if o.Engine == "podman" {
		o.Host = podmanHost(get)
		return o, nil
	}
	dir := cmp.Or(get("DOCKER_CONFIG"), filepath.Join(get("HOME"), ".docker"))
	if dockerContext == "" {
		if o.Host = get("DOCKER_HOST"); o.Host != "" {
			if get("DOCKER_TLS_VERIFY") != "" {
				o.TLS = certificates(cmp.Or(get("DOCKER_CERT_PATH"), dir))
			}
			return o, nil
		}
		if dockerContext = get("DOCKER_CONTEXT"); dockerContext == "" {
			var err error
			if dockerContext, err = currentContext(dir); err != nil {
				return o, err
			}
		}
	}
	if dockerContext == "" || dockerContext == "default" {
		return o, nil
	}
	return fromContext(o, dir, dockerContext)
}

func podmanHost(get func(string) string) string {
	if h := get("CONTAINER_HOST"); h != "" {
		return h
	}
	if dir := get("XDG_RUNTIME_DIR"); dir != "" {
		path := filepath.Join(dir, "podman", "podman.sock")
		if _, err := os.Stat(path); err == nil {
			return "unix://" + path
		}
	}
	return "unix:///run/podman/podman.sock"
}

func certificates(dir string) TLS {
	return TLS{CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
}

func currentContext(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var c struct {
		CurrentContext string `json:"currentContext"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return "", fmt.Errorf("reading %s: %v", filepath.Join(dir, "config.json"), err)
	}
	return c.CurrentContext, nil
}

func fromContext(o Options, dir, name string) (Options, error) {
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	data, err := os.ReadFile(filepath.Join(dir, "contexts", "meta", id, "meta.json"))
	if err != nil {
		return o, hint.New(err, "see `docker context ls`", "there is no docker context %q", name)
	}
	var meta struct {
		Endpoints map[string]struct {
			Host          string
			SkipTLSVerify bool
		}
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return o, fmt.Errorf("docker context %q: %v", name, err)
	}
	end, ok := meta.Endpoints["docker"]
	if !ok || end.Host == "" {
		return o, fmt.Errorf("docker context %q has no docker endpoint", name)
	}
	if end.SkipTLSVerify {
		return o, hint.New(nil, "make one that does", "docker context %q does not verify the engine's certificate", name)
	}
	o.Host = end.Host
	certs := filepath.Join(dir, "contexts", "tls", id, "docker")
	if _, err := os.Stat(certs); err == nil {
		o.TLS = certificates(certs)
	}
	return o, nil
}

// connect makes a client; it does not talk to the engine yet.
func connect(o Options) (*client.Client, error) {
	opts := []client.Opt{client.WithAPIVersionNegotiation(), client.WithUserAgent("sallyport")}
	host := o.Host
	if host == "" {
		host = client.DefaultDockerHost
		if o.Engine == "podman" {
			host = "unix:///run/podman/podman.sock"
		}
	}
	scheme, _, _ := strings.Cut(host, "://")
	switch scheme {
	case "unix", "npipe":
	case "tcp", "http", "https":
		if o.TLS == (TLS{}) && !loopback(host) {
			return nil, hint.New(nil, "give certificates", "%s would be an engine over the network without TLS, which anybody on the way can take over", host)
		}
	default:
		return nil, hint.New(nil, "for an engine behind ssh, forward its socket with `ssh -nNT -L /path/docker.sock:/var/run/docker.sock HOST`",
			"the engine's address %q is neither unix:// nor tcp://", host)
	}
	if o.TLS != (TLS{}) {
		opts = append(opts, client.WithTLSClientConfig(o.TLS.CA, o.TLS.Cert, o.TLS.Key))
	}
	return client.NewClientWithOpts(append(opts, client.WithHost(host))...)
}

func loopback(host string) bool {
	_, address, _ := strings.Cut(host, "://")
	for _, p := range []string{"127.", "localhost:", "[::1]"} {
		if strings.HasPrefix(address, p) {
			return true
		}
	}
	return false
}

// explain turns an engine's error into one sentence with what would mend it,
// where it is known. The result wraps what it was made from.
func (b *Backend) explain(err error) error {
	if known := b.explained(err); known != nil {
		return known
	}
	return err
}

// explained is what explain makes of an error, nil where it knows nothing about it.
// The engine's client has no values for most of what the system and the engine
// told it: their words are all there is.
func (b *Backend) explained(err error) error {
	host, engine := b.api.DaemonHost(), b.opts.Engine
	path := strings.TrimPrefix(host, "unix://")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return hint.New(err, "look whether it is stopped or overloaded, and restart it", "the engine at %s does not answer", host)
	case errors.Is(err, syscall.EACCES), strings.Contains(err.Error(), "permission denied while trying to connect"):
		return hint.New(err, "join the socket's group (`sudo usermod -aG docker $USER`, then log in again) or use a rootless engine", "no permission on %s", path)
	case strings.Contains(err.Error(), "x509: "), strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "HTTPS"):
		return hint.New(err, "give the CA that signed its certificate, and a client certificate that it accepts, as ca.pem, cert.pem and key.pem in DOCKER_CERT_PATH with DOCKER_TLS_VERIFY=1, or in a docker context",
			"no trust between this client and the engine at %s", host)
	case strings.Contains(err.Error(), "client version") && strings.Contains(err.Error(), "is too old"):
		return hint.New(err, "update sallyport", "the engine at %s speaks only newer versions of its API", host)
	case client.IsErrConnectionFailed(err), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT),
		strings.Contains(err.Error(), "cannot connect to the Docker daemon"):
		fix := "`sudo systemctl start docker`"
		if engine == "podman" {
			fix = "`systemctl --user start podman.socket`"
		}
		return hint.New(err, "start it with "+fix+" or name another", "no engine answers at %s", host)
	case strings.Contains(err.Error(), "no space left on device"):
		return hint.New(err, "free some with `"+engine+" system prune`", "the engine's disk is full")
	}
	return nil
}

// unreachable says that the engine, and not the request, was the trouble.
func unreachable(err error) bool {
	return client.IsErrConnectionFailed(err) || cerrdefs.IsUnavailable(err) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
