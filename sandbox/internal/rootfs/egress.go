package rootfs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// WayOut are the mounts of what clients inside need where a program reaches
// hosts: whom they trust and where they look names up. The files are kept in dir.
func WayOut(dir string, e *sandbox.Egress) (mounts []specs.Mount, err error) {
	files := runner.Resolving()
	files[runner.CAFile] = string(e.CA)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		source, err := keep(dir, []byte(files[path]))
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, specs.Mount{Destination: path, Type: "bind", Source: source, Options: []string{"rbind", "ro", "nosuid", "nodev", "noexec"}})
	}
	return mounts, nil
}

// keep writes a file, named after its content.
func keep(dir string, text []byte) (string, error) {
	sum := sha256.Sum256(text)
	path := filepath.Join(dir, "file-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	f, err := os.CreateTemp(dir, ".file-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return path, errors.Join(err, f.Chmod(0o444), f.Close(), os.Rename(f.Name(), path))
}
