package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"sallyport/internal/hint"
	"sallyport/sandbox/gvisor"
)

// DefaultBackend is where programs run when nobody says otherwise.
const DefaultBackend = "gvisor"

func (s *Setup) gvisor(state string) (Backend, error) {
	runsc, where, err := s.FindRunsc()
	if err != nil {
		return nil, err
	}
	s.tell.Note("runsc: %s, %s", runsc, where)
	dir, err := sandboxDir(state)
	if err != nil {
		return nil, err
	}
	if err := startable(dir); err != nil {
		return nil, err
	}
	images, err := imageStore(s.Config.Sandbox.Images, s.opts.Env, s.tell.Say)
	if err != nil {
		return nil, err
	}
	return gvisor.New(gvisor.Options{
		Images:   images,
		Runsc:    runsc,
		StateDir: dir,
		Python:   s.Config.Sandbox.Python,
		Node:     s.Config.Sandbox.Node,
		Path:     s.SearchPath(),
		Warm:     s.opts.Warm,
		WarmMost: s.opts.WarmMost,
		Ahead:    s.opts.One != nil,
	})
}

// GvisorVersion asks a runsc for its version.
func GvisorVersion(runsc string) (string, error) { return gvisor.Version(runsc) }

// startable refuses a directory, which may yet have to be made, of whose file
// system nothing can be started: gVisor's processes go on in files there.
func startable(dir string) error {
	var fs syscall.Statfs_t
	for at := dir; ; at = filepath.Dir(at) {
		if err := syscall.Statfs(at, &fs); errors.Is(err, syscall.ENOENT) && at != filepath.Dir(at) {
			continue
		} else if err != nil {
			return nil // whoever uses it says so
		}
		break
	}
	const noexec = 8 // ST_NOEXEC
	if fs.Flags&noexec == 0 {
		return nil
	}
	return hint.With(fmt.Errorf("sandboxes cannot start in %s: its file system is mounted noexec", dir), "set XDG_STATE_HOME to a directory of a file system that is not; in a pod, of an emptyDir with medium: Memory")
}

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
		return "", hint.While(err, "making a directory for sandboxes")
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return "", hint.While(err, "making a directory for sandboxes")
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || !st.IsDir() || int(sys.Uid) != os.Getuid() || st.Mode().Perm()&0o077 != 0 {
		return "", hint.With(fmt.Errorf("%s is not a directory that belongs to this user alone", dir), "remove it, or set XDG_STATE_HOME to a shorter path")
	}
	return dir, nil
}
