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

// MainName is the file name of the program itself inside the work directory.
func MainName(language, goal string) string {
	switch {
	case language == "python":
		return "main.py"
	case goal == "module":
		return "main.mjs"
	default:
		return "main.js"
	}
}

// CheckFiles refuses input files whose place is not plainly inside the work
// directory, or that would replace the program or one another.
func (s Spec) CheckFiles() error {
	var paths []string
	for _, f := range s.Files {
		paths = append(paths, f.Path)
	}
	for _, r := range s.References {
		paths = append(paths, r.Path)
	}
	main, names := MainName(s.Language, s.Goal), Names{}
	for _, p := range paths {
		if err := CheckPath(p); err != nil {
			return fmt.Errorf("%.300q: %w", p, err)
		}
		if p == main || strings.HasPrefix(p, main+"/") {
			return fmt.Errorf("%.300q: the program itself has the name %s; call the file something else", p, main)
		}
		if err := names.Add(p); err != nil {
			return err
		}
	}
	return nil
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
