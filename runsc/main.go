// Command runsc is gVisor's runsc at the version pinned in go.mod, with the
// witness and the forwarder added to its kernel. It is the static helper binary
// that package sandbox/gvisor starts: a module of its own, so that gVisor's
// dependencies stay out of sallyport's, and a binary of its own, because gVisor
// cannot live in a cgo program.
package main

import (
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/runsc/cli/maincli"
)

func main() {
	unix.Umask(0o022) // programs are another user, and pass the places of mounts
	extend()
	maincli.Main()
}
