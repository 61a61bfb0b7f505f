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

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// guest is one running sandbox: the runsc process, our ends of its pipes and
// its place in the state directory.
type guest struct {
	id  string
	dir string // bundle and log
	b   *Backend

	stdin, job             *os.File // write ends
	report, stdout, stderr *os.File // read ends
	ctl                    *control // from ready on

	exited  chan struct{} // closed when the runsc process has been waited for
	exitErr error         // of the runsc process; read after exited
	pid     int
	once    sync.Once
}

// start starts a sandbox whose interpreter will wait for a job.
func (b *Backend) start(oci *specs.Spec) (g *guest, err error) {
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, err
	}
	id := hex.EncodeToString(name[:])
	g = &guest{id: id, dir: filepath.Join(b.dir, id), b: b, exited: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.remove())
		}
	}()
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return nil, err
	}
	config, err := json.Marshal(oci)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(g.dir, "config.json"), config, 0o600); err != nil {
		return nil, err
	}
	theirs := make([]*os.File, 5)
	defer closeAll(theirs)
	for i, ours := range []**os.File{&g.stdin, &g.stdout, &g.stderr, &g.job, &g.report} {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if i == 0 || i == 3 {
			theirs[i], *ours = r, w
		} else {
			theirs[i], *ours = w, r
		}
	}
	return g, g.launch(theirs)
}

func (g *guest) launch(files []*os.File) error {
	args := append(g.b.runscFlags(), "--log="+filepath.Join(g.dir, "log"), "--log-format=json", "run", "--bundle="+g.dir)
	for i, fd := range []int{jobFD, reportFD} {
		args = append(args, "--pass-fd="+strconv.Itoa(3+i)+":"+strconv.Itoa(fd))
	}
	cmd := exec.Command(g.b.opts.Runsc, append(args, g.id)...)
	cmd.Env = []string{} // nothing of the caller's
	cmd.Dir = g.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = files[0], files[1], files[2], files[3:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	started := make(chan error)
	go func() {
		// The parent death signal is sent when the starting thread ends, so
		// this thread must not end before the process does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			close(g.exited)
			started <- err
			return
		}
		g.pid = cmd.Process.Pid
		started <- nil
		g.exitErr = cmd.Wait()
		close(g.exited)
	}()
	return <-started
}

// ready waits until the interpreter inside waits for a job, and connects to
// the control socket.
func (g *guest) ready(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { g.report.Close() })
	defer stop()
	answer, err := readAnswer(g.report)
	if err != nil || answer != "ready" {
		return fmt.Errorf("the interpreter did not start: %v%s", err, g.complaint())
	}
	g.ctl, err = dialControl(ctx, g.b.runscRoot(), g.id)
	return err
}

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

// remove kills what is left of the sandbox and takes away its files.
func (g *guest) remove() (err error) {
	g.once.Do(func() {
		err = g.kill()
		closeAll([]*os.File{g.stdin, g.job, g.report, g.stdout, g.stderr})
		if g.ctl != nil {
			g.ctl.close()
		}
		left, _ := filepath.Glob(filepath.Join(g.b.runscRoot(), "*"+g.id+"*"))
		for _, p := range append(left, g.dir) {
			err = errors.Join(err, os.RemoveAll(p))
		}
	})
	return err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
