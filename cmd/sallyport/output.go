package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/replace"
	"sallyport/sandbox"
)

// writeTo gives write the file of --output, or standard output for "" and "-".
// A file appears whole or not at all: what was there before stays when
// something fails on the way, or somebody interrupts it.
func writeTo(stdout io.Writer, name string, mode fs.FileMode, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(stdout)
	}
	return replace.File(name, mode, write)
}

const (
	maxInputFiles = 1000     // that --file may bring along
	maxByValue    = 16 << 20 // of one; a larger one is read where it is
)

// inputFiles adds the files to a request that a program gets into its work
// directory: each is HOST-PATH or HOST-PATH=NAME. What is opened is the caller's
// to close.
func inputFiles(req *gate.Request, args []string) (opened []*os.File, err error) {
	if len(args) > maxInputFiles {
		return nil, hint.Usage("--file: %d files, at most %d", len(args), maxInputFiles)
	}
	for _, arg := range args {
		host, name, named := strings.Cut(arg, "=")
		if !named {
			name = filepath.Base(host)
		}
		st, err := os.Stat(host)
		if err == nil && st.IsDir() {
			return opened, hint.With(hint.Usage("--file: %s is a directory", host), "--mount NAME=%s lets the program read all that is in it", host)
		}
		if !fs.ValidPath(name) || name == "." {
			return opened, hint.With(hint.Usage("--file: %q is not a path below the work directory", name), "--file %s=data/input.csv", host)
		}
		if err == nil && st.Mode().IsRegular() && st.Size() > maxByValue {
			f, err := os.Open(host)
			if err != nil {
				return opened, hint.Usage("--file: cannot read %s: %s", host, hint.Reason(err))
			}
			opened = append(opened, f)
			req.References = append(req.References, gate.Reference{Path: name, File: f})
			continue
		}
		data, err := install.ReadFile(host, "a file", maxByValue+1)
		if err != nil {
			return opened, hint.While(err, "--file")
		}
		req.Files = append(req.Files, sandbox.File{Path: name, Data: data})
	}
	return opened, nil
}

// inputDirectories adds the directories to a request that a program reads: each
// is NAME=DIR.
func inputDirectories(req *gate.Request, args []string) error {
	for _, arg := range args {
		name, dir, named := strings.Cut(arg, "=")
		st, err := os.Stat(dir)
		switch {
		case !named || !fs.ValidPath(name) || name == ".":
			return hint.With(hint.Usage("--mount: %q is not NAME=DIR, with a NAME below the work directory", arg), "--mount data=DIR")
		case err != nil:
			return hint.Usage("--mount: cannot read %s: %s", dir, hint.Reason(err))
		case !st.IsDir():
			return hint.With(hint.Usage("--mount: %s is no directory", dir), "--file %s=%s gives the program one file", dir, name)
		}
		req.References = append(req.References, gate.Reference{Path: name, Dir: dir})
	}
	return nil
}

// keep writes the files that a program left into dir, below which nothing that
// is there already is touched and no link is followed. A name that another
// program takes for more than a name is left out unless any is wanted: keep
// returns how many were.
func keep(dir string, files []answer.Artifact, anyName bool) (left int, err error) {
	if len(files) == 0 {
		return 0, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, hint.Usage("--output: cannot make %s: %s", dir, hint.Reason(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, hint.Usage("--output: cannot write into %s: %s", dir, hint.Reason(err))
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if !anyName && !answer.IsPlain(f.Path) {
			left++
			continue
		}
		if err := replace.New(root, f.Path, replace.Bytes(f.Data)); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return left, hint.With(fmt.Errorf("--output: %s is there already in %s", answer.Visible(f.Path), dir), "choose an empty directory")
			}
			return left, fmt.Errorf("--output: cannot write %s into %s: %s", answer.Visible(f.Path), dir, hint.Reason(err))
		}
	}
	return left, nil
}
