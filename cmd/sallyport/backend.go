package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sallyport/config"
	"sallyport/sandbox"
	"sallyport/sandbox/docker"
)

// closingBackend is what every backend of ours is.
type closingBackend interface {
	sandbox.Backend
	Close() error
}

// backendNames are the backends that there are.
func backendNames() []string { return []string{"gvisor", "docker", "podman", "oci"} }

// backendName is the backend of the flag, else of the configuration, else this
// system's own.
func (a *app) backendName(cfg config.Config) string {
	return cmp.Or(a.backendIs, cfg.Sandbox.Backend, defaultBackend)
}

// chosenBy says who chose the backend.
func (a *app) chosenBy(cfg config.Config) string {
	switch {
	case a.backendIs != "":
		return "by --backend"
	case cfg.Sandbox.Backend != "":
		return "as configured"
	}
	return "by default"
}

// backend makes the second door. There is no falling back from one to another.
func (a *app) backend(cfg config.Config, state string) (closingBackend, error) {
	return a.backendNamed(a.backendName(cfg), cfg, state)
}

func (a *app) backendNamed(name string, cfg config.Config, state string) (closingBackend, error) {
	switch name {
	case "gvisor":
		return a.gvisor(cfg, state)
	case "oci":
		return a.oci(cfg, state)
	case "docker", "podman":
		return a.engineBackend(cfg.Sandbox.Engine, name)
	default:
		return nil, withHint(usagef("unknown backend %q", name), "%s", didYouMean(name, backendNames(), "one of "+strings.Join(backendNames(), ", ")))
	}
}

// defaultImages are what images/build.sh makes.
func defaultImages() map[string]string {
	return map[string]string{"python": "sallyport/python:latest", "javascript": "sallyport/node:latest"}
}

// findGuest returns the path of the supervisor of containers.
func findGuest(e config.Engine) (string, error) {
	guest := e.Guest
	if guest == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("finding sallyport-guest: %w", err)
		}
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		guest = filepath.Join(filepath.Dir(self), "sallyport-guest")
	}
	return guest, trusted("the supervisor of containers", guest)
}

func (a *app) engineBackend(e config.Engine, name string) (*docker.Backend, error) {
	guest, err := findGuest(e)
	if err != nil {
		return nil, err
	}
	images := defaultImages()
	for language, image := range e.Images {
		images[language] = image
	}
	opts, err := docker.FromEnvironment(docker.Options{
		Engine:         name,
		Host:           e.Host,
		Runtime:        e.Runtime,
		RequireRuntime: e.RequireRuntime,
		Images:         images,
		Pull:           e.Pull,
		Progress:       func(line string) { a.say("%s", line) },
		Guest:          guest,
		Warm:           a.warm,
	}, e.Context, a.env)
	if err != nil {
		return nil, err
	}
	return docker.New(opts)
}
