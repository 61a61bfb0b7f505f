package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one entry of an archive.
type file struct {
	path string
	mode int64
	data []byte
	link string // target, when it is a symbolic link
}

// tree collects files below one directory and keeps the first error.
type tree struct {
	top   string
	files []file
	err   error
}

func newTree(top string) *tree { return &tree{top: top} }

func (t *tree) add(name string, data []byte, mode int64) {
	t.files = append(t.files, file{path: path.Join(t.top, name), mode: mode, data: data})
}

func (t *tree) link(name, target string) {
	t.files = append(t.files, file{path: path.Join(t.top, name), mode: 0o777, link: target})
}

// directory adds an empty one.
func (t *tree) directory(name string) {
	t.files = append(t.files, file{path: path.Join(t.top, name) + "/", mode: 0o755})
}

func (t *tree) copy(name, from string, mode int64) {
	data, err := os.ReadFile(from)
	if err != nil {
		t.fail(err)
		return
	}
	t.add(name, data, mode)
}

// copyAll copies the files below a directory. Those that can be run stay so.
func (t *tree) copyAll(name, from string) {
	files, err := regular(from)
	if err != nil {
		t.fail(err)
		return
	}
	for _, f := range files {
		rel, err := filepath.Rel(from, f)
		if err != nil {
			t.fail(err)
			return
		}
		mode := int64(0o644)
		if st, err := os.Stat(f); err == nil && st.Mode().Perm()&0o100 != 0 {
			mode = 0o755
		}
		t.copy(path.Join(name, filepath.ToSlash(rel)), f, mode)
	}
}

// documents copies what people read, and all that it links to, as it stands in the
// repository: a link leads to the same place.
func (t *tree) documents(root string) {
	for _, f := range []string{"README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "analyze/python/rounds.md", "analyze/javascript/rounds.md"} {
		t.copy(f, filepath.Join(root, f), 0o644)
	}
	for _, dir := range []string{"deploy", "docs", "examples", "images", "policy/schema", "config/schema", "scripts/clients"} {
		t.copyAll(dir, filepath.Join(root, filepath.FromSlash(dir)))
	}
}

func (t *tree) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// tarGz packs files in the order of their names, each directory before what is
// in it, owned by root, all of one time. The prefix stands before every name.
func tarGz(prefix string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b) // its header has no time and no name
	w := tar.NewWriter(z)
	for _, f := range withDirectories(files) {
		h := &tar.Header{Name: prefix + f.path, Mode: f.mode, ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatGNU}
		switch {
		case strings.HasSuffix(f.path, "/"):
			h.Typeflag = tar.TypeDir
		case f.link != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, f.link
		default:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(f.data))
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.path, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.path, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// withDirectories adds the directories that files are in, and sorts.
func withDirectories(files []file) []file {
	out := slices.Clone(files)
	seen := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f.path, "/") {
			seen[path.Clean(f.path)] = true
		}
	}
	for _, f := range files {
		for d := path.Dir(path.Clean(f.path)); d != "." && !seen[d]; d = path.Dir(d) {
			seen[d] = true
			out = append(out, file{path: d + "/", mode: 0o755})
		}
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out
}
