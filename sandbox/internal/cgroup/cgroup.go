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

	"sallyport/sandbox/internal/proc"
)

// Dir finds the directory of a group in /proc/self/mountinfo. A hierarchy of
// version 1 has the kind cgroup and a controller, that of version 2 has the kind
// cgroup2 and none. Dir returns "" where the hierarchy is not mounted. Tests give a
// root.
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

// Remove removes a group, if it is there. Its processes have been killed, and
// may take a moment to be gone.
func Remove(dir string) error {
	for deadline := time.Now().Add(proc.GoneLimit); ; time.Sleep(time.Millisecond) {
		err := unix.Rmdir(dir)
		switch {
		case err == nil || errors.Is(err, fs.ErrNotExist):
			return nil
		case !errors.Is(err, unix.EBUSY) || time.Now().After(deadline):
			return fmt.Errorf("removing control group %s: %w", dir, err)
		}
	}
}

// notes is the file in which an instance writes down where it makes its groups.
// Whoever clears away behind it reads that.
func notes(dir string) string { return filepath.Join(dir, "cgroups") }

// Note writes down the groups below which an instance makes its own.
func Note(dir string, parents []string) error {
	return os.WriteFile(notes(dir), []byte(strings.Join(parents, "\n")), 0o600)
}

// Prefix begins the names of an instance's groups.
func Prefix(dir string) string { return "sallyport-" + filepath.Base(dir) + "-" }

// RemoveAll removes the groups of an instance whose processes are gone.
func RemoveAll(dir string) error {
	return removeFrom(dir, func(parent string) []string {
		left, _ := filepath.Glob(filepath.Join(parent, Prefix(dir)+"*"))
		return left
	})
}

// RemoveOne removes one of them.
func RemoveOne(dir, name string) error {
	return removeFrom(dir, func(parent string) []string { return []string{filepath.Join(parent, name)} })
}

func removeFrom(dir string, which func(parent string) []string) error {
	parents, err := os.ReadFile(notes(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for parent := range strings.Lines(string(parents)) {
		for _, g := range which(strings.TrimSpace(parent)) {
			errs = append(errs, Remove(g))
		}
	}
	return errors.Join(errs...)
}

// Group is where a process is limited and counted.
type Group struct {
	Version int
	dirs    map[string]string // by controller
}

// second stands among the controllers for the hierarchy of version 2.
const second = "unified"

// Of returns the group of a process. It looks for the hierarchies where this
// process has them mounted.
func Of(pid int) (Group, error) {
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return Group{}, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Group{}, err
	}
	return of(groups, mounts), nil
}

func of(groups, mounts []byte) Group {
	g := Group{Version: 1, dirs: map[string]string{}}
	unified := ""
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		if f[1] == "" {
			unified = Dir("", mounts, "cgroup2", "", f[2])
			continue
		}
		for controller := range strings.SplitSeq(f[1], ",") {
			if dir := Dir("", mounts, "cgroup", controller, f[2]); dir != "" {
				g.dirs[controller] = dir
			}
		}
	}
	if unified != "" {
		g.dirs[second] = unified
	}
	if g.dirs["memory"] == "" && unified != "" {
		g.Version = 2
		for _, controller := range []string{"memory", "pids", "cpu"} {
			g.dirs[controller] = unified
		}
	}
	return g
}

// Parents returns the directories below which a runtime made the group of this
// name, one for each hierarchy. Beside version 1, runc also makes a group in the
// hierarchy of version 2, for a moment and without a process: its parent is the
// group of our processes there.
func (g Group) Parents(name string) (all []string) {
	for controller, dir := range g.dirs {
		if filepath.Base(dir) == name {
			all = append(all, filepath.Dir(dir))
		} else if controller == second {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// String names the version.
func (g Group) String() string { return fmt.Sprintf("cgroup v%d", g.Version) }

// read returns what the file says that fits the group's version.
func (g Group) read(controller, v1, v2 string) string {
	data, err := os.ReadFile(filepath.Join(g.dirs[controller], map[int]string{1: v1, 2: v2}[g.Version]))
	if g.dirs[controller] == "" || err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Limits returns the group's limits as the kernel writes them: bytes of memory,
// the number of processes, and the microseconds of each period in which it may
// compute.
func (g Group) Limits() (memory, pids, cpu string) {
	cpu, _, _ = strings.Cut(g.read("cpu", "cpu.cfs_quota_us", "cpu.max"), " ")
	return g.read("memory", "memory.limit_in_bytes", "memory.max"), g.read("pids", "pids.max", "pids.max"), cpu
}

// Counts returns how many processes of the group the kernel killed for want of
// memory, and how often it refused to make one more.
func (g Group) Counts() (oomKills, forksDenied int64) {
	if g.dirs["memory"] != "" {
		oomKills, _ = Field(filepath.Join(g.dirs["memory"], map[int]string{1: "memory.oom_control", 2: "memory.events"}[g.Version]), "oom_kill")
	}
	if g.dirs["pids"] != "" {
		forksDenied, _ = Field(filepath.Join(g.dirs["pids"], "pids.events"), "max")
	}
	return oomKills, forksDenied
}
