package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

// The system call filter of the interpreter and everything below it. It is
// stacked on the engine's own profile: the kernel takes the stricter answer.
//
// A filter that refuses execve has to let one execve through, that of the
// interpreter. execve uses three of the six argument registers; the filter
// lets it pass when the other three hold a random number that only the process
// knows which is about to be replaced by the interpreter. Nothing of it is in
// memory afterwards, and an unprivileged process cannot read a filter back.

// nonce is the key of the one permitted execve.
type nonce [3]uint64

// refused are the system calls that no run may make, by what they would be
// used for. Where a capability is "kernel", no capability of a policy stands
// for it: it is the kernel's attack surface or a way around the other rules
// (io_uring opens sockets without the socket call).
func refused() []refusal {
	return []refusal{
		{"network", map[uint32]string{
			unix.SYS_SOCKET: "socket", unix.SYS_CONNECT: "connect", unix.SYS_BIND: "bind",
			unix.SYS_LISTEN: "listen", unix.SYS_ACCEPT: "accept", unix.SYS_ACCEPT4: "accept4",
		}},
		{"kernel", map[uint32]string{
			unix.SYS_PTRACE: "ptrace", unix.SYS_PROCESS_VM_READV: "process_vm_readv", unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev",
			unix.SYS_PIDFD_GETFD: "pidfd_getfd", unix.SYS_KCMP: "kcmp", unix.SYS_PROCESS_MADVISE: "process_madvise",
			unix.SYS_IO_URING_SETUP: "io_uring_setup", unix.SYS_IO_URING_ENTER: "io_uring_enter", unix.SYS_IO_URING_REGISTER: "io_uring_register",
			unix.SYS_KEYCTL: "keyctl", unix.SYS_ADD_KEY: "add_key", unix.SYS_REQUEST_KEY: "request_key",
			unix.SYS_BPF: "bpf", unix.SYS_PERF_EVENT_OPEN: "perf_event_open", unix.SYS_USERFAULTFD: "userfaultfd",
			unix.SYS_MOUNT: "mount", unix.SYS_UMOUNT2: "umount2", unix.SYS_PIVOT_ROOT: "pivot_root", unix.SYS_CHROOT: "chroot",
			unix.SYS_FSOPEN: "fsopen", unix.SYS_FSCONFIG: "fsconfig", unix.SYS_FSMOUNT: "fsmount", unix.SYS_FSPICK: "fspick",
			unix.SYS_MOVE_MOUNT: "move_mount", unix.SYS_OPEN_TREE: "open_tree", unix.SYS_MOUNT_SETATTR: "mount_setattr",
			unix.SYS_UNSHARE: "unshare", unix.SYS_SETNS: "setns",
			unix.SYS_NAME_TO_HANDLE_AT: "name_to_handle_at", unix.SYS_OPEN_BY_HANDLE_AT: "open_by_handle_at",
			unix.SYS_INIT_MODULE: "init_module", unix.SYS_FINIT_MODULE: "finit_module", unix.SYS_DELETE_MODULE: "delete_module",
			unix.SYS_KEXEC_LOAD: "kexec_load", unix.SYS_REBOOT: "reboot", unix.SYS_SWAPON: "swapon", unix.SYS_SWAPOFF: "swapoff",
			unix.SYS_SETHOSTNAME: "sethostname", unix.SYS_SETDOMAINNAME: "setdomainname", unix.SYS_SYSLOG: "syslog",
			unix.SYS_SETTIMEOFDAY: "settimeofday", unix.SYS_CLOCK_SETTIME: "clock_settime", unix.SYS_ADJTIMEX: "adjtimex",
			unix.SYS_ACCT: "acct", unix.SYS_QUOTACTL: "quotactl", unix.SYS_VHANGUP: "vhangup",
			unix.SYS_FANOTIFY_INIT: "fanotify_init", unix.SYS_LOOKUP_DCOOKIE: "lookup_dcookie",
		}},
		{"process", map[uint32]string{
			unix.SYS_EXECVE: "execve", unix.SYS_EXECVEAT: "execveat", unix.SYS_CLONE: "clone",
		}},
	}
}

type refusal struct {
	capability string
	calls      map[uint32]string
}

// aimed are the calls whose first argument is a process or thread to do
// something to. The supervisor has the lower numbers; for the program there
// is nobody there.
func aimed() []uint32 {
	return []uint32{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_PIDFD_OPEN, unix.SYS_PRLIMIT64,
		unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	}
}

// ranking are the calls whose second argument is who gets another rank, where the
// first says that this is a process or thread.
func ranking() []rank {
	const prioProcess, ioprioProcess = 0, 1
	return []rank{{unix.SYS_SETPRIORITY, prioProcess}, {unix.SYS_IOPRIO_SET, ioprioProcess}}
}

