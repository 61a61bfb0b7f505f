package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/rootfs"
)

// versionOf asks an interpreter of an image for its version, inside of a sandbox
// that is made for that.
func (b *Backend) versionOf(ctx context.Context, in rootfs.Interpreter) (string, error) {
	oci := ociSpec(in, sandbox.Spec{Language: in.Language})
	oci.Process.Args = []string{in.Executable, "-I", "-c", `import sys; print("%d.%d.%d" % sys.version_info[:3])`}
	if in.Language == "javascript" {
		oci.Process.Args = []string{in.Executable, "-p", "process.versions.node"}
	}
	config, err := marshal(oci)
	if err != nil {
		return "", err
	}
	c, err := b.start(config)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, live.StartLimit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.stdout.Close() })
	defer stop()
	out, err := io.ReadAll(io.LimitReader(c.stdout, 100))
	if err != nil || len(out) == 0 {
		err = fmt.Errorf("it does not start: %v%s", err, c.complaint())
	}
	version := strings.TrimSpace(string(out))
	if err == nil {
		err = rootfs.CheckVersion(in.Language, version)
	}
	return version, errors.Join(err, c.Close())
}
