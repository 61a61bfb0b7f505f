package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/internal/hint"
	"sallyport/policy"
	"sallyport/sandbox"
)

// withData is a gate whose operator has named the directory data, with the file
// in.csv in it, beside one that nobody may read from.
func withData(t *testing.T) (f fixture, dir string) {
	t.Helper()
	f, top := newFixture(t), t.TempDir()
	dir = filepath.Join(top, "data")
	for name, text := range map[string]string{"data/2026/in.csv": "a,b\n", "secret/key": "secret", "other/in.csv": "theirs"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.gate.opts.Directories = map[string]string{"data": dir}
	return f, dir
}

func referring(from ...string) Request {
	req := py("print(1)\n")
	for _, from := range from {
		req.References = append(req.References, Reference{From: from})
	}
	return req
}

func TestReference(t *testing.T) {
	f, dir := withData(t)
	content := ""
	f.backend.edit = func(s *sandbox.Spec) {
		b, err := io.ReadAll(s.References[0].File)
		content = string(b)
		if err != nil || s.References[0].Path != "in.csv" || s.References[0].Bytes != 4 || len(s.Files) != 0 {
			t.Errorf("the sandbox got %+v, %v", s.References, err)
		}
	}
	ans, err := f.gate.Run(context.Background(), referring("data:2026/in.csv"))
	if err != nil || ans.Result == nil || content != "a,b\n" {
		t.Fatalf("Run() = %+v, %v with %q", ans, err, content)
	}
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(dir, "2026/in.csv"), &st); err != nil {
		t.Fatal(err)
	}
	before, after := f.log.records[0].Source.References, f.log.records[1].Run.References
	if len(before) != 1 || before[0].Inode != st.Ino || before[0].Device != uint64(st.Dev) || before[0].From != "data:2026/in.csv" || before[0].SHA256 != "" {
		t.Errorf("the start is recorded with %+v", before)
	}
	if len(after) != 1 || after[0].SHA256 != digest([]byte("a,b\n")) || after[0].Changed {
		t.Errorf("the end is recorded with %+v", after)
	}
}

// TestReferenceChanged wants to know of a file that is written to while the
// program runs, and the file that was opened, not the one that took its name.
func TestReferenceChanged(t *testing.T) {
	f, dir := withData(t)
	name := filepath.Join(dir, "2026/in.csv")
	f.backend.edit = func(s *sandbox.Spec) {
		if err := os.WriteFile(name, []byte("other and longer"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.gate.Run(context.Background(), referring("data:2026/in.csv")); err != nil {
		t.Fatal(err)
	}
	if after := f.log.records[1].Run.References; len(after) != 1 || !after[0].Changed {
		t.Errorf("a file that changed is recorded as %+v", after)
	}
}

// TestReferenceSwapped replaces a file after it was opened: the program reads
// what was opened.
func TestReferenceSwapped(t *testing.T) {
	f, dir := withData(t)
	req := referring("data:2026/in.csv")
	opened, err := f.gate.open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	name := filepath.Join(dir, "2026/in.csv")
	if err := errors.Join(os.Remove(name), os.Symlink("../../secret/key", name)); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(opened[0].File); err != nil || string(b) != "a,b\n" {
		t.Errorf("read %q, %v; want what was opened", b, err)
	}
	if _, err := f.gate.open(t.Context(), req); !errors.Is(err, ErrReference) {
		t.Errorf("the link in its place: %v", err)
	}
}

// TestReferenceRefused tries to get at what the operator has not named.
func TestReferenceRefused(t *testing.T) {
	f, dir := withData(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Symlink("../secret/key", filepath.Join(dir, "link")))
	must(os.Symlink(filepath.Join(dir, "../secret/key"), filepath.Join(dir, "absolute")))
	must(os.Symlink("../secret", filepath.Join(dir, "folder")))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "zero")))
	must(os.Symlink("loop", filepath.Join(dir, "loop")))
	must(unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "a\nb"), nil, 0o600))
	must(os.WriteFile(filepath.Join(dir, "a\u202eb"), nil, 0o600))
	if os.Geteuid() == 0 {
		must(unix.Mknod(filepath.Join(dir, "null"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))))
	}
	for _, from := range []string{
		"", "data", ":2026/in.csv", "data:", "data:.", "data:2026", "data:/etc/passwd", "data:../secret/key", "data:2026/../../secret/key",
		"data:2026/./in.csv", "data:link", "data:absolute", "data:folder/key", "data:zero", "data:loop", "data:fifo", "data:null", "data:a\nb",
		"data:a\u202eb", "data:2026/in.csv\x00", "other:in.csv", "secret:key", "../other:in.csv", "Data:2026/in.csv", "data:" + strings.Repeat("x/", 200) + "x",
	} {
		_, err := f.gate.Run(context.Background(), referring(from))
		if !errors.Is(err, ErrReference) {
			t.Errorf("%q: %v, want %v", from, err, ErrReference)
		} else if strings.Contains(err.Error(), dir) {
			t.Errorf("%q: the error names the directory: %v", from, err)
		}
	}
	many := make([]string, maxReferences+1)
	if _, err := f.gate.Run(context.Background(), referring(many...)); !errors.Is(err, ErrReference) {
		t.Errorf("too many: %v", err)
	}
	if n := len(f.backend.specs); n > 0 {
		t.Errorf("%d of these ran", n)
	}
}