type rank struct{ call, process uint32 }

// owning are the calls, and what asks them to by the second argument, that name
// who gets the signals of a file: a way to send one. No program needs it.
func owning() []owner {
	const fiosetown, siocspgrp = 0x8901, 0x8902
	return []owner{
		{unix.SYS_FCNTL, unix.F_SETOWN, unix.F_SETOWN_EX},
		{unix.SYS_IOCTL, fiosetown, siocspgrp},
	}
}

type owner struct{ call, set, setToo uint32 }

// kept has no call close the descriptor over which hooks tell what the program does, or
// put another in its place: for the program there is nothing.
func kept(f []unix.SockFilter) []unix.SockFilter {
	is := func(arg uint32) []unix.SockFilter {
		return []unix.SockFilter{
			load(offArgs + 8*arg),
			jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, frame.ArtifactFD, 0, 1),
			ret(retEBADF),
			ret(retAllow),
		}
	}
	for _, nr := range []uint32{unix.SYS_CLOSE, unix.SYS_SHUTDOWN} {
		f = on(f, nr, is(0)...)
	}
	for _, nr := range duplicates() {
		f = on(f, nr, is(1)...)
	}
	return on(f, unix.SYS_CLOSE_RANGE, // but where it only has them closed for others
		load(offArgs+16),
		jump(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, unix.CLOSE_RANGE_CLOEXEC, 5, 0),
		load(offArgs),
		jump(unix.BPF_JMP|unix.BPF_JGT|unix.BPF_K, frame.ArtifactFD, 3, 0),
		load(offArgs+8),
		jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, frame.ArtifactFD, 0, 1),
		ret(retEBADF),
		ret(retAllow))
}

// namespaces are the clone flags that make one; never permitted.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

const (
	retAllow  = unix.SECCOMP_RET_ALLOW
	retEPERM  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	retEBADF  = unix.SECCOMP_RET_ERRNO | uint32(unix.EBADF)
	retESRCH  = unix.SECCOMP_RET_ERRNO | uint32(unix.ESRCH)
	retENOSYS = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// socketType is the part of socket's second argument that is no flag.
const socketType = 0xf

// Offsets in struct seccomp_data.
const (
	offNR, offArch = 0, 4
	offArgs        = 16
)

func stmt(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jump(code uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
}

func load(off uint32) unix.SockFilter { return stmt(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, off) }

func ret(v uint32) unix.SockFilter { return stmt(unix.BPF_RET|unix.BPF_K, v) }

// on appends body for the system call nr; body must end in a return.
func on(f []unix.SockFilter, nr uint32, body ...unix.SockFilter) []unix.SockFilter {
	f = append(f, jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, nr, 0, uint8(len(body))))
	return append(f, body...)
}

// filter builds the program. deny is what a refused call gets: EPERM, or the
// listener's attention.
//
// first is the lowest process number that the program may aim at, its own. In
// gVisor a process may kill pid 1, and everywhere it may change its limits.
func filter(g wire.Guard, key nonce, first, deny uint32) []unix.SockFilter {
	f := []unix.SockFilter{
		load(offArch),
		jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, auditArch, 1, 0),
		ret(retEPERM), // another architecture's numbers mean other calls
		load(offNR),
		jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32Bit, 0, 1),
		ret(retEPERM),
	}
	// glibc falls back to clone, whose flags a filter can read.
	f = on(f, unix.SYS_CLONE3, ret(retENOSYS))
	for _, nr := range aimed() {
		f = on(f, nr, atProgram(0, first)...)
	}
	for _, r := range ranking() {
		f = on(f, r.call, append([]unix.SockFilter{
			load(offArgs),
			jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, r.process, 1, 0),
			ret(retESRCH), // groups and users have the supervisor among them
		}, atProgram(1, first)...)...)
	}
	// A directory of /proc is a pidfd to it, the supervisor's too. Programs in Go try
	// it when they start, and take another way: it is no attempt of theirs.
	f = on(f, unix.SYS_PIDFD_SEND_SIGNAL, ret(retEPERM))
	for _, o := range owning() {
		f = on(f, o.call,
			load(offArgs+8),
			jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, o.set, 1, 0),
			jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, o.setToo, 0, 1),
			ret(retESRCH),
			ret(retAllow))
	}
	f = kept(f)
	f = on(f, unix.SYS_SOCKETPAIR, // but of datagrams, of which one can send to any path
		load(offArgs),
		jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_UNIX, 0, 3),
		load(offArgs+8),
		stmt(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, socketType),
		jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.SOCK_STREAM, 1, 0),
		ret(deny),
		ret(retAllow))
	if g.AllowInet {
		f = on(f, unix.SYS_SOCKET, inet(deny)...)
		if deny == unix.SECCOMP_RET_USER_NOTIF && connects() {
			f = on(f, unix.SYS_CONNECT, ret(unix.SECCOMP_RET_USER_NOTIF))
		}
	}
	if g.AllowProcess {
		f = on(f, unix.SYS_CLONE,
			load(offArgs),
			jump(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, namespaces, 0, 1),
			ret(deny),
			ret(retAllow))
	} else {
		f = on(f, unix.SYS_EXECVE, onceWith(key, deny)...)
		f = on(f, unix.SYS_CLONE,
			load(offArgs),
			jump(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, unix.CLONE_THREAD, 1, 0),
			ret(deny),
			ret(retAllow))
		f = on(f, unix.SYS_EXECVEAT, ret(deny))
		for _, nr := range legacyForks() {
			f = on(f, nr, ret(deny))
		}
	}
	for _, group := range refused() {
		if group.capability == "process" || group.capability == "network" && g.AllowInet {
			continue // above: they need more than their number
		}
		for _, nr := range slices.Sorted(maps.Keys(group.calls)) {
			f = on(f, nr, ret(deny))
		}
	}
	return append(f, ret(retAllow))
}

