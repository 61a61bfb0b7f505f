package gvisor

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/sandboxtest"
)

// fakeKernel makes groups as the kernel does: with files in them.
func fakeKernel(files ...string) func(string) error {
	return func(dir string) error {
		errs := []error{os.Mkdir(dir, 0o755)}
		for _, f := range files {
			errs = append(errs, os.WriteFile(filepath.Join(dir, f), nil, 0o644))
		}
		return errors.Join(errs...)
	}
}

const (
	mountsV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	mountsV1 = "40 23 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n41 23 0:34 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"42 23 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	mountsOfContainer = "40 23 0:33 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)

// TestFindCgroups looks for groups on machines of several kinds.
func TestFindCgroups(t *testing.T) {
	for _, tt := range []struct {
		name, self, mounts string
		files              map[string]string // on the machine
		made               []string          // in a new group
		version            int
		want               []string
	}{
		{"version 2, delegated to the group above", "0::/user.slice/app.slice/x.scope\n", mountsV2,
			map[string]string{"user.slice/app.slice/cgroup.subtree_control": "memory pids", "user.slice/app.slice/x.scope/cgroup.subtree_control": ""},
			[]string{"memory.max"}, 2, []string{"user.slice/app.slice"}},
		{"version 2, delegated to its own", "0::/box\n", mountsV2, map[string]string{"box/cgroup.subtree_control": "cpu memory"}, []string{"memory.max"}, 2, []string{"box"}},
		{"version 2, another controller", "0::/box\n", mountsV2, map[string]string{"box/cgroup.subtree_control": "cpu pids"}, []string{"memory.max"}, 0, nil},
		{"version 2, read-only", "0::/box\n", mountsV2, map[string]string{"box/cgroup.subtree_control": "memory"}, nil, 0, nil},
		{"version 1", "4:memory:/user/x\n2:cpu,cpuacct:/\n0::/\n", mountsV1, map[string]string{"memory/user/x/tasks": "", "cpu,cpuacct/tasks": ""},
			[]string{"memory.limit_in_bytes", "cpuacct.usage"}, 1, []string{"memory/user/x", "cpu,cpuacct"}},
		{"version 1, in a container", "4:memory:/docker/abc/run\n", mountsOfContainer, map[string]string{"memory/run/tasks": ""}, []string{"memory.limit_in_bytes"}, 1, []string{"memory/run"}},
		{"version 1, of another container", "4:memory:/docker/xyz\n", mountsOfContainer, map[string]string{"memory/tasks": ""}, []string{"memory.limit_in_bytes"}, 0, nil},
		{"none", "", "", nil, nil, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			put := func(name, text string) {
				p := filepath.Join(root, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			put("proc/thread-self/cgroup", tt.self)
			put("proc/self/mountinfo", tt.mounts)
			for name, text := range tt.files {
				put("sys/fs/cgroup/"+name, text)
			}
			mkdir := fakeKernel(tt.made...)
			if tt.made == nil {
				mkdir = func(string) error { return os.ErrPermission }
			}
			c := findCgroups(root, mkdir)
			if c == nil {
				if tt.version != 0 {
					t.Fatal("found none")
				}
				return
			}
			var want []string
			for _, w := range tt.want {
				want = append(want, filepath.Join(root, "sys/fs/cgroup", w))
			}
			if c.version != tt.version || !slices.Equal(c.parents(), want) {
				t.Errorf("found version %d in %q, want %d in %q", c.version, c.parents(), tt.version, want)
			}
		})
	}
}

// TestGroupV2 holds what is written to and read from a group of version 2.
func TestGroupV2(t *testing.T) {
	dir := t.TempDir()
	c := &cgroups{version: 2, memory: dir, mkdir: fakeKernel("memory.max", "memory.oom.group", "memory.swap.max")}
	g, err := c.make("sallyport-live-1-a", 100)
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, "sallyport-live-1-a", name) }
	for name, want := range map[string]string{"memory.max": "100", "memory.oom.group": "1", "memory.swap.max": "0"} {
		if got, err := os.ReadFile(in(name)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, ok := g.cpu(); ok || g.exceeded() {
		t.Error("read what is not there")
	}
	if err := errors.Join(os.WriteFile(in("cpu.stat"), []byte("usage_usec 1500\nuser_usec 1\n"), 0o644), os.WriteFile(in("memory.events"), []byte("oom 1\noom_kill 1\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if used, ok := g.cpu(); !ok || used != 1500*time.Microsecond || !g.exceeded() {
		t.Errorf("cpu = %s, %v, exceeded = %v", used, ok, g.exceeded())
	}
	// A process is asked for in the group; here the kernel sees that it is none.
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if err := g.start(cmd, false); err == nil || !cmd.SysProcAttr.UseCgroupFD {
		t.Errorf("start = %v, want it to fail outside of a control group", err)
	}
}

// requireCgroups returns where groups can be made here, which as root they can.
func requireCgroups(t *testing.T) *cgroups {
	t.Helper()
	c := findCgroups("", func(dir string) error { return os.Mkdir(dir, 0o755) })
	if c == nil {
		if os.Getenv("REQUIRE_CGROUPS") == "1" {
			t.Fatal("REQUIRE_CGROUPS=1: no control groups can be made here")
		}
		t.Skip("no control groups can be made here; REQUIRE_CGROUPS=1 requires them")
	}
	return c
}

// TestStartFirst holds that a process which awaits its group is in it before it does
// anything, and that one which cannot be put there does nothing.
func TestStartFirst(t *testing.T) {
	t.Parallel()
	c := requireCgroups(t)
	if c.version != 1 {
		return // the kernel makes the process in its group
	}
	name := "sallyport-first-" + rand.Text()
	g, err := c.make(name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	script := func(first string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command("/bin/sh", "-c", `head -c1 <&$SALLYPORT_AWAIT | (`+first+` wc -c); cat /proc/self/cgroup`)
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		var out bytes.Buffer
		cmd.Stdout, cmd.SysProcAttr = &out, &syscall.SysProcAttr{}
		return cmd, &out
	}
	cmd, out := script("")
	if err := g.start(cmd, true); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(out.String(), "1\n") || !strings.Contains(out.String(), "memory:") || !strings.Contains(out.String(), name) {
		t.Errorf("%v, its groups are %s", err, out)
	}
	// By then this one has started others, which await as well.
	procs := filepath.Join(t.TempDir(), "cgroup.procs")
	if err := syscall.Mkfifo(procs, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := &group{c: c, dirs: []string{filepath.Dir(procs), filepath.Join(c.memory, name, "not there")}}
	cmd, out = script("read pid <" + procs + ";")
	if err := gone.start(cmd, true); err == nil || cmd.ProcessState == nil || out.Len() > 0 && !strings.HasPrefix(out.String(), "0") {
		t.Errorf("without its group: %v, %v, %s", err, cmd.ProcessState, out)
	}
	if err := g.remove(); err != nil {
		t.Error(err)
	}
}

// Sallyport's runsc does nothing where nobody tells it that its group is there.
func TestAwaits(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer r.Close()
	cmd := exec.Command(requireRunsc(t), "--version")
	cmd.Env, cmd.ExtraFiles = []string{awaitVar + "=3"}, []*os.File{r}
	if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
		t.Errorf("it went on: %v, %s", err, out)
	}
}

// groupsOf returns the groups of an instance.
func groupsOf(c *cgroups, dir string) (all []string) {
	for _, parent := range c.parents() {
		found, _ := filepath.Glob(filepath.Join(parent, cgroup.Prefix(dir)+"*"))
		all = append(all, found...)
	}
	return all
}

// TestCgroup takes the watch away: the kernel ends the program then.
func TestCgroup(t *testing.T) {
	t.Parallel()
	c := requireCgroups(t)
	b := newTestBackend(t)
	weak := variant{Backend: b, removal: removal{
		limits: func(l *sandbox.Limits) { l.Memory *= 100 },
		// The address space would be used up first.
		spec: func(o *specs.Spec) { rlimit(o, "RLIMIT_AS") },
	}}
	s := sandboxtest.Spec("python", "kept = []\nwhile True:\n    kept.append(bytearray(1 << 20))")
	s.Limits.Memory = 128 << 20
	s.Limits.CPU, s.Limits.Wall = 2*time.Minute, 2*time.Minute // for machines that are emulated
	res, err := weak.Run(context.Background(), s)
	if err != nil || res.Reason != sandbox.Memory {
		t.Errorf("%v, %s %d, %s", err, res.Reason, res.Exit, res.Stderr)
	}
	if how := res.Enforced[sandbox.ControlMemory]; !strings.HasPrefix(how, c.String()) {
		t.Errorf("memory was enforced by %q, want %s", how, c)
	}
	b.boxes.Settled()
	if left := groupsOf(c, b.dir); len(left) > 0 {
		t.Errorf("groups left: %q", left)
	}
	s = sandboxtest.Spec("python", "print(42)")
	if res, err := b.Run(context.Background(), s); err != nil || string(res.Stdout) != "42\n" {
		t.Errorf("the next run: %v, %q", err, res.Stdout)
	}
}

// TestReapGroups kills a process in the middle of a run, and wants no group of
// its once the next one has started.
func TestReapGroups(t *testing.T) {
	t.Parallel()
	c := requireCgroups(t)
	state := sandboxtest.ShortDir(t)
	victim := startVictim(t, state)
	live, _ := filepath.Glob(filepath.Join(state, "live-*"))
	if len(live) != 1 || len(groupsOf(c, live[0])) == 0 {
		t.Fatalf("instances %q, without a group", live)
	}
	victim.Process.Kill()
	victim.Wait()
	b, err := New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	if left := groupsOf(c, live[0]); len(left) > 0 {
		t.Errorf("groups left: %q", left)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestFindCgroupsAtOnce looks for them from many sides at the same time, as the
// backends of many tenants do.
func TestFindCgroupsAtOnce(t *testing.T) {
	requireCgroups(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				if findCgroups("", func(dir string) error { return os.Mkdir(dir, 0o755) }) == nil {
					t.Error("found none where there are some")
					return
				}
			}
		})
	}
	all.Wait()
}
