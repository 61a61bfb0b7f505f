package docker

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	cerrdefs "github.com/containerd/errdefs"

	"github.com/docker/docker/api/types/container"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/sandboxtest"
)

func TestOrphan(t *testing.T) {
	now := time.Unix(1000, 0)
	self := owner{host: "here", process: "10@5", now: func() time.Time { return now },
		alive: func(p string) bool { return p == "20@6" }}
	for _, tt := range []struct {
		name   string
		labels map[string]string
		want   bool
	}{
		{"our own", map[string]string{labelHost: "here", labelOwner: "10@5", labelUntil: "1"}, false},
		{"of a live instance, past its time", map[string]string{labelHost: "here", labelOwner: "20@6", labelUntil: "1"}, false},
		{"of a dead instance", map[string]string{labelHost: "here", labelOwner: "30@7", labelUntil: "5000"}, true},
		{"of a dead one whose pid was given again", map[string]string{labelHost: "here", labelOwner: "20@1", labelUntil: "5000"}, true},
		{"of another machine, in time", map[string]string{labelHost: "there", labelOwner: "30@7", labelUntil: "5000"}, false},
		{"of another machine, past its time", map[string]string{labelHost: "there", labelOwner: "30@7", labelUntil: "999"}, true},
		{"of nobody knows whom", map[string]string{labelHost: "", labelUntil: "5000"}, false},
		{"without a time", map[string]string{labelHost: "there"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := self.orphan(tt.labels); got != tt.want {
				t.Errorf("orphan() = %v, want %v", got, tt.want)
			}
		})
	}
	unknown := owner{now: self.now, alive: self.alive}
	if unknown.orphan(map[string]string{labelHost: "", labelOwner: "30@7", labelUntil: "5000"}) {
		t.Error("an instance that does not know where it is took another's container for its own host's")
	}
	alive := thisProcess().alive
	if !alive(thisProcess().process) || alive(deadProcess(t)) {
		t.Error("the living is taken for dead, or the dead for living")
	}
	if !alive("1\x00@5") { // no name that the kernel looks at
		t.Error("what could not be looked at is taken for dead")
	}
}

// TestReap: a new instance removes the containers of a dead process and leaves
// those of a live one.
func TestReap(t *testing.T) {
	o := requireDocker(t)
	b := open(t, o)
	dead, live := leave(t, b, deadProcess(t)), leave(t, b, b.self.process)
	open(t, o)
	ctx := context.Background()
	if _, err := b.api.ContainerInspect(ctx, dead); !cerrdefs.IsNotFound(err) {
		t.Errorf("the container of a dead instance is still there: %v", err)
	}
	if _, err := b.api.ContainerInspect(ctx, live); err != nil {
		t.Errorf("the container of a live instance: %v", err)
	}
}

// leave makes a container of another owner.
func leave(t *testing.T, b *Backend, process string) string {
	t.Helper()
	ctx := context.Background()
	spec := sandboxtest.Spec("python", "")
	id, _, err := b.image(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	p := b.posture(id)
	other := b.self
	other.process = process
	p.Labels = other.labels(time.Now().Add(time.Hour))
	made, err := b.api.ContainerCreate(ctx, config(p), hostConfig(spec, p), nil, nil, b.name())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.api.ContainerStart(ctx, made.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.remove(ctx, made.ID); err != nil {
			t.Error(err)
		}
	})
	return made.ID
}

// deadProcess names a process that was and is no more.
func deadProcess(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.v=false")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	began, err := proc.Of(strconv.Itoa(pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(pid) + "@" + began.Start
}

// TestKilledInstance: the containers of an instance that is killed end by
// themselves, because their supervisor hears nothing more.
func TestKilledInstance(t *testing.T) {
	t.Parallel()
	b := open(t, requireDocker(t))
	spec := sandboxtest.Spec("python", "import time\ntime.sleep(3600)")
	spec.Limits = sandbox.Limits{Wall: time.Hour, CPU: time.Hour}
	ctx := context.Background()
	c, err := b.start(ctx, spec, time.Now().Add(time.Hour), ask)
	if err != nil {
		t.Fatal(err)
	}
	defer c.remove(ctx)
	if err := c.Ready(ctx, live.StartLimit); err != nil {
		t.Fatal(err)
	}
	c.Conversation.Close() // as the kernel does for a dead process
	deadline := time.Now().Add(sandboxtest.Patient)
	for {
		in, err := b.api.ContainerInspect(ctx, c.id)
		if err != nil {
			t.Fatal(err)
		}
		if !in.State.Running {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the container still runs, and its owner went long ago")
		}
		time.Sleep(50 * time.Millisecond)
	}
}
