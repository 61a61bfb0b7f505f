package gvisor

import (
	"io"

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
}

// copy reads until the end of r. What is beyond the limit is read and dropped,
// so that the program does not hang.
func (o *output) copy(r io.Reader) {
	buf := make([]byte, 32<<10)
	var dropped int64
	flooded := false
	for {
		n, err := r.Read(buf)
		keep := buf[:min(int64(n), o.limit-int64(len(o.data)))]
		if len(keep) > 0 {
			o.data = append(o.data, keep...)
			if o.emit != nil {
				o.emit(o.stream, append([]byte(nil), keep...))
			}
		}
		if over := int64(n - len(keep)); over > 0 {
			o.truncated = true
			dropped += over
			if dropped > maxDropped && !flooded {
				flooded = true
				o.flood()
			}
		}
		if err != nil {
			return
		}
	}
}
