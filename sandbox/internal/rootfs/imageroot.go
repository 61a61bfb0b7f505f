package rootfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/internal/runner"
)

// dirPrefix marks a plain directory that serves as root file system.
const dirPrefix = "dir:"

// Graft is one read-only mount of a host path.
type Graft struct {
	Source, Target string
}

// tree is a root file system that is not the host's.
type tree struct {
	dir    string // on the host
	digest string // sha256:… of an image; "" for a directory, which has none
	path   string // search path for programs inside
}

// tree returns the root file system that a spec names. Images stay in use until
// the backend is closed.
func (f *Finder) tree(ctx context.Context, name string) (tree, error) {
	if dir, ok := strings.CutPrefix(name, dirPrefix); ok {
		if err := checkRootDir(dir); err != nil {
			return tree{}, fmt.Errorf("%w: root directory %q: %v", sandbox.ErrRefused, dir, err)
		}
		return tree{dir: dir, path: "/usr/local/bin:/usr/bin:/bin"}, nil
	}
	f.mu.Lock()
	i := f.images[name]
	f.mu.Unlock()
	if i == nil {
		ref, err := image.ParseRef(name)
		if err != nil {
			return tree{}, fmt.Errorf("%w: %v", sandbox.ErrRefused, err)
		}
		if f.o.Images == nil {
			return tree{}, fmt.Errorf("%w: image %q: this sandbox has no cache of images", sandbox.ErrRefused, name)
		}
		if i, err = f.o.Images.Get(ctx, ref, false); err != nil {
			return tree{}, fmt.Errorf("%w: %w", sandbox.ErrUnavailable, err)
		}
		i = f.keep(name, i)
	}
	return tree{dir: i.Root, digest: i.Digest, path: i.Path}, nil
}

// keep remembers an image, or lets go of one that another run brought as well.
func (f *Finder) keep(name string, i *image.Image) *image.Image {
	f.mu.Lock()
	defer f.mu.Unlock()
	if have := f.images[name]; have != nil {
		f.errs = append(f.errs, i.Close())
		return have
	}
	f.images[name] = i
	return i
}

// checkRootDir refuses a directory that somebody else than its operator could
// change.
func checkRootDir(dir string) error {
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || dir == "/" {
		return errors.New("it is not a clean absolute path of a directory")
	}
	for at := dir; ; at = filepath.Dir(at) {
		st, err := os.Lstat(at)
		if err != nil {
			return err
		}
		sys, ok := st.Sys().(*syscall.Stat_t)
		switch {
		case !ok || !st.IsDir():
			return fmt.Errorf("%s is not a directory", at)
		case sys.Uid != 0 && int(sys.Uid) != os.Geteuid():
			return fmt.Errorf("%s belongs to another user", at)
		case st.Mode().Perm()&0o002 != 0 && (at == dir || st.Mode()&fs.ModeSticky == 0):
			return fmt.Errorf("anybody can write to %s: chmod o-w", at)
		case at == "/":
			return nil
		}
	}
}

// imageInterpreter finds a run's interpreter in the root file system that the run
// names, and what to mount of it. It looks once at each image, for images do not
// change.
func (f *Finder) imageInterpreter(ctx context.Context, s sandbox.Spec, programs bool) (Interpreter, error) {
	t, err := f.tree(ctx, s.Runtime.Image)
	if err != nil {
		return Interpreter{}, err
	}
	key := fmt.Sprintf("%q %q %q %v", t.dir, s.Language, s.Runtime.Interpreter, programs)
	for _, m := range s.Runtime.Mounts {
		key += fmt.Sprintf(" %q", m.Target)
	}
	f.mu.Lock()
	in, ok := f.laid[key]
	f.mu.Unlock()
	if ok {
		return in, nil
	}
	if in, err = f.layOut(ctx, s, t, programs); err != nil {
		return Interpreter{}, err
	}
	if t.digest != "" {
		f.mu.Lock()
		f.laid[key] = in
		f.mu.Unlock()
	}
	return in, nil
}

