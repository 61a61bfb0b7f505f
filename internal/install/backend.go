package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/internal/trust"
	"sallyport/sandbox"
	"sallyport/sandbox/docker"
	"sallyport/sandbox/kubernetes"
)

// Backend is a backend of ours: it can be closed.
type Backend interface {
	sandbox.Backend
	Close() error
}

// BackendNames are the backends that there are.
func BackendNames() []string { return []string{"gvisor", "docker", "podman", "oci", "kubernetes"} }

// BackendName is the backend that was named, else that of the configuration,
// else this system's own.
func (s *Setup) BackendName() string {
	return cmp.Or(s.opts.Backend, s.Config.Sandbox.Backend, DefaultBackend)
}

// chosenBy says who chose the backend.
func (s *Setup) chosenBy() string {
	switch {
	case s.opts.Backend != "":
		return "by --backend"
	case s.Config.Sandbox.Backend != "":
		return "as configured"
	}
	return "by default"
}

// backend opens the chosen backend. If that fails, no other is tried.
func (s *Setup) backend(state string) (Backend, error) {
	switch name := s.BackendName(); name {
	case "gvisor":
		return s.gvisor(state)
	case "oci":
		return s.oci(state)
	case "docker", "podman":
		return s.engine(name)
	case "kubernetes":
		return openKubernetes(s.Config.Sandbox, s.opts)
	default:
		return nil, hint.With(hint.Usage("unknown backend %q", name), "%s", hint.DidYouMean(name, BackendNames(), "one of "+strings.Join(BackendNames(), ", ")))
	}
}

// FindRunsc returns the path of runsc and where it was found: beside
// sallyport, in the configuration, or on PATH.
func (s *Setup) FindRunsc() (path, where string, err error) {
	var tried []string
	if p, err := beside("runsc"); err == nil {
		if executable(p) {
			return p, "beside sallyport", trust.Path("runsc", p)
		}
		tried = append(tried, p)
	}
	if p := s.Config.Sandbox.Runsc; p != "" {
		if executable(p) {
			return p, "configured", trust.Path("runsc", p)
		}
		tried = append(tried, p+" (configured)")
	}
	for _, dir := range filepath.SplitList(s.SearchPath()) {
		if p := filepath.Join(dir, "runsc"); executable(p) {
			return p, "on PATH", trust.Path("runsc", p)
		}
	}
	tried = append(tried, "PATH")
	return "", "", hint.With(fmt.Errorf("cannot find the runsc helper; looked at %q", tried),
		"build it with `make`, or set sandbox.runsc in sallyport.yaml")
}

// findGuest returns the path of the supervisor, the first process of a container.
func findGuest(e config.Engine) (string, error) {
	guest := e.Guest
	if guest == "" {
		var err error
		if guest, err = beside("sallyport-guest"); err != nil {
			return "", hint.While(err, "finding sallyport-guest")
		}
	}
	return guest, trust.Path("the supervisor of containers", guest)
}

// engine opens the backend that uses a container engine.
func (s *Setup) engine(name string) (*docker.Backend, error) {
	e := s.Config.Sandbox.Engine
	guest, err := findGuest(e)
	if err != nil {
		return nil, err
	}
	opts, err := docker.FromEnvironment(docker.Options{
		Engine:         name,
		Host:           e.Host,
		Runtime:        e.Runtime,
		RequireRuntime: e.RequireRuntime,
		Images:         engineImages(e),
		Pull:           e.Pull,
		Progress:       func(line string) { s.tell.Say("%s", line) },
		Guest:          guest,
		Warm:           s.opts.Warm,
		WarmMost:       s.opts.WarmMost,
	}, e.Context, s.opts.Env)
	if err != nil {
		return nil, err
	}
	return docker.New(opts)
}

// openKubernetes opens the backend that uses pods of a cluster.
func openKubernetes(c config.Sandbox, o Options) (Backend, error) {
	k := c.Kubernetes
	guest, err := findGuest(c.Engine)
	if err != nil {
		return nil, err
	}
	return kubernetes.New(kubernetes.Options{
		Kubeconfig: k.Kubeconfig, Context: k.Context, Namespace: k.Namespace, Env: o.Env,
		Claim: k.Claim, RuntimeClass: k.RuntimeClass, SharedKernel: k.SharedKernel,
		Images: k.Images, Outside: k.Outside, Resolvers: k.Resolvers, MilliCPUs: k.MilliCPUs,
		Guest: guest, Warm: o.Warm, WarmMost: o.WarmMost,
	})
}

// Layer is what prepares an image for the backend kubernetes.
func Layer(c config.Sandbox) ([]byte, error) {
	guest, err := findGuest(c.Engine)
	if err != nil {
		return nil, err
	}
	return kubernetes.Layer(guest)
}

// engineImages are those that an engine runs programs in: the configured ones,
// else what images/build.sh makes.
func engineImages(e config.Engine) map[string]string {
	images := map[string]string{"python": "sallyport/python:latest", "javascript": "sallyport/node:latest"}
	maps.Copy(images, e.Images)
	return images
}

// Removed is an image, or an installation of packages, that Prune removed.
type Removed struct {
	Bytes      int64 // 0 where nearly all of it is shared with an image that stays
	ID, Source string
}

// Prune removes the packages of earlier locks, and the images that sallyport
// made and nobody needs: with an engine what it keeps there for sallyport alone. Of
// what is shared these are packages only.
func (s *Setup) Prune(ctx context.Context, shared bool) (removed []Removed, err error) {
	if removed, err = s.pruneInstallations(shared); err != nil || shared {
		return removed, err
	}
	name := s.BackendName()
	if name != "docker" && name != "podman" {
		images, err := s.pruneImages(ctx)
		return append(removed, images...), err
	}
	b, err := s.engine(name)
	if err != nil {
		return removed, err
	}
	found, err := b.Prune(ctx)
	for _, i := range found {
		removed = append(removed, Removed{0, i.ID, i.Name})
	}
	return removed, errors.Join(err, b.Close())
}
