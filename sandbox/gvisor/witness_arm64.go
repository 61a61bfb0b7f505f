package gvisor

import "golang.org/x/sys/unix"

// makers are the system calls that make a process or a thread.
var makers = []int{unix.SYS_CLONE, unix.SYS_CLONE3}
