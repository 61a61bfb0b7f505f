package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A record is one line of printable ASCII. Its last member is always
//
//	,"hash":"<64 hex digits>"}
//
// and the hash is SHA-256 over the line with exactly that tail replaced by
// "}". So anybody can check one record without our code:
//
//	sed -n 5p FILE | sed 's/,"hash":"[0-9a-f]*"}$/}/' | tr -d '\n' | sha256sum
const (
	lineHead = `{"version":"` + RecordVersion + `","seq":`
	hashHead = `,"hash":"`
	prevHead = `,"prev":"`
	hexLen   = 2 * sha256.Size
	hashTail = len(hashHead) + hexLen + len(`"}`)
)

// maxLine bounds one record, code included: the reader holds a line in memory.
const maxLine = 16 << 20

var errTooLong = fmt.Errorf("a record must not be longer than %d bytes", maxLine)

// encode completes rec with prev, gives it its hash and returns it with its
// line, the newline included.
func encode(rec Record, prev string) (Record, []byte, error) {
	rec.Version, rec.Prev, rec.Hash = RecordVersion, prev, ""
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		return Record{}, nil, err
	}
	body := bytes.TrimSuffix(buf.Bytes(), []byte(hashHead+"\"}\n"))
	body = append(asciiOnly(body), '}')
	sum := sha256.Sum256(body)
	rec.Hash = hex.EncodeToString(sum[:])
	line := append(body[:len(body)-1], hashHead+rec.Hash+"\"}\n"...)
	if len(line) > maxLine {
		return Record{}, nil, errTooLong
	}
	return rec, line, nil
}

// asciiOnly escapes what is not printable ASCII in the JSON text b. Judged code
// ends up in the log: no terminal that shows it may be steered by it.
func asciiOnly(b []byte) []byte {
	out := make([]byte, 0, len(b)+hashTail)
	for i := 0; i < len(b); {
		if c := b[i]; c < 0x7f {
			out = append(out, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		i += n
		if r >= 0x10000 {
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// link is what chains one line to its neighbours.
type link struct {
	seq  uint64
	prev string
	hash string
}

var (
	errForm = errors.New("not a record of the form " + RecordVersion)
	errHash = errors.New("the record was changed: its hash does not fit its bytes")
)

// parseLink reads and checks the chain members of a line without its newline.
// The hash covers every other byte, so nothing else needs to be decoded.
func parseLink(line []byte) (link, error) {
	if len(line) < len(lineHead)+hashTail || string(line[:len(lineHead)]) != lineHead {
		return link{}, errForm
	}
	rest := line[len(lineHead):]
	end := bytes.IndexByte(rest, ',')
	if end < 1 {
		return link{}, errForm
	}
	seq, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	if err != nil || seq == 0 || rest[0] == '0' {
		return link{}, errForm
	}
	tail := line[len(line)-hashTail:]
	if string(tail[:len(hashHead)]) != hashHead || string(tail[hashTail-2:]) != `"}` {
		return link{}, errForm
	}
	body := line[:len(line)-hashTail]
	prev, ok := prevOf(body)
	if !ok {
		return link{}, errForm
	}
	l := link{seq: seq, prev: prev, hash: string(tail[len(hashHead) : len(hashHead)+hexLen])}
	if sumLine(body) != l.hash {
		return l, errHash
	}
	return l, nil
}

// prevOf reads the member that ends a line's hashed part.
func prevOf(body []byte) (string, bool) {
	if bytes.HasSuffix(body, []byte(prevHead+`"`)) {
		return "", true
	}
	n := len(prevHead) + hexLen + 1
	if len(body) < n || body[len(body)-1] != '"' || string(body[len(body)-n:len(body)-n+len(prevHead)]) != prevHead {
		return "", false
	}
	return string(body[len(body)-1-hexLen : len(body)-1]), true
}

// sumLine is the hash of the record whose line without its hash member is body.
func sumLine(body []byte) string {
	h := sha256.New()
	h.Write(body)
	h.Write([]byte{'}'})
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0]))
}
