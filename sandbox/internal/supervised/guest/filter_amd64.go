package main

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	x32Bit    = 0x40000000 // set in the numbers of the x32 ABI
)

func legacyForks() []uint32 { return []uint32{unix.SYS_FORK, unix.SYS_VFORK} }

func duplicates() []uint32 { return []uint32{unix.SYS_DUP2, unix.SYS_DUP3} }

func legacyName(nr uint32) (string, bool) {
	switch nr {
	case unix.SYS_FORK:
		return "fork", true
	case unix.SYS_VFORK:
		return "vfork", true
	}
	return "", false
}
