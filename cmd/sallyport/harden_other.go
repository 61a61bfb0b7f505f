//go:build !linux

package main

// harden has nothing to do where sallyport only talks to a container engine.
func harden() error { return nil }

// limitMemory has nothing to bound there.
func limitMemory(func(string) (string, bool)) {}
