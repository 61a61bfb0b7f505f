//go:build !unix

package install

import "os/exec"

// killGroup has nothing to do here: the end of the context ends the command.
func killGroup(*exec.Cmd) {}
