package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Markers of removed files in a layer.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	reserved = ".wh..wh." // bookkeeping of a file system of long ago
)

// maxWindow bounds the memory that a zstd layer may ask for: the most that the
// format's own tool takes unless told otherwise.
const maxWindow = 128 << 20

// unpacker puts layers, the lowest first, into a directory that nobody else
// writes to. Everything in a layer is hostile: every path is resolved inside
// of tree, which by itself refuses to leave it, too.
//
// Owners are dropped and so are the bits that would give a program more rights
// than it has, devices, FIFOs and extended attributes: inside the sandbox
// everything belongs to root and nothing can be written.
type unpacker struct {
	tree           *os.Root
	bytes, entries int64 // what may still come
	stream         int64 // of the layers' own bytes
	maxBytes       int64
	dropped        int
	mine           map[string]bool // paths that the present layer made
}

// apply unpacks one stored layer that has been verified as such, and refuses
// one whose content does not have the hash diffID.
func (u *unpacker) apply(ctx context.Context, stored io.Reader, diffID string) error {
	plain, closer, err := decompress(stored)
	if err != nil {
		return err
	}
	defer closer()
	h := sha256.New()
	content := &capped{r: io.TeeReader(readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return plain.Read(p)
	}), h), left: &u.stream, limit: u.maxBytes}
	if err := u.layer(tar.NewReader(content)); err != nil {
		return err
	}
	// What follows the end of the archive is part of the hash.
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	if got := "sha256:" + hex.EncodeToString(h.Sum(nil)); got != diffID {
		return fmt.Errorf("its content is not what the configuration says: digest %s, not %s", short(got), short(diffID))
	}
	return nil
}

// decompress recognises a layer by its first bytes; what its media type says
// need not be true, and the hash of the content decides.
func decompress(r io.Reader) (io.Reader, func(), error) {
	b := bufio.NewReaderSize(r, 64<<10)
	magic, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { z.Close() }, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return b, func() {}, nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// capped fails when more than left bytes come; all layers share left.
type capped struct {
	r     io.Reader
	left  *int64
	limit int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if *c.left -= int64(n); *c.left < 0 {
		return 0, tooLarge(c.limit)
	}
	return n, err
}

func tooLarge(limit int64) error {
	return fmt.Errorf("unpacked, the image is larger than %d MiB", limit>>20)
}

// layer unpacks the entries of one layer.
func (u *unpacker) layer(r *tar.Reader) error {
	u.mine = map[string]bool{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.count(); err != nil {
			return err
		}
		if err := u.entry(h, r); err != nil {
			return fmt.Errorf("entry %q: %w", plain(h.Name), err)
		}
	}
}

func (u *unpacker) count() error {
	if u.entries--; u.entries < 0 {
		return errors.New("the image has too many files")
	}
	return nil
}

// mkdir makes a directory that an entry needs and no entry made. A long name
// makes many: they count.
func (u *unpacker) mkdir(name string) error {
	if err := u.count(); err != nil {
		return err
	}
	u.mine[name] = true
	return u.tree.Mkdir(name, 0o755)
}

func (u *unpacker) entry(h *tar.Header, r io.Reader) error {
	if err := checkName(h.Name); err != nil {
		return err
	}
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	dir, base := path.Split(path.Clean("/" + h.Name))
	if base == "" {
		return nil // the root directory
	}
	dir, err := walk(u.tree, dir+".", true, u.mkdir)
	if err != nil {
		return err
	}
	if strings.HasPrefix(base, whiteout) {
		return u.whiteout(dir, base)
	}
	return u.make(path.Join(dir, base), h, r)
}

// checkName refuses a name that climbs. An absolute name is one below the
// root of the image, as for every engine.
func checkName(name string) error {
	if len(name) > maxPath || strings.ContainsRune(name, 0) {
		return errors.New("the name is too long or no name")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return errors.New(`the name climbs with ".."`)
		}
	}
	return nil
}

