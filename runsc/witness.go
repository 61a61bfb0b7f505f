package main

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/context"
	"gvisor.dev/gvisor/pkg/fd"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/seccheck"
	pb "gvisor.dev/gvisor/pkg/sentry/seccheck/points/points_go_proto"
)

// extend adds to gVisor what is sallyport's own.
func extend() {
	seccheck.RegisterSink(seccheck.SinkDesc{Name: "sallyport", Setup: donated("witness"), New: newWitness})
	seccheck.RegisterSink(seccheck.SinkDesc{Name: "sallyport-egress", Setup: donated("egress"), New: newForwarder})
	tmpfsAllowedData = append(tmpfsAllowedData, "nr_inodes")
	hasten()
}

// witness is a part of the kernel that a program runs on. It tells the host
// over a socket, of which the program knows nothing, which system calls were
// refused, and brings out the files of a program that could not do so itself.
//
// It also takes in, over the same socket, files by reference. What it sends are
// the frames that package evidence reads: a tag byte, a 32 bit big-endian length
// and a value.
type witness struct {
	seccheck.SinkDefaults
	pipe      *fd.FD // a socket, over which files come in
	dir       string // the program's directory
	report    int32  // descriptor that the runner closes before the program
	kernel    atomic.Pointer[kernel.Kernel]
	begin     sync.Once
	given     map[string]fileState // files that the program was given, by their paths; set in begin
	scratch   []string             // directories with a limit of their own
	told      sync.Map             // details of refused system calls
	held      sync.Map             // limits that were told
	left      atomic.Int32
	end       sync.Once
	going     sync.Mutex
	receiving sync.Mutex               // serialises what comes in
	gone      map[kernel.ThreadID]bool // of the program's threads those on their way out
	mu        sync.Mutex               // serialises fields
}

// maxTold bounds what is told of refused system calls.
const maxTold = 32

// donated is a Setup, which runs in the process that starts the sandbox: the
// pipe or socket of a sink is a descriptor of it.
func donated(name string) func(config map[string]any) (*os.File, error) {
	return func(config map[string]any) (*os.File, error) {
		n, ok := config["fd"].(float64)
		if !ok {
			return nil, errors.New("no descriptor")
		}
		return os.NewFile(uintptr(n), name), nil
	}
}

// newWitness runs in the sandbox process.
func newWitness(config map[string]any, pipe *fd.FD) (seccheck.Sink, error) {
	dir, _ := config["dir"].(string)
	report, ok := config["report"].(float64)
	if pipe == nil || dir == "" || !ok {
		return nil, errors.New("no pipe, directory or descriptor")
	}
	w := &witness{pipe: pipe, dir: dir, report: int32(report), gone: map[kernel.ThreadID]bool{}}
	scratch, _ := config["scratch"].([]any)
	for _, dir := range scratch {
		if dir, ok := dir.(string); ok {
			w.scratch = append(w.scratch, dir)
		}
	}
	w.left.Store(maxTold)
	// A refused system call is nowhere to be seen but in the debug log. Nothing
	// of that is formatted or written here.
	previous := log.Log()
	log.SetTarget(&refusals{w: w, next: previous.Emitter, level: previous.Level})
	log.SetLevel(log.Debug)
	return w, nil
}

func (*witness) Name() string                { return "sallyport" }
func (*witness) Status() seccheck.SinkStatus { return seccheck.SinkStatus{} }
func (*witness) Stop()                       {}

// RawSyscall gets to know the kernel from one system call that every process
// starts with, and sees where there was no room for a process, a thread or an
// open file more. One other call the runner makes when the program's files are there, and with
// one the program ends: its status is settled then, and its other threads have
// been told to go.
func (w *witness) RawSyscall(ctx context.Context, _ seccheck.FieldSet, call *pb.Syscall) error {
	if k := kernel.KernelFromContext(ctx); k != nil && w.kernel.CompareAndSwap(nil, k) {
		time.AfterFunc(firstTick, func() { tick(k) })
	}
	w.limit(call)
	t := kernel.TaskFromContext(ctx)
	if t == nil || !isInit(t) {
		return nil
	}
	switch call.GetSysno() {
	case unix.SYS_GETPRIORITY:
		w.begins(t)
	case unix.SYS_EXIT_GROUP:
		w.over(t)
	}
	return nil
}

// limit tells the host, once, that a limit of the kernel's held.
func (w *witness) limit(call *pb.Syscall) {
	held := ""
	switch opens := call.GetSysno() == unix.SYS_OPENAT; unix.Errno(call.GetExit().GetErrorno()) {
	case unix.EAGAIN:
		if opens {
			return // a lease, or what else of the kind there may be
		}
		held = "pids"
	case unix.EMFILE:
		held = "files"
	default:
		return
	}
	if _, twice := w.held.LoadOrStore(held, true); !twice {
		_ = w.send('l', []byte(held))
	}
}

