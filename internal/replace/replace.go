// Package replace puts a file into its place in one step: whoever looks finds the
// whole file or none.
package replace

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"sallyport/internal/hint"
)

// File writes a whole file or none: what was there before stays when something
// fails on the way, or somebody interrupts it. What is there and is no regular file,
// such as a pipe or /dev/null, is written to and not replaced.
func File(name string, mode fs.FileMode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return hint.With(hint.Usage("cannot write %s: it is a directory", name), "name a file in it")
	case err == nil && !st.Mode().IsRegular():
		return through(name, write)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".sallyport-*")
	if err != nil {
		return hint.Usage("cannot write %s: %s", name, hint.Reason(err))
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(ofFile(name, err), os.Remove(f.Name()))
	}
	return nil
}

// New writes a file that is not there yet, with the directories that it is in; one
// that is there is an error of the kind [fs.ErrExist]. Until it is whole it has
// another name, which begins with a full stop; so has what is left of one whose
// writer was killed.
func New(root *os.Root, name string, write func(io.Writer) error) error {
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := root.Lstat(name); err == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	half := path.Join(dir, ".sallyport-"+rand.Text())
	f, err := root.OpenFile(half, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = root.Rename(half, name)
	}
	if err != nil {
		err = errors.Join(err, root.Remove(half))
	}
	return err
}

// Bytes is what File and New write where it is there already.
func Bytes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

func through(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return hint.Usage("cannot write %s: %s", name, hint.Reason(err))
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return ofFile(name, err)
	}
	return nil
}

// ofFile names the file where the file is what failed; what its writer
// says of itself stays as it is.
func ofFile(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot write %s: %s", name, hint.Reason(err))
	}
	return err
}
