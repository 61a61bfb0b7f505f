package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sallyport/internal/hint"
	"sallyport/internal/replace"
)

// maxConfig bounds what is read of a client's configuration.
const maxConfig = 64 << 20

// Change puts an entry into the configuration of a client.
type Change struct {
	Path        string
	old, edited []byte
	mode        fs.FileMode
}

// Change finds out what has to change in the file. It writes nothing.
func (c Client) Change(path string, e Entry) (Change, error) {
	old, mode, err := read(path)
	if err != nil {
		return Change{}, err
	}
	edited, err := c.edit(old, e)
	if err != nil {
		return Change{}, hint.With(fmt.Errorf("%s: %w", path, err), "add it by hand: sallyport init --client %s --print", c.Name)
	}
	return Change{Path: path, old: old, edited: edited, mode: mode}, nil
}

// None says that the entry is there already.
func (c Change) None() bool { return bytes.Equal(c.old, c.edited) }

// Write makes the change in one step and keeps the old content beside it, as
// backup, where there was any. A link stays a link: its target is replaced.
func (c Change) Write(now time.Time) (backup string, err error) {
	path := c.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", hint.While(err, "making the directory of the client's configuration")
	}
	if c.old != nil {
		backup = path + ".before-sallyport-" + now.UTC().Format("20060102T150405.000")
		if err := writeNew(backup, c.old, c.mode); err != nil {
			return "", hint.While(err, "keeping the old file")
		}
	}
	return backup, replace.File(path, c.mode, replace.Bytes(c.edited))
}

func writeNew(path string, b []byte, mode fs.FileMode) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// read reads a configuration; none is an empty one.
func read(path string) ([]byte, fs.FileMode, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil
	case err != nil:
		return nil, 0, hint.While(err, "reading the client's configuration")
	case !st.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	case st.Size() > maxConfig:
		return nil, 0, fmt.Errorf("%s is larger than %d MiB", path, maxConfig>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, hint.While(err, "reading the client's configuration")
	}
	return b, st.Mode().Perm(), nil
}

// Diff shows what lies between the beginning and the end that both contents have
// in common, with two lines around it.
func (c Change) Diff() string {
	a, b := splitLines(string(c.old)), splitLines(string(c.edited))
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	show := func(sign string, lines []string) {
		for _, l := range lines {
			fmt.Fprintf(&out, "  %s %s\n", sign, l)
		}
	}
	show(" ", a[max(0, head-2):head])
	show("-", a[head:len(a)-tail])
	show("+", b[head:len(b)-tail])
	show(" ", a[len(a)-tail:min(len(a), len(a)-tail+2)])
	return out.String()
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
