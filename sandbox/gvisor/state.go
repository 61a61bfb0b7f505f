package gvisor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/cgroup"
	"sallyport/sandbox/instance"
)

// The state directory of all backends of a user:
//
//	lock                 see package instance
//	root-HASH/           the root file system, shared, read-only
//	interpreters.json    what the interpreters told about themselves
//	live-XXXX/           one instance; its lock file is held while it lives
//	live-XXXX/cgroups    where its control groups are
//	live-XXXX/runsc/     runsc's own state
//	live-XXXX/ID/        one sandbox: its OCI bundle and log

// goneLimit bounds the wait for killed processes to be gone.
const goneLimit = 10 * time.Second

// destroy ends everything that belongs to an instance and removes it.
func destroy(dir string) error {
	err := killAll(dir, goneLimit)
	return errors.Join(err, instance.Unmount(dir), cgroup.RemoveAll(dir), os.RemoveAll(dir))
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
	_, start, state, err := procStat(p.pid)
	return err == nil && start == p.start && state != "Z" && state != "X"
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
		ppid, start, _, err := procStat(pid)
		if err != nil {
			continue
		}
		p := process{pid: pid, start: start}
		parents[pid], all[pid] = ppid, p
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

// procStat reads parent, start time and state of a process.
func procStat(pid int) (ppid int, start, state string, err error) {
	f, err := procFields(pid)
	if err != nil {
		return 0, "", "", err
	}
	ppid, err = strconv.Atoi(f[1])
	return ppid, f[19], f[0], err
}

// procFields are the fields of a process's stat file from its state on.
func procFields(pid int) ([]string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The name, in parentheses, may hold anything: count from its end.
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 20 {
		return nil, unix.ESRCH
	}
	return f, nil
}
