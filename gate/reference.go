package gate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sallyport/audit"
	"sallyport/sandbox"
)

// Reference is an input file that stays where it is: the program reads it in
// place and cannot change it.
type Reference struct {
	Path string // in the work directory; "" is the name that the file has

	// From is a directory of Options.Directories and a path below it:
	// "data:2026/in.csv".
	From string

	// File is, in place of From, a regular file that the caller has opened for
	// reading alone. It remains the caller's to close.
	File *os.File

	// Dir is, in place of From, a directory of this machine, for programs of the
	// user who runs this gate: one that is Remote refuses it. The program reads
	// what is in it below Path. Only the backend gvisor can.
	Dir string
}

// maxReferences bounds the files by reference of a request.
const maxReferences = 64

// ErrReference is wrapped by the error of a request for a file that cannot be
// given by reference. Its text names nothing of the host but what the request
// named.
var ErrReference = errors.New("no such file by reference")

// opened is a reference whose file is open, and how it was then.
type opened struct {
	sandbox.Reference
	from  string
	ours  bool // to close
	state state
}

// state changes with the file, and with what is in it.
type state struct {
	device, inode     uint64
	bytes             int64
	modified, changed time.Time
}

// open opens what a request refers to; the caller closes it, whatever the error.
// That there is no such file is on record where others ask than the user who runs
// this process: it may be another's.
func (g *Gate) open(ctx context.Context, req Request) (references, error) {
	all, err := g.openAll(req)
	if err == nil || !g.opts.Remote {
		return all, err
	}
	if rerr := g.Refused(ctx, req.Principal, "", req.Tool, "file refused: "+err.Error()); rerr != nil {
		return all, fmt.Errorf("%w: %w", ErrNotRecorded, rerr)
	}
	return all, err
}

func (g *Gate) openAll(req Request) (all references, err error) {
	if n := len(req.References); n > maxReferences {
		return nil, fmt.Errorf("%w: %d files, at most %d", ErrReference, n, maxReferences)
	}
	for _, r := range req.References {
		o, err := g.openOne(req, r)
		if err != nil {
			name := cmp.Or(r.From, r.Dir, r.Path)
			return all, fmt.Errorf("%w: %.300q: %w", ErrReference, name, err)
		}
		all = append(all, o)
	}
	return all, nil
}

func (g *Gate) openOne(req Request, r Reference) (o opened, err error) {
	o.Path, o.from, o.File = r.Path, r.From, r.File
	kind := fs.FileMode(0)
	switch {
	case r.Dir != "":
		kind, o.ours = fs.ModeDir, true
		if o.Dir, o.File, err = g.openDir(r.Dir); err != nil {
			return o, err
		}
		o.from = o.Dir
	case r.File == nil:
		if o.File, err = g.openFrom(req, r.From); err != nil {
			return o, err
		}
		o.ours = true
		if o.Path == "" {
			o.Path = path.Base(r.From[strings.Index(r.From, ":")+1:])
		}
	}
	if err = sandbox.CheckPath(o.Path); err == nil {
		o.state, err = stateOf(o.File, kind)
	}
	if err != nil {
		return o, errors.Join(err, references{o}.close())
	}
	o.Bytes = o.state.bytes
	return o, nil
}

// openDir opens a directory that the user of this gate names, and says where it
// is. What the kernel makes up is no data.
func (g *Gate) openDir(dir string) (string, *os.File, error) {
	if g.opts.Remote {
		return "", nil, errors.New("only the operator names directories here")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", nil, plainly(err)
	}
	for _, own := range []string{"/proc", "/sys", "/dev"} {
		if dir == "/" || dir == own || strings.HasPrefix(dir, own+"/") {
			return "", nil, errors.New("it has more than files in it")
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", nil, errors.New("it is no directory")
	} else if info.Mode()&0o5 != 0o5 {
		return "", nil, errors.New("programs run as nobody, who may not read it: chmod o+rx")
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, plainly(err)
	}
	return dir, f, nil
}

// now is how a reference is, and whether it is what was opened.
func (o opened) now() (state, bool) {
	kind := fs.FileMode(0)
	if o.Dir != "" {
		kind = fs.ModeDir
		there, err := os.Stat(o.Dir)
		was, err2 := o.File.Stat()
		if err != nil || err2 != nil || !os.SameFile(there, was) {
			return state{}, false
		}
	}
	s, err := stateOf(o.File, kind)
	return s, err == nil && s == o.state
}

// openFrom opens a file below a directory that the operator has named, through
// the directory itself: no link in it leads out, nor out of the part of it that
// the caller selected.
func (g *Gate) openFrom(req Request, from string) (f *os.File, err error) {
	name, below, ok := strings.Cut(from, ":")
	if !ok {
		return nil, errors.New(`it has the form "directory:path/of/the/file"`)
	}
	dir, ok := g.opts.Directories[name]
	if !ok {
		names := slices.Sorted(maps.Keys(g.opts.Directories))
		if len(names) == 0 {
			return nil, errors.New("the operator has named no directory to read files from")
		}
		return nil, fmt.Errorf("no such directory; there is %s", strings.Join(names, ", "))
	}
	if err := sandbox.CheckPath(below); err != nil {
		return nil, err
	}
	within := ""
	if name == g.opts.Inbox && req.Principal.How != LocalUser {
		within = inboxOf(req.Principal)
	} else if within, below, err = selected(dir, below, req.Roots); err != nil {
		return nil, err
	}
	root, err := openBelow(dir, within)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// To open a device can have an effect, so it is looked at before.
	if info, err := root.Stat(below); err != nil {
		return nil, plainly(err)
	} else if info.IsDir() {
		return nil, errors.New("it is a directory: name a file in it")
	} else if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err = root.OpenFile(below, os.O_RDONLY|noEffect, 0)
	if err != nil {
		return nil, plainly(err)
	}
	return f, nil
}

// inboxOf is the directory of a principal in the inbox: its name in records, with
// what no name of a file has as %XX.
func inboxOf(p Principal) string { return path.Join(url.PathEscape(p.Tenant), url.PathEscape(p.ID())) }

// selected says which part of a directory a path is in that the caller may refer
// to, and where below it: the whole of the directory, unless the caller works in
// parts of it.
func selected(dir, below string, roots []string) (within, rest string, err error) {
	whole, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", errors.New("the directory cannot be opened")
	}
	chosen := false
	for _, root := range roots {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		part, err := filepath.Rel(whole, root)
		if err != nil || !filepath.IsLocal(part) {
			continue
		}
		if part == "." {
			return "", below, nil
		}
		chosen = true
		if rest, ok := strings.CutPrefix(below, filepath.ToSlash(part)+"/"); ok {
			return part, rest, nil
		}
	}
	if chosen {
		return "", "", errors.New("it is outside of the directories that the client works in")
	}
	return "", below, nil
}

