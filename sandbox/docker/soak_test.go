package docker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"sallyport/sandbox/sandboxtest"
)

// TestSoak runs programs through the pool, eight at a time, while containers
// are killed at random, through the engine and behind its back: every run
// answers or says why, and nothing is left. SOAK is the number of runs.
func TestSoak(t *testing.T) {
	o := requireDocker(t)
	witness := open(t, o)
	run(t, witness, sandboxtest.Spec("python", "print(1)")) // what stays for good is there: images, connections
	run(t, witness, sandboxtest.Spec("javascript", "console.log(1)"))
	before := whatIsThere(t)
	tr := &traces{seen: map[string]string{}}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var following sync.WaitGroup
	following.Go(func() { tr.follow(ctx, witness) })

	o.Warm, o.WarmKinds = 3, 3
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	engine := false
	sandboxtest.Soak(t, b, os.Getenv("SOAK"), func() bool {
		engine = !engine
		return killContainer(witness, engine)
	})
	if err := b.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	stop()
	following.Wait()
	nothingMore(t, witness, before, tr)
}

// killContainer kills a container of this process: by the engine, or its first
// process as if by the kernel.
func killContainer(b *Backend, engine bool) bool {
	ctx := context.Background()
	mine, err := b.api.ContainerList(ctx, container.ListOptions{Filters: ofThis(b)})
	if err != nil || len(mine) == 0 {
		return false
	}
	victim := mine[rand.IntN(len(mine))].ID
	if engine {
		return b.api.ContainerKill(ctx, victim, "KILL") == nil // else it ended by itself meanwhile
	}
	in, err := b.api.ContainerInspect(ctx, victim)
	return err == nil && in.State.Pid > 0 && syscall.Kill(in.State.Pid, syscall.SIGKILL) == nil
}

func ofThis(b *Backend) filters.Args {
	return filters.NewArgs(filters.Arg("label", labelOwner+"="+b.self.process))
}

// whatIsThere counts what a run could leave on this machine.
func whatIsThere(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for name, pattern := range map[string]string{
		"open descriptors": "/proc/self/fd/*",
		"temporary files":  filepath.Join(os.TempDir(), "sallyport*"),
		"own children":     "/proc/self/task/*/children",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		counts[name] = len(found)
		if name == "own children" {
			counts[name] = 0
			for _, file := range found {
				data, _ := os.ReadFile(file) // a thread may be gone
				counts[name] += len(strings.Fields(string(data)))
			}
		}
	}
	return counts
}

// traces are where a container of this process shows on the host.
type traces struct {
	mu   sync.Mutex
	seen map[string]string // directory of its root by its ID, "" if it was too short-lived to ask
}

// follow notes every container that this process makes, until ctx is done.
func (tr *traces) follow(ctx context.Context, b *Backend) {
	mine := ofThis(b)
	mine.Add("event", "create")
	messages, _ := b.api.Events(ctx, events.ListOptions{Filters: mine})
	for {
		select {
		case m := <-messages:
			root := ""
			if in, err := b.api.ContainerInspect(ctx, m.Actor.ID); err == nil {
				root = in.GraphDriver.Data["MergedDir"]
			}
			tr.mu.Lock()
			tr.seen[m.Actor.ID] = root
			tr.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// nothingMore wants no container, no mount and no cgroup of this process, and
// nothing else more than before.
func nothingMore(t *testing.T, b *Backend, before map[string]int, tr *traces) {
	t.Helper()
	left, err := b.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: ofThis(b)})
	if err != nil || len(left) > 0 {
		t.Errorf("%d containers are left: %v", len(left), err)
	}
	for name, n := range whatIsThere(t) {
		if n > before[name]+2 { // connections that the witness keeps, a listing in progress
			t.Errorf("%d %s, %d before", n, name, before[name])
		}
	}
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	t.Logf("%d containers were made", len(tr.seen))
	if len(tr.seen) == 0 {
		t.Error("no container was noticed")
	}
	for id, root := range tr.seen {
		if strings.Contains(string(mounts), id) || root != "" && strings.Contains(string(mounts), root) {
			t.Errorf("container %s: a mount is left", id)
		}
		for _, pattern := range []string{"/sys/fs/cgroup/docker/%s", "/sys/fs/cgroup/*/docker/%s", "/sys/fs/cgroup/system.slice/docker-%s.scope"} {
			if found, err := filepath.Glob(fmt.Sprintf(pattern, id)); err != nil || len(found) > 0 {
				t.Errorf("a cgroup is left: %q %v", found, err)
			}
		}
	}
}
