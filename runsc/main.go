// Command runsc is gVisor's runsc at the version pinned in go.mod, built as
// the static helper binary that package sandbox/gvisor starts. It is a module
// of its own so that gVisor's dependencies stay out of sallyport's, and a
// binary of its own because gVisor cannot live in a cgo program.
package main

import "gvisor.dev/gvisor/runsc/cli/maincli"

func main() {
	extend()
	maincli.Main()
}
