package gvisor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/rootfs"
)

// A writable mount is a copy of the operator's directory, made for one run,
// which the program's user may change whoever owns the files. What the program
// changes stays in the memory of the sandbox, within the disk limit; the copy is
// thrown away with it. The directory itself is only read.

// copies puts copies in the place of the writable mounts of s. Their directory
// is the caller's to remove, "" where there are none.
func (b *Backend) copies(s sandbox.Spec) (dir string, with sandbox.Spec, err error) {
	if !writable(s) {
		return "", s, nil
	}
	if dir, err = os.MkdirTemp(b.dir, "copy-"); err != nil {
		return "", s, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
			dir = ""
		}
	}()
	s.Runtime.Mounts = slices.Clone(s.Runtime.Mounts)
	c := copier{bytes: s.Limits.WithDefaults().DiskBytes, files: live.Inodes}
	for i, m := range s.Runtime.Mounts {
		if !m.Writable {
			continue
		}
		to := filepath.Join(dir, fmt.Sprint(i))
		if err := c.tree(m.Source, to); err != nil {
			return dir, s, fmt.Errorf("%w: copying %s for the mount at %s: %v", sandbox.ErrRefused, m.Source, m.Target, err)
		}
		s.Runtime.Mounts[i].Source = to
	}
	return dir, s, nil
}

func writable(s sandbox.Spec) bool {
	return slices.ContainsFunc(s.Runtime.Mounts, func(m sandbox.Mount) bool { return m.Writable })
}

// overlayAnnotation is the size of the file systems in memory that runsc is to
// lay over the mounts that are not read-only. It is ours: runsc knows a flag.
const overlayAnnotation = "sallyport.overlay"

func annotations(in rootfs.Interpreter, s sandbox.Spec, l sandbox.Limits) map[string]string {
	if in.Image != "" {
		return map[string]string{
			"dev.gvisor.spec.rootfs.source":  in.Image,
			"dev.gvisor.spec.rootfs.type":    "erofs",
			"dev.gvisor.spec.rootfs.overlay": "memory", // for a root that is not read-only, as ours is
		}
	}
	if !writable(s) {
		return nil
	}
	var n int64
	for _, m := range s.Runtime.Mounts {
		if m.Writable {
			n++
		}
	}
	return map[string]string{overlayAnnotation: fmt.Sprint(max(l.DiskBytes/4/n, 1<<16))}
}

// overlayFlags replaces the flag that forbids overlays, where a configuration
// asks for one.
func overlayFlags(flags []string, c specs.Spec) []string {
	if c.Annotations[overlayAnnotation] == "" {
		return flags
	}
	flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--overlay2=") })
	return append(flags, "--overlay2=all:memory,size="+c.Annotations[overlayAnnotation])
}

// copier copies trees as long as there is room.
type copier struct {
	bytes int64
	files int
}

// tree copies directories, regular files and symbolic links below from, which
// it does not leave: a link is copied as a link, which leads nowhere but inside
// the sandbox. Sockets, pipes and devices are left out.
func (c *copier) tree(from, to string) error {
	in, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	out, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer out.Close()
	return fs.WalkDir(in.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if c.files--; c.files < 0 {
			return fmt.Errorf("more than %d files", live.Inodes)
		}
		switch {
		case name == ".":
			return out.Chmod(".", 0o777)
		case d.IsDir():
			return errors.Join(out.Mkdir(name, 0o777), out.Chmod(name, 0o777))
		case d.Type() == fs.ModeSymlink:
			link, err := in.Readlink(name)
			if err != nil {
				return err
			}
			return out.Symlink(link, name)
		case d.Type().IsRegular():
			return c.file(in, out, name)
		}
		return nil
	})
}

func (c *copier) file(in, out *os.Root, name string) (err error) {
	src, err := in.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // what it was a moment ago, it is no more
	}
	dst, err := out.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	n, err := io.Copy(dst, io.LimitReader(src, c.bytes+1))
	if c.bytes -= n; err == nil && c.bytes < 0 {
		err = errors.New("more than the disk limit")
	}
	return errors.Join(err, dst.Chmod(info.Mode().Perm()|0o666))
}
