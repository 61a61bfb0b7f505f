package rootfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erofs/go-erofs"
	"golang.org/x/sys/unix"
)

const (
	// An interpreter with more files than maxParts is not put into an image. A process
	// that starts one program looks at no more than maxLooked for that: to look at more
	// takes longer than an image saves.
	maxParts  = 20_000
	maxLooked = 1000
	maxPacked = 1 << 30 // bytes
	blockSize = 4096    // as gVisor wants it

	roomLeft = 1 << 30 // on the disk, beside an image: the log may be there, too

	// lookEvery is when files are looked at again of which the kernel told no change.
	// It does not know of what another machine writes, nor of what is written by another
	// name of a file, or of a directory above that was renamed.
	lookEvery = time.Minute
)

// Pack returns in with its whole root file system in one image, which gVisor's
// kernel reads by itself: what is mounted otherwise is served by a process beside
// it. A process that starts many programs has it made where there is none yet, and
// anew where any of its files is another than it was. An interpreter of too many files
// comes back as it is, and so does one that does not start from its image, or for which
// there is no room: all that is lost is time.
func (f *Finder) Pack(ctx context.Context, in Interpreter, many bool) Interpreter {
	if len(in.Parts) == 0 || in.Binds != nil {
		return in
	}
	p := f.packedAs(in)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fresh() {
		p.forget()
		if err := f.pack(ctx, p, in, many); err == nil || many && ctx.Err() == nil {
			p.looked = time.Now()
		}
	} else if p.image != "" && time.Since(p.looked) > lookEvery {
		p.looked = time.Now()
		go p.lookAgain(in)
	}
	in.Image = p.image
	return in
}

// packed is what became of an interpreter.
type packed struct {
	mu     sync.Mutex // held while an image is made, for which others wait
	looked time.Time  // at its files; zero to look now
	image  string     // "" is none
	watch  *watch     // of the files in it, and of itself
}

func (f *Finder) packedAs(in Interpreter) *packed {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := in.Root + in.Executable
	if f.packed[key] == nil {
		f.packed[key] = &packed{}
	}
	return f.packed[key]
}

// fresh reports whether nobody has to look at the files. Where there was no image,
// none is tried for a while: somebody may be installing packages.
func (p *packed) fresh() bool {
	if p.image == "" {
		return time.Since(p.looked) < freshFor
	}
	return !p.looked.IsZero() && !p.watch.changed()
}

func (p *packed) forget() {
	p.watch.close()
	p.looked, p.image, p.watch = time.Time{}, "", nil
}

// lookAgain looks at all files while nobody waits for it, and has the next call find
// another image where the last one is not of these.
func (p *packed) lookAgain(in Interpreter) {
	files, err := in.inventory(maxParts)
	if err == nil {
		files.watch.close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || !strings.HasSuffix(p.image, files.name()) {
		p.forget()
	}
}

// pack looks at all files of an interpreter and finds their image, or makes it.
func (f *Finder) pack(ctx context.Context, p *packed, in Interpreter, many bool) error {
	limit := maxParts
	if !many {
		if limit = maxLooked; !f.hasImage(in) {
			return errors.New("there is no image")
		}
	}
	files, err := in.inventory(limit)
	if err != nil {
		return err
	}
	in.Image = filepath.Join(f.o.Dir, in.imagePrefix()+files.name())
	if _, err = os.Stat(in.Image); err != nil && many {
		err = f.makeImage(ctx, in, files)
	}
	if err == nil {
		err = files.watch.add(in.Image)
	}
	if err != nil {
		files.watch.close()
		return err
	}
	p.image, p.watch = in.Image, files.watch
	return nil
}

// imagePrefix begins the names of images of one interpreter.
func (in Interpreter) imagePrefix() string {
	h := sha256.Sum256([]byte(in.Executable))
	return "image-" + hex.EncodeToString(h[:4]) + "-"
}

// hasImage reports whether somebody has made an image of in that has few files.
func (f *Finder) hasImage(in Interpreter) bool {
	names, err := filepath.Glob(filepath.Join(f.o.Dir, in.imagePrefix()+"*"))
	return err == nil && slices.ContainsFunc(names, func(name string) bool {
		var n int
		_, err := fmt.Sscanf(filepath.Base(name), in.imagePrefix()+"%d-", &n)
		return err == nil && n <= maxLooked
	})
}

// makeImage makes the image that in names, whole or not at all. The interpreter has
// to say its version from inside of it first.
func (f *Finder) makeImage(ctx context.Context, in Interpreter, files *inventory) error {
	if err := checkRoom(f.o.Scratch, files.size); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(f.o.Scratch, "image-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if err := writeImage(tmp, f.o.Scratch, files.parts); err != nil {
		return err
	}
	if files.watch.changed() {
		return errors.New("its files changed while they were read")
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
func checkRoom(dir string, size int64) error {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return err
	}
	need := roomLeft + 2*size // once on the way
	if int64(disk.Bavail)*disk.Bsize < need {
		return fmt.Errorf("%d bytes would have to be free", need)
	}
	return nil
}

// writeImage writes an image, with a file in dir on the way. All of it is root's: a
// program may read what everybody may read on the host. Files keep their times, by which
// Python knows whether what it has compiled is that of their text.
func writeImage(out *os.File, dir string, parts map[string]part) error {
	w := erofs.Create(out, erofs.WithBuildTime(0, 0), erofs.WithTempDir(dir), erofs.WithBlockSize(blockSize))
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
	if err := w.Close(); err != nil {
		return err
	}
	return shorten(out, parts)
}

// small reports whether the library would put a file's data behind its inode, in the
// same block. gVisor maps no such file into memory. So they are written as a whole block.
func (p part) small() bool {
	return p.info.Mode().IsRegular() && p.info.Size() > 0 && p.info.Size() < blockSize
}

// shorten gives small files their size.
func shorten(out *os.File, parts map[string]part) error {
	img, err := erofs.Open(out)
	if err != nil {
		return err
	}
	const metaAt, slot, sizeAt = 1024 + 40, 32, 8 // by the format: EROFS's superblock, inodes
	var b [4]byte
	if _, err := out.ReadAt(b[:], metaAt); err != nil {
		return err
	}
	inodes := int64(binary.LittleEndian.Uint32(b[:])) * blockSize
	for name, p := range parts {
		if !p.small() {
			continue
		}
		info, err := fs.Stat(img, name[1:])
		if err != nil {
			return err
		}
		at := inodes + info.Sys().(*erofs.Stat).Ino*slot + sizeAt
		if _, err := out.ReadAt(b[:], at); err != nil {
			return err
		}
		if n := binary.LittleEndian.Uint32(b[:]); n != blockSize {
			return fmt.Errorf("%s has %d bytes in the image", name, n)
		}
		binary.LittleEndian.PutUint32(b[:], uint32(p.info.Size()))
		if _, err := out.WriteAt(b[:], at); err != nil {
			return err
		}
	}
	return nil
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
	if err == nil && p.small() {
		_, err = out.Write(make([]byte, blockSize-p.info.Size()))
	}
	return cmp.Or(err, out.Chmod(p.info.Mode().Perm()), out.Close(), w.Chtimes(name, p.info.ModTime(), p.info.ModTime()))
}
