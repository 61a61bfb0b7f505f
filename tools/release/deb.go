package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// The programs are in one directory of their own, where they find each other;
// /usr/bin has a link to the one that people call.
const (
	libexec = "usr/libexec/sallyport"
	docDir  = "usr/share/doc/sallyport"
)

// debVersion makes a version of Debian's of ours: what comes before a release
// sorts before it.
func debVersion(v string) string { return strings.Replace(v, "-", "~", 1) }

func debName(version, arch string) string {
	return fmt.Sprintf("sallyport_%s_%s.deb", debVersion(version), arch)
}

// deb makes the Debian package.
func (r release) deb(notices []byte) ([]byte, error) {
	files, err := r.debTree(notices)
	if err != nil {
		return nil, err
	}
	data, err := tarGz("./", files, r.time) // dpkg wants its paths to start so
	if err != nil {
		return nil, err
	}
	meta, err := r.control(files)
	if err != nil {
		return nil, err
	}
	control, err := tarGz("./", meta, r.time)
	if err != nil {
		return nil, err
	}
	return ar(r.time, file{path: "debian-binary", data: []byte("2.0\n")}, file{path: "control.tar.gz", data: control}, file{path: "data.tar.gz", data: data}), nil
}

// debTree is what the package installs.
func (r release) debTree(notices []byte) ([]file, error) {
	t := newTree("")
	for _, p := range programs() {
		t.copy(path.Join(libexec, p), filepath.Join(r.bin, p), 0o755)
	}
	t.link("usr/bin/sallyport", "../libexec/sallyport/sallyport")
	t.directory("etc/sallyport") // for the configuration of all users
	read := newTree(docDir)
	read.documents(r.root)
	t.files, t.err = append(t.files, read.files...), cmp.Or(t.err, read.err)
	t.zip(path.Join(docDir, "THIRD-PARTY-LICENSES.txt.gz"), notices)
	t.zip(path.Join(docDir, "changelog.gz"), fmt.Appendf(nil, changelog, debVersion(r.version), r.time.Format(time.RFC1123Z)))
	t.add(path.Join(docDir, "copyright"), []byte(copyright), 0o644)
	t.add("usr/share/lintian/overrides/sallyport", []byte(overrides), 0o644)
	pages, err := regular(filepath.Join(r.share, "man"))
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		t.page(p)
	}
	for _, c := range []struct{ from, to string }{
		{"sallyport.bash", "usr/share/bash-completion/completions/sallyport"},
		{"_sallyport", "usr/share/zsh/vendor-completions/_sallyport"},
		{"sallyport.fish", "usr/share/fish/vendor_completions.d/sallyport.fish"},
	} {
		t.copy(c.to, filepath.Join(r.share, "completions", c.from), 0o644)
	}
	return t.files, t.err
}

// page adds a manual page, compressed, in the section that its name ends in.
func (t *tree) page(from string) {
	name := filepath.Base(from)
	page := newTree("")
	page.copy(name, from, 0o644)
	if page.err != nil {
		t.fail(page.err)
		return
	}
	t.zip(path.Join("usr/share/man/man"+strings.TrimPrefix(path.Ext(name), "."), name+".gz"), page.files[0].data)
}

func (t *tree) zip(name string, data []byte) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.fail(err)
		return
	}
	t.add(name, b.Bytes(), 0o644)
}

// control is what dpkg reads before it installs.
func (r release) control(files []file) ([]file, error) {
	kib := 0
	var sums bytes.Buffer
	for _, f := range files {
		kib += (len(f.data) + 1023) / 1024
		if f.link == "" && !strings.HasSuffix(f.path, "/") {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.path)
		}
	}
	var b bytes.Buffer
	err := template.Must(template.New("control").Parse(controlFile)).Execute(&b, map[string]any{"Version": debVersion(r.version), "Arch": r.arch, "KiB": kib})
	return []file{{path: "control", mode: 0o644, data: b.Bytes()}, {path: "md5sums", mode: 0o644, data: sums.Bytes()}}, err
}

// ar writes the outer archive.
func ar(at time.Time, members ...file) []byte {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.path, at.Unix(), 0, 0, "100644", len(m.data))
		b.Write(m.data)
		if len(m.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

const controlFile = `Package: sallyport
Version: {{.Version}}
Architecture: {{.Arch}}
Maintainer: The sallyport authors <sallyport@localhost.localdomain>
Installed-Size: {{.KiB}}
Recommends: python3, nodejs
Suggests: docker.io | podman, python3-venv, python3-pip, npm
Section: devel
Priority: optional
Description: runs code that AI agents write, judged by policy, in a sandbox
 Sallyport parses Python or JavaScript into facts, judges them with Rego, and
 runs what policy allows in a gVisor, Docker or Podman sandbox without network
 and within hard limits. Every decision is on disk before the program starts.
 .
 It serves AI agents by the Model Context Protocol, and judges files and
 directories in CI. Programs run with the interpreters of this machine, which
 are recommended for that reason alone.
`

const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sallyport

Files: *
Copyright: 2026 The sallyport authors
License: Apache-2.0
Comment: The programs contain other modules and parts of the GNU C library;
 THIRD-PARTY-LICENSES.txt.gz in this directory names them and their licences.

License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
`

const changelog = `sallyport (%s) unstable; urgency=medium

  * See CHANGELOG.md of the sources.

 -- The sallyport authors <sallyport@localhost.localdomain>  %s
`

// What lintian finds and why it stays.
const overrides = `# One file for every distribution; gVisor cannot be linked otherwise.
sallyport: statically-linked-binary *
# The programs are built by upstream, not by Debian: no address and no bug there.
sallyport: bogus-mail-host *
sallyport: bogus-mail-host-in-debian-changelog *
sallyport: initial-upload-closes-no-bugs *
sallyport: embedded-library *
`
