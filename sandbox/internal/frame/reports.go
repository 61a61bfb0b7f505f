package frame

import (
	"bytes"
	"io"
)

// What hooks tell while a program runs comes over ArtifactFD, to which the program can
// write, too. So they begin it with a key, before there is a program: a frame of the tag
// KeyTag. Each report of theirs is that key and a frame behind it, in one piece, wherever
// it comes in the midst of. The key is random but for its first byte, which is in no text
// and no name.
const (
	KeyTag   byte = 'k'
	keyFirst byte = 0xff
	keySize       = 16

	// MaxReport is the length of the longest report, and MaxReports of all that are kept.
	MaxReport  = 128
	MaxReports = 16 << 10
)

// Reports takes reports out of what comes from Reader, which is what remains to be read.
type Reports struct {
	Reader io.Reader
	Key    []byte // nil until it has come
	Told   []byte // the reports, as frames

	buf []byte // of which nothing is passed on yet
	out int    // bytes at the beginning of buf that may be
	err error  // of Reader
}

// Read implements io.Reader.
func (r *Reports) Read(p []byte) (int, error) {
	for r.out == 0 {
		if r.take(); r.out > 0 {
			break
		}
		if r.err != nil {
			return 0, r.err
		}
		var more [4096]byte
		n, err := r.Reader.Read(more[:])
		r.buf, r.err = append(r.buf, more[:n]...), err
	}
	n := copy(p, r.buf[:r.out])
	r.buf, r.out = r.buf[n:], r.out-n
	return n, nil
}

// take takes the key and the next report out of buf, and says how much before them is none.
func (r *Reports) take() {
	if r.Key == nil {
		const size = header + keySize
		if len(r.buf) < size && r.err == nil {
			return
		}
		r.Key = []byte{} // which begins nothing
		if len(r.buf) >= size && bytes.HasPrefix(r.buf, []byte{KeyTag, 0, 0, 0, keySize, keyFirst}) {
			r.Key, r.buf = bytes.Clone(r.buf[header:size]), r.buf[size:]
		}
	}
	at := begins(r.buf, r.Key)
	for at == 0 && len(r.buf) > 0 {
		n, whole := r.report()
		if !whole && r.err == nil {
			return
		}
		if n == 0 { // what is no report is passed on
			at = 1 + begins(r.buf[1:], r.Key)
			break
		}
		r.buf = r.buf[n:]
		at = begins(r.buf, r.Key)
	}
	r.out = at
}

// begins is where the key, or as much of it as has come, begins in b.
func begins(b, key []byte) int {
	if len(key) == 0 {
		return len(b)
	}
	if at := bytes.Index(b, key); at >= 0 {
		return at
	}
	for n := min(len(b), len(key)-1); n > 0; n-- {
		if bytes.HasSuffix(b, key[:n]) {
			return len(b) - n
		}
	}
	return len(b)
}

// report keeps the report that buf begins with; it has n bytes, 0 if it is none. It is
// not whole where more has to come.
func (r *Reports) report() (n int, whole bool) {
	if len(r.buf) < keySize+header {
		return 0, false
	}
	_, size, err := Header(bytes.NewReader(r.buf[keySize:]))
	if err != nil || size > MaxReport {
		return 0, true
	}
	n = keySize + header + int(size)
	if len(r.buf) < n {
		return 0, false
	}
	if told := r.buf[keySize:n]; len(r.Told)+len(told) <= MaxReports {
		r.Told = append(r.Told, told...)
	}
	return n, true
}
