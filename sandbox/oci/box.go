package oci

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
)

// box is one container: its bundle, our ends of its pipes and its first
// process.
type box struct {
	*supervised.Conversation // nil before converse

	b   *Backend
	id  string
	dir string // the bundle

	stdin, stdout, stderr *os.File // our ends
	complaint             supervised.Complaint
	hearing               sync.WaitGroup

	pid   int
	pidfd int // -1 before it runs
	group cgroup.Group

	once sync.Once
	err  error // of Close
}

// start makes a container and starts its first process, which waits for what
// it is told.
func (b *Backend) start(ctx context.Context, in rootfs.Interpreter, spec *specs.Spec) (c *box, err error) {
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, err
	}
	id := cgroup.Prefix(b.dir) + hex.EncodeToString(name[:])
	begun := &box{b: b, id: id, dir: filepath.Join(b.dir, id), pidfd: -1}
	defer func() {
		if err != nil { // c is nil then
			err = errors.Join(err, begun.Close())
		}
	}()
	if in, err = b.roots.Furnish(in, spec.Mounts); err != nil {
		return nil, err
	}
	spec.Root.Path = in.Root
	notBelowFiles(spec.Mounts)
	if spec.Linux.Resources != nil {
		// Below this process's own group or, as the runtime sees fit, beside it.
		spec.Linux.CgroupsPath = id
	}
	config, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.Mkdir(begun.dir, 0o700), os.WriteFile(filepath.Join(begun.dir, "config.json"), config, 0o600)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, live.StartLimit)
	defer cancel()
	if err := begun.launch(ctx); err != nil {
		return nil, err
	}
	return begun, begun.measured(spec)
}

// notBelowFiles makes mounts of files read-only as such: nothing is below them,
// and crun takes what is asked for with all below as a directory.
func notBelowFiles(mounts []specs.Mount) {
	for i, m := range mounts {
		if info, err := os.Stat(m.Source); m.Type == "bind" && err == nil && !info.IsDir() {
			mounts[i].Options = slices.Clone(m.Options)
			for j, o := range m.Options {
				if o == everywhere {
					mounts[i].Options[j] = "ro"
				}
			}
		}
	}
}

// launch has the runtime start the container.
func (c *box) launch(ctx context.Context) error {
	var theirs []*os.File
	defer func() { closeAll(theirs...) }()
	for _, ours := range []**os.File{&c.stdin, &c.stdout, &c.stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		if ours == &c.stdin {
			theirs, *ours = append(theirs, r), w
		} else {
			theirs, *ours = append(theirs, w), r
		}
	}
	c.hearing.Go(func() { _, _ = io.Copy(&c.complaint, c.stderr) })
	pidFile := filepath.Join(c.dir, "pid")
	err := c.b.rt.run(ctx, theirs, "run", "--detach", "--pid-file", pidFile, "--bundle", c.dir, c.id)
	closeAll(theirs...)
	theirs = nil
	if err != nil {
		c.hearOut()
		return fmt.Errorf("%s: %v: %s", c.b.rt.name, err, c.complaint.FirstLine())
	}
	data, err := os.ReadFile(pidFile)
	if err != nil {
		return err
	}
	if c.pid, err = strconv.Atoi(strings.TrimSpace(string(data))); err != nil {
		return err
	}
	if c.pidfd, err = unix.PidfdOpen(c.pid, 0); err != nil {
		return fmt.Errorf("the first process of a container: %w", err)
	}
	return nil
}

// hearOut lets go of a supervisor, which then ends if it is there at all, and
// takes in the rest of what is said on stderr. A process that a runtime which
// was killed has left half-way may hold that open: it is not waited for.
func (c *box) hearOut() {
	closeAll(c.stdin, c.stdout)
	_ = c.stderr.SetReadDeadline(time.Now().Add(time.Second))
	c.hearing.Wait()
}

