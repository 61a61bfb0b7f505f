// Command release makes what is published of one architecture out of the built
// binaries: an archive, packages for Debian, Python and npm, and a bill of
// materials. The same input gives the same bytes. It needs no network: what it
// says of modules is in the binaries, their licences are in the module cache.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// programs are the binaries of a release, by what they are for.
func programs() []string { return []string{"sallyport", "runsc", "sallyport-guest"} }

// release is one run of this command.
type release struct {
	bin     string // directory of the binaries
	share   string // directory with man/ and completions/
	root    string // of the repository: LICENSE, README.md, docs and what they link to
	out     string
	arch    string
	version string
	libc    string // version of the libc that is linked in; "" for none
	time    time.Time
}

func main() {
	var r release
	var epoch int64
	flag.StringVar(&r.bin, "bin", "", "`directory` with the binaries")
	flag.StringVar(&r.share, "share", "", "`directory` with man/ and completions/")
	flag.StringVar(&r.root, "root", ".", "root `directory` of the repository")
	flag.StringVar(&r.out, "out", "", "`directory` to write to")
	flag.StringVar(&r.arch, "arch", "", "`architecture`, as Go and Debian name it")
	flag.StringVar(&r.version, "version", "", "`version` of the release")
	flag.StringVar(&r.libc, "libc", "", "`version` of the glibc that is linked in")
	flag.Int64Var(&epoch, "epoch", 0, "`seconds` since 1970: the time of every file")
	flag.Parse()
	r.time = time.Unix(epoch, 0).UTC()
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r release) run() error {
	for name, v := range map[string]string{"bin": r.bin, "share": r.share, "out": r.out, "arch": r.arch, "version": r.version} {
		if v == "" {
			return fmt.Errorf("-%s is missing", name)
		}
	}
	c, err := r.components()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("sallyport_%s_linux_%s", r.version, r.arch)
	sbom, err := r.sbom(name, c)
	if err != nil {
		return err
	}
	notices := c.notices()
	tree, err := r.archiveTree(name, notices)
	if err != nil {
		return err
	}
	packages := []func() (string, []byte, error){
		func() (string, []byte, error) { b, err := tarGz("", tree, r.time); return name + ".tar.gz", b, err },
		func() (string, []byte, error) { b, err := r.deb(notices); return debName(r.version, r.arch), b, err },
		func() (string, []byte, error) { return r.wheel(notices, sbom) },
		func() (string, []byte, error) { return r.npm(notices, sbom) },
	}
	errs := make([]error, len(packages))
	var all sync.WaitGroup
	for i, pack := range packages { // beside each other: each takes a while to compress
		all.Go(func() {
			name, b, err := pack()
			if err == nil {
				err = os.WriteFile(filepath.Join(r.out, name), b, 0o644)
			}
			errs[i] = err
		})
	}
	all.Wait()
	return errors.Join(append(errs, os.WriteFile(filepath.Join(r.out, name+".spdx.json"), sbom, 0o644))...)
}

// archiveTree is the content of the archive: programs beside each other, as
// they find each other, and what goes with them.
func (r release) archiveTree(top string, notices []byte) ([]file, error) {
	t := newTree(top)
	for _, p := range programs() {
		t.copy(p, filepath.Join(r.bin, p), 0o755)
	}
	t.copy("LICENSE", filepath.Join(r.root, "LICENSE"), 0o644)
	t.documents(r.root)
	t.add("THIRD-PARTY-LICENSES.txt", notices, 0o644)
	t.copyAll("man", filepath.Join(r.share, "man"))
	t.copyAll("completions", filepath.Join(r.share, "completions"))
	return t.files, t.err
}

// moduleCache is where the sources of the modules are, with their licences.
func moduleCache() (string, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for its module cache: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func goRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for its root: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// regular lists the files below dir, in order.
func regular(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, p)
		}
		return err
	})
	return out, err
}
