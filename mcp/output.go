package mcp

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// What an answer shows of one stream: the beginning says what the program did,
// the end how it went. The rest is a resource.
const (
	headBytes = 32 << 10
	tailBytes = 16 << 10
)

// shorten returns what is shown of a stream, and whether that is not all.
func shorten(b []byte, cut bool) (string, bool) {
	if len(b) <= headBytes+tailBytes {
		return valid(b), cut
	}
	head, tail := b[:headBytes], b[len(b)-tailBytes:]
	for len(head) > 0 && !utf8.RuneStart(b[len(head)]) { // do not cut a character in two
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	left := len(b) - len(head) - len(tail)
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", valid(head), left, valid(tail)), true
}

func valid(b []byte) string { return string(bytes.ToValidUTF8(b, []byte("\uFFFD"))) }

var (
	pythonFrame = regexp.MustCompile(`^\s+File "([^"]*)", line \d+`)
	nodeFrame   = regexp.MustCompile(`^\s+at .*`)
	nodeOwn     = regexp.MustCompile(`\(?node:|/node_modules/|<anonymous>$`)
	pythonLib   = regexp.MustCompile(`/lib(64)?/python3|/(site|dist)-packages/|^<frozen `)
)

// trimTraceback leaves those lines of a traceback out that are not about the
// program's own files: a model is to mend its own code, and paths of libraries
// tell about the host. A stream without a traceback stays as it is.
func trimTraceback(language string, b []byte) []byte {
	switch language {
	case "python":
		if bytes.Contains(b, []byte("Traceback (most recent call last):")) {
			return trimPython(b)
		}
	case "javascript":
		if bytes.Contains(b, []byte("\n    at ")) {
			return trimNode(b)
		}
	}
	return b
}

// trimPython drops frames of libraries with their source lines. A frame begins
// with its File line and ends at the next line that is not indented deeper.
func trimPython(b []byte) []byte {
	var out []string
	dropped, dropping := 0, false
	flush := func() {
		if dropped > 0 {
			out = append(out, fmt.Sprintf("  [%d frames of libraries left out]", dropped))
			dropped = 0
		}
	}
	inside := false
	for _, line := range strings.Split(string(b), "\n") {
		frame := pythonFrame.FindStringSubmatch(line)
		switch {
		case strings.HasSuffix(line, "Traceback (most recent call last):"):
			flush()
			inside, dropping = true, false
		case !inside:
		case frame != nil:
			if dropping = pythonLib.MatchString(frame[1]); dropping {
				dropped++
			} else {
				flush()
			}
		case !strings.HasPrefix(line, "    "):
			flush()
			inside, dropping = strings.HasPrefix(line, " "), false
		}
		if !dropping {
			out = append(out, line)
		}
	}
	return []byte(strings.Join(out, "\n"))
}

func trimNode(b []byte) []byte {
	var out []string
	for _, line := range strings.Split(string(b), "\n") {
		if nodeFrame.MatchString(line) && nodeOwn.MatchString(line) || strings.HasPrefix(line, "Node.js v") {
			continue
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n"))
}
