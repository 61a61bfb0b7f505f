// Command containerd-shim-runsc-v1 is what containerd starts gVisor's runsc with.
// It is a module of its own, since it needs another containerd than the cluster's.
package main

import "gvisor.dev/gvisor/shim/v1/cli"

func main() { cli.Main() }
