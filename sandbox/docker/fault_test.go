package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// daemon is an engine of a test's own, which it may maltreat.
type daemon struct {
	dir string
	cmd *exec.Cmd
	log bytes.Buffer
}

func (d *daemon) host() string { return "unix://" + d.dir + "/docker.sock" }

// start runs dockerd until stop; it has the test image of Python.
func (d *daemon) start(t *testing.T) {
	t.Helper()
	d.cmd = exec.Command("dockerd", "--data-root", d.dir+"/data", "--exec-root", d.dir+"/exec", "--pidfile", d.dir+"/pid",
		"--host", d.host(), "--bridge=none", "--iptables=false", "--ip6tables=false")
	d.cmd.Stdout, d.cmd.Stderr = &d.log, &d.log
	// Without a bridge of its own it would take down the other engine's.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(sandboxtest.Patient)
	for exec.Command("docker", "-H", d.host(), "version").Run() != nil {
		if time.Now().After(deadline) {
			t.Fatalf("dockerd does not start: %s", d.log.String())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (d *daemon) stop(t *testing.T, how os.Signal) {
	t.Helper()
	if d.cmd == nil {
		return
	}
	if err := d.cmd.Process.Signal(how); err != nil {
		t.Error(err)
	}
	_ = d.cmd.Wait() // its status says how it was stopped
	d.cmd = nil
	if how == syscall.SIGKILL { // the machine went down: its other half with it
		data, _ := os.ReadFile(d.dir + "/exec/containerd/containerd.pid")
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, name := range []string{"pid", "exec/containerd/containerd.pid", "exec/containerd/containerd.sock"} {
			_ = os.Remove(filepath.Join(d.dir, name))
		}
	}
}

// killShims ends what an engine that was killed left beside its containers;
// the directory in their arguments is this test's alone.
func (d *daemon) killShims() {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		line, err := os.ReadFile(path)
		pid, perr := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && perr == nil && strings.Contains(string(line), d.dir+"/") && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func requireRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("REQUIRE_ROOT") == "1" {
			t.Fatal("REQUIRE_ROOT=1: this test needs root")
		}
		t.Skip("this test requires root")
	}
}

// newDaemon starts an engine whose files are on a file system of its own.
func newDaemon(t *testing.T, options string) (*daemon, Options) {
	t.Helper()
	o := requireDocker(t)
	requireRoot(t)
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{dir: dir}
	if err := os.Mkdir(dir+"/data", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir+"/data", "tmpfs", 0, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.stop(t, syscall.SIGTERM)
		d.killShims()
		if err := syscall.Unmount(dir+"/data", syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	d.start(t)
	save := exec.Command("docker", "-H", o.Host, "save", testImages()["python"])
	load := exec.Command("docker", "-H", d.host(), "load")
	r, w := io.Pipe()
	save.Stdout, load.Stdin = w, r
	go func() { w.CloseWithError(save.Run()) }()
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("loading the image: %v: %s", err, out)
	}
	o.Host = d.host()
	return d, o
}

// TestEngineKilledMidRun: a run whose engine dies says so at once, and what it
// left is gone once an engine is back.
func TestEngineKilledMidRun(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]os.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			d, o := newDaemon(t, "size=400m")
			b := open(t, o)
			run(t, b, sandboxtest.Spec("python", "print(1)"))
			s := sandboxtest.Spec("python", "import time\nprint('on', flush=True)\ntime.sleep(3600)")
			s.Limits.Wall = sandboxtest.Patient
			started, ended := make(chan struct{}), make(chan error, 1)
			s.Output = func(sandbox.Stream, []byte) { close(started) }
			go func() {
				r, err := b.Run(context.Background(), s)
				if err == nil {
					err = errors.New("ended with " + string(r.Reason))
				}
				ended <- err
			}()
			<-started
			d.stop(t, how)
			err := <-ended
			if !errors.Is(err, sandbox.ErrUnavailable) || !errors.Is(err, sandbox.ErrUnreadable) {
				t.Errorf("the run ended with %v, want one that wraps ErrUnavailable and, since it may have run, ErrUnreadable", err)
			}
			t.Log(err)
			if _, err := b.Run(context.Background(), sandboxtest.Spec("python", "print(1)")); !errors.Is(err, sandbox.ErrUnavailable) {
				t.Errorf("a run without an engine ended with %v", err)
			}
			d.start(t)
			if r := run(t, b, sandboxtest.Spec("python", "print(2)")); string(r.Stdout) != "2\n" {
				t.Errorf("after the engine is back: %+v", r)
			}
			b.boxes.Settled()
			left, err := b.api.ContainerList(context.Background(), container.ListOptions{All: true})
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// TestContainerStopped: a container that its engine is asked to stop says so
// itself, whether or not the engine is there to be asked.
func TestContainerStopped(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, b *Backend) {
		s := sandboxtest.Spec("python", "import time\nprint('on', flush=True)\ntime.sleep(3600)")
		s.Limits.Wall = sandboxtest.Patient
		ctx := t.Context()
		c, err := b.startReady(ctx, s, 0, ask)
		if err != nil {
			t.Fatal(err)
		}
		defer c.remove(ctx)
		stopped := make(chan error, 1)
		s.Output = func(sandbox.Stream, []byte) {
			go func() { stopped <- b.api.ContainerStop(ctx, c.id, container.StopOptions{}) }()
		}
		_, err = c.Run(ctx, s)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if !errors.Is(err, sandbox.ErrUnavailable) || !strings.HasSuffix(err.Error(), "stopped it during the run") {
			t.Errorf("the run ended with %v", err)
		}
	})
}

// TestEngineKilledWhileWaiting: containers that wait for a program die with
// their engine; none is handed out, and the pool fills again with the next.
func TestEngineKilledWhileWaiting(t *testing.T) {
	t.Parallel()
	d, o := newDaemon(t, "size=400m")
	o.Warm = 1
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := sandboxtest.Spec("python", "print(6*7)")
	ctx, cancel := context.WithTimeout(context.Background(), sandboxtest.Patient)
	defer cancel()
	if err := b.Warm(ctx, s); err != nil {
		t.Fatal(err)
	}
	d.stop(t, syscall.SIGKILL)
	d.killShims()
	if _, err := b.Run(ctx, s); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a run without an engine ended with %v", err)
	}
	d.start(t)
	for b.Warm(ctx, s) != nil { // the pool tries again by itself, less and less often
		if !pause(ctx, 100*time.Millisecond) {
			t.Fatal("the pool does not fill again")
		}
	}
	if r := run(t, b, s); string(r.Stdout) != "42\n" {
		t.Errorf("after the engine is back: %s %q %s", r.Reason, r.Stdout, r.Stderr)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	o.Warm = 0
	left, err := open(t, o).api.ContainerList(ctx, container.ListOptions{All: true})
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestEngineFrozen: an engine that stops answering does not hold a run beyond
// its time, and what was left is gone once it answers again.
func TestEngineFrozen(t *testing.T) {
	t.Parallel()
	d, o := newDaemon(t, "size=400m")
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	run(t, b, sandboxtest.Spec("python", "print(1)"))
	s := sandboxtest.Spec("python", "import time\nprint('on', flush=True)\ntime.sleep(3600)")
	freeze := func(how os.Signal) {
		if err := d.cmd.Process.Signal(how); err != nil {
			t.Error(err)
		}
	}
	s.Output = func(sandbox.Stream, []byte) { freeze(syscall.SIGSTOP) }
	s.Limits.Wall = time.Second
	for {
		var res sandbox.Result
		if res, err = b.Run(context.Background(), s); err != nil || len(res.Stdout) > 0 {
			break
		}
		s.Limits.Wall *= 2 // its time was up before it had said anything
	}
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), "does not answer") {
		t.Errorf("the run ended with %v", err)
	}
	freeze(syscall.SIGCONT)
	if r := run(t, b, sandboxtest.Spec("python", "print(2)")); string(r.Stdout) != "2\n" {
		t.Errorf("after it answers again: %+v", r)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	left, err := open(t, o).api.ContainerList(context.Background(), container.ListOptions{All: true})
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	d, o := newDaemon(t, "size=400m")
	filler := filepath.Join(d.dir, "data", "filler")
	fill(t, filler)
	b := open(t, o)
	_, err := b.Run(context.Background(), sandboxtest.Spec("python", "print(1)"))
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), "disk is full") {
		t.Errorf("with a full disk: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if r := run(t, b, sandboxtest.Spec("python", "print(2)")); string(r.Stdout) != "2\n" {
		t.Errorf("after there is room again: %+v", r)
	}
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestOutOfMemoryOnceEnded has an engine that says why a container ended once it has seen
// that it did, as Podman does some time after its last word.
func TestOutOfMemoryOnceEnded(t *testing.T) {
	t.Parallel()
	seen := false
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/wait"):
			seen = true
			_, _ = io.WriteString(w, `{"StatusCode": 137}`)
		case strings.HasSuffix(r.URL.Path, "/json"):
			fmt.Fprintf(w, `{"Id": "x", "State": {"Running": %t, "OOMKilled": %t}}`, !seen, seen)
		}
	}))
	defer engine.Close()
	api, err := client.NewClientWithOpts(client.WithHost("tcp://"+engine.Listener.Addr().String()), client.WithVersion("1.43"))
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	if c := (&box{b: &Backend{api: api}, id: "x"}); !c.OutOfMemory(t.Context()) {
		t.Error("it was asked before it knew")
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(*Options)
		want string
	}{
		{"image", func(o *Options) { o.Images = map[string]string{"python": "sallyport/none:test"} }, "images/build.sh"},
		{"image without a digest", func(o *Options) {
			o.Pull, o.Images = true, map[string]string{"python": "127.0.0.1:9/none:test"}
		}, "named by digest"},
		{"runtime", func(o *Options) { o.Runtime, o.RequireRuntime = "none", true }, `no runtime "none"`},
		{"engine", func(o *Options) { o.Host = "unix:///nowhere/docker.sock" }, "start it with"},
		{"ssh", func(o *Options) { o.Host = "ssh://somewhere" }, "forward its socket"},
		{"TLS", func(o *Options) { o.Host = "tcp://192.0.2.1:2375" }, "without TLS"},
		{"supervisor", func(o *Options) { o.Guest = "/nowhere/guest" }, "build it with `make`"},
		{"static supervisor", func(o *Options) { o.Guest = "/bin/ls" }, "not static"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := requireDocker(t)
			tt.edit(&o)
			b, err := New(o)
			if err == nil {
				t.Cleanup(func() { b.Close() })
				_, err = b.Run(context.Background(), sandboxtest.Spec("python", "print(1)"))
			}
			if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), tt.want) {
				t.Errorf("got %v, want one that wraps ErrUnavailable and says %q", err, tt.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, b *Backend) {
		s := sandboxtest.Spec("python", "import time\nprint('on', flush=True)\ntime.sleep(3600)")
		s.Limits.Wall = sandboxtest.Patient
		ctx, cancel := context.WithCancel(context.Background())
		s.Output = func(sandbox.Stream, []byte) { cancel() }
		r, err := b.Run(ctx, s)
		if err != nil || r.Reason != sandbox.Cancelled || string(r.Stdout) != "on\n" {
			t.Errorf("cancelled: %v %+v", err, r)
		}
	})
}
