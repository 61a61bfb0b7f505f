//go:build unix

package install

import (
	"os/exec"
	"syscall"
)

// killGroup lets the end of the command's context end what the command has
// started, too.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
