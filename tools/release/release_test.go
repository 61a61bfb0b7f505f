package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// smallest builds the smallest program there is, which says of itself what Go
// binaries say, and asks for no library.
func smallest(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, "main.go"), filepath.Join(dir, "smallest")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-o", out, src)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// newRelease is a release whose programs are all the smallest one.
func newRelease(t *testing.T) release {
	t.Helper()
	dir, data := t.TempDir(), smallest(t)
	files := map[string][]byte{
		"share/man/sallyport.1":             []byte(".TH x 1\n"),
		"share/completions/sallyport.bash":  []byte("# bash\n"),
		"share/completions/_sallyport":      []byte("# zsh\n"),
		"share/completions/sallyport.fish":  []byte("# fish\n"),
		"root/LICENSE":                      []byte("licence\n"),
		"root/README.md":                    []byte("readme\n"),
		"root/CHANGELOG.md":                 []byte("changes\n"),
		"root/SECURITY.md":                  []byte("security\n"),
		"root/docs/a.md":                    []byte("docs\n"),
		"root/docs/img/picture.svg":         []byte("picture\n"),
		"root/CONTRIBUTING.md":              []byte("how to\n"),
		"root/analyze/python/rounds.md":     []byte("rounds\n"),
		"root/analyze/javascript/rounds.md": []byte("rounds\n"),
		"root/examples/e.yaml":              []byte("example\n"),
		"root/deploy/helm/Chart.yaml":       []byte("name: a\n"),
		"root/images/build.sh":              []byte("#!/bin/sh\n"),
		"root/policy/schema/s.json":         []byte("{}\n"),
		"root/config/schema/s.json":         []byte("{}\n"),
		"root/scripts/clients/run":          []byte("#!/bin/sh\n"),
		"out/.keep":                         nil,
	}
	for _, p := range programs() {
		files["bin/"+p] = data
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "root/images/build.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	return release{
		bin: filepath.Join(dir, "bin"), share: filepath.Join(dir, "share"), root: filepath.Join(dir, "root"), out: filepath.Join(dir, "out"),
		arch: "arm64", version: "1.2.3-20260504.gabc", libc: "2.36", time: time.Unix(1777888999, 0).UTC(),
	}
}

func made(t *testing.T, r release, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// untar returns the headers of a compressed archive by name.
func untar(t *testing.T, b []byte) map[string]*tar.Header {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*tar.Header{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(h.Name, "/")
		if dir := name[:strings.LastIndex(name, "/")+1]; dir != "" && dir != "./" && out[dir] == nil {
			t.Errorf("%s comes before its directory", h.Name)
		}
		out[h.Name] = h
	}
}

// TestRelease makes two releases of the same and looks at one: packing takes
// longer than looking.
func TestRelease(t *testing.T) {
	a, b := newRelease(t), newRelease(t)
	if err := errors.Join(a.run(), b.run()); err != nil {
		t.Fatal(err)
	}
	t.Run("same twice", func(t *testing.T) { sameTwice(t, a, b) })
	t.Run("archive", func(t *testing.T) { checkArchive(t, a) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, a) })
	t.Run("wheel", func(t *testing.T) { checkWheel(t, a) })
	t.Run("npm", func(t *testing.T) { checkNPM(t, a) })
	t.Run("bill of materials", func(t *testing.T) { checkSBOM(t, a) })
}

const (
	wheelFile = "sallyport-1.2.3.dev20260504+gabc-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.whl"
	npmFile   = "sallyport-linux-arm64-1.2.3-20260504.gabc.tgz"
)

func sameTwice(t *testing.T, a, b release) {
	for _, name := range []string{"sallyport_1.2.3-20260504.gabc_linux_arm64.tar.gz", "sallyport_1.2.3~20260504.gabc_arm64.deb", "sallyport_1.2.3-20260504.gabc_linux_arm64.spdx.json", wheelFile, npmFile} {
		if !bytes.Equal(made(t, a, name), made(t, b, name)) {
			t.Errorf("%s differs between two runs", name)
		}
	}
}

func checkArchive(t *testing.T, r release) {
	top := "sallyport_1.2.3-20260504.gabc_linux_arm64/"
	got := untar(t, made(t, r, strings.TrimSuffix(top, "/")+".tar.gz"))
	for name, mode := range map[string]int64{
		"": 0o755, "sallyport": 0o755, "runsc": 0o755, "sallyport-guest": 0o755, "LICENSE": 0o644, "README.md": 0o644,
		"THIRD-PARTY-LICENSES.txt": 0o644, "docs/": 0o755, "docs/a.md": 0o644, "docs/img/picture.svg": 0o644, "images/build.sh": 0o755, "man/sallyport.1": 0o644, "completions/_sallyport": 0o644,
	} {
		h := got[top+name]
		if h == nil || h.Mode != mode || h.Uname != "root" || h.Uid != 0 || !h.ModTime.Equal(r.time) {
			t.Errorf("%s%s: %+v, want mode %o, root and %v", top, name, h, mode, r.time)
		}
	}
}

