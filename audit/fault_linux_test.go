package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sallyport/internal/executable"
)

// fullLog appends until it fails, and checks how.
func fullLog(t *testing.T, l *Log, most int) {
	t.Helper()
	for i := range most {
		_, err := l.Append(t.Context(), decision(i))
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrNotRecorded) {
			t.Errorf("Append() = %v, want ErrNotRecorded", err)
		}
		if _, err := l.Append(t.Context(), decision(i)); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("the next Append() = %v, want ErrNotRecorded", err)
		}
		return
	}
	t.Fatalf("%d records and the file system is not full", most)
}

func TestDiskFull(t *testing.T) {
	dir := mountTmpfs(t, "size=64k")
	l := openLog(t, Options{Dir: filepath.Join(dir, "audit")})
	ballast := filepath.Join(dir, "ballast")
	check(t, os.WriteFile(ballast, make([]byte, 16<<10), 0o600))
	fullLog(t, l, 200)
	r := mustVerify(t, l.opts.Dir)
	if !r.OK() || len(r.Torn) != 1 {
		t.Fatalf("Verify() = torn %v, problems %v, want one torn tail", r.Torn, r.Problems)
	}

	check(t, os.Remove(ballast))
	appendN(t, l, 3)
	appendN(t, openLog(t, Options{Dir: l.opts.Dir}), 1)
	after := mustVerify(t, l.opts.Dir)
	if !after.OK() || after.Records != r.Records+5 || after.Segments != 2 || len(after.Torn) != 1 {
		t.Errorf("Verify() = %+v, want the log to go on behind a note of the torn tail", after)
	}
	if leftovers, err := filepath.Glob(filepath.Join(l.opts.Dir, "*"+tempExt)); err != nil || len(leftovers) > 0 {
		t.Errorf("left behind: %v, %v", leftovers, err)
	}
}

func TestReadOnly(t *testing.T) {
	dir := mountTmpfs(t, "size=1m")
	l := openLog(t, Options{Dir: filepath.Join(dir, "audit")})
	appendN(t, l, 2)
	check(t, l.Close())
	check(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	if _, err := Open(Options{Dir: filepath.Join(dir, "audit")}); !errors.Is(err, ErrNotRecorded) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("Open() = %v, want it refused as read-only", err)
	}
	wantIntact(t, filepath.Join(dir, "audit"), 2)
}

func TestFailedSync(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	appendN(t, l, 1)
	l.sync = func(*os.File) error { return unix.EIO }
	if _, err := l.Append(t.Context(), decision(1)); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("Append() = %v, want ErrNotRecorded", err)
	}
	l.sync = (*os.File).Sync
	if _, err := l.Append(t.Context(), decision(2)); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("Append() after a failed fsync = %v, want it refused until the log is opened again", err)
	}
	appendN(t, openLog(t, Options{Dir: dir}), 1)
}

// helperLimited appends until the file size limit stops it, and then once more.
func helperLimited(dir string) int {
	signal.Ignore(syscall.SIGXFSZ)
	limit := unix.Rlimit{Cur: 20_000, Max: 20_000}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		return 2
	}
	l, err := Open(Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return 2
	}
	for i := range 100 {
		if _, err := l.Append(context.Background(), decision(i)); err != nil {
			fmt.Println(i, errors.Is(err, ErrNotRecorded), err)
			_, err := l.Append(context.Background(), decision(i))
			fmt.Println(err)
			return 0
		}
	}
	return 2
}

// A write that is cut in the middle needs no privileges to be tried.
func TestShortWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	out, err := helper(t, "limited", dir).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, second, _ := strings.Cut(string(out), "\n")
	if !strings.Contains(first, "true") || !strings.Contains(first, "file too large") {
		t.Errorf("the append that did not fit: %s", first)
	}
	// The next one begins a segment, and says why.
	if strings.TrimSpace(second) != "<nil>" {
		t.Errorf("the append after it: %s", second)
	}
	r := mustVerify(t, dir)
	if !r.OK() || len(r.Torn) != 1 || r.Segments != 2 {
		t.Errorf("Verify() = %+v", r)
	}
}

