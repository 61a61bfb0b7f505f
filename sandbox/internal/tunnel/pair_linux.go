package tunnel

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Pair makes the two ends of a connection: ours, and the one that is given to
// the sandbox.
func Pair() (ours net.Conn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	mine := os.NewFile(uintptr(fds[0]), "tunnel")
	theirs = os.NewFile(uintptr(fds[1]), "tunnel")
	ours, err = net.FileConn(mine)
	if cerr := mine.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}
