package gvisor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/cgroup"
)

// cgroups says where this process may make control groups. They stand behind
// the watch, which looks every now and then: what a program takes between two
// looks the kernel bounds.
type cgroups struct {
	version int // 1 or 2
	memory  string
	cpu     string // of version 1, "" where it is the same or cannot be had

	mkdir func(string) error // os.Mkdir, but where a test plays the kernel
}

// findCgroups looks for a hierarchy in which this process may make groups:
// version 1 below its own group, version 2 beside or below it, where the
// controller for memory is handed on. It returns nil where there is none. root
// is "" but in tests.
func findCgroups(root string, mkdir func(string) error) *cgroups {
	// Another thread, also the first one, which /proc/self stands for, may be in
	// the group of a sandbox that it starts. This one is not.
	runtime.LockOSThread()
	self, err := os.ReadFile(root + "/proc/thread-self/cgroup")
	runtime.UnlockOSThread()
	if err != nil {
		return nil
	}
	mounts, err := os.ReadFile(root + "/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	c := &cgroups{mkdir: mkdir}
	if dir := c.v1(root, self, mounts, "memory"); dir != "" {
		c.version, c.memory, c.cpu = 1, dir, c.v1(root, self, mounts, "cpuacct")
		if c.cpu == c.memory {
			c.cpu = ""
		}
		return c
	}
	if dir := c.v2(root, self, mounts); dir != "" {
		c.version, c.memory = 2, dir
		return c
	}
	return nil
}

// v1 is this process's group in the hierarchy of a controller.
func (c *cgroups) v1(root string, self, mounts []byte, controller string) string {
	for line := range strings.Lines(string(self)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || !slices.Contains(strings.Split(f[1], ","), controller) {
			continue
		}
		dir := cgroup.Dir(root, mounts, "cgroup", controller, f[2])
		if dir != "" && c.usable(dir, map[string]string{"memory": "memory.limit_in_bytes", "cpuacct": "cpuacct.usage"}[controller]) {
			return dir
		}
	}
	return ""
}

// v2 is the group of this process or the one above, whichever hands the
// controller for memory on.
func (c *cgroups) v2(root string, self, mounts []byte) string {
	for line := range strings.Lines(string(self)) {
		path, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		for _, p := range []string{path, filepath.Dir(path)} {
			dir := cgroup.Dir(root, mounts, "cgroup2", "", p)
			if dir == "" {
				continue
			}
			passed, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
			if err == nil && slices.Contains(strings.Fields(string(passed)), "memory") && c.usable(dir, "memory.max") {
				return dir
			}
		}
	}
	return ""
}

// usable reports whether groups can be made in dir that bound what file says.
func (c *cgroups) usable(dir, file string) bool {
	// Backends that are made at once, here or in another process, each have
	// their own.
	probe := filepath.Join(dir, "sallyport-probe-"+rand.Text())
	if err := c.mkdir(probe); err != nil {
		return false
	}
	defer cgroup.Remove(probe)
	_, err := os.Stat(filepath.Join(probe, file))
	return err == nil
}

// String is how a control is enforced.
func (c *cgroups) String() string { return fmt.Sprintf("cgroup v%d", c.version) }

func (c *cgroups) parents() []string {
	return slices.DeleteFunc([]string{c.memory, c.cpu}, func(s string) bool { return s == "" })
}

// group is the control group of one sandbox.
type group struct {
	c    *cgroups
	dirs []string // the first is that of memory
}

// make makes the group of a sandbox which, with all that gVisor takes for
// itself, may take so much memory.
func (c *cgroups) make(name string, memory int64) (g *group, err error) {
	g = &group{c: c}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("control group of a sandbox: %w", err), g.remove())
		}
	}()
	for _, parent := range c.parents() {
		dir := filepath.Join(parent, name)
		if err := c.mkdir(dir); err != nil {
			return nil, err
		}
		g.dirs = append(g.dirs, dir)
	}
	limit, value := "memory.limit_in_bytes", strconv.FormatInt(memory, 10)
	if c.version == 2 {
		limit = "memory.max"
		// Its kernel without its gofer is no sandbox; where it is missing the
		// others end by themselves.
		_ = os.WriteFile(filepath.Join(g.dirs[0], "memory.oom.group"), []byte("1"), 0)
		_ = os.WriteFile(filepath.Join(g.dirs[0], "memory.swap.max"), []byte("0"), 0)
	}
	return g, os.WriteFile(filepath.Join(g.dirs[0], limit), []byte(value), 0)
}

// enter puts the calling thread, and what it starts, into the group of version
// 1, and returns how it gets out again: back to that of this process.
func (g *group) enter() (leave func() error, err error) {
	tid := []byte(strconv.Itoa(unix.Gettid()))
	leave = func() error {
		var errs []error
		for _, own := range g.c.parents() {
			errs = append(errs, os.WriteFile(filepath.Join(own, "tasks"), tid, 0))
		}
		return errors.Join(errs...)
	}
	for _, dir := range g.dirs {
		if err := os.WriteFile(filepath.Join(dir, "tasks"), tid, 0); err != nil {
			return nil, errors.Join(err, leave())
		}
	}
	return leave, nil
}

// awaitVar is what sallyport's own runsc looks for: see runsc/main.go.
const awaitVar = "SALLYPORT_AWAIT"

// start starts a process in the group, if there is one. Awaits is for one that does
// nothing before it is told that it is there. The thread that calls start must not be
// used by anything else meanwhile.
func (g *group) start(cmd *exec.Cmd, awaits bool) error {
	switch {
	case g == nil:
		return cmd.Start()
	case g.c.version == 2:
		dir, err := os.Open(g.dirs[0])
		if err != nil {
			return err
		}
		defer dir.Close()
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
		return cmd.Start()
	case awaits:
		return g.startFirst(cmd)
	}
	leave, err := g.enter()
	if err != nil {
		return err
	}
	if err = cmd.Start(); err == nil {
		if err = leave(); err == nil {
			return nil
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	return errors.Join(err, leave())
}

// startFirst starts a process that awaits its group of version 1, puts it there while it
// gets ready, and tells it so.
func (g *group) startFirst(cmd *exec.Cmd) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	defer theirs.Close()
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", awaitVar, 3+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := []byte(strconv.Itoa(cmd.Process.Pid))
	for _, dir := range g.dirs {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "cgroup.procs"), pid, 0))
	}
	if err == nil {
		_, err = ours.Write([]byte{0})
	}
	if err != nil {
		ours.Close() // what it has started by now, and we wait for, awaits no more
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return err
}

// cpu is the processor time that everything in the group has used.
func (g *group) cpu() (time.Duration, bool) {
	if g.c.version == 2 {
		n, ok := cgroup.Field(filepath.Join(g.dirs[0], "cpu.stat"), "usage_usec")
		return time.Duration(n) * time.Microsecond, ok
	}
	data, err := os.ReadFile(filepath.Join(g.dirs[len(g.dirs)-1], "cpuacct.usage"))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return time.Duration(n), err == nil
}

// exceeded reports whether the kernel killed for want of memory.
func (g *group) exceeded() bool {
	file := map[int]string{1: "memory.oom_control", 2: "memory.events"}[g.c.version]
	n, _ := cgroup.Field(filepath.Join(g.dirs[0], file), "oom_kill")
	return n > 0
}

// remove removes the group. Its processes have been killed, and may take a
// moment to be gone.
func (g *group) remove() error {
	var errs []error
	for _, dir := range g.dirs {
		errs = append(errs, cgroup.Remove(dir))
	}
	return errors.Join(errs...)
}
