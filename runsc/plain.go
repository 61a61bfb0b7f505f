//go:build !witness

package main

// extend leaves gVisor as it is.
func extend() {}