// TestReferenceOpen refuses files of an embedding program that are not open for
// reading alone, or no files.
func TestReferenceOpen(t *testing.T) {
	f, dir := withData(t)
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	writable, err := os.OpenFile(filepath.Join(dir, "2026/in.csv"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writable.Close()
	for _, file := range []*os.File{folder, writable} {
		req := py("print(1)\n")
		req.References = []Reference{{Path: "in.csv", File: file}}
		if _, err := f.gate.Run(context.Background(), req); !errors.Is(err, ErrReference) {
			t.Errorf("%s: %v", file.Name(), err)
		}
	}
}

// TestReferenceAsCode gives files names that an interpreter loads.
func TestReferenceAsCode(t *testing.T) {
	f, _ := withData(t)
	for _, name := range []string{"fast.so", "m.pyc", "x.PTH"} {
		req := py("print(1)\n")
		req.References = []Reference{{Path: name, From: "data:2026/in.csv"}}
		if ans, err := f.gate.Run(context.Background(), req); err != nil || ans.Decision.Effect != policy.Deny {
			t.Errorf("%s: %+v, %v", name, ans.Decision, err)
		}
	}
	for name, source := range map[string]string{"package.json": "0\n", "data.txt": "require('./data.txt')\n"} {
		req := Request{Language: "javascript", Source: []byte(source), References: []Reference{{Path: name, From: "data:2026/in.csv"}}}
		if ans, err := f.gate.Run(context.Background(), req); err != nil || ans.Decision.Effect != policy.Deny {
			t.Errorf("%s: %+v, %v", name, ans.Decision, err)
		}
	}
}

// TestTooLarge wants a file that does not fit refused before anything else.
func TestTooLarge(t *testing.T) {
	f := newFixture(t)
	half := f.gate.opts.Ceilings.DiskBytes / 2
	for key, files := range map[string][]sandbox.File{
		"limits.file_mb": {{Path: "in.csv", Data: make([]byte, f.gate.opts.Ceilings.FileBytes+1)}},
		"limits.disk_mb": {{Path: "a.csv", Data: make([]byte, half-1)}, {Path: "in.csv", Data: make([]byte, 2)}},
	} {
		req := py("print(1)\n")
		req.Files = files
		_, err := f.gate.Run(context.Background(), req)
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), `"in.csv"`) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if n := len(f.log.records) + len(f.backend.specs); n > 0 {
		t.Errorf("%d records and runs", n)
	}
}

// A file that cannot be where it is to be is refused by its name before anything
// is on record, and a program that policy denies is denied all the same.
func TestFileName(t *testing.T) {
	f := newFixture(t)
	for source, files := range map[string][]sandbox.File{
		"print(1)\n":            {{Path: "main.py"}},
		"print(2)\n":            {{Path: "a/../main.py"}},
		"print(3)\n":            {{Path: "twice.csv"}, {Path: "twice.csv"}},
		"import helper\n":       {{Path: "helper.py", Data: []byte("x = 1\n")}, {Path: "helper.py/x"}},
		"export const a = 1;\n": {{Path: "main.mjs"}},
	} {
		req := py(source)
		if strings.HasPrefix(source, "export") {
			req.Language = analyze.JavaScript
		}
		req.Files = files
		_, err := f.gate.Run(context.Background(), req)
		if name := files[len(files)-1].Path; !errors.Is(err, ErrFile) || !errors.Is(err, hint.ErrUsage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if n := len(f.log.records) + len(f.backend.specs); n > 0 {
		t.Errorf("%d records and runs", n)
	}
	req := py("import os\nos.system('id')\n")
	req.Files = []sandbox.File{{Path: "main.py"}}
	if ans, err := f.gate.Run(context.Background(), req); err != nil || ans.Decision.Effect != policy.Deny || len(f.log.records) != 1 {
		t.Errorf("a denied program: %+v, %v", ans.Decision, err)
	}
}

// TestReferenceStartsFirst: no file is read while its program starts, and one is
// while it runs.
func TestReferenceStartsFirst(t *testing.T) {
	for name, after := range map[string]time.Duration{"a short program": 0, "a long one": time.Hour} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.csv")
			write := func(text string) string {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256([]byte(text))
				return hex.EncodeToString(sum[:])
			}
			first := write("first")
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			synctest.Test(t, func(t *testing.T) {
				all := references{{Reference: sandbox.Reference{Path: "in.csv", File: f}}}
				if all[0].state, err = stateOf(f, 0); err != nil {
					t.Fatal(err)
				}
				end := all.watch(t.Context(), &hashes{})
				time.Sleep(after)
				synctest.Wait()
				want := write("other")
				if after > 0 {
					want = first
				}
				if got := end(); got[0].SHA256 != want {
					t.Errorf("the hash is %s, want %s", got[0].SHA256, want)
				}
			})
		})
	}
}

