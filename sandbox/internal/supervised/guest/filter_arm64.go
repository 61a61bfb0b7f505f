package main

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32Bit    = 0x40000000 // no such numbers here; the check is harmless
)

func legacyForks() []uint32 { return nil }

func duplicates() []uint32 { return []uint32{unix.SYS_DUP3} }

func legacyName(uint32) (string, bool) { return "", false }
