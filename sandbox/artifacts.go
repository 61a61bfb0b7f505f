package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxPath is the longest path of a file into or out of a sandbox.
const maxPath = 255

// CheckPath refuses a path that is not plainly below the work directory.
func CheckPath(p string) error {
	switch {
	case p == "" || p == ".":
		return errors.New("no name")
	case len(p) > maxPath:
		return fmt.Errorf("longer than %d bytes", maxPath)
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return errors.New("not a clean path below the work directory")
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }):
		return errors.New("unprintable characters")
	}
	return nil
}

// MediaType tells what a file is from what is in it; its name decides only
// between kinds of text. A program chooses both.
func MediaType(name string, data []byte) string {
	sniffed := http.DetectContentType(data)
	if sniffed != "text/plain; charset=utf-8" {
		return sniffed
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".json":
		return "application/json"
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return sniffed
	}
}

// Artifacts are the files that a program left behind, and the attempts at what
// was denied that its interpreter noticed.
type Artifacts struct {
	Files      []File
	Dropped    int // because of the limits, their kind or their name
	Violations []Violation
	Complete   bool // the end mark came

	// Ended says that the program is over, and Status with which wait status.
	// They count where the writer is not the program.
	Ended  bool
	Status uint32

	// Held are the limits that the program came up against. It could say so
	// itself: this counts where the kernel below it speaks.
	Held []Reason
}

// Of the violations of one run these are kept.
const (
	maxViolations = 32
	maxViolation  = 100 // bytes
)

// ReadArtifacts reads what a runner inside a sandbox sends at the end of its
// program: fields of one tag byte, a 32 bit big-endian length and a value; "p"
// is a path, "d" the data of the file of that path, "v" a capability and how it
// was tried, "l" a limit that held, "z" how many files stayed behind and the
// end, "x" how the program ended, and the end. The program may have sent any of it: every limit is
// kept here, nothing is written anywhere, and what cannot be understood ends
// the reading.
func ReadArtifacts(r io.Reader, l Limits) Artifacts {
	var out Artifacts
	var name string
	in, left, seen := bufio.NewReader(r), l.ArtifactBytes, map[string]bool{}
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return out
		}
		size := int64(binary.BigEndian.Uint32(head[1:]))
		switch tag := head[0]; {
		case tag == 'p' && size <= maxPath:
			value, err := readValue(in, size)
			if err != nil {
				return out
			}
			name = string(value)
		case tag == 'v' && size <= maxViolation:
			value, err := readValue(in, size)
			if err != nil {
				return out
			}
			kind, detail, _ := strings.Cut(string(value), " ")
			if v := (Violation{Capability: kind, Detail: detail}); (kind == "process" || kind == "network") && len(out.Violations) < maxViolations && !slices.Contains(out.Violations, v) {
				out.Violations = append(out.Violations, v)
			}
		case tag == 'l' && size <= maxViolation:
			value, err := readValue(in, size)
			if err != nil {
				return out
			}
			if r := Reason(value); (r == Pids || r == Disk || r == Files) && !slices.Contains(out.Held, r) {
				out.Held = append(out.Held, r)
			}
		case tag == 'd' && (size > left || int64(len(out.Files)) >= l.ArtifactCount || CheckPath(name) != nil || seen[name]):
			if _, err := io.CopyN(io.Discard, in, size); err != nil {
				return out
			}
			name = ""
			out.Dropped++
		case tag == 'd':
			value, err := readValue(in, size)
			if err != nil {
				return out
			}
			left -= size
			seen[name] = true
			out.Files = append(out.Files, File{Path: name, Data: value, MediaType: MediaType(name, value)})
			name = ""
		case tag == 'z' && size < 16:
			value, err := readValue(in, size)
			if n, nerr := strconv.ParseUint(string(value), 10, 31); err == nil && nerr == nil {
				out.Dropped += int(n)
				out.Complete = true
			}
			return out
		case tag == 'x' && size == 4:
			if value, err := readValue(in, size); err == nil {
				out.Ended, out.Status = true, binary.BigEndian.Uint32(value)
			}
			return out
		default:
			return out
		}
	}
}

// readValue does not trust size with memory before the bytes are there.
func readValue(r io.Reader, size int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, size))
	if err == nil && int64(len(data)) != size {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}
