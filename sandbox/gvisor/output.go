package gvisor

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
)

// maxDropped is how much a program may write in vain, beyond its limit, before
// it is ended: an honest program that is only too chatty finishes.
const maxDropped = 64 << 20

// output takes one stream of a program in, up to a limit.
type output struct {
	stream    sandbox.Stream
	limit     int64
	emit      func(sandbox.Stream, []byte)
	flood     func() // called once when the program writes far beyond the limit
	data      []byte
	truncated bool
	dropped   int64
}

// copy reads until the end of f, or until its read deadline, which says that
// the program has ended: then what lies in the pipe is all there will be. What
// is beyond the limit is read and dropped, so that the program does not hang.
func (o *output) copy(f *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		o.take(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			drain(f, func(p []byte) { o.take(p) })
			return
		}
		if err != nil {
			return
		}
	}
}

func (o *output) take(p []byte) {
	keep := p[:min(int64(len(p)), o.limit-int64(len(o.data)))]
	if len(keep) > 0 {
		o.data = append(o.data, keep...)
		if o.emit != nil {
			o.emit(o.stream, bytes.Clone(keep))
		}
	}
	if over := int64(len(p) - len(keep)); over > 0 {
		o.truncated = true
		o.dropped += over
		if o.dropped > maxDropped && o.dropped-over <= maxDropped {
			o.flood()
		}
	}
}

// drain reads what lies in a pipe and does not wait for more.
func drain(f *os.File, take func([]byte)) {
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		return
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		buf := make([]byte, 64<<10)
		for {
			n, err := unix.Read(int(fd), buf)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil || n <= 0 {
				return true
			}
			take(buf[:n])
		}
	})
}

// pipe is a read end that ends, like output.copy, with the program.
type pipe struct {
	f     *os.File
	rest  []byte
	ended bool
}

func (p *pipe) Read(buf []byte) (int, error) {
	if !p.ended {
		n, err := p.f.Read(buf)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		p.ended = true
		drain(p.f, func(b []byte) { p.rest = append(p.rest, b...) })
	}
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(buf, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