// atProgram returns the body that lets a call pass whose argument arg is no process
// or thread below first. 0 and negative numbers, which are groups, pass.
func atProgram(arg, first uint32) []unix.SockFilter {
	return []unix.SockFilter{
		load(offArgs + 8*arg),
		jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 2, 0),
		jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, first, 1, 0),
		ret(retESRCH),
		ret(retAllow),
	}
}

// inet returns the body that lets sockets for TCP and UDP over IPv4 pass.
func inet(deny uint32) []unix.SockFilter {
	is := func(k uint32, yes, no uint8) unix.SockFilter {
		return jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, yes, no)
	}
	return []unix.SockFilter{
		load(offArgs),
		is(unix.AF_INET, 0, 8),
		load(offArgs + 8),
		stmt(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, socketType),
		is(unix.SOCK_STREAM, 1, 0),
		is(unix.SOCK_DGRAM, 0, 4),
		load(offArgs + 16), // the protocol: no SCTP, no ping
		is(0, 3, 0),
		is(unix.IPPROTO_TCP, 2, 0),
		is(unix.IPPROTO_UDP, 1, 0),
		ret(deny),
		ret(retAllow),
	}
}

// onceWith returns the body that lets execve pass with key in the registers
// that execve does not use.
func onceWith(key nonce, deny uint32) []unix.SockFilter {
	var words [6]uint32
	for i, k := range key {
		var b [8]byte
		binary.NativeEndian.PutUint64(b[:], k)
		words[2*i] = binary.NativeEndian.Uint32(b[:4])
		words[2*i+1] = binary.NativeEndian.Uint32(b[4:])
	}
	var body []unix.SockFilter
	for i, w := range words {
		left := uint8(2 * (len(words) - 1 - i)) // instructions of the words to come
		body = append(body,
			load(offArgs+3*8+uint32(4*i)),
			jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, w, 0, left+1))
	}
	return append(body, ret(retAllow), ret(deny))
}

// install puts the calling thread, and what it becomes by execve, under the
// filter. It returns the listener that sees refused calls, or -1 where the
// kernel has none (gVisor): they are refused all the same then. The thread has
// given up new privileges before.
func install(g wire.Guard, key nonce) (listener int, err error) {
	self := uint32(os.Getpid())
	fd, errno := seccomp(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, filter(g, key, self, unix.SECCOMP_RET_USER_NOTIF))
	if errno == 0 {
		return fd, nil
	}
	if _, errno = seccomp(0, filter(g, key, self, retEPERM)); errno != 0 {
		return -1, fmt.Errorf("seccomp: %v", errno)
	}
	return -1, nil
}

func seccomp(flags uintptr, f []unix.SockFilter) (int, unix.Errno) {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	r, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(f)
	return int(r), errno
}

// become replaces the process by the interpreter with the key in place.
func become(path string, argv, env []string, key nonce) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	av, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	ev, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVE, uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&av[0])),
		uintptr(unsafe.Pointer(&ev[0])), uintptr(key[0]), uintptr(key[1]), uintptr(key[2]))
	runtime.KeepAlive(p)
	runtime.KeepAlive(av)
	runtime.KeepAlive(ev)
	return &os.PathError{Op: "exec", Path: path, Err: errno}
}

// violation names a refused call, for the listener.
func violation(nr uint32) (capability, call string, err error) {
	if name, ok := legacyName(nr); ok {
		return "process", name, nil
	}
	if nr == unix.SYS_SOCKETPAIR {
		return "network", "socketpair", nil
	}
	for _, group := range refused() {
		if name, ok := group.calls[nr]; ok {
			return group.capability, name, nil
		}
	}
	return "", "", errors.New("not a refused call")
}
