// Package frame is how a host and the inside of its sandbox speak: frames of one
// tag byte, a 32 bit big-endian length and a payload. The job of a runner and
// its answers, what it and the witness tell of a run, and the conversation with
// a supervisor are all made of them.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The descriptors of a runner inside.
const (
	JobFD      = 100 // it reads one job from it
	ReportFD   = 101 // it writes its answers to it
	ArtifactFD = 102 // it tells here what the program left, where it is the one to tell, and the hooks what it does
)

// Max bounds a payload, so that a length is never an allocation of four
// gigabytes. It is above every limit of a run.
const Max = 1 << 30

const header = 5

// ErrTooLarge is wrapped by the error of a frame above a limit.
var ErrTooLarge = errors.New("frame too large")

// Append appends a frame to b.
func Append(b []byte, tag byte, payload ...[]byte) []byte {
	n := 0
	for _, p := range payload {
		n += len(p)
	}
	b = append(b, tag)
	b = binary.BigEndian.AppendUint32(b, uint32(n))
	for _, p := range payload {
		b = append(b, p...)
	}
	return b
}

// Write sends a frame with a single Write. w must serialise its callers.
func Write(w io.Writer, tag byte, payload ...[]byte) error {
	n := 0
	for _, p := range payload {
		n += len(p)
	}
	if n > Max {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, n)
	}
	_, err := w.Write(Append(make([]byte, 0, header+n), tag, payload...))
	return err
}

// Header reads a frame's tag and the length of its payload, which follows in r.
func Header(r io.Reader) (tag byte, n int64, err error) {
	var h [header]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, 0, err
	}
	n = int64(binary.BigEndian.Uint32(h[1:]))
	if n > Max {
		return 0, 0, fmt.Errorf("%w: %d bytes", ErrTooLarge, n)
	}
	return h[0], n, nil
}

// Payload reads the n bytes that follow a header. It allocates as they come, not
// as they are announced.
func Payload(r io.Reader, n, limit int64) ([]byte, error) {
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, limit)
	}
	b, err := io.ReadAll(io.LimitReader(r, n))
	if err == nil && int64(len(b)) != n {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// Skip leaves out the n bytes that follow a header.
func Skip(r io.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, r, n)
	return err
}
