package cgroup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOf finds where a process is limited in what systems have: version 1,
// version 1 with the second beside it, version 2, and a part of it in a
// container.
func TestOf(t *testing.T) {
	const v1 = "30 29 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 29 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n32 29 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	const beside = "33 29 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	for _, tt := range []struct {
		name, groups, mounts string
		version              int
		memory, pids, cpu    string
		parents              []string
	}{
		{"version 1", "4:memory:/a/box\n3:cpu,cpuacct:/box\n2:pids:/box\n", v1, 1,
			"/sys/fs/cgroup/memory/a/box", "/sys/fs/cgroup/pids/box", "/sys/fs/cgroup/cpu,cpuacct/box",
			[]string{"/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/pids"}},
		{"both", "4:memory:/box\n2:pids:/\n0::/box\n", v1 + beside, 1,
			"/sys/fs/cgroup/memory/box", "/sys/fs/cgroup/pids", "",
			[]string{"/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"}},
		{"both, and not in the second", "4:memory:/box\n0::/\n", v1 + beside, 1,
			"/sys/fs/cgroup/memory/box", "", "", []string{"/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"}},
		{"version 2", "0::/service/box\n", "30 29 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate\n", 2,
			"/sys/fs/cgroup/service/box", "/sys/fs/cgroup/service/box", "/sys/fs/cgroup/service/box", []string{"/sys/fs/cgroup/service"}},
		{"in a container", "0::/outer/service/box\n", "30 29 0:26 /outer /sys/fs/cgroup rw - cgroup2 cgroup rw\n", 2,
			"/sys/fs/cgroup/service/box", "/sys/fs/cgroup/service/box", "/sys/fs/cgroup/service/box", []string{"/sys/fs/cgroup/service"}},
		{"not to be seen", "0::/elsewhere/box\n", "30 29 0:26 /outer /sys/fs/cgroup rw - cgroup2 cgroup rw\n", 1, "", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := of([]byte(tt.groups), []byte(tt.mounts))
			if g.Version != tt.version || g.dirs["memory"] != tt.memory || g.dirs["pids"] != tt.pids || g.dirs["cpu"] != tt.cpu {
				t.Errorf("of() = %+v", g)
			}
			if diff := cmp.Diff(tt.parents, g.Parents("box")); diff != "" {
				t.Errorf("parents (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadings reads limits and counts of either version; what is not there is
// no limit and no count.
func TestReadings(t *testing.T) {
	for version, files := range map[int]map[string]string{
		1: {"memory.limit_in_bytes": "536870912\n", "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", "pids.max": "88\n", "pids.events": "max 7\n", "cpu.cfs_quota_us": "100000\n"},
		2: {"memory.max": "536870912\n", "memory.events": "low 0\noom 4\noom_kill 3\n", "pids.max": "88\n", "pids.events": "max 7\n", "cpu.max": "100000 100000\n"},
	} {
		dir := t.TempDir()
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g := Group{Version: version, dirs: map[string]string{"memory": dir, "pids": dir, "cpu": dir}}
		memory, pids, cpu := g.Limits()
		kills, denied := g.Counts()
		if memory != "536870912" || pids != "88" || cpu != "100000" || kills != 3 || denied != 7 {
			t.Errorf("version %d: limits %q %q %q, counts %d %d", version, memory, pids, cpu, kills, denied)
		}
	}
	memory, pids, cpu := Group{Version: 2}.Limits()
	kills, denied := Group{Version: 2}.Counts()
	if memory+pids+cpu != "" || kills+denied != 0 {
		t.Errorf("of no group: %q %q %q %d %d", memory, pids, cpu, kills, denied)
	}
}

// TestRemove takes away what an instance made, everywhere that it noted, and
// nothing else.
func TestRemove(t *testing.T) {
	dir, one, other := filepath.Join(t.TempDir(), "live-1"), t.TempDir(), t.TempDir()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(dir); err != nil {
		t.Errorf("of an instance without groups: %v", err)
	}
	if err := Note(dir, []string{one, other}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(one, Prefix(dir)+"a"), filepath.Join(other, Prefix(dir)+"a"), filepath.Join(one, Prefix(dir)+"b"), filepath.Join(one, "sallyport-live-2-a")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (names []string) {
		for _, parent := range []string{one, other} {
			entries, err := os.ReadDir(parent)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		return names
	}
	if err := RemoveOne(dir, Prefix(dir)+"a"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{Prefix(dir) + "b", "sallyport-live-2-a"}, left()); diff != "" {
		t.Errorf("after one was removed (-want +got):\n%s", diff)
	}
	if err := RemoveAll(dir); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"sallyport-live-2-a"}, left()); diff != "" {
		t.Errorf("after all were removed (-want +got):\n%s", diff)
	}
}
