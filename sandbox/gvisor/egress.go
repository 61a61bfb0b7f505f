package gvisor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
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
	for _, file := range []struct {
		path string
		text []byte
	}{
		{"/etc/nsswitch.conf", []byte("passwd: files\ngroup: files\nhosts: files dns\n")},
		{"/etc/resolv.conf", []byte("nameserver 127.0.0.1\n")},
		{runner.CAFile, e.CA},
	} {
		source, err := b.keep(file.text)
		if err != nil {
			return err
		}
		oci.Mounts = append(oci.Mounts, specs.Mount{Destination: file.path, Type: "bind", Source: source, Options: []string{"rbind", "ro", "nosuid", "nodev", "noexec"}})
	}
	return nil
}

// keep writes a file of this instance's, named after its content.
func (b *Backend) keep(text []byte) (string, error) {
	sum := sha256.Sum256(text)
	path := filepath.Join(b.dir, "file-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	f, err := os.CreateTemp(b.dir, ".file-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return path, errors.Join(err, f.Chmod(0o444), f.Close(), os.Rename(f.Name(), path))
}

// open makes the tunnel of a sandbox and returns the forwarder's end of it.
func (c *box) open() (*os.File, error) {
	ours, theirs, err := tunnel.Pair()
	if err != nil {
		return nil, err
	}
	if c.tunnel, err = tunnel.Open(ours); err != nil {
		return nil, errors.Join(err, ours.Close(), theirs.Close())
	}
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

// tried are the violations of a program. One that may reach hosts looks, by way
// of the C library and without meaning any harm, for IPv6 and for interfaces.
func tried(all []sandbox.Violation, e *sandbox.Egress) []sandbox.Violation {
	return slices.DeleteFunc(all, func(v sandbox.Violation) bool {
		return e != nil && (v.Detail == "socket(AF_INET6)" || v.Detail == "socket(AF_NETLINK)")
	})
}