// openBelow opens a directory, or the part of it that links may not lead out of.
func openBelow(dir, part string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.New("the directory cannot be opened")
	}
	if part == "" {
		return root, nil
	}
	defer root.Close()
	in, err := root.OpenRoot(part)
	if err != nil {
		return nil, plainly(err)
	}
	return in, nil
}

var errNotRegular = errors.New("it is not a regular file")

// plainly says why a file cannot be opened without where it is.
func plainly(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("there is no permission to read it")
	}
	return errors.New("it cannot be opened: it is not there, or a link leads out of the directory")
}

// references are the open files of a request.
type references []opened

func (all references) close() (err error) {
	for _, o := range all {
		if o.ours && o.File != nil {
			err = errors.Join(err, o.File.Close())
		}
	}
	return err
}

// given are the references as a sandbox takes them.
func (all references) given() (out []sandbox.Reference) {
	for _, o := range all {
		out = append(out, o.Reference)
	}
	return out
}

// record says which files these are.
func (all references) record() (out []audit.Reference) {
	for _, o := range all {
		out = append(out, audit.Reference{
			Path: o.Path, From: o.from, Directory: o.Dir != "", Device: o.state.device, Inode: o.state.inode, Bytes: o.state.bytes,
			Modified: o.state.modified.UTC(),
		})
	}
	return out
}

// hashLimit is how long a run that has ended waits for the hashes of the files
// that it was given by reference.
const hashLimit = 30 * time.Second

// hashAfter is how long the hashes wait for the program to start, which takes more
// than one processor where no sandbox waited: to hash a large file beside that
// would make it slower.
const hashAfter = time.Second

// watch hashes the files while the program runs, or when it has ended, where that
// is soon. What it returns is called then: it says of each what its content was,
// and whether it has changed since it was opened.
func (all references) watch(ctx context.Context, known *hashes) func() []audit.Reference {
	if len(all) == 0 {
		return func() []audit.Reference { return nil }
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done, ended := make(chan []string, 1), make(chan struct{})
	go func() {
		start := time.NewTimer(hashAfter)
		defer start.Stop()
		select {
		case <-start.C:
		case <-ended:
		}
		sums := make([]string, len(all))
		for i, o := range all {
			if o.Dir == "" {
				sums[i] = known.of(ctx, o)
			}
		}
		done <- sums
	}()
	return func() []audit.Reference {
		close(ended)
		timer := time.AfterFunc(hashLimit, cancel)
		defer timer.Stop()
		defer cancel()
		sums := <-done
		out := all.record()
		for i, o := range all {
			_, same := o.now()
			out[i].SHA256, out[i].Changed = sums[i], !same
		}
		return out
	}
}

// hashes are those of files by reference that have not changed since.
type hashes struct {
	mu    sync.Mutex
	known map[state]string
}

const (
	maxHashes = 1024
	settled   = 2 * time.Second // after which a change shows in the times of a file
)

// of is the hash of a file as it was opened. A file is read again unless it is
// the same one, of the same size, and the kernel has noted no change of it.
func (h *hashes) of(ctx context.Context, o opened) string {
	h.mu.Lock()
	sum, ok := h.known[o.state]
	h.mu.Unlock()
	if ok {
		return sum
	}
	old := time.Since(o.state.changed) > settled
	sum = hash(ctx, o.File, o.state.bytes)
	if _, same := o.now(); sum == "" || !old || !same {
		return sum
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil || len(h.known) >= maxHashes {
		h.known = map[state]string{}
	}
	h.known[o.state] = sum
	return sum
}

// hash is that of the first n bytes of a file, "" where it cannot be had.
func hash(ctx context.Context, f *os.File, n int64) string {
	h, buf := sha256.New(), make([]byte, 1<<20)
	in := io.NewSectionReader(f, 0, n)
	for ctx.Err() == nil {
		m, err := in.Read(buf)
		_, _ = h.Write(buf[:m]) // a hash takes everything
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil))
		}
		if err != nil {
			return ""
		}
	}
	return ""
}
