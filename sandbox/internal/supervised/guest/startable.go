package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where a mount cannot say noexec, a program that may start others could start
// what it wrote. There the kernel's Landlock refuses it: files can be started that
// are below none of the writable directories.

// landlocks reports whether this kernel has Landlock. gVisor's has none.
func landlocks() bool {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && version > 0
}

// notStartable has the kernel refuse the calling thread, and what it becomes, to
// start files below dirs. The thread has no new privileges to win by then.
func notStartable(dirs []string) error {
	handled := struct{ fs uint64 }{unix.LANDLOCK_ACCESS_FS_EXECUTE}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), unsafe.Sizeof(handled), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %v", errno)
	}
	defer unix.Close(int(rules))
	if err := startable(int(rules), "/", dirs); err != nil {
		return fmt.Errorf("landlock: %v", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %v", errno)
	}
	return nil
}

// startable permits what is below path, but for dirs: a rule is about a whole tree
// and cannot be taken back below it.
func startable(rules int, path string, dirs []string) error {
	if slices.Contains(dirs, path) {
		return nil
	}
	above := strings.TrimSuffix(path, "/") + "/"
	if !slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(dir, above) }) {
		return permit(rules, path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := startable(rules, filepath.Join(path, e.Name()), dirs); err != nil {
			return err
		}
	}
	return nil
}

// permit permits a tree, or a file, unless it has gone since it was listed. What a link
// leads to is in a tree of its own.
func permit(rules int, path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var at unix.Stat_t
	if err := unix.Fstat(fd, &at); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if kind := at.Mode & unix.S_IFMT; kind != unix.S_IFDIR && kind != unix.S_IFREG {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: unix.LANDLOCK_ACCESS_FS_EXECUTE, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errors.Join(errors.New(path), errno)
	}
	return nil
}
