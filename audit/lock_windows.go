package audit

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the exclusive lock of f and reports whether it got it.
func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// checkOwned has nothing to look at: access lists decide on Windows, and a
// profile directory is its user's alone.
func checkOwned(string, fs.FileInfo) error { return nil }

func checkPrivate(string, fs.FileInfo) error { return nil }

// syncDir does nothing: Windows has no way to flush a directory.
func syncDir(string) error { return nil }
