package gvisor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"sallyport/sandbox/cgroup"
	"sallyport/sandbox/runner"
)

// guest is one sandbox: the runsc process, our ends of its pipes and its place
// in the state directory.
type guest struct {
	id  string
	dir string // bundle and log
	own string // copies of directories for this run, "" for none

	group *group // nil where there are none
	b     *Backend

	stdin, job                        *os.File // write ends
	report, artifacts, stdout, stderr *os.File // read ends
	witness                           *os.File // read end of what the program has no part in; see witness.go

	// From ready on.
	ctl     *control
	sandbox *meter // of the sandbox process

	exited  chan struct{} // closed when the runsc process has been waited for
	exitErr error         // of the runsc process; read after exited
	usage   *syscall.Rusage
	pid     int
	once    sync.Once
	err     error // of remove
	waited  bool  // in the pool, for a program
}

// start starts a sandbox from an OCI configuration. Its interpreter will wait
// for a job.
func (b *Backend) start(config string) (g *guest, err error) {
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, err
	}
	id := hex.EncodeToString(name[:])
	begun := &guest{id: id, dir: filepath.Join(b.dir, id), b: b, exited: make(chan struct{})}
	g = begun
	defer func() {
		if err != nil { // g is nil then
			err = errors.Join(err, begun.remove())
		}
	}()
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(g.dir, "config.json"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	var posture specs.Spec
	if err := json.Unmarshal([]byte(config), &posture); err != nil {
		return nil, err
	}
	if r := posture.Linux.Resources; b.cgroups != nil && r != nil {
		if g.group, err = b.cgroups.make(cgroup.Prefix(b.dir)+id, *r.Memory.Limit); err != nil {
			return nil, err
		}
	}
	var theirs []*os.File
	defer func() { closeAll(theirs...) }()
	for _, ours := range []**os.File{&g.stdin, &g.stdout, &g.stderr, &g.job, &g.report, &g.artifacts, &g.witness} {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if ours == &g.stdin || ours == &g.job {
			theirs, *ours = append(theirs, r), w
		} else {
			theirs, *ours = append(theirs, w), r
		}
	}
	return g, g.launch(overlayFlags(b.runscFlags(), posture), theirs)
}

func (g *guest) launch(flags []string, files []*os.File) error {
	args := append(flags, "--log="+filepath.Join(g.dir, "log"), "--log-format=json", "run", "--bundle="+g.dir)
	for i, fd := range []int{runner.JobFD, runner.ReportFD, runner.ArtifactFD} {
		args = append(args, "--pass-fd="+strconv.Itoa(3+i)+":"+strconv.Itoa(fd))
	}
	cmd := exec.Command(g.b.opts.Runsc, append(args, g.id)...)
	// Nothing of the caller's. The heaps of runsc's own processes are small: a
	// collector that runs while they start takes more time than it saves memory.
	cmd.Env = []string{"GOGC=400"}
	cmd.Dir = g.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = files[0], files[1], files[2], files[3:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	started := make(chan error)
	go func() {
		// The parent death signal is sent when the starting thread ends, so
		// this thread must not end before the process does.
		runtime.LockOSThread()
		if err := g.group.start(cmd); err != nil {
			close(g.exited)
			started <- err
			return // locked: a thread that may be in a control group ends
		}
		g.pid = cmd.Process.Pid
		started <- nil
		g.exitErr = cmd.Wait()
		g.usage, _ = cmd.ProcessState.SysUsage().(*syscall.Rusage)
		close(g.exited)
		runtime.UnlockOSThread()
	}()
	return <-started
}

// ready waits until the interpreter inside waits for a job, and connects to
// the control socket.
func (g *guest) ready(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { g.report.Close() })
	defer stop()
	answer, err := runner.ReadAnswer(g.report)
	if err != nil || answer != "ready" {
		return fmt.Errorf("the interpreter did not start: %.200q %v%s", answer, err, g.complaint())
	}
	if g.ctl, err = dialControl(ctx, g.b.runscRoot(), g.id); err != nil {
		return err
	}
	g.ctl.ask()
	g.sandbox, err = newMeter(filepath.Join(g.b.runscRoot(), g.id+"_sandbox:"+g.id+".state"), g.group)
	return err
}

// Healthy implements pool.Item.
func (g *guest) Healthy() bool {
	select {
	case <-g.exited:
		return false
	default:
		return g.sandbox.alive()
	}
}

// Close implements pool.Item.
func (g *guest) Close() error { return g.remove() }

// complaint is what runsc wrote about its own failure, and the end of what
// the interpreter wrote on its way down.
func (g *guest) complaint() string {
	_ = g.kill()
	var out []string
	if data, err := os.ReadFile(filepath.Join(g.dir, "log")); err == nil {
		var entry struct {
			Msg string `json:"msg"`
		}
		if json.Unmarshal(data, &entry) == nil && entry.Msg != "" {
			out = append(out, entry.Msg)
		}
	}
	_ = unix.SetNonblock(int(g.stderr.Fd()), true)
	tail := make([]byte, 1000)
	if n, err := unix.Read(int(g.stderr.Fd()), tail); err == nil && n > 0 {
		out = append(out, strings.TrimSpace(string(tail[:n])))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, ": ")
}

// kill ends every process of the sandbox and returns when none is left.
func (g *guest) kill() error {
	if g.pid != 0 {
		select {
		case <-g.exited:
		default:
			_ = unix.Kill(g.pid, unix.SIGKILL)
		}
	}
	err := killAll(g.id, goneLimit)
	if g.pid != 0 {
		<-g.exited
	}
	return err
}

// settleLimit is how long a sandbox whose program has ended may take to go by
// itself.
const settleLimit = 5 * time.Second

// settle lets a sandbox go whose program has ended, and removes it: runsc
// waits for its processes. It is quicker than kill and kinder to the machine.
func (g *guest) settle() error {
	select {
	case <-g.exited:
		return g.clear()
	case <-time.After(settleLimit):
		return g.remove()
	}
}

// remove kills what is left of the sandbox and takes away its files.
func (g *guest) remove() error {
	err := g.kill()
	return errors.Join(err, g.clear())
}

// clear takes away the files of a sandbox that is gone.
func (g *guest) clear() error {
	g.once.Do(func() {
		closeAll(g.stdin, g.job, g.report, g.artifacts, g.witness, g.stdout, g.stderr)
		if g.ctl != nil {
			g.ctl.close()
		}
		if g.sandbox != nil {
			g.sandbox.close()
		}
		left, _ := filepath.Glob(filepath.Join(g.b.runscRoot(), "*"+g.id+"*"))
		if g.own != "" {
			left = append(left, g.own)
		}
		for _, p := range append(left, g.dir) {
			g.err = errors.Join(g.err, os.RemoveAll(p))
		}
		if g.group != nil {
			g.err = errors.Join(g.err, g.group.remove())
		}
	})
	return g.err
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
