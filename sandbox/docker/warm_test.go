package docker

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/sandboxtest"
)

// TestWarm: programs that find a container waiting run in it, each in one of
// its own, the result names what ran, and none is left when the backend is closed.
func TestWarm(t *testing.T) {
	for name, options := range engineOptions() { // one by one: what is left is told by this process's label
		t.Run(name, func(t *testing.T) { testWarm(t, open(t, options(t))) })
	}
}

func testWarm(t *testing.T, cold *Backend) {
	o := cold.opts
	o.Warm = 2
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), sandboxtest.Patient)
	defer cancel()
	spec := sandboxtest.Spec("python", "import os, platform\nprint(os.path.exists('mark'), __name__, os.path.realpath('/proc/self/exe'), platform.python_version())\nopen('mark', 'w').close()")
	if err := b.Warm(ctx, spec); err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // the third finds one that was begun meanwhile
		begin := time.Now()
		r := run(t, b, spec)
		if string(r.Stdout) != fmt.Sprintln("False __main__", r.Runtime.Interpreter, r.Runtime.Version) || len(r.Runtime.SHA256) != 64 || r.Reason != sandbox.Exited {
			t.Errorf("run %d: %s %q %s in %+v", i, r.Reason, r.Stdout, r.Stderr, r.Runtime)
		}
		t.Log(time.Since(begin))
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	mine := filters.NewArgs(filters.Arg("label", fmt.Sprintf("%s=%s", labelOwner, b.self.process)))
	left, err := cold.api.ContainerList(ctx, container.ListOptions{All: true, Filters: mine})
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestKind(t *testing.T) {
	base := sandboxtest.Spec("python", "1")
	same := sandboxtest.Spec("python", "2")
	same.Stdin, same.Args = []byte("x"), []string{"y"}
	if supervised.Kind(base) != supervised.Kind(same) {
		t.Error("what comes with the program makes another kind")
	}
	for name, edit := range map[string]func(*sandbox.Spec){
		"language": func(s *sandbox.Spec) { s.Language = "javascript" },
		"limits":   func(s *sandbox.Spec) { s.Limits.Memory = 1 },
		"grant":    func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} },
		"image":    func(s *sandbox.Spec) { s.Runtime.Image = "x" },
		"env":      func(s *sandbox.Spec) { s.Runtime.Env = []string{"A=b"} },
		"mounts":   func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "/a", Target: "/b"}} },
		"egress":   func(s *sandbox.Spec) { s.Egress = &sandbox.Egress{} },
		"ports":    func(s *sandbox.Spec) { s.Egress = &sandbox.Egress{Ports: []int{80}} },
		"trust":    func(s *sandbox.Spec) { s.Egress = &sandbox.Egress{CA: []byte("x")} },
	} {
		other := base
		edit(&other)
		if supervised.Kind(base) == supervised.Kind(other) {
			t.Errorf("another %s is no other kind", name)
		}
	}
}
