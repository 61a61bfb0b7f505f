// Package image turns a reference to a container image into a directory: it
// fetches by digest, believes nothing that is not hashed, and unpacks once into
// a cache that any number of processes share.
//
// An image comes from a registry, from what `docker save` wrote or from an OCI
// layout, without an engine or a daemon.
package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sys/unix"

	"sallyport/internal/hint"
)

// ErrAbsent is wrapped by the error of an image that is not in the cache and
// that may not be fetched now.
var ErrAbsent = errors.New("the image has not been fetched")

// Options says how a Store works.
type Options struct {
	Dir string // of the cache: private, made if it is not there

	// DockerConfig is the directory of docker's config.json, whose credentials
	// and credential helpers are used for registries. "" uses none.
	DockerConfig string

	// LoopbackHTTP allows a registry on a loopback address to speak http.
	// Every other one speaks https.
	LoopbackHTTP bool

	MaxBytes   int64 // of one unpacked image; 0: 8 GiB
	MaxEntries int64 // files, directories and links of one; 0: 500,000

	Stall time.Duration // without a byte from the registry; 0: 30 s
	Retry time.Duration // wait before the first of two more tries; 0: 1 s

	// Progress, when not nil, is told what is being done, in a line.
	Progress func(step string)
}

// fetchLimit bounds the fetching of one image: a registry that sends a byte
// now and then must not go on for ever.
const fetchLimit = time.Hour

// Store is a cache of unpacked images. It is safe for concurrent use, and so
// is its directory for any number of processes.
type Store struct{ opts Options }

// NewStore returns the store of a directory.
func NewStore(o Options) (*Store, error) {
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("image cache %q is not an absolute path", o.Dir)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the image cache: %w", err)
	}
	st, err := os.Stat(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("image cache: %w", err)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Geteuid() || st.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("image cache %s does not belong to this user alone: chmod 700, or remove it", o.Dir)
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 8<<30)
	o.MaxEntries = cmp.Or(o.MaxEntries, 500_000)
	o.Stall = cmp.Or(o.Stall, 30*time.Second)
	o.Retry = cmp.Or(o.Retry, time.Second)
	return &Store{o}, nil
}

// Image is an unpacked image, which stays in the cache at least until it is
// closed.
type Image struct {
	Root   string // directory
	Digest string // sha256:… of the manifest or index that was asked for, or the image ID
	Path   string // search path for programs, as the image has it
	Bytes  int64

	lock *os.File
}

// Close lets go of the image.
func (i *Image) Close() error { return i.lock.Close() }

// Get returns the image of a reference, unpacking it if it is not in the cache.
// One of a registry is only fetched with fetch, and else an error wrapping
// ErrAbsent; local files are always read. When several processes want the same
// image, one unpacks and the others wait.
func (s *Store) Get(ctx context.Context, ref Ref, fetch bool) (*Image, error) {
	i, err := s.get(ctx, ref, fetch)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", ref, advise(err))
	}
	return i, nil
}

// Ready reports whether Get needs to fetch nothing for a reference: the image
// is in the cache, or a local file.
func (s *Store) Ready(ref Ref) bool {
	return ref.Local() || ref.digest != "" && s.has(ref.digest)
}

// advise adds what would help to an error of the machine.
func advise(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return hint.With(err, "make room, or remove unused images: sallyport env prune")
	}
	return err
}

