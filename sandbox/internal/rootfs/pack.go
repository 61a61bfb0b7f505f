package rootfs

import (
	"cmp"
	"context"
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

	"github.com/erofs/go-erofs"
	"golang.org/x/sys/unix"
)

// What is put into an image: more files take longer to look at before each start
// than the image saves, and more bytes are better left where they are.
const (
	maxParts  = 1000
	maxPacked = 512 << 20

	roomLeft = 1 << 30 // on the disk, beside an image: the log may be there, too
)

// Pack returns in with its whole root file system in one image, which gVisor's
// kernel reads by itself: what is mounted otherwise is served by a process beside
// it. Where there is no image yet, it is made if it may be; and anew where any
// of its files is another than it was. An interpreter of many files comes back as it
// is, and so does one that does not start from its image, or for which there is no
// room: all that is lost is time.
func (f *Finder) Pack(ctx context.Context, in Interpreter, may bool) Interpreter {
	if len(in.Parts) == 0 || in.Binds != nil {
		return in
	}
	packed := in
	if packed.Image = f.lastImage(in); packed.Image != "" {
		return packed
	}
	parts, name, err := in.parts()
	if err != nil || len(parts) == 0 {
		return in
	}
	packed.Image = filepath.Join(f.o.Dir, name)
	if _, err := os.Stat(packed.Image); err == nil {
		f.keepImage(packed, parts)
		return packed
	}
	if !may {
		return in
	}
	f.packing.Lock()
	defer f.packing.Unlock()
	if _, err := os.Stat(packed.Image); err == nil {
		return packed // while this call waited
	}
	if f.unpacked[name] {
		return in
	}
	if err := f.makeImage(ctx, packed, parts); err != nil {
		f.unpacked[name] = ctx.Err() == nil
		return in
	}
	return packed
}

// stamp tells a file from what it was before.
type stamp [6]int64

