package main

import (
	"encoding/binary"
	"slices"
	"strconv"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/fspath"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/kernel/auth"
	"gvisor.dev/gvisor/pkg/sentry/vfs"
	"gvisor.dev/gvisor/pkg/usermem"
)

const (
	maxEntries = 50_000  // that are looked at
	maxTotal   = 1 << 30 // bytes that are sent; the host has limits of its own
	maxName    = 255     // bytes of a path, as the host takes it
	chunk      = 64 << 10
)

// collection looks at the files of a program. It runs in the kernel below the
// program: links are not followed, nothing but regular files of the directory's
// own file system is opened, and the program is not asked.
type collection struct {
	w       *witness
	t       *kernel.Task
	creds   *auth.Credentials
	root    vfs.VirtualDentry
	entries int
	total   int64
	dropped int
}

// fileState changes with what is in a file. The program cannot set any of it.
type fileState struct {
	ino, size uint64
	changed   linux.StatxTimestamp
}

func stateOf(info linux.Statx) fileState { return fileState{info.Ino, info.Size, info.Ctime} }

// newCollection returns a collection for the thread t, whose root is released
// by its close; nil where the thread has no files any more.
func newCollection(w *witness, t *kernel.Task) *collection {
	mounts := t.MountNamespace()
	if mounts == nil {
		return nil
	}
	return &collection{w: w, t: t, creds: auth.NewRootCredentials(t.Kernel().RootUserNamespace()), root: mounts.Root(t)}
}

func (c *collection) close() { c.root.DecRef(c.t) }

// take remembers the files that are there before the program is.
func take(w *witness, t *kernel.Task) map[string]fileState {
	c := newCollection(w, t)
	if c == nil {
		return nil
	}
	defer c.close()
	given := map[string]fileState{}
	c.walk(func(path string, info linux.Statx) error {
		given[path] = stateOf(info)
		return nil
	})
	return given
}

// collect brings out the files that a program left, when it is over.
func collect(w *witness, t *kernel.Task) {
	c := newCollection(w, t)
	if c == nil {
		return
	}
	defer c.close()
	err := c.walk(func(path string, info linux.Statx) error {
		if before, ok := w.given[path]; ok && before == stateOf(info) {
			return nil
		}
		return c.send(path, int64(info.Size))
	})
	if err == nil {
		_ = w.send('z', strconv.AppendInt(nil, int64(c.dropped), 10))
	}
}

// walk calls visit with the regular files, by their paths below the directory,
// until it fails.
func (c *collection) walk(visit func(path string, info linux.Statx) error) error {
	top, err := c.stat(c.w.dir)
	if err != nil {
		return err
	}
	for todo := []string{""}; len(todo) > 0; {
		dir := todo[0]
		todo = todo[1:]
		for _, name := range c.list(c.w.dir + dir) {
			path := dir + "/" + name
			info, err := c.stat(c.w.dir + path)
			switch {
			case err != nil || len(path) > 1+maxName:
				c.dropped++
			case info.DevMajor != top.DevMajor || info.DevMinor != top.DevMinor: // an operator's mount
			case info.Mode&linux.S_IFMT == linux.S_IFDIR:
				todo = append(todo, path)
			case info.Mode&linux.S_IFMT != linux.S_IFREG:
				c.dropped++
			default:
				if err := visit(path[1:], info); err != nil {
					return err // the host does not listen any more
				}
			}
		}
	}
	return nil
}

// full tells the host that a directory is full to its limit.
func (w *witness) full(t *kernel.Task) {
	c := newCollection(w, t)
	if c == nil {
		return
	}
	defer c.close()
	for _, dir := range w.scratch {
		fs, err := t.Kernel().VFS().StatFSAt(t, c.creds, c.at(dir))
		if err == nil && (fs.BlocksFree == 0 || fs.Files > 0 && fs.FilesFree == 0) {
			_ = w.send('l', []byte("disk"))
			return
		}
	}
}

func (c *collection) at(path string) *vfs.PathOperation {
	return &vfs.PathOperation{Root: c.root, Start: c.root, Path: fspath.Parse(path)}
}

func (c *collection) stat(path string) (linux.Statx, error) {
	return c.t.Kernel().VFS().StatAt(c.t, c.creds, c.at(path), &vfs.StatOptions{Mask: linux.STATX_TYPE | linux.STATX_SIZE | linux.STATX_INO | linux.STATX_CTIME})
}

func (c *collection) open(path string, flags uint32) (*vfs.FileDescription, error) {
	return c.t.Kernel().VFS().OpenAt(c.t, c.creds, c.at(path), &vfs.OpenOptions{Flags: linux.O_RDONLY | linux.O_NOFOLLOW | linux.O_NONBLOCK | flags})
}

// list returns the sorted names in a directory.
func (c *collection) list(dir string) (names []string) {
	f, err := c.open(dir, linux.O_DIRECTORY)
	if err != nil {
		return nil
	}
	defer f.DecRef(c.t)
	_ = f.IterDirents(c.t, vfs.IterDirentsCallbackFunc(func(d vfs.Dirent) error {
		if d.Name != "." && d.Name != ".." {
			if c.entries++; c.entries > maxEntries {
				c.dropped++
			} else {
				names = append(names, d.Name)
			}
		}
		return nil
	}))
	slices.Sort(names)
	return names
}

// send sends one file of the given size. What another thread of the program,
// not yet gone, cut off it meanwhile is sent as zeros.
func (c *collection) send(path string, size int64) error {
	if c.total+size > maxTotal {
		c.dropped++
		return c.w.send('p', []byte(path)) // alone: it is left behind
	}
	f, err := c.open(c.w.dir+"/"+path, 0)
	if err != nil {
		c.dropped++
		return nil
	}
	defer f.DecRef(c.t)
	if info, err := f.Stat(c.t, vfs.StatOptions{Mask: linux.STATX_TYPE}); err != nil || info.Mode&linux.S_IFMT != linux.S_IFREG {
		c.dropped++
		return nil
	}
	c.total += size
	if err := c.w.send('p', []byte(path)); err != nil {
		return err
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	head := [5]byte{'d'}
	binary.BigEndian.PutUint32(head[1:], uint32(size))
	if err := c.w.write(head[:]); err != nil {
		return err
	}
	buf := make([]byte, chunk)
	for sent := int64(0); sent < size; {
		part := buf[:min(size-sent, chunk)]
		n, _ := f.Read(c.t, usermem.BytesIOSequence(part), vfs.ReadOptions{})
		if n <= 0 {
			clear(part)
			n = int64(len(part))
		}
		if err := c.w.write(part[:n]); err != nil {
			return err
		}
		sent += n
	}
	return nil
}
