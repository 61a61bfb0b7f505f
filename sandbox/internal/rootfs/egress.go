package rootfs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// trust is the directory of whom clients trust. Ours lies over that of an image,
// in which nothing is made and of which nobody is trusted.
const trust = "/etc/ssl"

// WayOut are the mounts of what clients inside need where a program reaches
// hosts: whom they trust and where they look names up. The files are kept in dir,
// an instance's.
func WayOut(dir string, e *sandbox.Egress) (mounts []specs.Mount, err error) {
	files := map[string]string{runner.CAFile[1:]: string(e.CA)}
	places := append(slices.Sorted(maps.Keys(runner.Resolving())), trust)
	for path, text := range runner.Resolving() {
		files[path[1:]] = text
	}
	state := filepath.Join(dir, "way-out")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	kept, err := prepareRoot(state, files, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, path := range places {
		mounts = append(mounts, specs.Mount{Destination: path, Type: "bind", Source: filepath.Join(kept, path), Options: []string{"rbind", "ro", "nosuid", "nodev", "noexec"}})
	}
	return mounts, nil
}