// measured finds the container's control group, and refuses to go on with one
// that was asked for a limit and does not have it.
func (c *box) measured(spec *specs.Spec) (err error) {
	r := spec.Linux.Resources
	if r == nil {
		return nil
	}
	if c.group, err = cgroup.Of(c.pid); err != nil {
		return err
	}
	memory, pids, cpu := c.group.Limits()
	check := func(what, got string, asked int64) {
		if asked != 0 && got != strconv.FormatInt(asked, 10) {
			err = errors.Join(err, fmt.Errorf("%s took the limit of %s and did not set it: its control group says %q", c.b.rt.name, what, got))
		}
	}
	if r.Memory != nil && r.Memory.Limit != nil {
		check("memory", memory, *r.Memory.Limit)
	}
	if r.Pids != nil {
		check("processes", pids, r.Pids.Limit)
	}
	if r.CPU != nil && r.CPU.Quota != nil {
		check("processors", cpu, *r.CPU.Quota)
	}
	return err
}

// link is what the supervisor hears and says.
type link struct {
	io.Reader
	io.Writer
	c *box
}

func (l link) Close() error { return errors.Join(l.c.stdin.Close(), l.c.stdout.Close()) }

// converse begins to talk to the supervisor.
func (c *box) converse(in rootfs.Interpreter, s sandbox.Spec) {
	o := supervised.Options{Limits: s.Limits, Backend: c.b.Describe(), SHA256: in.SHA256, Complaint: &c.complaint, Egress: s.Egress != nil}
	if in.Version != "" {
		o.Interpreter = wire.Interpreter{Path: in.Executable, Version: in.Version}
	}
	if c.b.posture.Cgroup {
		o.Counts = c.group.Counts
	}
	c.Conversation = supervised.Open(link{c.stdout, c.stdin, c}, c, o)
}

// Kill implements supervised.Sandbox. What cannot be killed is not lost: Close
// says so.
func (c *box) Kill(ctx context.Context) {
	if c.pidfd < 0 || c.gone(0) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), proc.GoneLimit)
	defer cancel()
	if err := c.b.rt.run(ctx, nil, "kill", c.id, "KILL"); err != nil {
		_ = unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	}
}

// OutOfMemory implements supervised.Sandbox.
func (c *box) OutOfMemory(context.Context) bool {
	kills, _ := c.group.Counts()
	return kills > 0
}

// Lost implements supervised.Sandbox: there is nobody between.
func (c *box) Lost(context.Context) error { return nil }

// gone waits until the first process, and with it every other, has ended. It
// reports false if that takes longer.
func (c *box) gone(wait time.Duration) bool {
	for deadline := time.Now().Add(wait); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}}, int(max(time.Until(deadline).Milliseconds(), 0)))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && n > 0
	}
}

// Healthy implements live.Box.
func (c *box) Healthy() bool { return !c.Ended() }

// Settle implements live.Box.
func (c *box) Settle() error { return c.Close() }

// Close implements live.Box: it takes away what was made for the container, too.
func (c *box) Close() error {
	c.once.Do(func() { c.err = c.clear() })
	return c.err
}

func (c *box) clear() error {
	var errs []error
	c.Kill(context.Background())
	if c.pidfd >= 0 {
		if !c.gone(proc.GoneLimit) {
			errs = append(errs, fmt.Errorf("container %s would not die", c.id))
		}
		// An orphan is its reaper's, and that may be this very process. Anybody
		// else's child it is not for us to wait for, and this fails.
		_, _ = unix.Wait4(c.pid, nil, unix.WNOHANG, nil)
		_ = unix.Close(c.pidfd)
	}
	if _, err := os.Stat(filepath.Join(c.b.rt.root, c.id)); err == nil {
		errs = append(errs, c.b.rt.remove(c.id))
	}
	errs = append(errs, cgroup.RemoveOne(c.b.dir, c.id)) // a runtime that was killed leaves it
	if c.Conversation != nil {
		c.Conversation.Close()
	}
	c.hearOut()
	closeAll(c.stderr)
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
