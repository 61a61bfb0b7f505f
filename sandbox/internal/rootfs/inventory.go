package rootfs

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// inventory is what an image of an interpreter holds, and a watch of all of it that
// began before any of it was looked at.
type inventory struct {
	parts map[string]part // by their paths inside
	size  int64
	limit int // of parts
	watch *watch
}

// part is one file, link or directory of an image.
type part struct {
	source string // on the host
	info   fs.FileInfo
	link   string // of a link
}

// inventory looks at all that in needs. It fails where that is more than limit files.
func (in Interpreter) inventory(limit int) (*inventory, error) {
	w, err := newWatch()
	if err != nil {
		return nil, err
	}
	v := &inventory{parts: map[string]part{}, limit: limit, watch: w}
	if err := v.addAll(in); err != nil {
		w.close()
		return nil, err
	}
	return v, nil
}

func (v *inventory) addAll(in Interpreter) error {
	if err := v.addTree(in.Root, "/"); err != nil {
		return err
	}
	for _, dir := range []string{"/sys", "/dev/shm"} { // gVisor's kernel mounts these, and makes nothing in an image
		v.parts[dir] = v.parts["/"]
	}
	for _, p := range in.Parts {
		if err := v.addPath(p); err != nil {
			return err
		}
	}
	return v.addNeeded(in)
}

// name tells these files from all others, and how many they are.
func (v *inventory) name() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(v.parts)) {
		p := v.parts[name]
		fmt.Fprintf(h, "%q %q %v", name, p.link, p.info.Mode())
		if p.info.Mode().IsRegular() {
			st := p.info.Sys().(*syscall.Stat_t)
			fmt.Fprint(h, st.Dev, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
		}
		fmt.Fprintln(h)
	}
	return fmt.Sprintf("%d-%s.erofs", len(v.parts), hex.EncodeToString(h.Sum(nil))[:16])
}

// addTree adds all that is below a directory of the host's, which is at a place
// inside.
func (v *inventory) addTree(dir, at string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if d.IsDir() { // which tells of its files, too
			if err := v.watch.add(p); err != nil {
				return err
			}
		}
		return v.add(p, path.Join(at, rel))
	})
}

// addPath adds a path of the host's at the same place inside, and where a link
// leads.
func (v *inventory) addPath(p string) error {
	for range 40 { // as many as the kernel follows
		dir, err := filepath.EvalSymlinks(filepath.Dir(p))
		if err != nil {
			return err
		}
		p = filepath.Join(dir, filepath.Base(p))
		if err := v.watch.add(p); err != nil {
			return err
		}
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		if _, ok := v.parts[p]; info.IsDir() && ok {
			return nil // inside of another
		}
		if info.IsDir() {
			return v.addTree(p, p)
		}
		if err := v.add(p, p); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return err
		}
		to, err := os.Readlink(p)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		p = to
	}
	return fmt.Errorf("too many links at %s", p)
}

func (v *inventory) add(source, at string) (err error) {
	p := part{source: source}
	if p.info, err = os.Lstat(source); err != nil {
		return err
	}
	switch p.info.Mode().Type() {
	case fs.ModeSymlink:
		p.link, err = os.Readlink(source)
	case 0:
		v.size += p.info.Size()
	case fs.ModeDir:
	default:
		return nil // a socket or a device is no part of an interpreter
	}
	v.parts[at] = p
	if len(v.parts) > v.limit || v.size > maxPacked {
		return errors.New("too much for an image")
	}
	return err
}

// addNeeded adds the libraries that modules in C need. The loader looks for them where
// they say, then where the interpreter's own are. When a thread ends, the C library
// itself may ask for one by its name.
func (v *inventory) addNeeded(in Interpreter) error {
	var dirs, todo []string
	for _, p := range in.Parts {
		if isLibrary(p) && !slices.Contains(dirs, filepath.Dir(p)) {
			dirs = append(dirs, filepath.Dir(p))
		}
	}
	for at, p := range v.parts {
		if isLibrary(at) && p.info.Mode().IsRegular() {
			todo = append(todo, p.source)
		}
	}
	find := func(name string, dirs []string) error {
		for _, dir := range dirs {
			p := filepath.Join(dir, name)
			real, err := filepath.EvalSymlinks(p)
			if err != nil || !in.mounts(real) {
				continue
			}
			if _, ok := v.parts[real]; !ok {
				todo = append(todo, real)
			}
			return v.addPath(p)
		}
		return nil // nor does the loader find it where everything is mounted
	}
	if err := find("libgcc_s.so.1", dirs); err != nil {
		return err
	}
	seen := map[string]bool{}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		names, own := needs(p)
		for _, name := range names {
			if key := fmt.Sprint(name, own); !seen[key] {
				seen[key] = true
				if err := find(name, append(own, dirs...)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isLibrary reports whether a file's name is that of a library or a module in C.
func isLibrary(p string) bool {
	name := filepath.Base(p)
	return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.") || strings.HasSuffix(name, ".node")
}

// mounts reports whether a sandbox sees a path of the host's where nothing is in an
// image.
func (in Interpreter) mounts(p string) bool {
	return slices.ContainsFunc(in.Mounts, func(m string) bool { return strings.HasPrefix(p+"/", m+"/") })
}

// needs are the names of the libraries that one needs, and where it says they are.
func needs(library string) (names, dirs []string) {
	f, err := elf.Open(library)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	if names, err = f.ImportedLibraries(); err != nil {
		return nil, nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "/") })
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		lists, err := f.DynString(tag)
		if err != nil {
			continue
		}
		origin := strings.NewReplacer("$ORIGIN", filepath.Dir(library), "${ORIGIN}", filepath.Dir(library))
		for _, dir := range filepath.SplitList(strings.Join(lists, ":")) {
			if dir = origin.Replace(dir); filepath.IsAbs(dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return names, dirs
}

// libraries are the paths by which a program's loader finds what the program has
// loaded: its own, and each library by its real name and by that under which it is
// asked for.
func libraries(program string, loaded []string) (paths []string) {
	if f, err := elf.Open(program); err == nil {
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				name, err := io.ReadAll(p.Open())
				if err == nil {
					paths = append(paths, strings.TrimRight(string(name), "\x00"))
				}
			}
		}
		f.Close()
	}
	for _, p := range loaded {
		if p == program {
			continue
		}
		f, err := elf.Open(p)
		if err != nil {
			continue // mapped, and no library
		}
		paths = append(paths, p)
		if names, err := f.DynString(elf.DT_SONAME); err == nil {
			for _, name := range names {
				paths = append(paths, filepath.Join(filepath.Dir(p), filepath.Base(name)))
			}
		}
		f.Close()
	}
	return paths
}