func (s *Store) get(ctx context.Context, ref Ref, fetch bool) (*Image, error) {
	if ref.kind == nowhere {
		return nil, errors.New("the reference is empty")
	}
	if ref.digest != "" {
		if i, err := s.cached(ref.digest); err != nil || i != nil {
			return i, err
		}
	}
	if !ref.Local() && !fetch {
		return nil, ErrAbsent
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	d, err := s.describe(ctx, ref)
	if err != nil {
		return nil, err
	}
	return s.obtain(ctx, ref, d)
}

func platform() v1.Platform { return v1.Platform{OS: "linux", Architecture: runtime.GOARCH} }

func (s *Store) describe(ctx context.Context, ref Ref) (description, error) {
	switch ref.kind {
	case inArchive:
		return describeArchive(ref, platform())
	case inLayout:
		return describeLayout(ctx, ref, platform())
	default:
		s.progress("asking %s", ref.repo.RegistryStr())
		return describe(ctx, s.remote(ref), ref.digest, platform())
	}
}

func (s *Store) progress(format string, args ...any) {
	if s.opts.Progress != nil {
		s.opts.Progress(fmt.Sprintf(format, args...))
	}
}

// obtain returns the described image from the cache, or unpacks it there.
func (s *Store) obtain(ctx context.Context, ref Ref, d description) (*Image, error) {
	const pause = 50 * time.Millisecond
	for said := false; ; {
		if i, err := s.cached(d.digest); err != nil || i != nil {
			return i, err
		}
		lock, err := flock(s.path(d.digest)+".lock", unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			if err := s.unpackOnce(ctx, ref, d, lock); err != nil {
				return nil, err
			}
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return nil, err
		}
		if !said {
			s.progress("waiting for another process that has the same image in hand")
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// unpackOnce unpacks an image unless somebody did while we waited for the lock,
// which it lets go.
func (s *Store) unpackOnce(ctx context.Context, ref Ref, d description, lock *os.File) (err error) {
	defer func() { err = errors.Join(err, lock.Close()) }()
	if s.has(d.digest) {
		return nil
	}
	if err := s.unpack(ctx, ref, d); err != nil {
		return errors.Join(err, os.Remove(lock.Name()))
	}
	return nil
}

// unpack puts an image into the cache: whole, or not at all. The caller holds
// the lock of its digest.
func (s *Store) unpack(ctx context.Context, ref Ref, d description) (err error) {
	tmp := s.unfinished(d.digest)
	if err := os.RemoveAll(tmp); err != nil { // of a process that was killed
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	if err := os.MkdirAll(filepath.Join(tmp, rootName), 0o700); err != nil {
		return err
	}
	tree, err := os.OpenRoot(filepath.Join(tmp, rootName))
	if err != nil {
		return err
	}
	defer tree.Close()
	u := &unpacker{tree: tree, bytes: s.opts.MaxBytes, stream: s.opts.MaxBytes, maxBytes: s.opts.MaxBytes, entries: s.opts.MaxEntries}
	for n, l := range d.layers {
		if err := s.layer(ctx, u, l, filepath.Join(tmp, "layer"), n+1, len(d.layers)); err != nil {
			return fmt.Errorf("layer %d: %w", n+1, err)
		}
	}
	// Programs inside are another user; what is above stays closed to others.
	if err := tree.Chmod(".", 0o755); err != nil {
		return err
	}
	note := entryNote{
		Digest: d.digest, Source: ref.String(), Path: searchPath(d.config.Config.Env), Made: time.Now().UTC(),
		Bytes: s.opts.MaxBytes - u.bytes, Entries: s.opts.MaxEntries - u.entries, Dropped: u.dropped,
	}
	return s.finish(tmp, note)
}

// layer fetches one layer into a file, verifies it, and only then looks into
// it.
func (s *Store) layer(ctx context.Context, u *unpacker, l layer, file string, n, of int) error {
	r, err := l.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if l.packed.Digest == (v1.Hash{}) { // known by its content alone
		s.progress("unpacking layer %d of %d", n, of)
		return u.apply(ctx, r, l.diffID.String())
	}
	s.progress("fetching layer %d of %d, %.1f MB", n, of, float64(l.packed.Size)/1e6)
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	defer f.Close()
	if err := s.fetch(ctx, f, r, l.packed); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return u.apply(ctx, f, l.diffID.String())
}

// fetch copies a blob that must have the size and the digest of want.
func (s *Store) fetch(ctx context.Context, w io.Writer, r io.Reader, want v1.Descriptor) error {
	if want.Size < 0 || want.Size > s.opts.MaxBytes {
		return tooLarge(s.opts.MaxBytes)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.Read(p)
		if err != nil && err != io.EOF {
			err = explain(err)
		}
		return n, err
	}), want.Size+1))
	if err != nil {
		return err
	}
	if n != want.Size {
		return fmt.Errorf("it has another size than the %d bytes of the manifest", want.Size)
	}
	if got := "sha256:" + hex.EncodeToString(h.Sum(nil)); got != want.Digest.String() {
		return fmt.Errorf("it is not the one that the manifest names: its digest is %s, not %s", short(got), short(want.Digest.String()))
	}
	return nil
}
