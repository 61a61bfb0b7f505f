//go:build unix

package gate

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// noEffect has the opening of what is no regular file end at once, and change
// nothing.
const noEffect = unix.O_NONBLOCK | unix.O_NOCTTY

// stateOf is how an open file is, or a directory where kind says so; only what
// cannot be written to through f has a state. A directory has no length.
func stateOf(f *os.File, kind fs.FileMode) (state, error) {
	var st unix.Stat_t
	flags := 0
	conn, err := f.SyscallConn()
	if err == nil {
		var serr error
		err = conn.Control(func(fd uintptr) {
			if serr = unix.Fstat(int(fd), &st); serr == nil {
				flags, serr = unix.FcntlInt(fd, unix.F_GETFL, 0)
			}
		})
		err = errors.Join(err, serr)
	}
	switch {
	case err != nil:
		return state{}, errors.New("it cannot be looked at")
	case kind.IsDir() && st.Mode&unix.S_IFMT == unix.S_IFDIR:
		st.Size = 0
	case kind.IsDir() || st.Mode&unix.S_IFMT != unix.S_IFREG:
		return state{}, errNotRegular
	case flags&unix.O_ACCMODE != unix.O_RDONLY:
		return state{}, errors.New("it is not open for reading alone")
	}
	return state{uint64(st.Dev), st.Ino, st.Size, time.Unix(st.Mtim.Unix()), time.Unix(st.Ctim.Unix())}, nil
}