// whiteout removes what lower layers put at a place, and nothing that this
// layer put there.
func (u *unpacker) whiteout(dir, base string) error {
	if base == opaque {
		return u.hide(dir)
	}
	name := strings.TrimPrefix(base, whiteout)
	if strings.HasPrefix(base, reserved) {
		return nil
	}
	if name == "" || name == "." || name == ".." {
		return errors.New("a whiteout of nothing")
	}
	return u.removeLower(path.Join(dir, name))
}

// hide removes what lower layers put into a directory.
func (u *unpacker) hide(dir string) error {
	f, err := u.tree.Open(dir)
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	f.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := u.removeLower(path.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) removeLower(name string) error {
	if !u.mine[name] {
		return u.tree.RemoveAll(name)
	}
	if st, err := u.tree.Lstat(name); err != nil || !st.IsDir() {
		return nil
	}
	return u.hide(name) // this layer's directory, with what was in it before
}

// make puts one entry at a place, instead of what is there. Nothing is ever
// written into a file that exists: it may be a link to another one.
func (u *unpacker) make(name string, h *tar.Header, r io.Reader) error {
	st, err := u.tree.Lstat(name)
	switch {
	case err == nil && st.IsDir() && h.Typeflag == tar.TypeDir:
		u.claim(name)
		return u.tree.Chmod(name, mode(h))
	case err == nil:
		if err := u.tree.RemoveAll(name); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if err := u.tree.Mkdir(name, 0o700); err != nil {
			return err
		}
		u.claim(name)
		return u.tree.Chmod(name, mode(h))
	case tar.TypeReg, tar.TypeGNUSparse:
		u.claim(name)
		return u.file(name, h, r)
	case tar.TypeSymlink:
		if h.Linkname == "" || len(h.Linkname) > maxPath || strings.ContainsRune(h.Linkname, 0) {
			return errors.New("a link to nothing")
		}
		u.claim(name)
		return u.tree.Symlink(h.Linkname, name)
	case tar.TypeLink:
		u.claim(name)
		return u.hardLink(name, h.Linkname)
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		u.dropped++
		return nil
	}
	return fmt.Errorf("it is of an unknown kind %q", h.Typeflag)
}

// claim remembers that the present layer made a path, and the directories
// above it.
func (u *unpacker) claim(name string) {
	for ; name != "." && !u.mine[name]; name = path.Dir(name) {
		u.mine[name] = true
	}
}

// mode is what is left of an entry's permissions: nobody else writes, nobody
// gains rights, and the owner, who unpacks and removes, can always work.
func mode(h *tar.Header) fs.FileMode {
	m := fs.FileMode(h.Mode) & 0o755
	if h.Typeflag == tar.TypeDir {
		return m | 0o700
	}
	return m | 0o600
}

func (u *unpacker) file(name string, h *tar.Header, r io.Reader) (err error) {
	if h.Size < 0 || h.Size > u.bytes {
		return tooLarge(u.maxBytes)
	}
	f, err := u.tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(r, u.bytes))
	u.bytes -= n
	err = errors.Join(err, f.Chmod(mode(h)), f.Close())
	if err != nil {
		return err
	}
	// Compiled Python is valid for a source of one time only.
	t := h.ModTime
	if t.Before(time.Unix(0, 0)) {
		t = time.Unix(0, 0)
	}
	return u.tree.Chtimes(name, t, t)
}

// hardLink links to a file of the image, never to what a link of the image
// points to.
func (u *unpacker) hardLink(name, target string) error {
	if err := checkName(target); err != nil {
		return fmt.Errorf("it links to %q: %w", plain(target), err)
	}
	from, err := Resolve(u.tree, target, false)
	if err != nil {
		return fmt.Errorf("it links to %q: %w", plain(target), err)
	}
	st, err := u.tree.Lstat(from)
	if err != nil {
		return fmt.Errorf("it links to %q, which is not there", plain(target))
	}
	if !st.Mode().IsRegular() && st.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("it links to %q, which is not a file", plain(target))
	}
	return u.tree.Link(from, name)
}
