package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"sallyport/config"
	"sallyport/sandbox/gvisor"
)

// defaultBackend is where programs run when nobody says otherwise.
const defaultBackend = "gvisor"

func (a *app) gvisor(cfg config.Config, state string) (closingBackend, error) {
	runsc, where, err := a.findRunsc(cfg)
	if err != nil {
		return nil, err
	}
	a.note("runsc: %s, %s", runsc, where)
	dir, err := sandboxDir(state)
	if err != nil {
		return nil, err
	}
	images, err := a.images(cfg)
	if err != nil {
		return nil, err
	}
	return gvisor.New(gvisor.Options{
		Images:   images,
		Runsc:    runsc,
		StateDir: dir,
		Python:   cfg.Sandbox.Python,
		Node:     cfg.Sandbox.Node,
		Path:     a.searchPath(),
		Warm:     a.warm,
	})
}

// gvisorVersion asks a runsc for its version.
func gvisorVersion(runsc string) (string, error) { return gvisor.Version(runsc) }

// sandboxDir is where sandboxes live while they run: in the state directory,
// or, where that makes paths too long for sockets, in a private directory
// below the temporary one.
func sandboxDir(state string) (string, error) {
	dir := filepath.Join(state, "sandbox")
	if len(dir) <= gvisor.MaxStateDir {
		return dir, nil
	}
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("sallyport-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("making a directory for sandboxes: %w", err)
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("making a directory for sandboxes: %w", err)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || !st.IsDir() || int(sys.Uid) != os.Getuid() || st.Mode().Perm()&0o077 != 0 {
		return "", withHint(fmt.Errorf("%s is not a directory that belongs to this user alone", dir), "remove it, or set XDG_STATE_HOME to a shorter path")
	}
	return dir, nil
}