func checkDeb(t *testing.T, r release) {
	members := unar(t, made(t, r, "sallyport_1.2.3~20260504.gabc_arm64.deb"))
	if string(members["debian-binary"]) != "2.0\n" {
		t.Errorf("debian-binary is %q", members["debian-binary"])
	}
	data := untar(t, members["data.tar.gz"])
	if h := data["./usr/bin/sallyport"]; h == nil || h.Typeflag != tar.TypeSymlink || h.Linkname != "../libexec/sallyport/sallyport" {
		t.Errorf("/usr/bin/sallyport: %+v, want a link to the program beside its helpers", h)
	}
	for _, name := range []string{
		"usr/libexec/sallyport/runsc", "usr/libexec/sallyport/sallyport-guest", "usr/share/man/man1/sallyport.1.gz",
		"usr/share/bash-completion/completions/sallyport", "usr/share/doc/sallyport/copyright", "usr/share/doc/sallyport/docs/a.md",
		"usr/share/doc/sallyport/README.md", "usr/share/doc/sallyport/docs/img/picture.svg", "usr/share/doc/sallyport/examples/e.yaml",
		"usr/share/doc/sallyport/images/build.sh", "usr/share/doc/sallyport/policy/schema/s.json", "etc/sallyport/",
	} {
		if data["./"+name] == nil {
			t.Errorf("%s is not installed", name)
		}
	}
	control := untar(t, members["control.tar.gz"])
	if control["./control"] == nil || control["./md5sums"] == nil {
		t.Errorf("control holds %v", control)
	}
}

func checkWheel(t *testing.T, r release) {
	b := made(t, r, wheelFile)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	const info = "sallyport-1.2.3.dev20260504+gabc.dist-info/"
	content := map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		content[f.Name] = data
		want := fs.FileMode(0o644)
		if strings.Contains(f.Name, ".data/scripts/") {
			want = 0o755
		}
		if f.Mode() != want || !f.Modified.Equal(r.time) {
			t.Errorf("%s: %v of %v, want %v of %v", f.Name, f.Mode(), f.Modified, want, r.time)
		}
	}
	for _, name := range []string{
		"sallyport-1.2.3.dev20260504+gabc.data/scripts/sallyport", "sallyport-1.2.3.dev20260504+gabc.data/scripts/runsc",
		"sallyport-1.2.3.dev20260504+gabc.data/scripts/sallyport-guest", info + "METADATA", info + "WHEEL", info + "RECORD",
		info + "licenses/LICENSE", info + "licenses/THIRD-PARTY-LICENSES.txt", info + "sboms/sallyport.spdx.json",
	} {
		if content[name] == nil {
			t.Errorf("%s is not there", name)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(content[info+"RECORD"])), "\n")
	if len(lines) != len(content) {
		t.Errorf("the record has %d lines for %d files", len(lines), len(content))
	}
	for _, line := range lines[:len(lines)-1] {
		name, _, _ := strings.Cut(line, ",")
		sum := sha256.Sum256(content[name])
		if want := fmt.Sprintf("%s,sha256=%s,%d", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(content[name])); line != want {
			t.Errorf("the record says %q, want %q", line, want)
		}
	}
}

func checkNPM(t *testing.T, r release) {
	got := untar(t, made(t, r, npmFile))
	for name, mode := range map[string]int64{
		"bin/sallyport": 0o755, "bin/runsc": 0o755, "bin/sallyport-guest": 0o755, "package.json": 0o644,
		"LICENSE": 0o644, "THIRD-PARTY-LICENSES.txt": 0o644, "sallyport.spdx.json": 0o644,
	} {
		if h := got["package/"+name]; h == nil || h.Mode != mode {
			t.Errorf("%s: %+v, want mode %o", name, h, mode)
		}
	}
}

// TestPythonVersion: what Python's installers take for a version, and sort as we do.
func TestPythonVersion(t *testing.T) {
	for v, want := range map[string]string{"1.2.3": "1.2.3", "1.2.3-20260504.gabc": "1.2.3.dev20260504+gabc", "1.2.3-20260504.gabc.changes": "1.2.3.dev20260504+gabc.changes"} {
		if got := pythonVersion(v); got != want {
			t.Errorf("pythonVersion(%q) = %q, want %q", v, got, want)
		}
	}
}

