package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sallyport/config"
	"sallyport/sandbox/oci"
)

// oci is the second door made of an OCI runtime of this machine.
func (a *app) oci(cfg config.Config, state string) (closingBackend, error) {
	runtime, err := a.findRuntime(cfg.Sandbox.Runtime)
	if err != nil {
		return nil, err
	}
	guest, err := findGuest(cfg.Sandbox.Engine)
	if err != nil {
		return nil, err
	}
	images, err := a.images(cfg)
	if err != nil {
		return nil, err
	}
	return oci.New(oci.Options{
		Images:   images,
		Runtime:  runtime,
		Guest:    guest,
		StateDir: filepath.Join(state, "oci"),
		Python:   cfg.Sandbox.Python,
		Node:     cfg.Sandbox.Node,
		Path:     a.searchPath(),
		Warm:     a.warm,
	})
}

// findRuntime returns the path of an OCI runtime: that of a name on PATH, runc
// or crun if there is none. It is what stands between code and this machine, so
// that nobody but its owner and the administrator may be able to change it.
func (a *app) findRuntime(name string) (string, error) {
	search := a.searchPath() + ":/usr/sbin:/sbin" // where distributions put runc, and ordinary users do not look
	if name == "" {
		for _, usual := range []string{"runc", "crun"} {
			if path, err := lookPath(search, usual); err == nil {
				return path, trusted("the OCI runtime", path)
			}
		}
		return "", withHint(errors.New("no runc and no crun on PATH"), "apt-get install runc, or set sandbox.runtime in sallyport.yaml")
	}
	path := name
	if !strings.HasPrefix(name, "/") {
		var err error
		if path, err = lookPath(search, name); err != nil {
			return "", withHint(fmt.Errorf("the OCI runtime: %w", err), "install it, or set sandbox.runtime to an absolute path in sallyport.yaml")
		}
	}
	if !executable(path) {
		return "", withHint(fmt.Errorf("the OCI runtime %s is not a file that can be started", path), "set sandbox.runtime in sallyport.yaml to one that is, such as runc")
	}
	return path, trusted("the OCI runtime", path)
}
