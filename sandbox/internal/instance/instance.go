// Package instance tells what belongs to a living process from what a dead one
// left behind. In a state directory that all instances of a user share each has
// a directory of its own, with a file that it keeps locked while it lives:
//
//	lock              held while instances are made and reaped
//	live-XXXX/        one instance
//	live-XXXX/lock    held while it lives, removed as the last of its files
package instance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// lockName is the file that an instance keeps locked while it lives.
const lockName = "lock"

// lockFile opens path with flags and locks it, or fails at once when wait is
// not set.
func lockFile(path string, flags int, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, err
		}
	}
}

// Lock waits until nobody else reaps in a state directory, or makes what reaping
// would take for a leftover. Closing the file lets go of it.
func Lock(state string) (*os.File, error) {
	return lockFile(filepath.Join(state, "lock"), os.O_CREATE, true)
}

// New destroys what the instances of dead processes left in a state directory
// and makes a new one. The lock it returns is the sign of life: the kernel lets
// go of it when this process ends, however it ends.
func New(state string, destroy func(dir string) error) (dir string, alive *os.File, err error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", nil, err
	}
	all, err := Lock(state)
	if err != nil {
		return "", nil, err
	}
	defer all.Close()
	if err := reap(state, destroy); err != nil {
		return "", nil, fmt.Errorf("reaping: %w", err)
	}
	if dir, err = os.MkdirTemp(state, "live-"); err != nil {
		return "", nil, err
	}
	if alive, err = lockFile(filepath.Join(dir, lockName), os.O_CREATE, false); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, alive, nil
}

// reap removes what instances left behind whose lock nobody holds.
func reap(state string, destroy func(string) error) error {
	dirs, err := filepath.Glob(filepath.Join(state, "live-*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		lock, err := lockFile(filepath.Join(dir, lockName), 0, false)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// It was on its way out, and has no other file.
			_ = os.Remove(dir)
		case err == nil:
			errs = append(errs, destroy(dir), lock.Close())
		}
	}
	leftovers, _ := filepath.Glob(filepath.Join(state, ".root-*"))
	for _, p := range leftovers {
		errs = append(errs, os.RemoveAll(p))
	}
	return errors.Join(errs...)
}

// Remove removes the directory of an instance that has ended. Its lock goes
// last: to another process that looks, what has no lock has nothing else.
func Remove(dir string) error {
	if err := unmount(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if e.Name() != lockName {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// unmount undoes what a killed process left mounted in an instance.
func unmount(dir string) error {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	var errs []error
	for _, line := range slices.Backward(strings.Split(string(data), "\n")) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[4], dir+"/") {
			errs = append(errs, unix.Unmount(f[4], unix.MNT_DETACH))
		}
	}
	return errors.Join(errs...)
}
