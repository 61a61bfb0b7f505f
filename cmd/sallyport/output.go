package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeTo gives write the file of --output, or standard output for "" and "-".
// A file appears whole or not at all: what was there before stays when
// something fails on the way, or somebody interrupts it.
func (a *app) writeTo(name string, mode fs.FileMode, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(a.stdout)
	}
	return writeFile(name, mode, write)
}

// writeFile writes a whole file or none. What is there and is no regular file,
// such as a pipe or /dev/null, is written to and not replaced.
func writeFile(name string, mode fs.FileMode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return withHint(usagef("cannot write %s: it is a directory", name), "name a file in it")
	case err == nil && !st.Mode().IsRegular():
		return writeThrough(name, write)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".sallyport-*")
	if err != nil {
		return usagef("cannot write %s: %s", name, plain(err))
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(wrapWriting(name, err), os.Remove(f.Name()))
	}
	return nil
}

func writeThrough(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return usagef("cannot write %s: %s", name, plain(err))
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return wrapWriting(name, err)
	}
	return nil
}

// wrapWriting names the file where the file is what failed; what its writer
// says of itself stays as it is.
func wrapWriting(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot write %s: %s", name, plain(err))
	}
	return err
}
