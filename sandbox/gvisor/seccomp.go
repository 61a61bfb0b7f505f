package gvisor

import (
	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
)

// socketType is the part of socket's second argument that is no flag.
const socketType = 0xf

// seccompProfile makes what policy denied impossible at run time. gVisor's
// kernel applies it to the program; it loads the interpreter itself, before,
// so that even the first execve can be refused.
//
// The flags of clone3 lie in memory, where a filter cannot see them. glibc
// falls back to clone when the kernel does not know clone3, and to nothing
// when it is forbidden; the trace action without a tracer answers ENOSYS.
// Socket pairs stay: event loops wake themselves up through them, and they
// lead nowhere.
func seccompProfile(s sandbox.Spec) *specs.LinuxSeccomp {
	refuse := func(args []specs.LinuxSeccompArg, names ...string) specs.LinuxSyscall {
		eperm := uint(unix.EPERM)
		return specs.LinuxSyscall{Names: names, Action: specs.ActErrno, ErrnoRet: &eperm, Args: args}
	}
	// Nobody closes the descriptor over which hooks tell what the program does, or puts
	// another in its place.
	is := func(index uint, op specs.LinuxSeccompOperator) specs.LinuxSeccompArg {
		return specs.LinuxSeccompArg{Index: index, Value: frame.ArtifactFD, Op: op}
	}
	closesNow := specs.LinuxSeccompArg{Index: 2, Value: unix.CLOSE_RANGE_CLOEXEC, ValueTwo: 0, Op: specs.OpMaskedEqual}
	kept := []specs.LinuxSyscall{
		refuse([]specs.LinuxSeccompArg{is(0, specs.OpEqualTo)}, "close"),
		refuse([]specs.LinuxSeccompArg{is(1, specs.OpEqualTo)}, "dup2", "dup3"),
		refuse([]specs.LinuxSeccompArg{is(0, specs.OpLessEqual), is(1, specs.OpGreaterEqual), closesNow}, "close_range"),
	}
	sockets := []specs.LinuxSyscall{refuse(nil, "socket")}
	if s.Grant.Has(sandbox.CapabilityNetwork) {
		sockets = []specs.LinuxSyscall{ // but TCP and UDP over IPv4, which lead to loopback and the forwarder
			refuse([]specs.LinuxSeccompArg{{Index: 0, Value: unix.AF_INET, Op: specs.OpNotEqual}}, "socket"),
			refuse([]specs.LinuxSeccompArg{{Index: 1, Value: socketType, ValueTwo: unix.SOCK_RAW, Op: specs.OpMaskedEqual}}, "socket"),
		}
	}
	p := &specs.LinuxSeccomp{
		DefaultAction: specs.ActAllow,
		Architectures: []specs.Arch{specs.ArchX86_64, specs.ArchAARCH64},
		Syscalls: append(append(kept, sockets...),
			// Nothing an interpreter needs, and a wide way into any kernel.
			refuse(nil, "ptrace", "process_vm_readv", "process_vm_writev", "mount", "umount2", "pivot_root", "chroot",
				"unshare", "setns", "bpf", "perf_event_open", "keyctl", "add_key", "request_key", "userfaultfd",
				"io_uring_setup", "io_uring_enter", "io_uring_register", "open_by_handle_at", "personality", "seccomp")),
	}
	if !s.Grant.Has(sandbox.CapabilityProcess) {
		p.Syscalls = append(p.Syscalls,
			refuse(nil, "execve", "execveat", "fork", "vfork"),
			// A clone that does not make a thread makes a process.
			refuse([]specs.LinuxSeccompArg{{Index: 0, Value: unix.CLONE_THREAD, ValueTwo: 0, Op: specs.OpMaskedEqual}}, "clone"),
			specs.LinuxSyscall{Names: []string{"clone3"}, Action: specs.ActTrace})
	}
	return p
}
