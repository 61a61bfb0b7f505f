package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// harden takes from this process what an attacker could use and it does not
// need: no core dump ever holds code or secrets, and other processes of the
// same user cannot attach to it or read its memory and environment. What it
// starts gets the second part back from the kernel at exec.
func harden() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("forbidding core dumps: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("closing the process to others: %w", err)
	}
	return nil
}
