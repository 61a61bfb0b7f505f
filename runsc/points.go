package main

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/sentry/seccheck"
	"gvisor.dev/gvisor/pkg/sync"
)

// pointsOnce is how gVisor registers, once, all that can be traced in it: two
// points for each system call in each of two forms, and fields of theirs.
//
//go:linkname pointsOnce gvisor.dev/gvisor/pkg/sentry/seccheck.initOnce
var pointsOnce sync.Once

// traced are the system calls whose points may be asked for, as the witness's
// configuration does.
var traced = append([]uintptr{unix.SYS_SET_TID_ADDRESS, unix.SYS_OPENAT, unix.SYS_GETPRIORITY, unix.SYS_EXIT_GROUP}, makers...)

// givePoints registers those alone in a sandbox. A trace that asks for another one
// is refused, and the sandbox does not start.
func givePoints() {
	pointsOnce.Do(func() {
		register := func(name string, id seccheck.Point) { seccheck.Points[name] = seccheck.PointDesc{Name: name, ID: id} }
		register("sentry/task_exit", seccheck.PointTaskExit)
		for _, call := range traced {
			register(fmt.Sprintf("syscall/sysno/%d/enter", call), seccheck.GetPointForSyscall(seccheck.SyscallRawEnter, call))
			register(fmt.Sprintf("syscall/sysno/%d/exit", call), seccheck.GetPointForSyscall(seccheck.SyscallRawExit, call))
		}
	})
}
