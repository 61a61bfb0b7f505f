// Package rootfs makes the root file systems that programs see where no engine
// keeps images: of the host's own interpreter and its libraries, of an unpacked
// image, or of a directory. Everything in them is read-only and mounted from
// where it is; what is not mounted is a handful of small files of ours.
package rootfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/internal/instance"
	"sallyport/sandbox/internal/runner"
)

// Options says where a Finder looks.
type Options struct {
	Dir     string // private to the user; shared by all their finders
	Scratch string // this one's own, for what is half made; for Pack

	Path   string // search path for interpreters, as in $PATH
	Python string // absolute path; "" searches Path
	Node   string // absolute path; "" searches Path

	// Images is where runs find the images that they name. Nil has none.
	Images *image.Store

	// Version asks an interpreter of an image for its version. It does so inside
	// of a sandbox, because we trust the interpreter as little as the programs
	// that it will run. CheckVersion judges the answer.
	Version func(context.Context, Interpreter) (string, error)
}

// Finder finds the interpreters of runs. It is safe for concurrent use.
type Finder struct {
	o       Options
	modules string // a hash of what each interpreter compiles of the runner

	mu     sync.Mutex        // guards what follows
	roots  map[string]string // of the host's files, by the hash of an interpreter
	cache  map[string]cached
	images map[string]*image.Image // in use until Close
	laid   map[string]Interpreter  // those of images, by what was asked for
	packed map[string]*packed      // in EROFS, by root file system and executable
	errs   []error                 // of images that nobody waited for
}

// New returns a finder. The caller closes it.
func New(o Options) *Finder {
	f := &Finder{o: o, modules: digest(runner.Modules("python"), runner.Modules("javascript")), roots: map[string]string{}, images: map[string]*image.Image{}, laid: map[string]Interpreter{}, packed: map[string]*packed{}}
	f.cache = loadCache(f.cacheFile())
	return f
}

// Close lets go of the images in use. Nobody uses f meanwhile.
func (f *Finder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.images {
		f.errs = append(f.errs, i.Close())
	}
	for _, p := range f.packed {
		p.watch.close()
	}
	return errors.Join(f.errs...)
}

func (f *Finder) cacheFile() string { return filepath.Join(f.o.Dir, "interpreters.json") }

// Find returns the interpreter of a run, and with it the root file system.
// Other programs than the interpreter are in it only if programs is set.
func (f *Finder) Find(ctx context.Context, s sandbox.Spec, programs bool) (Interpreter, error) {
	if s.Runtime.Image != "" {
		return f.imageInterpreter(ctx, s, programs)
	}
	chosen := s.Runtime.Interpreter
	if chosen == "" {
		chosen = map[string]string{"python": f.o.Python, "javascript": f.o.Node}[s.Language]
	}
	in, err := f.host(ctx, s.Language, chosen)
	if err != nil {
		return in, err
	}
	in.links, in.Found = rootLinks(), chosen == ""
	in.Root, err = f.rootOf(in)
	return in, err
}

// rootOf returns the root file system of an interpreter of the host's.
func (f *Finder) rootOf(in Interpreter) (root string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if root = f.roots[in.SHA256]; root == "" {
		if root, err = f.prepare(in); err == nil {
			f.roots[in.SHA256] = root
		}
	}
	return root, err
}

// Grafts are the parts of the root file system that are mounted in it.
func (in Interpreter) Grafts(programs bool) []Graft {
	if in.Binds != nil {
		return in.Binds
	}
	paths := in.Mounts
	if programs {
		paths = outermost(append(slices.Clone(paths), "/usr/bin"))
	}
	var out []Graft
	for _, p := range paths {
		out = append(out, Graft{Source: p, Target: p})
	}
	return out
}

// prepare makes the root file system of in.
func (f *Finder) prepare(in Interpreter) (string, error) {
	files := rootFiles()
	for _, name := range in.files {
		files[name] = ""
	}
	for name, code := range in.Compiled {
		files[runner.Dir[1:]+"/"+name] = string(code)
	}
	return prepareRoot(f.o.Dir, files, in.links, append(rootDirs(), in.dirs...))
}

