//go:build !linux

package analyze

func deep(f func()) { f() }
