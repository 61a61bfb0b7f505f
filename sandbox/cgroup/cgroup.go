// Package cgroup finds and reads control groups of either version, and removes
// them.
package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Dir finds where the group path of a hierarchy is mounted, by what mountinfo
// says: that of a controller, of version 1 (kind cgroup), or the one of version
// 2 (kind cgroup2). It returns "" where it is not. root is "" but in tests.
func Dir(root string, mounts []byte, kind, controller, path string) string {
	for line := range strings.Lines(string(mounts)) {
		before, after, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 5 || len(g) < 3 || g[0] != kind {
			continue
		}
		if controller != "" && !slices.Contains(strings.Split(g[2], ","), controller) {
			continue
		}
		below, err := filepath.Rel(f[3], path) // in a container the mount shows a part
		if err != nil || strings.HasPrefix(below, "..") {
			continue
		}
		return filepath.Join(root, f[4], below)
	}
	return ""
}

// Field reads a number from a file of names and numbers.
func Field(path, name string) (int64, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(data) {
		if k, v, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && k == name {
			n, err := strconv.ParseInt(v, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// goneLimit bounds the wait for killed processes to be gone.
const goneLimit = 10 * time.Second

// Remove removes a group, if it is there. Its processes have been killed, and
// may take a moment to be gone.
func Remove(dir string) error {
	for deadline := time.Now().Add(goneLimit); ; time.Sleep(time.Millisecond) {
		err := unix.Rmdir(dir)
		switch {
		case err == nil || errors.Is(err, fs.ErrNotExist):
			return nil
		case !errors.Is(err, unix.EBUSY) || time.Now().After(deadline):
			return fmt.Errorf("removing control group %s: %w", dir, err)
		}
	}
}
