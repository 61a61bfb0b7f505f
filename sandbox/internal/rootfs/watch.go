package rootfs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// watch is told by the kernel of what changes in files. Each change is told before
// the call returns that makes it, so that nobody who asks afterwards misses it: that
// is why no other process or thread reads for us.
type watch struct{ fd int }

// watched is what may make a file another one than it was.
const watched = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

func newWatch() (*watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	return &watch{fd}, err
}

// add watches a file, a link and not where it leads, or a directory with its files.
func (w *watch) add(path string) error {
	_, err := unix.InotifyAddWatch(w.fd, path, watched|unix.IN_DONT_FOLLOW)
	return err
}

// changed reports whether anything has. It is asked until it has said so.
func (w *watch) changed() bool {
	_, err := unix.Read(w.fd, make([]byte, 1<<12))
	return !errors.Is(err, unix.EAGAIN)
}

// close is for a watch that is there, or nil.
func (w *watch) close() {
	if w != nil {
		unix.Close(w.fd)
	}
}
