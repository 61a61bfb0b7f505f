package main

import "golang.org/x/sys/unix"

// telling are the system calls whose refusal says something about a program,
// by what policy calls them. Interpreters and libraries make none of them
// without being told to; clone3 they do, to be refused and use clone.
var telling = map[uintptr]struct{ capability, name string }{
	unix.SYS_EXECVE:            {"process", "execve"},
	unix.SYS_EXECVEAT:          {"process", "execveat"},
	unix.SYS_FORK:              {"process", "fork"},
	unix.SYS_VFORK:             {"process", "vfork"},
	unix.SYS_CLONE:             {"process", "clone"},
	unix.SYS_SOCKET:            {"network", "socket"},
	unix.SYS_PTRACE:            {"process", "ptrace"},
	unix.SYS_PROCESS_VM_READV:  {"process", "process_vm_readv"},
	unix.SYS_PROCESS_VM_WRITEV: {"process", "process_vm_writev"},
}

// makers are the system calls that make a process or a thread.
var makers = []uintptr{unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_FORK, unix.SYS_VFORK}
