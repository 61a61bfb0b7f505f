package gvisor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/internal/instance"
	"sallyport/sandbox/internal/proc"
)

// The state directory of all backends of a user:
//
//	lock                 see package instance
//	root-HASH/           the root file system, shared, read-only
//	image-HASH.erofs     an interpreter with all that it needs, shared, read-only
//	interpreters.json    what the interpreters told about themselves
//	live-XXXX/           one instance; its lock file is held while it lives
//	live-XXXX/cgroups    where its control groups are
//	live-XXXX/runsc/     runsc's own state
//	live-XXXX/ID/        one sandbox: its OCI bundle and log

// destroy ends everything that belongs to an instance and removes it.
func destroy(dir string) error {
	return errors.Join(killAll(dir, proc.GoneLimit), clearAway(dir))
}

// clearAway removes what an instance has made whose processes are gone.
func clearAway(dir string) error {
	return errors.Join(cgroup.RemoveAll(dir), instance.Remove(dir))
}

// killAll kills every process that carries mark in its arguments, with all
// its descendants, and waits until none is left. Mark is a path or an
// identifier that nothing else has: an instance's directory, a sandbox's name.
func killAll(mark string, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	doomed := map[process]bool{}
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		for p := range marked(mark) {
			doomed[p] = true
		}
		left := 0
		for p := range doomed {
			if !p.alive() {
				delete(doomed, p)
				continue
			}
			left++
			if err := unix.Kill(p.pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("killing process %d of a sandbox: %w", p.pid, err)
			}
		}
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes of a sandbox would not die", left)
		}
		time.Sleep(wait)
	}
}

// process is one process for certain: a number is used again, a number and a
// start time are not.
type process struct {
	pid   int
	start string
}

func (p process) alive() bool {
	s, err := proc.Of(strconv.Itoa(p.pid))
	return err == nil && s.Start == p.start && s.State != "Z" && s.State != "X"
}

// marked returns the processes that carry mark, and their descendants.
func marked(mark string) map[process]bool {
	found, parents, all := map[process]bool{}, map[int]int{}, map[int]process{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	self := os.Getpid()
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == self {
			continue
		}
		s, err := proc.Of(e.Name())
		if err != nil {
			continue
		}
		p := process{pid: pid, start: s.Start}
		parents[pid], all[pid] = s.Parent, p
		if args, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); err == nil && bytes.Contains(args, []byte(mark)) {
			found[p] = runscArgs(args)
		}
	}
	for p, ours := range found {
		if !ours {
			delete(found, p)
		}
	}
	for pid, p := range all {
		for up := parents[pid]; up > 1; up = parents[up] {
			if found[all[up]] {
				found[p] = true
				break
			}
		}
	}
	return found
}

// runscArgs tells runsc's own processes from one that merely mentions the
// mark, such as an editor or a grep.
func runscArgs(cmdline []byte) bool {
	for _, a := range bytes.Split(cmdline, []byte{0}) {
		if bytes.HasPrefix(a, []byte("--root=")) {
			return true
		}
	}
	return false
}