// TestReferenceHashedAgain wants the hash of what a file holds now, however
// often it was asked for before.
func TestReferenceHashedAgain(t *testing.T) {
	f, dir := withData(t)
	name := filepath.Join(dir, "2026/in.csv")
	old := time.Now().Add(-time.Hour)
	for i, text := range []string{"a,b\n", "a,b\n", "c,d\n", "a,b\n"} {
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chtimes(name, old, old)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.gate.Run(context.Background(), referring("data:2026/in.csv")); err != nil {
			t.Fatal(err)
		}
		if got := f.log.records[2*i+1].Run.References[0].SHA256; got != digest([]byte(text)) {
			t.Errorf("run %d: %s is not the hash of %q", i, got, text)
		}
	}
}

// TestHashesAreKept asks for a file that has long been as it is without reading
// it: what the kernel says of it decides.
func TestHashesAreKept(t *testing.T) {
	_, dir := withData(t)
	file, err := os.Open(filepath.Join(dir, "2026/in.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	st, err := stateOf(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := hashes{known: map[state]string{st: "known"}}
	o := opened{Reference: sandbox.Reference{File: file}, state: st}
	if got := h.of(context.Background(), o); got != "known" {
		t.Errorf("an unchanged file was read again: %s", got)
	}
	o.state.inode++
	if got := h.of(context.Background(), o); got == "known" {
		t.Error("another file has the hash of this one")
	}
}

// TestDirectory gives a program a directory, and wants it in what policy sees and
// in both records.
func TestDirectory(t *testing.T) {
	f, top := newFixture(t), t.TempDir()
	dir, link := filepath.Join(top, "given"), filepath.Join(top, "link")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	req := py("print(1)\n")
	req.References = []Reference{{Path: "data", Dir: link}}
	f.backend.edit = func(s *sandbox.Spec) {
		if r := s.References; len(r) != 1 || r[0].Dir != dir || r[0].Path != "data" || r[0].Bytes != 0 {
			t.Errorf("the sandbox got %+v", r)
		}
		req.opened, _ = f.gate.open(t.Context(), req)
		defer req.opened.close()
		in := f.gate.input(req, analyze.Facts{})
		if got := in.Request.Files; len(got) != 1 || !got[0].Directory || !got[0].Reference || got[0].From != dir {
			t.Errorf("policy sees %+v", got)
		}
		if !slices.Contains(in.Sandbox.Mounts, "/workspace/data") {
			t.Errorf("policy sees the mounts %q", in.Sandbox.Mounts)
		}
	}
	if _, err := f.gate.Run(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	for i, got := range [][]audit.Reference{f.log.records[0].Source.References, f.log.records[1].Run.References} {
		if len(got) != 1 || !got[0].Directory || got[0].From != dir || got[0].Inode == 0 || got[0].SHA256 != "" || got[0].Changed {
			t.Errorf("record %d has %+v", i, got)
		}
	}

	// Another directory that took its name is not what was opened.
	f.backend.edit = func(*sandbox.Spec) {
		if err := errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o755)); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.gate.Run(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if got := f.log.records[3].Run.References; len(got) != 1 || !got[0].Changed {
		t.Errorf("a directory that was swapped is recorded as %+v", got)
	}
}

// TestDirectoryRefused names what is no directory with files, and names one to a
// gate that serves others.
func TestDirectoryRefused(t *testing.T) {
	f, top := newFixture(t), t.TempDir()
	closed, kernel, file := filepath.Join(top, "closed"), filepath.Join(top, "kernel"), filepath.Join(top, "file")
	if err := errors.Join(os.Mkdir(closed, 0o700), os.Symlink("/proc/self", kernel), os.WriteFile(file, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	refused := func(why, dir string) {
		t.Helper()
		req := py("print(1)\n")
		req.References = []Reference{{Path: "data", Dir: dir}}
		if _, err := f.gate.Run(context.Background(), req); !errors.Is(err, ErrReference) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %v: %s", dir, err, ErrReference, why)
		}
	}
	for dir, why := range map[string]string{
		"/": "more than files", "/proc": "more than files", "/sys/kernel": "more than files", "/dev/shm": "more than files", kernel: "more than files",
		file: "no directory", closed: "chmod", filepath.Join(top, "missing"): "no such file",
	} {
		refused(why, dir)
	}
	f.gate.opts.Remote = true
	before := f.log.events()
	if _, err := f.gate.open(t.Context(), Request{References: []Reference{{Path: "data", Dir: top}}}); !errors.Is(err, ErrReference) {
		t.Errorf("a gate for others: %v", err)
	}
	if after := f.log.events(); strings.Contains(before, "access") || strings.TrimSpace(strings.TrimPrefix(after, before)) != "access" {
		t.Errorf("records %q, and then %q: want the refusal of a gate for others, and none of one for its user", before, after)
	}
	if n := len(f.backend.specs); n > 0 {
		t.Errorf("%d of these ran", n)
	}
}

// TestRoots narrows directories to what a client says it works in, and tries to
// add some that way.
func TestRoots(t *testing.T) {
	f, dir := withData(t)
	top := filepath.Dir(dir)
	err := errors.Join(os.WriteFile(filepath.Join(dir, "plain.csv"), []byte("plain"), 0o600), os.Mkdir(filepath.Join(dir, "2025"), 0o700),
		os.WriteFile(filepath.Join(dir, "2025/in.csv"), []byte("old"), 0o600), os.WriteFile(filepath.Join(dir, "20260"), []byte("near"), 0o600),
		os.Symlink("../2025/in.csv", filepath.Join(dir, "2026/old.csv")), os.Symlink("2026", filepath.Join(dir, "now")), os.Symlink(dir, filepath.Join(top, "alias")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		roots []string
		from  string
		want  string // "": refused
	}{
		{nil, "data:plain.csv", "plain"},
		{[]string{top + "/secret", "/"}, "data:plain.csv", "plain"}, // it works elsewhere, or everywhere
		{[]string{dir}, "data:plain.csv", "plain"},
		{[]string{dir + "/2026"}, "data:2026/in.csv", "a,b\n"},
		{[]string{top + "/alias/2026"}, "data:2026/in.csv", "a,b\n"},
		{[]string{dir + "/now"}, "data:2026/in.csv", "a,b\n"},
		{[]string{dir + "/2025", dir + "/2026"}, "data:2026/in.csv", "a,b\n"},
		{[]string{dir + "/2026"}, "data:plain.csv", ""},
		{[]string{dir + "/2026"}, "data:20260", ""},
		{[]string{dir + "/2026"}, "data:2025/in.csv", ""},
		{[]string{dir + "/2026"}, "data:2026/old.csv", ""}, // a link leads out of what was selected
		{[]string{dir + "/2026", top + "/secret"}, "data:../secret/key", ""},
		{[]string{top + "/secret"}, "data:../secret/key", ""},
		{[]string{top + "/secret"}, "secret:key", ""},
		{[]string{dir + "/missing"}, "data:plain.csv", ""},
	} {
		req := referring(tt.from)
		req.Roots = tt.roots
		opened, err := f.gate.open(t.Context(), req)
		got := ""
		if err == nil {
			b, rerr := io.ReadAll(opened[0].File)
			got, err = string(b), rerr
		}
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && strings.Contains(err.Error(), top) {
			t.Errorf("%s with %q: %q, %v; want %q", tt.from, tt.roots, got, err, tt.want)
		}
		_ = opened.close()
	}
}

// TestInbox gives principals what was put down for them, and tries to get at what
// is another's.
func TestInbox(t *testing.T) {
	f, dir := withData(t)
	f.gate.opts.Inbox = "data"
	ada, bob, other := Principal{Issuer: "https://id.example", Subject: "ada", How: "oauth"}, Principal{Issuer: "https://id.example", Subject: "bob", How: "oauth"}, Principal{Issuer: "https://id.example", Subject: "ada", Tenant: "acme", How: "oauth"}
	own := "https:%2F%2Fid.example%7Cada"
	err := errors.Join(os.Mkdir(filepath.Join(dir, own), 0o700), os.WriteFile(filepath.Join(dir, own, "in.csv"), []byte("ada's"), 0o600),
		os.Symlink("../2026/in.csv", filepath.Join(dir, own, "link.csv")), os.Symlink(own, filepath.Join(dir, inboxOf(bob))))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		who  Principal
		from string
		want string // "": refused
	}{
		{ada, "data:in.csv", "ada's"},
		{localUser(), "data:2026/in.csv", "a,b\n"},
		{localUser(), "data:" + own + "/in.csv", "ada's"},
		{ada, "data:2026/in.csv", ""}, {ada, "data:../2026/in.csv", ""}, {ada, "data:link.csv", ""}, {ada, "data:" + own + "/in.csv", ""},
		{other, "data:in.csv", ""}, {other, "data:" + own + "/in.csv", ""}, {Principal{}, "data:in.csv", ""}, {Principal{}, "data:2026/in.csv", ""},
	} {
		req := referring(tt.from)
		req.Principal = tt.who
		opened, err := f.gate.open(t.Context(), req)
		got := ""
		if err == nil {
			b, rerr := io.ReadAll(opened[0].File)
			got, err = string(b), rerr
		}
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s of %q: %q, %v; want %q", tt.from, tt.who.ID(), got, err, tt.want)
		}
		_ = opened.close()
	}
}
