package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"sallyport/sandbox"
	"sallyport/sandbox/rootfs"
)

// versionOf asks an interpreter of an image for its version, inside of a sandbox
// that is made for that.
func (b *Backend) versionOf(ctx context.Context, in rootfs.Interpreter) (string, error) {
	oci := ociSpec(in, sandbox.Spec{Language: in.Language, Deny: []string{"process", "network"}})
	oci.Process.Args = []string{in.Executable, "-I", "-c", `import sys; print("%d.%d.%d" % sys.version_info[:3])`}
	if in.Language == "javascript" {
		oci.Process.Args = []string{in.Executable, "-p", "process.versions.node"}
	}
	config, err := marshal(oci)
	if err != nil {
		return "", err
	}
	g, err := b.start(config)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { g.stdout.Close() })
	defer stop()
	out, err := io.ReadAll(io.LimitReader(g.stdout, 100))
	if err != nil || len(out) == 0 {
		err = fmt.Errorf("it does not start: %v%s", err, g.complaint())
	}
	version := strings.TrimSpace(string(out))
	if err == nil {
		err = rootfs.CheckVersion(in.Language, version)
	}
	return version, errors.Join(err, g.remove())
}
