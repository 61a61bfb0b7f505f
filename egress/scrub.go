package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// scrubbing takes secrets out of an answer: their values and the forms that
// they were sent in, and the usual encodings of both. What a host encodes in
// another way passes; a secret is for hosts that do not show it.
type scrubbing struct{ pairs []scrubbed }

type scrubbed struct{ form, label []byte }

// add takes the forms of a secret, as it was sent.
func (s *scrubbing) add(p substitution) {
	forms := map[string]bool{}
	add := func(form string) {
		if len(form) >= minSecret && !strings.Contains(form, p.secret.sentinel) {
			forms[form] = true
		}
	}
	value := p.secret.Value
	if p.secret.signer != "" {
		s.same(value, p.secret.sentinel)
		return
	}
	add(value)
	add(url.QueryEscape(value))
	add(url.PathEscape(value))
	if text, err := json.Marshal(value); err == nil {
		add(strings.Trim(string(text), `"`))
	}
	add(hex.EncodeToString([]byte(value)))
	add(strings.ToUpper(hex.EncodeToString([]byte(value))))
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		// What every text with the value in it has in common, by where the
		// value begins in a group of three.
		for shift := range 3 {
			packed := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
			first := (shift*8 + 5) / 6
			last := (shift + len(value)) * 8 / 6
			add(packed[first:last])
		}
	}
	for _, at := range p.places {
		add(at.basic)
	}
	for form := range forms {
		s.pairs = append(s.pairs, scrubbed{[]byte(form), []byte(p.secret.sentinel)})
	}
	s.sort()
}

// same takes a text out that is worth nothing without another, and leaves the
// length of the answer, which clients of such hosts want to know.
func (s *scrubbing) same(form, label string) {
	label += strings.Repeat("*", max(0, len(form)-len(label)))
	s.pairs = append(s.pairs, scrubbed{[]byte(form), []byte(label[:len(form)])})
	s.sort()
}

// sort puts the longest first: one may contain another.
func (s *scrubbing) sort() {
	slices.SortFunc(s.pairs, func(a, b scrubbed) int {
		if n := len(b.form) - len(a.form); n != 0 {
			return n
		}
		return bytes.Compare(a.form, b.form)
	})
}

func (s *scrubbing) clean(b []byte) []byte {
	for _, p := range s.pairs {
		if bytes.Contains(b, p.form) {
			b = bytes.ReplaceAll(b, p.form, p.label)
		}
	}
	return b
}

func (s *scrubbing) header(h http.Header) {
	for name, values := range h {
		if clean := string(s.clean([]byte(name))); clean != name {
			delete(h, name)
			continue
		}
		for i, v := range values {
			h[name][i] = string(s.clean([]byte(v)))
		}
	}
}

func (s *scrubbing) body(from io.ReadCloser) *scrubbedBody {
	longest := 0
	for _, p := range s.pairs {
		longest = max(longest, len(p.form))
	}
	return &scrubbedBody{from: from, s: s, buffer: make([]byte, 32<<10+longest)}
}

// scrubbedBody is a stream without secrets. It holds back what may be the
// beginning of one.
type scrubbedBody struct {
	from    io.ReadCloser
	s       *scrubbing
	end     func() // at the end of the stream
	buffer  []byte
	pending []byte // read, and not yet known to be clean: less than a form
	ready   []byte
	err     error
}

// Read implements io.Reader.
func (b *scrubbedBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		held := copy(b.buffer, b.pending)
		n, err := b.from.Read(b.buffer[held:])
		text, keep := b.s.clean(b.buffer[:held+n]), 0
		b.err = err
		if err == nil {
			keep = b.s.begins(text)
		} else if b.end != nil {
			b.end()
		}
		b.ready, b.pending = text[:len(text)-keep], text[len(text)-keep:]
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// begins is the length of the longest end of b that begins a form of a secret.
func (s *scrubbing) begins(b []byte) int {
	keep := 0
	for _, p := range s.pairs {
		tail := b[len(b)-min(len(b), len(p.form)-1):]
		for len(tail) > keep {
			i := bytes.IndexByte(tail, p.form[0])
			if i < 0 {
				break
			}
			tail = tail[i:]
			if bytes.HasPrefix(p.form, tail) {
				keep = max(keep, len(tail))
				break
			}
			tail = tail[1:]
		}
	}
	return keep
}

// Close implements io.Closer.
func (b *scrubbedBody) Close() error { return b.from.Close() }
