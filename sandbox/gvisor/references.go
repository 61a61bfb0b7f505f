package gvisor

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// A file by reference is never copied, nor is the directory that it is in mounted: its
// descriptor goes to the witness, which mounts it over an empty file in the work
// directory. So a sandbox that waits need not know of it, what was opened is
// what is read whoever renames or replaces it, and nothing beside it is to be
// seen.

// socketPair makes the connection to a witness: our end, which deadlines can be
// set on, and that of the sandbox.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "witness")
	if err := unix.SetNonblock(fds[0], true); err != nil {
		_ = unix.Close(fds[0])
		_ = theirs.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "witness"), theirs, nil
}

// donate sends the files to the witness. It takes them when the runner says that
// the program's files are there, so they are sent before the job is.
func (c *box) donate(references []sandbox.Reference) error {
	if len(references) == 0 {
		return nil
	}
	conn, err := c.witness.SyscallConn()
	if err != nil {
		return err
	}
	for _, r := range references {
		if isDirectory(r) {
			continue // mounted
		}
		var sent error
		err := conn.Write(func(fd uintptr) bool {
			sent = unix.Sendmsg(int(fd), []byte(r.Path), unix.UnixRights(int(r.File.Fd())), nil, unix.MSG_NOSIGNAL)
			return sent != unix.EAGAIN
		})
		if err == nil {
			err = sent
		}
		if err != nil {
			return fmt.Errorf("handing over %q: %w", r.Path, err)
		}
	}
	return nil
}

// inPlace is s as this backend takes it: a runsc without a witness cannot take
// descriptors, so there files by reference are copied. A directory is mounted when
// the sandbox starts: read-only, and without programs and devices. Links in it are
// followed inside of the sandbox, where nothing else of the host is.
func (b *Backend) inPlace(s sandbox.Spec) (sandbox.Spec, error) {
	if !b.own {
		return runner.Copied(s)
	}
	s.Runtime.Mounts = slices.Clone(s.Runtime.Mounts)
	for _, r := range s.References {
		if isDirectory(r) {
			s.Runtime.Mounts = append(s.Runtime.Mounts, sandbox.Mount{Source: r.Dir, Target: sandbox.WorkDir + "/" + r.Path})
		}
	}
	return s, nil
}

// isDirectory reports whether a reference has to be there before its sandbox.
func isDirectory(r sandbox.Reference) bool { return r.Dir != "" }
