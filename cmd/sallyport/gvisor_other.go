//go:build !linux

package main

import (
	"context"
	"errors"

	"sallyport/analyze"
	"sallyport/config"
)

// defaultBackend is where programs run when nobody says otherwise: gVisor is a
// kernel for Linux programs on Linux.
const defaultBackend = "docker"

var errNoGvisor = errors.New("gVisor runs on Linux only")

func (a *app) gvisor(config.Config, string) (closingBackend, error) {
	return nil, withHint(usagef("%w", errNoGvisor), "use --backend docker or podman, or set sandbox.backend in sallyport.yaml")
}

func (a *app) oci(config.Config, string) (closingBackend, error) {
	return nil, withHint(usagef("OCI runtimes run on Linux only"), "use --backend docker or podman, or set sandbox.backend in sallyport.yaml")
}

func gvisorVersion(string) (string, error) { return "", errNoGvisor }

// Images are the engine's own matter where there is no gVisor: none is fetched,
// and none is missing before the engine says so.
func (a *app) imageReady(config.Config, string, string) error { return nil }

func (a *app) fetchImage(context.Context, config.Config, string, analyze.Language, string) (bool, error) {
	return false, nil
}

func (a *app) pruneImages(context.Context, config.Config) ([]removedImage, error) {
	return nil, usagef("%w, and only its images are kept by sallyport", errNoGvisor)
}
