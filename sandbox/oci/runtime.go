package oci

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/internal/hint"
	"sallyport/sandbox/internal/supervised"
)

// answerLimit is for a runtime that is asked about itself.
const answerLimit = 10 * time.Second

// searchPath is where a runtime finds its own helpers (newuidmap).
const searchPath = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"

// asDocker is what to do with a runtime that has no command line of its own.
const asDocker = "name it as sandbox.engine.runtime of the backend docker (Docker Engine 23 or newer starts containerd's shims), or name runc or crun here"

// examine asks a runtime what it is: its name and version. One that cannot run
// a bundle by itself is refused.
func examine(path string) (name, version string, err error) {
	fix := "name one, such as runc or crun, as sandbox.runtime (apt-get install runc)"
	if path == "" {
		return "", "", hint.New(nil, fix, "no OCI runtime is configured")
	}
	if !filepath.IsAbs(path) {
		return "", "", hint.New(nil, fix, "the OCI runtime %q is not an absolute path", path)
	}
	if strings.HasPrefix(filepath.Base(path), "containerd-shim-") {
		return "", "", hint.New(nil, asDocker, "%s is a shim of containerd and runs nothing by itself", path)
	}
	said, err := ask(path, "--version")
	if err != nil {
		return "", "", hint.New(err, fix, "%s does not say its version", path)
	}
	line, _, _ := strings.Cut(said, "\n")
	name, version, ok := strings.Cut(line, " version ")
	if !ok {
		name, version, _ = strings.Cut(line, " ") // youki 0.3.3, kata-runtime  : 3.2.0
		version = strings.TrimLeft(version, " :")
	}
	if name = strings.TrimSpace(name); name == "" {
		return "", "", hint.New(nil, fix, "%s is no OCI runtime: asked for its version, it says %.100q", path, line)
	}
	if name == "runsc" {
		return "", "", hint.New(nil, "use --backend gvisor, and sandbox.runsc for one of your own", "%s is gVisor, which has a backend of its own", path)
	}
	if help, err := ask(path, "run", "--help"); err != nil || !strings.Contains(help, "bundle") {
		return "", "", hint.New(err, asDocker, "%s (%s %s) has no command that runs a bundle, as the runtimes of Kata Containers since version 2", path, name, version)
	}
	return name, strings.TrimSpace(version), nil
}

// runtime is an OCI runtime and the directory that it keeps its state in.
type runtime struct {
	path, name, version string

	root string
	hide string // a mount point that it must not see, "" for none
}

// run runs a command of the runtime with the given standard files, and returns
// when it has ended.
func (r runtime) run(ctx context.Context, files []*os.File, args ...string) error {
	cmd := exec.CommandContext(ctx, r.path, append([]string{"--root", r.root}, args...)...)
	cmd.Env, cmd.Dir = []string{searchPath}, "/"
	var said bytes.Buffer
	if files == nil {
		cmd.Stderr = &said
	} else {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	}
	// Not in our process group: an interrupt of the terminal is for us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	if err := r.onThread(cmd.Run); err != nil {
		return fmt.Errorf("%s: %w %s", args[0], err, supervised.FirstLine(said.Bytes()))
	}
	return nil
}

// onThread calls f, which starts a command and waits for it, on a thread that
// does not end before: the parent death signal is sent when it does.
func (r runtime) onThread(f func() error) error {
	if r.hide == "" {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		return f()
	}
	done := make(chan error, 1)
	go func() {
		goruntime.LockOSThread() // with mounts of its own it is good for nothing else
		if unix.Gettid() != os.Getpid() {
			err := r.conceal()
			if err == nil {
				err = f()
			}
			done <- err
			return
		}
		// The first thread never ends, and /proc/self shows its mounts: while it
		// is held here, another one does it.
		done <- r.onThread(f)
		goruntime.UnlockOSThread()
	}()
	return <-done
}

// conceal gives the calling thread, and what it starts, mounts of its own in
// which the one to hide is not.
func (r runtime) conceal() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Unmount(r.hide, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("hiding %s: %w", r.hide, err)
	}
	return nil
}

// ask runs a runtime for what it says.
func ask(path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Dir = []string{searchPath}, "/"
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%v %s", err, supervised.FirstLine(stderr.Bytes()))
	}
	return string(out), nil
}
