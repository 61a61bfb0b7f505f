package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pythonVersion makes a version of Python's of ours: what comes before a release
// sorts before it.
func pythonVersion(v string) string {
	base, rest, before := strings.Cut(v, "-")
	if !before {
		return v
	}
	day, local, _ := strings.Cut(rest, ".")
	return base + ".dev" + day + "+" + local
}

// machine is how others name an architecture.
type machine struct{ wheel, npm string }

func (r release) machine() (machine, error) {
	m, ok := map[string]machine{"amd64": {"x86_64", "x64"}, "arm64": {"aarch64", "arm64"}}[r.arch]
	if !ok {
		return m, fmt.Errorf("wheels and npm have no name for %s", r.arch)
	}
	return m, nil
}

// static says why a program does not run on every distribution: one that asks
// for a loader brings the machine's own C library in, of whatever version.
func static(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("%s is linked with libraries of the machine, so that no tag of a wheel is true of it", file)
	}
	return nil
}

// wheel makes the package for Python's installers, and its name. There is no
// Python in it: the programs go where the environment has its own.
func (r release) wheel(notices, sbom []byte) (name string, data []byte, err error) {
	m, err := r.machine()
	if err != nil {
		return "", nil, err
	}
	version := pythonVersion(r.version)
	// What asks for no C library runs with the oldest one, too.
	tags := []string{"manylinux_2_17_" + m.wheel, "manylinux2014_" + m.wheel}
	info := "sallyport-" + version + ".dist-info"
	t := newTree("")
	for _, p := range programs() {
		file := filepath.Join(r.bin, p)
		if err := static(file); err != nil {
			return "", nil, err
		}
		t.copy(path.Join("sallyport-"+version+".data/scripts", p), file, 0o755)
	}
	t.add(info+"/METADATA", fmt.Appendf(nil, wheelMetadata, version), 0o644)
	says := "Wheel-Version: 1.0\nGenerator: sallyport-release\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		says += "Tag: py3-none-" + tag + "\n"
	}
	t.add(info+"/WHEEL", []byte(says), 0o644)
	t.copy(info+"/licenses/LICENSE", filepath.Join(r.root, "LICENSE"), 0o644)
	t.add(info+"/licenses/THIRD-PARTY-LICENSES.txt", notices, 0o644)
	t.add(info+"/sboms/sallyport.spdx.json", sbom, 0o644)
	var record strings.Builder
	for _, f := range t.files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	t.add(info+"/RECORD", []byte(record.String()+info+"/RECORD,,\n"), 0o644)
	data, err = r.zip(t.files)
	return fmt.Sprintf("sallyport-%s-py3-none-%s.whl", version, strings.Join(tags, ".")), data, cmp.Or(t.err, err)
}

// zip packs files in their order, all of one time.
func (r release) zip(files []file) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: r.time}
		h.SetMode(fs.FileMode(f.mode))
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.path, err)
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

const wheelMetadata = `Metadata-Version: 2.4
Name: sallyport
Version: %s
Summary: Runs code that AI agents write, judged by policy, in a sandbox
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD-PARTY-LICENSES.txt
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/plain

Sallyport parses Python or JavaScript into facts, judges them with Rego, and
runs what policy allows in a sandbox without network and within hard limits.
"sallyport mcp" serves an AI agent by the Model Context Protocol.
`