// helperOnce opens and appends once, and prints what happened.
func helperOnce(dir string) int {
	l, err := Open(Options{Dir: dir})
	if err == nil {
		_, err = l.Append(context.Background(), decision(0))
	}
	if !errors.Is(err, ErrNotRecorded) {
		fmt.Println("not refused:", err)
		return 1
	}
	fmt.Println(err)
	return 0
}

func TestNoPermission(t *testing.T) {
	base := t.TempDir()
	// Root needs no permission: become somebody else, with a copy of this
	// program that they can execute.
	program := filepath.Join(base, "helper")
	b, err := os.ReadFile(os.Args[0])
	check(t, err)
	check(t, executable.Write(program, b))
	check(t, os.Chmod(filepath.Dir(base), 0o755))
	tests := map[string]struct {
		edit func(dir string) error
		want string
	}{
		"directory not writable": {func(dir string) error { return os.Chmod(dir, 0o555) }, "permission denied"},
		"segment not writable":   {func(dir string) error { return os.Chmod(filepath.Join(dir, fmt.Sprintf(segmentFmt, 1)), 0o444) }, "permission denied"},
		"lock not writable":      {func(dir string) error { return os.Chmod(filepath.Join(dir, lockName), 0o444) }, "permission denied"},
		"writable by others":     {func(dir string) error { return os.Chmod(dir, 0o777) }, "writable by others"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(base, strings.ReplaceAll(name, " ", "-"))
			l := openLog(t, Options{Dir: dir})
			appendN(t, l, 1)
			check(t, l.Close())
			cmd := helper(t, "once", dir)
			cmd.Path = program
			if os.Geteuid() == 0 {
				const nobody = 65534
				for _, p := range []string{dir, filepath.Join(dir, lockName), filepath.Join(dir, fmt.Sprintf(segmentFmt, 1))} {
					check(t, os.Chown(p, nobody, nobody))
				}
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			}
			if name == "directory not writable" {
				check(t, os.Remove(filepath.Join(dir, lockName)))
			}
			t.Cleanup(func() { check(t, os.Chmod(dir, 0o700)) })
			check(t, tt.edit(dir))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("got %v, %s, want it refused with %q", err, out, tt.want)
			}
		})
	}
}

func mountTmpfs(t *testing.T, options string) string {
	t.Helper()
	requireRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options+",mode=0700"); err != nil {
		t.Fatalf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// requireRoot skips a test that mounts, or fails it when REQUIRE_ROOT=1 says
// that this must be possible.
func requireRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("REQUIRE_ROOT") == "1" {
		t.Fatal("not root, and REQUIRE_ROOT is set")
	}
	t.Skip("needs root to mount a small file system")
}

// A copy of a log that somebody else made keeps nobody waiting.
func TestVerifyOfWhatIsNoFile(t *testing.T) {
	for _, name := range []string{"00000000000000000002.jsonl", checkpointName, lockName} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := openLog(t, Options{Dir: dir})
			_, err := l.Append(t.Context(), decision(1))
			check(t, err)
			check(t, l.Close())
			path := filepath.Join(dir, name)
			check(t, os.RemoveAll(path))
			check(t, syscall.Mkfifo(path, 0o600))
			first, err := os.OpenFile(filepath.Join(dir, "00000000000000000001.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			check(t, err)
			_, err = first.WriteString("torn") // has the lock looked at
			check(t, err)
			check(t, first.Close())
			if _, err := Verify(dir); name != lockName && (err == nil || !strings.Contains(err.Error(), "not a regular file")) || name == lockName && err != nil {
				t.Errorf("Verify: %v", err)
			}
		})
	}
}
