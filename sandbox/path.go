package sandbox

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPath is the length of the longest path of a file into or out of a sandbox.
const MaxPath = 255

// CheckPath refuses a path that is not plainly below the work directory, or
// that looks like another one where it is shown.
func CheckPath(p string) error {
	switch {
	case p == "" || p == ".":
		return errors.New("no name")
	case len(p) > MaxPath:
		return fmt.Errorf("longer than %d bytes", MaxPath)
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return errors.New("not a clean path below the work directory")
	case !utf8.ValidString(p) || strings.ContainsFunc(p, unprintable):
		return errors.New("unprintable characters")
	}
	return nil
}

func unprintable(r rune) bool {
	return r == '\\' || r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// Names are those of files that are to be in one directory.
type Names map[string]bool

// Add takes a name that can be there with the others: no other file has it, nor
// is one of them a directory for another.
func (n Names) Add(name string) error {
	if taken, ok := n[name]; ok && taken {
		return fmt.Errorf("there is already a file %q", name)
	} else if ok {
		return fmt.Errorf("%q is a directory of another file", name)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if n[dir] {
			return fmt.Errorf("%q cannot be below the file %q", name, dir)
		}
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		n[dir] = false
	}
	n[name] = true
	return nil
}