func (f *Finder) layOut(ctx context.Context, s sandbox.Spec, t tree, programs bool) (Interpreter, error) {
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return Interpreter{}, err
	}
	defer root.Close()
	in, real, err := t.find(root, s.Language, s.Runtime.Interpreter)
	if err != nil {
		return Interpreter{}, fmt.Errorf("%w: image %s: %v", sandbox.ErrUnavailable, s.Runtime.Image, err)
	}
	l := layout{dir: t.dir, tree: root, links: map[string]string{}}
	if !programs {
		l.programs = t.programs(root, real, in.Executable[1:])
	}
	if err := l.lay(in, real, s.Runtime.Mounts); err != nil {
		return Interpreter{}, fmt.Errorf("%w: image %s: %v", sandbox.ErrRefused, s.Runtime.Image, err)
	}
	in.Binds, in.files, in.links, in.dirs = l.binds, l.files, l.links, l.dirs
	if in.Root, err = f.prepare(in); err != nil {
		return Interpreter{}, err
	}
	return f.identify(ctx, in, t, real)
}

// find looks for an interpreter where a program inside would find it. real is the
// path of its file, without links and relative to the tree.
func (t tree) find(root *os.Root, language, chosen string) (in Interpreter, real string, err error) {
	tries := []string{chosen}
	if chosen == "" {
		names := map[string][]string{"python": {"python3", "python"}, "javascript": {"node", "nodejs"}}[language]
		tries = nil
		for _, dir := range filepath.SplitList(t.path) {
			for _, name := range names {
				tries = append(tries, path.Join(dir, name))
			}
		}
	}
	for _, p := range tries {
		if !path.IsAbs(p) {
			continue
		}
		real, err := image.Resolve(root, p, true)
		if err != nil {
			continue
		}
		if st, err := root.Lstat(real); err != nil || !st.Mode().IsRegular() || st.Mode()&0o001 == 0 {
			continue
		}
		in := Interpreter{Language: language, Executable: "/" + real}
		// Python knows its virtual environment by the link that started it.
		if own, err := image.Resolve(root, p, false); err == nil {
			if _, err := root.Lstat(path.Join(path.Dir(path.Dir(own)), "pyvenv.cfg")); err == nil {
				in.Executable = "/" + own
			}
		}
		return in, real, nil
	}
	if chosen != "" {
		return in, "", fmt.Errorf("%s inside is not a program that everybody may start", chosen)
	}
	return in, "", fmt.Errorf("there is no %s on its search path %s: name it as interpreter", language, t.path)
}

// programs are the directories that hold programs. A run that may start none sees
// none of them: these directories are left out, and the interpreter alone is
// mounted into the one where it lives.
func (t tree) programs(root *os.Root, interpreter ...string) map[string]bool {
	dirs := []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/games", "/usr/local/bin", "/usr/local/sbin", "/usr/local/games", "/usr/libexec"}
	for _, p := range interpreter {
		dirs = append(dirs, "/"+path.Dir(p))
	}
	out := map[string]bool{}
	for _, p := range append(dirs, filepath.SplitList(t.path)...) {
		if real, err := image.Resolve(root, p, true); err == nil && path.IsAbs(p) && real != "." {
			out[real] = true
		}
	}
	return out
}

// layout puts a root file system together from the parts of a tree. Our own root
// has the mount points, and the tree's directories are mounted on them. Nothing is
// ever made in the tree itself.
type layout struct {
	dir      string // of tree, on the host
	tree     *os.Root
	programs map[string]bool // directories whose files are left out

	binds []Graft

	// What is made: mount points, and links as they are in the tree.
	links map[string]string
	dirs  []string
	files []string
}

// maxBinds bounds the mounts of one root file system.
const maxBinds = 100

// ours are the top directories that do not come from the tree.
var ours = [...]string{"dev", "etc", "proc", "run", "sys", "tmp", runner.Dir[1:], runner.WorkDir[1:]}

