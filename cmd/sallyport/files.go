package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sallyport/sandbox"
)

// maxInputFiles and maxInputBytes bound what --file may bring along.
const (
	maxInputFiles = 1000
	maxInputBytes = 256 << 20
)

// inputFiles reads the files that a program gets into its work directory:
// each is HOST-PATH or HOST-PATH=NAME.
func inputFiles(args []string) ([]sandbox.File, error) {
	if len(args) > maxInputFiles {
		return nil, usagef("--file: %d files, at most %d", len(args), maxInputFiles)
	}
	var out []sandbox.File
	total := int64(0)
	for _, arg := range args {
		host, name, named := strings.Cut(arg, "=")
		if !named {
			name = filepath.Base(host)
		}
		if !fs.ValidPath(name) || name == "." {
			return nil, withHint(usagef("--file: %q is not a path below the work directory", name), "--file %s=data/input.csv", host)
		}
		data, err := readFile(host, "a file", maxInputBytes-total+1)
		if err != nil {
			return nil, fmt.Errorf("--file: %w", err)
		}
		if total += int64(len(data)); total > maxInputBytes {
			return nil, usagef("--file: more than %d MiB together", maxInputBytes>>20)
		}
		out = append(out, sandbox.File{Path: name, Data: data})
	}
	return out, nil
}

// keep writes the files that a program left into dir, below which nothing that
// is there already is touched and no link is followed.
func keep(dir string, files []sandbox.File) (err error) {
	if len(files) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--output: cannot make %s: %s", dir, plain(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return usagef("--output: cannot write into %s: %s", dir, plain(err))
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if err := keepOne(root, f); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return withHint(fmt.Errorf("--output: %s is there already in %s", safe(f.Path), dir), "choose an empty directory")
			}
			return fmt.Errorf("--output: cannot write %s into %s: %s", safe(f.Path), dir, plain(err))
		}
	}
	return nil
}

func keepOne(root *os.Root, f sandbox.File) (err error) {
	if d := path.Dir(f.Path); d != "." {
		if err := root.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	w, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = w.Write(f.Data)
	return err
}
