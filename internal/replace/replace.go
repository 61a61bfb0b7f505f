// Package replace puts a new file in the place of an old one in one step.
package replace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
