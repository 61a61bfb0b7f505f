//go:build !amd64 && !arm64

package runner

// There is no hook in C for this architecture: the one in Python is used.
const hook = ""
