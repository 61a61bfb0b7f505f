package gvisor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/tunnel"
)

// A program that may reach hosts still has no interface but loopback. Beside
// the witness in gVisor's kernel is a forwarder then, which takes its
// connections and carries them over a socket of which the program knows
// nothing. Without that there is no forwarder, no socket and no name server.

// forwarderFD is the forwarder's end of the socket in the runsc process,
// behind the witness's pipe.
const forwarderFD = witnessFD + 1

// wayOutAnnotation marks the configuration of a sandbox with a forwarder.
const wayOutAnnotation = "dev.sallyport.egress"

func hasWayOut(c specs.Spec) bool { return c.Annotations[wayOutAnnotation] != "" }

func (b *Backend) forwarderFile() string { return filepath.Join(b.dir, "forwarder.json") }

// wayOutFlags has runsc start the forwarder beside the witness.
func wayOutFlags(flags []string, b *Backend) []string {
	const config = "--pod-init-config="
	flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, config) })
	return append(flags, config+b.forwarderFile())
}

// wayOut adds what clients inside need: whom they trust and where they look
// names up.
func (b *Backend) wayOut(oci *specs.Spec, e *sandbox.Egress) error {
	if e == nil {
		return nil
	}
	if oci.Annotations == nil {
		oci.Annotations = map[string]string{}
	}
	oci.Annotations[wayOutAnnotation] = "forwarder"
	files, err := rootfs.WayOut(b.dir, e)
	oci.Mounts = append(oci.Mounts, files...)
	return err
}

// open makes the tunnel of a sandbox and returns the forwarder's end of it.
func (c *box) open() (*os.File, error) {
	ours, theirs, err := tunnel.Pair()
	if err != nil {
		return nil, err
	}
	c.tunnel = tunnel.Open(ours)
	return theirs, nil
}

// letOut lets the program's connections out until the function that it returns
// is called.
func (c *box) letOut(e *sandbox.Egress) (stop func()) {
	if e == nil || c.tunnel == nil {
		return func() {}
	}
	c.tunnel.To(e.Accept)
	return func() { c.tunnel.To(nil) }
}
