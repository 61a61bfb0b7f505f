// Package instance tells what belongs to a living process from what a dead one
// left behind. In a state directory that all instances of a user share each has
// a directory of its own, with a file that it keeps locked while it lives:
//
//	lock              held while instances are made and reaped
//	live-XXXX/        one instance
//	live-XXXX/lock    held while it lives
package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// lockFile opens path and locks it, or fails at once when wait is not set.
func lockFile(path string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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

// New destroys what the instances of dead processes left in a state directory
// and makes a new one. The lock it returns is the sign of life: the kernel lets
// go of it when this process ends, however it ends.
func New(state string, destroy func(dir string) error) (dir string, alive *os.File, err error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", nil, err
	}
	all, err := lockFile(filepath.Join(state, "lock"), true)
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
	if alive, err = lockFile(filepath.Join(dir, "lock"), false); err != nil {
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
		lock, err := lockFile(filepath.Join(dir, "lock"), false)
		if err != nil {
			continue // alive, or already gone
		}
		errs = append(errs, destroy(dir), lock.Close())
	}
	leftovers, _ := filepath.Glob(filepath.Join(state, ".root-*"))
	for _, p := range leftovers {
		errs = append(errs, os.RemoveAll(p))
	}
	return errors.Join(errs...)
}

// Unmount undoes what a killed process left mounted in an instance.
func Unmount(dir string) error {
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
