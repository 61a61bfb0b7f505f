package mcp

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// defaultShown is how much an answer shows of what a program printed, in bytes:
// about what clients pass on to a model. The rest is a resource.
const defaultShown = 25_000

// room divides what is shown among two streams of these lengths: what one does
// not need the other has.
func room(a, b, most int) (int, int) {
	half := most / 2
	switch {
	case a <= half:
		return a, most - a
	case b <= half:
		return most - b, b
	}
	return half, half
}

// shorten returns what is shown of a stream, and whether that is not all: two
// parts of three from the beginning, which says what the program did, the rest
// from the end, which says how it went.
func shorten(b []byte, most int, cut bool) (string, bool) {
	if len(b) <= most {
		return valid(b), cut
	}
	head, tail := b[:most*2/3], b[len(b)-most/3:]
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
	pythonLib   = regexp.MustCompile(`^<(packages|python)>/|^<frozen `)
)

// trimTraceback leaves those lines of a traceback out that are not about the
// program's own files: a model is to mend its own code. A stream without a traceback stays as it is.
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
