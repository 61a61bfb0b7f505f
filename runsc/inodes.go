package main

import _ "unsafe" // for go:linkname

// tmpfsAllowedData are the options of a tmpfs that runsc passes on from an OCI
// configuration. gVisor's tmpfs can bound the number of its files, but runsc
// drops the option.
//
//go:linkname tmpfsAllowedData gvisor.dev/gvisor/runsc/boot.tmpfsAllowedData
var tmpfsAllowedData []string