// TaskExit sees each thread go, while it still has its files. With the last one
// it tells how the program ended: taking down all that the program held takes
// the kernel longer than many programs run, and the host need not wait for it.
func (w *witness) TaskExit(ctx context.Context, _ seccheck.FieldSet, _ *pb.TaskExit) error {
	if t := kernel.TaskFromContext(ctx); t != nil && isInit(t) && w.last(t) {
		w.over(t)
	}
	return nil
}

// begins puts files by reference in their places and takes note of all that the
// runner has put there.
func (w *witness) begins(t *kernel.Task) {
	file, _ := t.FDTable().Get(w.report)
	if file == nil {
		return // the program has begun, and asks for itself
	}
	file.DecRef(t)
	w.receive(t)
	w.begin.Do(func() {
		w.given = take(w, t)
		begin()
	})
}

// isInit reports whether t is a thread of the program itself, not of a process
// that it started.
func isInit(t *kernel.Task) bool { return t.ThreadGroup().IsInitIn(t.PIDNamespace()) }

// over tells the host, once, how the program ended.
func (w *witness) over(t *kernel.Task) {
	w.end.Do(func() {
		status := t.ThreadGroup().ExitStatus()
		if status != 0 {
			w.full(t)
		}
		w.begin.Do(func() {}) // too late
		collect(w, t)
		_ = w.send('x', binary.BigEndian.AppendUint32(nil, uint32(status)))
	})
}

// last reports whether t is the last thread of its process to go.
func (w *witness) last(t *kernel.Task) bool {
	w.going.Lock()
	defer w.going.Unlock()
	ns := t.PIDNamespace()
	w.gone[ns.IDOfTask(t)] = true
	still, all := map[kernel.ThreadID]bool{}, true
	for _, id := range t.ThreadGroup().MemberIDs(ns) {
		if w.gone[id] {
			still[id] = true
		} else {
			all = false
		}
	}
	w.gone = still // numbers are used again
	return all
}

// send writes one field.
func (w *witness) send(tag byte, value []byte) error {
	head := [5]byte{tag}
	binary.BigEndian.PutUint32(head[1:], uint32(len(value)))
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(append(head[:], value...))
}

func (w *witness) write(data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(w.pipe.FD(), data)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// refused tells the host, once, that a system call was refused.
func (w *witness) refused(prefix string, sysno uintptr) {
	call, ok := telling[sysno]
	if !ok {
		return
	}
	detail := call.name
	if sysno == unix.SYS_SOCKET {
		family := w.firstArgument(prefix)
		if family == unix.AF_UNIX {
			return // how the C library looks for a daemon; it leads nowhere
		}
		if name := familyName(family); name != "" {
			detail = "socket(" + name + ")"
		}
	}
	if _, twice := w.told.LoadOrStore(detail, true); !twice && w.left.Add(-1) >= 0 {
		_ = w.send('v', []byte(call.capability+" "+detail))
	}
}

// firstArgument is that of the system call of the thread which the log's
// prefix names, "[ PID: TID] ".
func (w *witness) firstArgument(prefix string) int {
	_, id, _ := strings.Cut(strings.TrimRight(prefix, "] "), ":")
	tid, err := strconv.Atoi(strings.TrimSpace(id))
	k := w.kernel.Load()
	if err != nil || k == nil {
		return -1
	}
	t := k.TaskSet().Root.TaskWithID(kernel.ThreadID(tid))
	if t == nil {
		return -1
	}
	return int(t.Arch().SyscallArgs()[0].Int())
}

// familyName names a family of sockets, "" for one that nobody asks for by
// mistake: a number would be the program's to choose.
func familyName(family int) string {
	return map[int]string{unix.AF_INET: "AF_INET", unix.AF_INET6: "AF_INET6", unix.AF_NETLINK: "AF_NETLINK", unix.AF_PACKET: "AF_PACKET", unix.AF_VSOCK: "AF_VSOCK"}[family]
}

// refusals stands before the log.
type refusals struct {
	w     *witness
	next  log.Emitter
	level log.Level // of the log without us
}

const refusal = "Syscall %d: denied by seccomp"

// Emit implements log.Emitter.
func (r *refusals) Emit(depth int, level log.Level, at time.Time, format string, v ...any) {
	if level == log.Debug {
		if prefix, found := strings.CutSuffix(format, refusal); found && len(v) == 1 {
			if sysno, ok := v[0].(uintptr); ok {
				r.w.refused(prefix, sysno)
			}
		}
	}
	if level <= r.level {
		r.next.Emit(depth+1, level, at, format, v...)
	}
}
