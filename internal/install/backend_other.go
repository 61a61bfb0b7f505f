//go:build !linux

package install

import (
	"context"
	"errors"

	"sallyport/analyze"
	"sallyport/internal/hint"
)

// DefaultBackend is where programs run when nobody says otherwise: gVisor is a
// kernel for Linux programs on Linux.
const DefaultBackend = "docker"

var errNoGvisor = errors.New("gVisor runs on Linux only")

func (s *Setup) gvisor(string) (Backend, error) {
	return nil, hint.With(hint.Usage("%w", errNoGvisor), "use --backend docker or podman, or set sandbox.backend in sallyport.yaml")
}

func (s *Setup) oci(string) (Backend, error) {
	return nil, hint.With(hint.Usage("OCI runtimes run on Linux only"), "use --backend docker or podman, or set sandbox.backend in sallyport.yaml")
}

// GvisorVersion asks a runsc for its version.
func GvisorVersion(string) (string, error) { return "", errNoGvisor }

// Images are the engine's own matter where there is no gVisor: none is fetched,
// and none is missing before the engine says so.
func (s *Setup) imageReady(string, string) error { return nil }

func imageFile(string, string) (string, error) { return "", nil }

func (s *Setup) fetchImage(context.Context, string, analyze.Language, string) (bool, error) {
	return false, nil
}

func (s *Setup) pruneImages(context.Context) ([]Removed, error) {
	return nil, hint.Usage("%w, and only its images are kept by sallyport", errNoGvisor)
}
