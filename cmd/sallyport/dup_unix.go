//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

// dup lets descriptor to be what from is.
func dup(from, to int) error { return unix.Dup2(from, to) }
