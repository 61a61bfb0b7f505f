//go:build !linux

package main

import (
	"errors"

	"sallyport/config"
)

// defaultBackend is where programs run when nobody says otherwise: gVisor is a
// kernel for Linux programs on Linux.
const defaultBackend = "docker"

var errNoGvisor = errors.New("gVisor runs on Linux only")

func (a *app) gvisor(config.Config, string) (closingBackend, error) {
	return nil, withHint(usagef("%w", errNoGvisor), "use --backend docker or podman, or set sandbox.backend in sallyport.yaml")
}

func gvisorVersion(string) (string, error) { return "", errNoGvisor }
