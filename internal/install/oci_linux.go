package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sallyport/internal/hint"
	"sallyport/internal/trust"
	"sallyport/sandbox/oci"
)

// oci opens the backend that uses an OCI runtime of this machine.
func (s *Setup) oci(state string) (Backend, error) {
	runtime, err := findRuntime(s.SearchPath(), s.Config.Sandbox.Runtime)
	if err != nil {
		return nil, err
	}
	guest, err := findGuest(s.Config.Sandbox.Engine)
	if err != nil {
		return nil, err
	}
	images, err := imageStore(s.Config.Sandbox.Images, s.opts.Env, s.tell.Say)
	if err != nil {
		return nil, err
	}
	return oci.New(oci.Options{
		Images:   images,
		Runtime:  runtime,
		Guest:    guest,
		StateDir: filepath.Join(state, "oci"),
		Python:   s.Config.Sandbox.Python,
		Node:     s.Config.Sandbox.Node,
		Path:     s.SearchPath(),
		Warm:     s.opts.Warm,
		WarmMost: s.opts.WarmMost,
	})
}

// findRuntime returns the path of an OCI runtime: the one that is named, else
// runc or crun. It stands between code and this machine, so only its owner and
// the administrator may be able to change it.
func findRuntime(search, name string) (string, error) {
	search += ":/usr/sbin:/sbin" // where distributions put runc, and ordinary users do not look
	if name == "" {
		for _, usual := range []string{"runc", "crun"} {
			if path, err := LookPath(search, usual); err == nil {
				return path, trust.Path("the OCI runtime", path)
			}
		}
		return "", hint.With(errors.New("no runc and no crun on PATH"), "apt-get install runc, or set sandbox.runtime in sallyport.yaml")
	}
	path := name
	if !strings.HasPrefix(name, "/") {
		var err error
		if path, err = LookPath(search, name); err != nil {
			return "", hint.With(fmt.Errorf("the OCI runtime: %w", err), "install it, or set sandbox.runtime to an absolute path in sallyport.yaml")
		}
	}
	if !executable(path) {
		return "", hint.With(fmt.Errorf("the OCI runtime %s is not a file that can be started", path), "set sandbox.runtime in sallyport.yaml to one that is, such as runc")
	}
	return path, trust.Path("the OCI runtime", path)
}