// Furnish returns in with a root file system that has a mount point for each of
// these mounts. All runs share the root file system, and a runtime would make the
// missing mount points in it. What is mounted inside of another mount has its
// mount point there.
func (f *Finder) Furnish(in Interpreter, mounts []specs.Mount) (Interpreter, error) {
	in.files, in.dirs = slices.Clone(in.files), slices.Clone(in.dirs)
	for _, m := range mounts {
		if slices.ContainsFunc(mounts, func(o specs.Mount) bool { return strings.HasPrefix(m.Destination, o.Destination+"/") }) {
			continue
		}
		info, err := os.Stat(m.Source)
		switch name := m.Destination[1:]; {
		case m.Type != "bind":
			in.dirs = append(in.dirs, name)
		case err != nil:
			return in, err
		case info.IsDir():
			in.dirs = append(in.dirs, name)
		default:
			in.files = append(in.files, name)
		}
	}
	slices.Sort(in.dirs)
	in.dirs = slices.Compact(in.dirs)
	var err error
	in.Root, err = f.prepare(in)
	return in, err
}

// rootFiles is the whole of the root file system but for the mounts.
func rootFiles() map[string]string {
	files := map[string]string{
		"etc/passwd":        "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n",
		"etc/group":         "root:x:0:\nnogroup:x:65534:\n",
		"etc/hosts":         "127.0.0.1\tlocalhost sandbox\n::1\tlocalhost\n",
		"etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	}
	for name, text := range runner.Files() {
		files[runner.Dir[1:]+"/"+name] = text
	}
	return files
}

// rootLinks are the host's links from /lib and its like into /usr.
func rootLinks() map[string]string {
	links := map[string]string{}
	for _, p := range append(libraryDirs[:], "/bin", "/sbin") {
		if to, err := os.Readlink(p); err == nil && !strings.HasPrefix(to, "..") {
			links[p[1:]] = to
		}
	}
	return links
}

// rootDirs are the empty directories that something is mounted on.
func rootDirs() []string {
	return []string{"usr", "proc", "tmp", runner.WorkDir[1:], "dev"}
}

// prepareRoot makes a read-only root file system under dir, unless it is there
// already. Its name is the hash of its content; it appears under that name whole
// or not at all. While it is made, nobody removes leftovers.
func prepareRoot(dir string, files, links map[string]string, dirs []string) (string, error) {
	root := filepath.Join(dir, "root-"+digest(files, links, map[string]string{"": fmt.Sprintf("%q", dirs)}))
	if _, err := os.Stat(root); err == nil {
		return root, checkRoot(root, files)
	}
	lock, err := instance.Lock(dir)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	tmp, err := os.MkdirTemp(dir, ".root-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		p := filepath.Join(tmp, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(p, []byte(files[name]), 0o444); err != nil {
			return "", err
		}
	}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(tmp, d), 0o755); err != nil {
			return "", err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		if err := os.Symlink(links[name], filepath.Join(tmp, name)); err != nil {
			return "", err
		}
	}
	if err := readable(tmp); err != nil {
		return "", err
	}
	switch err := os.Rename(tmp, root); {
	case errors.Is(err, fs.ErrExist): // another run was faster
		return root, checkRoot(root, files)
	case err != nil:
		return "", err
	}
	return root, nil
}

// digest tells maps from all others.
func digest(all ...map[string]string) string {
	h := sha256.New()
	for _, m := range all {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(h, "%d %s %d %s\n", len(k), k, len(m[k]), m[k])
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// readable lets the user of programs read what is below dir, whatever the umask
// of this process is.
func readable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		case d.Type().IsRegular():
			return os.Chmod(path, 0o444)
		}
		return nil
	})
}

// checkRoot refuses a root file system that is not the one that was made.
func checkRoot(root string, files map[string]string) error {
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			return fmt.Errorf("root file system %s was changed: remove it", root)
		}
	}
	return nil
}

// writeFile writes path whole or not at all.
func writeFile(path string, data []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
