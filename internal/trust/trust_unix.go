//go:build unix

package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sallyport/internal/hint"
)

// maxLinks bounds a chain of symbolic links, as the kernel does.
const maxLinks = 40

// Path refuses a path that others than its owner, the administrator and the
// user's own groups could change: what stands there decides what code may do or
// whom to believe, or is started. That goes for the file, for every directory above it, and for
// both ends of a symbolic link. A path that does not exist is no error.
func Path(what, path string) error {
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return err
		}
		path = wd + "/" + path
	}
	return walk(what, path)
}

// walk looks at each part of an absolute path from the root on, in the
// way in which the kernel would follow it.
func walk(what, path string) error {
	at, links := "/", 0
	dir, err := os.Lstat(at)
	if err != nil {
		return err
	}
	for rest := strings.Split(path, "/"); len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			if dir, err = os.Lstat(at); err != nil {
				return err
			}
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil // whoever opens it says so
		} else if err != nil {
			return hint.While(err, "%s", what)
		}
		if err := ownedInSticky(what, next, dir, info); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks {
				return fmt.Errorf("%s: the link %s cannot be followed", what, next)
			}
			if filepath.IsAbs(to) {
				at = "/"
				if dir, err = os.Lstat(at); err != nil {
					return err
				}
			}
			rest = append(strings.Split(to, "/"), rest...)
			continue
		}
		if err := closedToOthers(what, next, info, len(rest) > 0); err != nil {
			return err
		}
		at, dir = next, info
	}
	return nil
}

// closedToOthers refuses what others may write. Above the thing itself a
// sticky directory, such as /tmp, will do: nobody can put another in its place.
func closedToOthers(what, path string, info fs.FileInfo, above bool) error {
	perm := info.Mode().Perm()
	sticky := above && info.Mode()&fs.ModeSticky != 0
	switch {
	case sticky:
		return nil
	case perm == 0o777 && info.IsDir():
		return hint.With(fmt.Errorf("%s: everybody can write %s (mode %04o)", what, path, perm), "chmod o-w %s; in a pod a volume on disk is so: mount the file by itself (subPath), or take a PersistentVolume, or medium: Memory", path)
	case perm&0o002 != 0:
		return hint.With(fmt.Errorf("%s: everybody can write %s (mode %04o)", what, path, perm), "chmod o-w %s", path)
	case perm&0o020 != 0 && foreignGroup(info):
		return hint.With(fmt.Errorf("%s: a group that you are not in can write %s (mode %04o)", what, path, perm), "chmod g-w %s", path)
	}
	return nil
}

// foreignGroup reports whether the group of a file is somebody else's: not
// root's, not one of the user's, and not the private group of its owner. What
// root owns and gave to a group, such as /usr/local, is the administrator's
// choice.
func foreignGroup(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	mine, err := os.Getgroups()
	if err != nil {
		return true
	}
	return st.Uid != 0 && st.Gid != 0 && st.Gid != st.Uid && int(st.Gid) != os.Getegid() && !slices.Contains(mine, int(st.Gid))
}

// ownedInSticky refuses what somebody else put into a directory where everybody
// can create files.
func ownedInSticky(what, path string, dir, info fs.FileInfo) error {
	if dir.Mode().Perm()&0o022 == 0 || dir.Mode()&fs.ModeSticky == 0 {
		return nil
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return hint.With(fmt.Errorf("%s: %s belongs to another user, in a directory where everybody can create files", what, path), "put it where only you can write")
	}
	return nil
}

// Tree is Path for a directory and everything in it.
func Tree(what, dir string) error {
	if err := Path(what, dir); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			return Path(what, path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return closedToOthers(what, path, info, false)
	})
}
