// Package executable writes the programs that tests start.
package executable

import (
	"os"
	"syscall"
)

// Write writes a program to path. A file that is open for writing anywhere cannot
// be executed, and a process that another test is about to start has for a moment
// all that is open here: so none starts meanwhile.
func Write(path string, program []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, program, 0o755)
}