func stampOf(info fs.FileInfo) stamp {
	st := info.Sys().(*syscall.Stat_t)
	return stamp{int64(st.Dev), int64(st.Ino), int64(st.Mode), st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
}

// lastImage is the image of an interpreter that was last found, "" where any of its
// files is another than it was then: to look at each is all that a call has to do.
func (f *Finder) lastImage(in Interpreter) string {
	f.mu.Lock()
	last := f.packed[in.Root+in.Executable]
	f.mu.Unlock()
	for p, was := range last.files {
		if info, err := os.Lstat(p); err != nil || stampOf(info) != was {
			return ""
		}
	}
	return last.image
}

// keepImage remembers an image, and its files as they were when it was named. What is in
// in.Root does not change.
func (f *Finder) keepImage(in Interpreter, parts map[string]part) {
	info, err := os.Lstat(in.Image)
	if err != nil {
		return
	}
	files := map[string]stamp{in.Image: stampOf(info)}
	for at, p := range parts {
		if p.source == at {
			files[at] = stampOf(p.info)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.packed[in.Root+in.Executable] = packedImage{in.Image, files}
}

// packedImage is one that was found.
type packedImage struct {
	image string
	files map[string]stamp
}

// part is one file, link or directory of an image, by its path inside.
type part struct {
	source string // on the host
	info   fs.FileInfo
	link   string // of a link
}

// imagePrefix begins the names of images of one interpreter.
func (in Interpreter) imagePrefix() string {
	h := sha256.Sum256([]byte(in.Executable))
	return "image-" + hex.EncodeToString(h[:4]) + "-"
}

// parts are what an image of in holds, none where that is too much, and the name of
// that image, which changes with each of them.
func (in Interpreter) parts() (map[string]part, string, error) {
	parts := map[string]part{}
	if err := addTree(parts, in.Root, "/"); err != nil {
		return nil, "", err
	}
	for _, dir := range []string{"/sys", "/dev/shm"} { // gVisor's kernel mounts these, and makes nothing in an image
		parts[dir] = parts["/"]
	}
	for _, p := range in.Parts {
		if err := addPart(parts, p); err != nil {
			return nil, "", err
		}
	}
	h := sha256.New()
	var size int64
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		p := parts[name]
		fmt.Fprintf(h, "%q %q %v", name, p.link, p.info.Mode())
		if p.info.Mode().IsRegular() {
			fmt.Fprint(h, stampOf(p.info))
			size += p.info.Size()
		}
		fmt.Fprintln(h)
	}
	if len(parts) > maxParts || size > maxPacked {
		return nil, "", nil
	}
	return parts, in.imagePrefix() + hex.EncodeToString(h.Sum(nil))[:16] + ".erofs", nil
}

// addTree adds all that is below a directory of the host's, which is at a place
// inside.
func addTree(parts map[string]part, dir, at string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if len(parts) > maxParts {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		return add(parts, p, path.Join(at, rel))
	})
}

// addPart adds a path of the host's at the same place inside, and where a link
// leads.
func addPart(parts map[string]part, p string) error {
	for range 40 { // as many as the kernel follows
		dir, err := filepath.EvalSymlinks(filepath.Dir(p))
		if err != nil {
			return err
		}
		p = filepath.Join(dir, filepath.Base(p))
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return addTree(parts, p, p)
		}
		if err := add(parts, p, p); err != nil || info.Mode()&fs.ModeSymlink == 0 {
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

func add(parts map[string]part, source, at string) (err error) {
	p := part{source: source}
	if p.info, err = os.Lstat(source); err != nil {
		return err
	}
	switch p.info.Mode().Type() {
	case fs.ModeSymlink:
		p.link, err = os.Readlink(source)
	case 0, fs.ModeDir:
	default:
		return nil // a socket or a device is no part of an interpreter
	}
	parts[at] = p
	return err
}

// makeImage makes the image that in names, whole or not at all. The interpreter has
// to say its version from inside of it first.
func (f *Finder) makeImage(ctx context.Context, in Interpreter, parts map[string]part) error {
	if err := checkRoom(f.o.Scratch, parts); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(f.o.Scratch, "image-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if err := writeImage(tmp, f.o.Scratch, parts); err != nil {
		return err
	}
	if _, now, err := in.parts(); err != nil || now != filepath.Base(in.Image) {
		return errors.Join(errors.New("its files changed while they were read"), err)
	}
	tried := in
	tried.Image = tmp.Name()
	if version, err := f.o.Version(ctx, tried); err != nil || version != in.Version {
		return errors.Join(fmt.Errorf("from its image it says that it is version %q", version), err)
	}
	old, err := filepath.Glob(filepath.Join(f.o.Dir, in.imagePrefix()+"*"))
	for _, p := range old {
		err = errors.Join(err, os.Remove(p))
	}
	return errors.Join(err, os.Rename(tmp.Name(), in.Image))
}

// checkRoom refuses to make an image where little room would be left.
func checkRoom(dir string, parts map[string]part) error {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return err
	}
	need := int64(roomLeft)
	for _, p := range parts {
		need += 2 * p.info.Size() // once on the way
	}
	if int64(disk.Bavail)*disk.Bsize < need {
		return fmt.Errorf("%d bytes would have to be free", need)
	}
	return nil
}

// writeImage writes an image, with a file in dir on the way. All of it is root's: a
// program may read what everybody may read on the host. Nobody's time is in it.
func writeImage(out io.WriteSeeker, dir string, parts map[string]part) error {
	w := erofs.Create(out, erofs.WithBuildTime(0, 0), erofs.WithTempDir(dir), erofs.WithBlockSize(4096))
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		p := parts[name]
		var err error
		switch {
		case p.info.IsDir():
			err = w.Mkdir(name, p.info.Mode())
		case p.info.Mode().IsRegular():
			err = writePart(w, name, p)
		default:
			err = w.Symlink(p.link, name)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

func writePart(w *erofs.Writer, name string, p part) error {
	in, err := os.Open(p.source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := w.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Chmod(p.info.Mode().Perm()), out.Close())
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
