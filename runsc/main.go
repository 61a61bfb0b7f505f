// Command runsc is gVisor's runsc at the version pinned in go.mod, with the
// witness and the forwarder added to its kernel. It is the static helper binary
// that package sandbox/gvisor starts: a module of its own, so that gVisor's
// dependencies stay out of sallyport's, and a binary of its own, because gVisor
// cannot live in a cgo program.
package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/runsc/cli/maincli"
)

func main() {
	await()
	unix.Umask(0o022) // programs are another user, and pass the places of mounts
	extend()
	maincli.Main()
}

// awaitVar names the descriptor from which a byte comes when this process is in its
// control group. To put it there takes the kernel as long as Go takes to begin.
const awaitVar = "SALLYPORT_AWAIT"

// await waits until this process may begin. Without a byte nobody is there who could
// say so.
func await() {
	name, ok := os.LookupEnv(awaitVar)
	if !ok {
		return
	}
	_ = os.Unsetenv(awaitVar)
	fd, err := strconv.Atoi(name)
	if err != nil {
		os.Exit(1)
	}
	f := os.NewFile(uintptr(fd), "await")
	if _, err := f.Read(make([]byte, 1)); err != nil {
		os.Exit(1)
	}
	_ = f.Close()
}