// TestLinkedWithTheMachine: a program that asks for the machine's C library gets no
// wheel, whose tag would be a guess.
func TestLinkedWithTheMachine(t *testing.T) {
	r := newRelease(t)
	dir := t.TempDir()
	src := filepath.Join(dir, "main.c")
	if err := os.WriteFile(src, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("gcc", "-o", filepath.Join(r.bin, "runsc"), src).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if _, _, err := r.wheel(nil, nil); err == nil || !strings.Contains(err.Error(), "runsc is linked with libraries of the machine") {
		t.Errorf("wheel() = %v, want that a program is linked with the machine's libraries", err)
	}
}

var (
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link = regexp.MustCompile(`\]\(([^)#\s]+)`)
)

// TestLinks follows every link of the real pages: what it leads to is in the
// archive and in the package.
func TestLinks(t *testing.T) {
	pages := newTree("")
	pages.documents("../..")
	pages.add("LICENSE", nil, 0o644) // of the archive alone; Debian has it elsewhere
	if pages.err != nil {
		t.Fatal(pages.err)
	}
	there, links := map[string]bool{}, 0
	for _, f := range withDirectories(pages.files) {
		there[strings.TrimSuffix(f.path, "/")] = true
	}
	for _, f := range pages.files {
		if path.Ext(f.path) != ".md" {
			continue
		}
		for _, m := range link.FindAllSubmatch(code.ReplaceAll(f.data, nil), -1) {
			links++
			to := string(m[1])
			if strings.Contains(to, ":") {
				continue // not a file
			}
			if to = path.Join(path.Dir(f.path), to); !there[to] {
				t.Errorf("%s links to %s, which is not there", f.path, to)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were followed", links)
	}
}

// unar returns the members of an ar archive.
func unar(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	rest, ok := bytes.CutPrefix(b, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("no ar archive")
	}
	out := map[string][]byte{}
	for len(rest) > 0 {
		var size int
		for _, c := range strings.TrimSpace(string(rest[48:58])) {
			size = size*10 + int(c-'0')
		}
		out[strings.TrimSpace(string(rest[:16]))] = rest[60 : 60+size]
		rest = rest[min(60+size+size%2, len(rest)):]
	}
	return out
}

func checkSBOM(t *testing.T, r release) {
	var d spdxDocument
	if err := json.Unmarshal(made(t, r, "sallyport_1.2.3-20260504.gabc_linux_arm64.spdx.json"), &d); err != nil {
		t.Fatal(err)
	}
	seen := map[string]spdxPackage{}
	for _, p := range d.Packages {
		if seen[p.ID].ID != "" {
			t.Errorf("%s is there twice", p.ID)
		}
		seen[p.ID] = p
	}
	for _, name := range programs() {
		if p := seen[spdxID(name)]; len(p.Checksums) != 1 || len(p.Checksums[0].Value) != 64 {
			t.Errorf("%s has no digest: %+v", name, p)
		}
	}
	std := slices.IndexFunc(d.Packages, func(p spdxPackage) bool { return p.Name == "stdlib" })
	if std < 0 || d.Packages[std].Declared != "BSD-3-Clause" {
		t.Errorf("Go's own library is not there with its licence: %+v", d.Packages)
	}
	linked := 0
	for _, rel := range d.Relationships {
		if seen[rel.To].ID == "" || rel.From != d.ID && seen[rel.From].ID == "" {
			t.Errorf("%+v relates to what is not there", rel)
		}
		if rel.Type == "STATIC_LINK" && rel.To == d.Packages[std].ID {
			linked++
		}
	}
	if linked != len(programs()) {
		t.Errorf("%d programs contain Go's library, want %d", linked, len(programs()))
	}
}

func TestClassify(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Apache License\n  Version 2.0, January 2004", "Apache-2.0"},
		{"Mozilla Public License, version 2.0", "MPL-2.0"},
		{"Permission is hereby granted, free\nof charge, to any person", "MIT"},
		{"Redistribution and use in source and binary forms … Neither the name of", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms … are permitted", "BSD-2-Clause"},
		{"Permission to use, copy, modify, and distribute this software for any", "ISC"},
		{"All rights reserved.", ""},
	} {
		if got := strings.Join(classify(tt.text), " "); got != tt.want {
			t.Errorf("classify(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMissingBinary(t *testing.T) {
	r := newRelease(t)
	if err := os.Remove(filepath.Join(r.bin, "runsc")); err != nil {
		t.Fatal(err)
	}
	if err := r.run(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("run() = %v, want that a binary is missing", err)
	}
}