// settings are the parts of a tree's /etc that programs need. Its accounts and
// names of hosts are ours instead.
var settings = [...]string{"alternatives", "fonts", "ld.so.cache", "localtime", "mime.types", "ssl", "timezone"}

// lay lays out the tree for an interpreter, whose file is at real.
func (l *layout) lay(in Interpreter, real string, mounts []sandbox.Mount) error {
	if err := l.open("."); err != nil {
		return err
	}
	for _, name := range settings {
		if err := l.part(path.Join("etc", name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if l.programs != nil {
		l.bindFile(real, "/"+real)
		if in.Executable != "/"+real {
			l.bindFile(real, in.Executable)
		}
	}
	if len(l.binds) > maxBinds {
		return fmt.Errorf("its root file system has too many parts: %d mounts, and %d are the most", len(l.binds), maxBinds)
	}
	for _, m := range mounts {
		if err := l.room(m.Target); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) bind(rel, target string) {
	l.binds = append(l.binds, Graft{Source: filepath.Join(l.dir, rel), Target: target})
}

func (l *layout) bindFile(rel, target string) {
	l.files = append(l.files, target[1:])
	l.bind(rel, target)
}

// open lays out the parts of a directory one by one.
func (l *layout) open(dir string) error {
	f, err := l.tree.Open(dir)
	if err != nil {
		return err
	}
	parts, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(parts, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, d := range parts {
		if dir == "." && slices.Contains(ours[:], d.Name()) || l.programs[dir] && !d.IsDir() {
			continue
		}
		if err := l.part(path.Join(dir, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// part lays out one file, link or directory.
func (l *layout) part(rel string) error {
	st, err := l.tree.Lstat(rel)
	if err != nil {
		return err
	}
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		l.links[rel], err = l.tree.Readlink(rel)
		return err
	case st.Mode().IsRegular():
		if l.programs == nil || st.Mode()&0o111 == 0 {
			l.bindFile(rel, "/"+rel)
		}
		return nil
	case !st.IsDir():
		return nil
	}
	l.dirs = append(l.dirs, rel)
	if l.programs[rel] || l.holds(rel) {
		return l.open(rel)
	}
	l.bind(rel, "/"+rel)
	return nil
}

// holds reports whether a directory of programs is below dir.
func (l *layout) holds(dir string) bool {
	for p := range l.programs {
		if strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

// room refuses a target whose mount point we would have to make inside of the
// tree.
func (l *layout) room(target string) error {
	for _, b := range l.binds {
		if !strings.HasPrefix(target, b.Target+"/") {
			continue
		}
		rel, err := image.Resolve(l.tree, target, false)
		if err == nil {
			_, err = l.tree.Lstat(rel)
		}
		if err != nil || "/"+rel != target {
			return fmt.Errorf("there is no %q to mount on, and nothing is made inside of an image: choose a target outside of %s", target, b.Target)
		}
	}
	return nil
}

// identify adds what the record says of an interpreter in an image. The interpreter
// itself says its version, once, inside of a sandbox.
func (f *Finder) identify(ctx context.Context, in Interpreter, t tree, real string) (Interpreter, error) {
	file := filepath.Join(t.dir, real)
	id, _, err := identity(file)
	if err != nil {
		return in, err
	}
	at := in.Language + " " + t.dir + in.Executable
	f.mu.Lock()
	c, ok := f.cache[at]
	f.mu.Unlock()
	if !ok || c.Key != id {
		c = cached{Key: id, Found: Interpreter{Language: in.Language, Executable: in.Executable, SHA256: strings.TrimPrefix(t.digest, "sha256:")}}
		if c.Found.Version, err = f.o.Version(ctx, in); err != nil {
			return in, fmt.Errorf("%w: %s in %s: %v", sandbox.ErrUnavailable, in.Executable, cmp.Or(t.digest, t.dir), err)
		}
		if t.digest == "" {
			if c.Found.SHA256, err = fileHash(file); err != nil {
				return in, err
			}
		}
		f.learn(at, c)
	}
	in.Version, in.SHA256 = c.Found.Version, c.Found.SHA256
	return in, nil
}
