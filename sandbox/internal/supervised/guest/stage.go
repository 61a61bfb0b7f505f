package main

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

// Where the supervisor puts them, and its own end of the listener's socket,
// in the step between.
const (
	stageJob = 3 + iota
	stageReport
	stageTold
	stageSocket
)

// staged is what the step between is told.
type staged struct {
	Argv      []string
	Env       []string
	Dir       string
	Guard     wire.Guard
	CPUMillis int64
}

// stageEnvironment is the step's own, not the interpreter's. With one processor of
// Go's no thread of its runtime begins while become executes: the kernel would
// refuse one, for as long as that takes, and the runtime gives up after a fifth of
// a second, with the whole process. syscall.Exec has a lock for this, and no room
// for the key.
var stageEnvironment = []string{"GOMAXPROCS=1"}

// stage is the step between supervisor and interpreter: it puts its own
// process under the limits and the filter and becomes the interpreter. It
// returns only when that failed.
func stage(arg string) error {
	runtime.LockOSThread() // the filter is this thread's; execve ends the others
	var st staged
	if err := json.Unmarshal([]byte(arg), &st); err != nil {
		return err
	}
	path, err := lookPath(st.Argv[0], st.Env)
	if err != nil {
		return err
	}
	if err := os.Chdir(st.Dir); err != nil {
		return err
	}
	// The kernel picks the run, not its supervisor, when memory runs out.
	// Where there is no such file (gVisor) there is no such choice either.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	for from, to := range map[int]int{stageJob: frame.JobFD, stageReport: frame.ReportFD, stageTold: frame.ArtifactFD} {
		if err := unix.Dup3(from, to, 0); err != nil {
			return fmt.Errorf("descriptor %d: %v", to, err)
		}
		unix.CloseOnExec(from)
	}
	if err := limit(st); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %v", err)
	}
	if dirs := st.Guard.NotStartable; len(dirs) > 0 && landlocks() {
		if err := notStartable(dirs); err != nil {
			return err
		}
	}
	var seed [24]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return err
	}
	key := nonce{binary.NativeEndian.Uint64(seed[:8]), binary.NativeEndian.Uint64(seed[8:16]), binary.NativeEndian.Uint64(seed[16:])}
	listener, err := install(st.Guard, key)
	if err != nil {
		return err
	}
	if listener >= 0 {
		if err := unix.Sendmsg(stageSocket, []byte{1}, unix.UnixRights(listener), nil, 0); err != nil {
			return fmt.Errorf("listener: %v", err)
		}
		unix.CloseOnExec(listener)
	}
	unix.CloseOnExec(stageSocket)
	st.Argv[0] = path // what the interpreter takes for its own place
	return become(path, st.Argv, st.Env, key)
}

type rlimit struct {
	resource   int
	soft, hard uint64
}

// startSeconds is more processor time than an interpreter takes to start, also
// on a busy machine beneath gVisor, which counts the time that a thread of its
// waits for a processor.
const startSeconds = 30

// limit sets the process's own limits. The engine sets most of them for the
// container too; here they hold under every engine and runtime.
func limit(st staged) error {
	// The supervisor's watch comes first and can say why. It does not count the
	// interpreter's start, which this limit must leave room for.
	seconds := uint64(st.CPUMillis/1000) + startSeconds
	set := []rlimit{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_CPU, seconds, seconds + 1},
		{unix.RLIMIT_FSIZE, st.Guard.FileBytes, st.Guard.FileBytes},
		{unix.RLIMIT_NOFILE, st.Guard.OpenFiles, st.Guard.OpenFiles},
	}
	if n := st.Guard.Tasks; n != 0 {
		set = append(set, rlimit{unix.RLIMIT_NPROC, n, n})
	}
	for _, l := range set {
		var now unix.Rlimit
		if err := unix.Prlimit(0, l.resource, nil, &now); err != nil {
			return fmt.Errorf("limit %d: %v", l.resource, err)
		}
		want := unix.Rlimit{Cur: min(l.soft, now.Max), Max: min(l.hard, now.Max)}
		if err := unix.Prlimit(0, l.resource, &want, nil); err != nil {
			return fmt.Errorf("limit %d: %v", l.resource, err)
		}
	}
	return nil
}

// lookPath finds an interpreter named without a slash in the PATH of env.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, kv := range env {
		dirs, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for dir := range strings.SplitSeq(dirs, ":") {
			if path, err := exec.LookPath(dir + "/" + name); err == nil && strings.HasPrefix(path, "/") {
				return path, nil
			}
		}
	}
	return "", errors.New("no " + name + " in this image")
}
