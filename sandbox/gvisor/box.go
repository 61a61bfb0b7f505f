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

	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/tunnel"
)

// box is one sandbox: the runsc process, our ends of its pipes and its place
// in the state directory.
type box struct {
	id  string
	dir string // bundle and log
	own string // copies of directories for this run, "" for none

	group *group // nil where there are none
	b     *Backend

	stdin, job                        *os.File // write ends
	report, artifacts, stdout, stderr *os.File // read ends

	key     []byte   // of what the hooks tell, once they have given it
	witness *os.File // our end of what the program has no part in; see witness.go

	tunnel *tunnel.Tunnel // nil without a way out; see egress.go

	// From ready on.
	ctl     *control
	sandbox *meter // of the sandbox process

	exited  chan struct{} // closed when the runsc process has been waited for
	exitErr error         // of the runsc process; read after exited
	usage   *syscall.Rusage
	pid     int
	once    sync.Once
	err     error // of remove
}

// start starts a sandbox from an OCI configuration. Its interpreter will wait
// for a job.
func (b *Backend) start(config string) (c *box, err error) {
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, err
	}
	id := hex.EncodeToString(name[:])
	begun := &box{id: id, dir: filepath.Join(b.dir, id), b: b, exited: make(chan struct{})}
	b.unsure.Add(1)
	c = begun
	defer func() {
		if err != nil { // c is nil then
			err = errors.Join(err, begun.Close())
		}
	}()
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(c.dir, "config.json"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	var posture specs.Spec
	if err := json.Unmarshal([]byte(config), &posture); err != nil {
		return nil, err
	}
	if r := posture.Linux.Resources; b.cgroups != nil && r != nil {
		if c.group, err = b.cgroups.make(cgroup.Prefix(b.dir)+id, *r.Memory.Limit); err != nil {
			return nil, err
		}
	}
	var theirs []*os.File
	defer func() { closeAll(theirs...) }()
	for _, ours := range []**os.File{&c.stdin, &c.stdout, &c.stderr, &c.job, &c.report, &c.artifacts} {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if ours == &c.stdin || ours == &c.job {
			theirs, *ours = append(theirs, r), w
		} else {
			theirs, *ours = append(theirs, w), r
		}
	}
	witness, socket, err := socketPair()
	if err != nil {
		return nil, err
	}
	c.witness, theirs = witness, append(theirs, socket)
	flags := overlayFlags(b.runscFlags(), posture)
	if hasWayOut(posture) {
		socket, err := c.open()
		if err != nil {
			return nil, err
		}
		theirs, flags = append(theirs, socket), wayOutFlags(flags, b)
	}
	return c, c.launch(flags, theirs)
}

func (c *box) launch(flags []string, files []*os.File) error {
	args := append(flags, "--log="+filepath.Join(c.dir, "log"), "--log-format=json", "run", "--bundle="+c.dir)
	for i, fd := range []int{frame.JobFD, frame.ReportFD, frame.ArtifactFD} {
		args = append(args, "--pass-fd="+strconv.Itoa(3+i)+":"+strconv.Itoa(fd))
	}
	cmd := exec.Command(c.b.opts.Runsc, append(args, c.id)...)
	// Nothing of the caller's. The heaps of runsc's own processes are small: a
	// collector that runs while they start takes more time than it saves memory.
	cmd.Env = []string{"GOGC=400"}
	cmd.Dir = c.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = files[0], files[1], files[2], files[3:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	started := make(chan error)
	go func() {
		// The parent death signal is sent when the starting thread ends, so
		// this thread must not end before the process does.
		runtime.LockOSThread()
		if err := c.group.start(cmd, c.b.own); err != nil {
			close(c.exited)
			started <- err
			return // locked: a thread that may be in a control group ends
		}
		c.pid = cmd.Process.Pid
		started <- nil
		c.exitErr = cmd.Wait()
		c.usage, _ = cmd.ProcessState.SysUsage().(*syscall.Rusage)
		close(c.exited)
		runtime.UnlockOSThread()
	}()
	return <-started
}

// ready waits until the interpreter inside waits for a job, and connects to
// the control socket.
func (c *box) ready(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { c.report.Close() })
	defer stop()
	answer, err := runner.ReadAnswer(c.report)
	if err != nil || answer != "ready" {
		return fmt.Errorf("the interpreter did not start: %.200q %v%s", answer, err, c.complaint())
	}
	if c.ctl, err = dialControl(ctx, c.b.runscRoot(), c.id); err != nil {
		return err
	}
	c.ctl.ask()
	c.sandbox, err = newMeter(filepath.Join(c.b.runscRoot(), c.id+"_sandbox:"+c.id+".state"), c.group)
	return err
}

// Healthy implements live.Box.
func (c *box) Healthy() bool {
	select {
	case <-c.exited:
		return false
	default:
		return c.sandbox.alive()
	}
}

// complaint is what runsc wrote about its own failure, and the end of what
// the interpreter wrote on its way down.
func (c *box) complaint() string {
	_ = c.kill()
	var out []string
	if data, err := os.ReadFile(filepath.Join(c.dir, "log")); err == nil {
		var entry struct {
			Msg string `json:"msg"`
		}
		if json.Unmarshal(data, &entry) == nil && entry.Msg != "" {
			out = append(out, entry.Msg)
		}
	}
	_ = unix.SetNonblock(int(c.stderr.Fd()), true)
	tail := make([]byte, 1000)
	if n, err := unix.Read(int(c.stderr.Fd()), tail); err == nil && n > 0 {
		out = append(out, strings.TrimSpace(string(tail[:n])))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, ": ")
}

// kill ends every process of the sandbox and returns when none is left.
func (c *box) kill() error {
	if c.pid != 0 {
		select {
		case <-c.exited:
		default:
			_ = unix.Kill(c.pid, unix.SIGKILL)
		}
	}
	err := killAll(c.id, proc.GoneLimit)
	if c.pid != 0 {
		<-c.exited
	}
	return err
}

// settleLimit is how long a sandbox whose program has ended may take to go by
// itself.
const settleLimit = 5 * time.Second

// Settle implements live.Box: it lets a box go whose program has ended, and
// removes it. runsc waits for its processes, which is quicker than to kill them
// and kinder to the machine.
func (c *box) Settle() error {
	select {
	case <-c.exited:
		return c.clear()
	case <-time.After(settleLimit):
		return c.Close()
	}
}

// Close implements live.Box.
func (c *box) Close() error {
	err := c.kill()
	return errors.Join(err, c.clear())
}

// clear takes away the files of a sandbox that is gone.
func (c *box) clear() error {
	c.once.Do(func() {
		closeAll(c.stdin, c.job, c.report, c.artifacts, c.witness, c.stdout, c.stderr)
		if c.tunnel != nil {
			c.tunnel.Close()
		}
		if c.ctl != nil {
			c.ctl.close()
		}
		if c.sandbox != nil {
			c.sandbox.close()
		}
		left, _ := filepath.Glob(filepath.Join(c.b.runscRoot(), "*"+c.id+"*"))
		if c.own != "" {
			left = append(left, c.own)
		}
		for _, p := range append(left, c.dir) {
			c.err = errors.Join(c.err, os.RemoveAll(p))
		}
		if c.group != nil {
			err := c.group.remove()
			if err == nil { // every process of it was in the group
				c.b.unsure.Add(-1)
			}
			c.err = errors.Join(c.err, err)
		}
	})
	return c.err
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
