//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// takeStdout moves standard output to a private descriptor and lets
// descriptor 1 be standard error from now on. Whatever prints afterwards, a
// library or a child, cannot get between two messages of the protocol. A
// writer that is no file is returned as it is.
func takeStdout(w io.Writer) (io.Writer, error) {
	f, ok := fileOf[*os.File](w)
	if !ok {
		return w, nil
	}
	private, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("duplicating it: %w", err)
	}
	if err := dup(int(os.Stderr.Fd()), int(f.Fd())); err != nil {
		return nil, fmt.Errorf("putting standard error in its place: %w", err)
	}
	return os.NewFile(uintptr(private), "protocol"), nil
}

// whileRead returns a context that ends when nobody can read out any more: a
// client that was killed may leave its end of our input open with somebody
// else, and its sandboxes must go all the same.
func whileRead(ctx context.Context, out io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	f, ok := out.(*os.File)
	if !ok {
		return ctx, cancel
	}
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(f.Fd())}}
			n, err := unix.Poll(fds, 1000)
			switch {
			case errors.Is(err, unix.EINTR) || err == nil && n == 0:
			case err != nil || fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0:
				return
			}
		}
	}()
	return ctx, cancel
}
