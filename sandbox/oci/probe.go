package oci

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
)

// way is one way to use a runtime here.
type way struct {
	Cgroup bool   `json:"cgroup"` // it makes control groups
	Hide   string `json:"hide"`   // a mount that it must not see
	Group  string `json:"group"`  // the kind of group that it made

	Parents []string `json:"parents"` // of its groups
}

// unified is where systems that have both versions of control groups mount the
// second. Some runtimes refuse to work where they see it.
const unified = "/sys/fs/cgroup/unified"

// settleOn finds the first way that works, best first, by trying: what a
// runtime can do depends on its version, on the kernel and on whose process
// this is. The answer is kept for the next process.
func (b *Backend) settleOn() error {
	file := filepath.Join(b.opts.StateDir, "runtime-"+b.rt.name+".json")
	key := b.circumstances()
	if w, ok := known(file, key); ok {
		return b.use(w)
	}
	ways := []way{{Cgroup: true}, {}}
	if _, err := os.Stat(unified); err == nil && os.Geteuid() == 0 {
		ways = []way{{Cgroup: true}, {Cgroup: true, Hide: unified}, {}, {Hide: unified}}
	}
	var errs []error
	for _, w := range ways {
		if err := b.use(w); err != nil {
			return err
		}
		if err := b.try(&w); err != nil {
			errs = append(errs, err)
			continue
		}
		remember(file, key, w)
		return b.use(w)
	}
	return b.stuck(errors.Join(errs...))
}

// stuck explains that no way works.
func (b *Backend) stuck(err error) error {
	if strings.Contains(err.Error(), "hybrid mode") { // crun's word, which root gets around
		return hint.New(err, "use runc, run as root, or boot with version 2 alone (systemd.unified_cgroup_hierarchy=1)",
			"%s %s refuses to work for an ordinary user where both versions of control groups are mounted", b.rt.name, b.rt.version)
	}
	return hint.New(err, "try it by hand with `"+b.opts.Runtime+" run`, or use another runtime or backend", "%s %s starts no container here", b.rt.name, b.rt.version)
}

func (b *Backend) use(w way) error {
	b.posture.Cgroup, b.rt.hide, b.group = w.Cgroup, w.Hide, w.Group
	return errors.Join(b.rt.note(b.dir), cgroup.Note(b.dir, w.Parents))
}

// try starts a container with nothing but the supervisor in it, and notes where
// its control group is.
func (b *Backend) try(w *way) error {
	ctx, cancel := context.WithTimeout(context.Background(), live.StartLimit)
	defer cancel()
	none := sandbox.Spec{Language: "python"}
	c, err := b.start(ctx, rootfs.Interpreter{}, ociSpec(rootfs.Interpreter{}, none, b.posture))
	if err != nil {
		return err
	}
	if w.Cgroup {
		w.Group, w.Parents = c.group.String(), c.group.Parents(c.id)
	}
	// It hears the end of its input and ends.
	_ = c.stdin.Close()
	if !c.gone(proc.GoneLimit) {
		err = fmt.Errorf("the supervisor did not end: %s", c.complaint.FirstLine())
	}
	return errors.Join(err, c.Close())
}

// circumstances are what the answer depends on.
func (b *Backend) circumstances() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	groups, _ := os.ReadFile("/proc/thread-self/cgroup")
	parts := []string{"v4", b.rt.version, string(boot), string(groups), fmt.Sprint(os.Geteuid(), b.posture.Mapping)}
	for _, path := range []string{b.opts.Runtime, b.opts.Guest} {
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		st := info.Sys().(*syscall.Stat_t)
		parts = append(parts, fmt.Sprint(path, st.Dev, st.Ino, st.Size, st.Ctim.Nano()))
	}
	return strings.Join(parts, "\n")
}

// tried is one entry of what is kept.
type tried struct {
	Key string `json:"key"`
	Way way    `json:"way"`
}

func known(file, key string) (way, bool) {
	var t tried
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &t) != nil || key == "" || t.Key != key {
		return way{}, false
	}
	return t.Way, true
}

// remember keeps a way. One that cannot be kept costs time, never the run.
func remember(file, key string, w way) {
	if data, err := json.Marshal(tried{key, w}); err == nil {
		_ = os.WriteFile(file, data, 0o600)
	}
}

// mapping is how the users inside are made from those that an ordinary user may
// have: root, which sets the container up, is the user; the program's is one of
// the subordinate users that the administrator has given.
func mapping() ([]ids, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	uid, uerr := subordinate("/etc/subuid", me.Username, me.Uid)
	gid, gerr := subordinate("/etc/subgid", me.Username, me.Uid)
	if err := cmp.Or(uerr, gerr); err != nil {
		return nil, hint.New(err, fmt.Sprintf("apt-get install uidmap && usermod --add-subuids 100000-165535 --add-subgids 100000-165535 %s", me.Username),
			"an ordinary user needs a second user for programs, and %s has none", me.Username)
	}
	return []ids{{0, uint32(os.Geteuid()), uint32(os.Getegid())}, {runner.Nobody, uid, gid}}, nil
}

// subordinate is the first identity that a file such as /etc/subuid gives to a
// user, who may be named by name or number.
func subordinate(file string, names ...string) (uint32, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) != 3 || !slices.Contains(names, f[0]) {
			continue
		}
		if n, err := strconv.ParseUint(f[1], 10, 32); err == nil && n > 0 {
			return uint32(n), nil
		}
	}
	return 0, fmt.Errorf("%s has no line for %s", file, names[0])
}
