package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The cache directory:
//
//	HEX-ARCH/root/        an unpacked image, by its digest
//	HEX-ARCH/image.json   what it is
//	HEX-ARCH.lock         held shared while the image is in use, alone while
//	                      it is unpacked or removed
//	.HEX-ARCH/            an image that is being unpacked, or was when its
//	                      process ended
const (
	rootName = "root"
	noteName = "image.json"
)

// entryNote is what the cache knows of an image.
type entryNote struct {
	Digest  string    `json:"digest"`
	Source  string    `json:"source"`
	Path    string    `json:"path"`
	Made    time.Time `json:"made"`
	Bytes   int64     `json:"bytes"`
	Entries int64     `json:"entries"`
	Dropped int       `json:"dropped"` // devices and FIFOs left out
}

// Entry is one image of the cache.
type Entry struct {
	Digest string
	Source string // the reference it was first unpacked for
	Bytes  int64
	Made   time.Time
}

func key(digest string) string {
	return strings.TrimPrefix(digest, "sha256:") + "-" + runtime.GOARCH
}

func (s *Store) path(digest string) string       { return filepath.Join(s.opts.Dir, key(digest)) }
func (s *Store) unfinished(digest string) string { return filepath.Join(s.opts.Dir, "."+key(digest)) }

func (s *Store) has(digest string) bool {
	_, err := os.Lstat(s.path(digest))
	return err == nil
}

// cached returns the image of a digest and keeps it from being removed, or nil
// when it is not there.
func (s *Store) cached(digest string) (*Image, error) {
	if !s.has(digest) {
		return nil, nil
	}
	lock, err := flock(s.path(digest)+".lock", unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil // it is on its way out
	}
	if err != nil {
		return nil, err
	}
	note, err := s.note(digest)
	if err != nil {
		lock.Close()
		if errors.Is(err, fs.ErrNotExist) && !s.has(digest) {
			return nil, nil // it went before we had the lock
		}
		return nil, fmt.Errorf("the cache entry %s is damaged: remove it (%v)", s.path(digest), err)
	}
	return &Image{Root: filepath.Join(s.path(digest), rootName), Digest: note.Digest, Path: note.Path, Bytes: note.Bytes, lock: lock}, nil
}

func (s *Store) note(digest string) (entryNote, error) {
	var n entryNote
	raw, err := os.ReadFile(filepath.Join(s.path(digest), noteName))
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return n, err
	}
	if n.Digest != digest {
		return n, fmt.Errorf("it is of %s", n.Digest)
	}
	return n, nil
}

// finish makes an unpacked image appear under its name, after everything of it
// has reached the disk: a name must not outlive a crash that its files did not.
func (s *Store) finish(tmp string, n entryNote) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(tmp, noteName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err := errors.Join(err, unix.Syncfs(int(f.Fd())), f.Close()); err != nil {
		return err
	}
	return os.Rename(tmp, s.path(n.Digest))
}

// flock opens and locks a file. Lock files are removed with their images: one
// that is no longer the one with the name is no lock.
func flock(name string, how int) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		for err = unix.EINTR; errors.Is(err, unix.EINTR); {
			err = unix.Flock(int(f.Fd()), how)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		mine, err1 := f.Stat()
		named, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return f, nil
		}
		f.Close()
	}
}

// List returns the images of the cache, by their digests.
func (s *Store) List() ([]Entry, error) {
	dirs, err := os.ReadDir(s.opts.Dir)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, d := range dirs {
		hex, ours := strings.CutSuffix(d.Name(), "-"+runtime.GOARCH)
		if !ours || !d.IsDir() || !sha256Digest.MatchString("sha256:"+hex) {
			continue
		}
		n, err := s.note("sha256:" + hex)
		if err != nil {
			n = entryNote{Digest: "sha256:" + hex, Source: "damaged"}
		}
		out = append(out, Entry{Digest: n.Digest, Source: n.Source, Bytes: n.Bytes, Made: n.Made})
	}
	return out, nil
}

// Prune removes the images that are neither those of keep nor in use, and what
// killed processes left half unpacked. It returns what it removed, also with an
// error.
func (s *Store) Prune(ctx context.Context, keep []Ref) ([]Entry, error) {
	wanted := map[string]bool{}
	for _, r := range keep {
		digest := r.digest
		if digest == "" {
			d, err := s.describe(ctx, r)
			if err != nil {
				return nil, fmt.Errorf("image %s: %w", r, err)
			}
			digest = d.digest
		}
		wanted[digest] = true
	}
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	all = append(all, s.abandoned()...)
	var removed []Entry
	var errs []error
	for _, e := range slices.DeleteFunc(all, func(e Entry) bool { return wanted[e.Digest] && s.has(e.Digest) }) {
		gone, err := s.remove(e.Digest)
		if gone {
			removed = append(removed, e)
		}
		errs = append(errs, err)
	}
	return removed, errors.Join(errs...)
}

// abandoned are the images whose unpacking may have ended halfway.
func (s *Store) abandoned() []Entry {
	var out []Entry
	dirs, _ := filepath.Glob(filepath.Join(s.opts.Dir, ".*-"+runtime.GOARCH))
	for _, dir := range dirs {
		digest := "sha256:" + strings.TrimSuffix(filepath.Base(dir)[1:], "-"+runtime.GOARCH)
		if sha256Digest.MatchString(digest) && !s.has(digest) {
			out = append(out, Entry{Digest: digest, Source: "half unpacked"})
		}
	}
	return out
}

// remove takes an image out of the cache that nobody uses. It disappears at
// once, and then its files.
func (s *Store) remove(digest string) (bool, error) {
	lock, err := flock(s.path(digest)+".lock", unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer lock.Close()
	tmp := s.unfinished(digest)
	if err := os.RemoveAll(tmp); err != nil {
		return false, err
	}
	if err := os.Rename(s.path(digest), tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, errors.Join(os.RemoveAll(tmp), os.Remove(lock.Name()))
}

// searchPath is the PATH of an image's environment.
func searchPath(env []string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			return v
		}
	}
	return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}
