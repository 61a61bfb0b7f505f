package gvisor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/proc"
)

// meter measures a sandbox from outside, with or without control groups: the
// memory of everything inside is one file that the sandbox process holds, and
// what runs inside runs in that process and its children.
type meter struct {
	pid    int
	fd     int // pidfd of the process
	memory *os.File
	group  *group // nil where there is none

	// Before the program ran: the least bytes of the sandbox process itself, and
	// the processor time used.
	base int64
	idle time.Duration
}

// stateLimit bounds the wait for runsc's state file, which runsc rewrites in
// place while the sandbox starts: a reader may find it empty.
const stateLimit = 5 * time.Second

// sandboxPid reads which process a sandbox is from runsc's state file.
func sandboxPid(stateFile string) (int, error) {
	for deadline := time.Now().Add(stateLimit); ; time.Sleep(time.Millisecond) {
		data, err := os.ReadFile(stateFile)
		if err != nil {
			return 0, err
		}
		var state struct {
			Sandbox struct {
				Pid int `json:"pid"`
			} `json:"sandbox"`
		}
		err = json.Unmarshal(data, &state)
		if err == nil && state.Sandbox.Pid > 0 {
			return state.Sandbox.Pid, nil
		}
		if time.Now().After(deadline) {
			return 0, fmt.Errorf("state of the sandbox: %v, process %d", err, state.Sandbox.Pid)
		}
	}
}

// newMeter returns a meter of the sandbox with this state file.
func newMeter(stateFile string, group *group) (*meter, error) {
	pid, err := sandboxPid(stateFile)
	if err != nil {
		return nil, err
	}
	m := &meter{pid: pid, group: group}
	if m.fd, err = unix.PidfdOpen(m.pid, 0); err != nil {
		return nil, fmt.Errorf("sandbox process: %w", err)
	}
	if m.memory, err = m.memoryFile(); err != nil {
		_ = unix.Close(m.fd)
		return nil, err
	}
	m.base, m.idle = m.own(), m.total()
	return m, nil
}

// memoryFile opens the file that backs all memory inside the sandbox. It is
// open for its size alone; an open file does not keep its pages.
func (m *meter) memoryFile() (*os.File, error) {
	dir := m.proc("fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		if to, err := os.Readlink(p); err == nil && strings.HasPrefix(to, "/memfd:runsc-memory") {
			fd, err := unix.Open(p, unix.O_PATH|unix.O_CLOEXEC, 0)
			if err != nil {
				return nil, err
			}
			return os.NewFile(uintptr(fd), to), nil
		}
	}
	return nil, fmt.Errorf("sandbox process %d has no memory file", m.pid)
}

// rested takes note that the sandbox process has given memory back while it
// waited: a program must not have that on top of its limit.
func (m *meter) rested() { m.base = min(m.base, m.own()) }

func (m *meter) proc(name string) string { return "/proc/" + strconv.Itoa(m.pid) + "/" + name }

func (m *meter) close() {
	_ = unix.Close(m.fd)
	_ = m.memory.Close()
}

func (m *meter) alive() bool { return unix.PidfdSendSignal(m.fd, 0, nil, 0) == nil }

// used is the memory that the program takes: what is allocated inside, and
// what the sandbox process grew by on its behalf.
func (m *meter) used() int64 {
	var st unix.Stat_t
	if err := unix.Fstat(int(m.memory.Fd()), &st); err != nil {
		return 0
	}
	return st.Blocks*512 + max(m.own()-m.base, 0)
}

// own is the private memory of the sandbox process.
func (m *meter) own() int64 {
	data, err := os.ReadFile(m.proc("statm"))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(data))
	if len(f) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(f[1], 10, 64)
	shared, _ := strconv.ParseInt(f[2], 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}

// cpu is the processor time that the program has used so far.
func (m *meter) cpu() time.Duration { return m.total() - m.idle }

// total is the processor time of the whole sandbox.
func (m *meter) total() time.Duration {
	if m.group != nil {
		if used, ok := m.group.cpu(); ok {
			return used
		}
	}
	var total time.Duration
	seen := map[int]bool{}
	for todo := []int{m.pid}; len(todo) > 0; {
		pid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		s, err := proc.Of(strconv.Itoa(pid))
		if err != nil {
			continue
		}
		total += s.CPU
		todo = append(todo, children(pid)...)
	}
	return total
}

func children(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(f); err == nil {
				pids = append(pids, n)
			}
		}
	}
	slices.Sort(pids)
	return pids
}
