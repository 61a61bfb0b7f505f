package install

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/internal/hint"
)

// Build installs the packages of environments and fetches their images. What is
// shared is for all users of this machine.
func (s *Setup) Build(ctx context.Context, names []string, shared bool) error {
	store, err := storeOf(s.opts.Env, shared)
	if err != nil {
		return err
	}
	for _, name := range names {
		c, ok := s.Config.Environments[name]
		if !ok {
			return unknownEnvironment(s.Config, name)
		}
		built := 0
		for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
			t := toolchains(c)[lang]
			fetched, err := s.fetchImage(ctx, name, lang, t.Image)
			if err != nil {
				return hint.While(err, "building environment %s", name)
			}
			if fetched {
				built++
			}
			if t.Lock == "" {
				continue
			}
			if err := s.buildOne(ctx, store, name, lang, t); err != nil {
				return hint.While(fullDisk(err, store), "building environment %s", name)
			}
			if lang == analyze.Python {
				if err := prepare(ctx, s, store, name); err != nil {
					return hint.While(err, "preparing environment %s", name)
				}
			}
			built++
		}
		if built == 0 {
			s.tell.Say("environment %s names no lock file and no image: there is nothing to do", name)
		}
	}
	return nil
}

// errFull is wrapped by the error of an installer that found no room.
var errFull = errors.New("the disk is full")

// fullDisk says where room is missing, whichever step met that.
func fullDisk(err error, store string) error {
	if errors.Is(err, errFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return hint.With(err, "make room below %s, where packages are installed, and where temporary files are (TMPDIR)", store)
	}
	return err
}

// storeOf is where packages are installed.
func storeOf(env lookup, shared bool) (string, error) {
	if !shared {
		return ownStore(env)
	}
	stores := machineStores(env)
	if len(stores) == 0 {
		return "", hint.With(hint.Usage("no place for packages of all users: XDG_DATA_DIRS names none"), "set XDG_DATA_DIRS to absolute paths")
	}
	return stores[0], nil
}

// buildOne installs into a directory that appears under its name whole or not
// at all.
func (s *Setup) buildOne(ctx context.Context, store, name string, lang analyze.Language, t config.Toolchain) (err error) {
	in, err := installationOf(store, name, lang, t)
	if err != nil {
		return err
	}
	if _, err := os.Stat(in.dir); err == nil {
		s.tell.Say("%s %s is built already", name, lang)
		return nil
	}
	if err := makeStore(s.opts.Env, store); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(in.dir), ".build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	s.tell.Say("installing %s for %s %s", answer.Count(len(in.packages), "package"), name, lang)
	tools := installers{path: s.SearchPath(), python: cmp.Or(s.Config.Sandbox.Python, "python3"), output: s.opts.Output}
	if lang == analyze.Python {
		err = tools.installPython(ctx, tmp, t.Lock)
	} else {
		err = tools.installJavaScript(ctx, tmp, t.Lock)
	}
	if err != nil {
		return err
	}
	if err := letRead(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, in.dir); err != nil {
		return err
	}
	s.tell.Say("%s %s is ready", name, lang)
	return nil
}

// makeStore makes a store. The user's own is closed to others, the machine's is not.
func makeStore(env lookup, store string) error {
	if own, err := ownStore(env); err == nil && own == store {
		return os.MkdirAll(store, 0o700)
	}
	if err := os.MkdirAll(store, 0o755); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return hint.With(err, "the administrator builds what all users share; without --shared it is yours alone")
		}
		return err
	}
	for _, dir := range []string{store, filepath.Dir(store)} { // whatever the umask
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// letRead lets others read what its owner can read below dir: programs are another
// user inside of the sandbox, and installers go by the umask of whoever builds.
// What is above this directory stays closed to others.
func letRead(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		mode := st.Mode().Perm()
		return os.Chmod(path, mode|mode&0o500>>3|mode&0o500>>6)
	})
}

// installers are the programs of the operator's machine that install packages.
type installers struct {
	path, python string
	output       io.Writer // of what they print
}

// installPython makes a virtual environment. Wheels only: building a source
// distribution would run its code here, outside of any sandbox.
func (i installers) installPython(ctx context.Context, dir, lock string) error {
	if err := i.run(ctx, dir, i.python, "-I", "-m", "venv", "--without-pip", dir); err != nil {
		return hint.With(err, "Debian has venv and pip in packages of their own: apt-get install -y python3-venv python3-pip")
	}
	site, err := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages"))
	if err != nil || len(site) != 1 {
		return fmt.Errorf("the virtual environment has no site-packages")
	}
	err = i.run(ctx, dir, i.python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--root-user-action", "ignore",
		"--quiet", "--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile", "--target", site[0], "--requirement", lock)
	if err != nil {
		return err
	}
	// A sandbox cannot keep what it compiles. Compiling runs nothing, and files
	// that do not compile are none of ours: packages carry some as examples. The
	// sources stay as they are, so nobody needs to look at them again.
	err = i.run(ctx, dir, filepath.Join(dir, "bin", "python3"), "-I", "-m", "compileall", "-qq", "-j", "0", "--invalidation-mode", "unchecked-hash", site[0])
	if exit := new(exec.ExitError); err != nil && !(errors.As(err, &exit) && exit.Exited()) {
		return err
	}
	return hasRoom(dir)
}

// hasRoom says whether there is room left in a directory. Python leaves half of what
// it compiles where there is none, says nothing, and cannot import that afterwards.
func hasRoom(dir string) (err error) {
	f, err := os.CreateTemp(dir, ".room-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 64<<10))
	if err = errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("compiling the packages: %w (%w)", errFull, err)
	}
	return nil
}

// installJavaScript installs what a package-lock.json names, which carries the
// hashes. Install scripts would run here, outside of any sandbox: none runs.
func (i installers) installJavaScript(ctx context.Context, dir, lock string) error {
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(lock), name))
		if err != nil {
			return hint.With(err, "package.json must stand beside %s", filepath.Base(lock))
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return i.run(ctx, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--loglevel", "error")
}

// run runs one of them in a directory.
func (i installers) run(ctx context.Context, dir, name string, args ...string) error {
	path := name
	if !filepath.IsAbs(name) {
		var err error
		if path, err = LookPath(i.path, name); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	killGroup(cmd)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout = io.MultiWriter(i.output, &said)
	cmd.Stderr = cmd.Stdout
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if full.Match(said.Bytes()) {
			err = fmt.Errorf("%w (%w)", errFull, err)
		}
		err = fmt.Errorf("%s %s: %w", filepath.Base(name), args[min(2, len(args)-1)], err)
		for _, c := range causes {
			if c.says.Match(said.Bytes()) {
				return hint.With(err, "%s", c.fix)
			}
		}
		return err
	}
	return nil
}

var full = regexp.MustCompile(`No space left on device|ENOSPC|Disk quota exceeded|EDQUOT`)

// causes are what pip and npm say of a failure, and what mends it. The first
// that is found is meant: both go on to say that there is no such package after
// they could reach no index.
var causes = []struct {
	says *regexp.Regexp
	fix  string
}{
	{full, "make room where temporary files are (TMPDIR)"},
	{regexp.MustCompile(`Failed to establish a new connection|NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError|SSLError|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|UNABLE_TO_GET_ISSUER_CERT|SELF_SIGNED_CERT`),
		"the index cannot be reached: this needs a network, or a mirror that PIP_INDEX_URL or npm's configuration names"},
	{regexp.MustCompile(`DO NOT MATCH THE HASHES|EINTEGRITY`),
		"the index gave something else than what was locked: find out why before you lock it anew"},
	{regexp.MustCompile(`Hashes are required in --require-hashes mode|must have their versions pinned`),
		"each requirement needs its version and its hashes: pip-compile --generate-hashes, or uv pip compile --generate-hashes"},
	{regexp.MustCompile(`\(from versions: none\)`),
		"the index has no package of that name, or no wheel of it for this Python and this machine, and nothing is built from source"},
	{regexp.MustCompile(`ResolutionImpossible`),
		"what is required excludes each other: leave out versions"},
	{regexp.MustCompile(`no such option: --report`),
		"this needs pip 22.2 or later"},
	{regexp.MustCompile(`No matching distribution found`),
		"the index has no such version, or no wheel of it for this Python and this machine, and nothing is built from source: lock a version that has one"},
	{regexp.MustCompile(`E404|ETARGET`),
		"the registry has no such package or version: make package-lock.json anew"},
	{regexp.MustCompile(`can only install (packages )?(with an existing|when your) package`),
		"package.json and package-lock.json do not belong together: npm install --package-lock-only makes the lock anew"},
}

// pruneInstallations removes what was installed for a lock as it was before.
func (s *Setup) pruneInstallations(shared bool) (all []Removed, err error) {
	store, err := storeOf(s.opts.Env, shared)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Config.Environments)) {
		languages := toolchains(s.Config.Environments[name])
		for _, lang := range slices.Sorted(maps.Keys(languages)) {
			if languages[lang].Lock == "" {
				continue
			}
			in, err := installationOf(store, name, lang, languages[lang])
			if err != nil {
				return all, hint.While(err, "environment %s", name)
			}
			there, err := os.ReadDir(filepath.Dir(in.dir))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return all, err
			}
			for _, e := range there {
				dir := filepath.Join(filepath.Dir(in.dir), e.Name())
				if dir == in.dir || !in.sameButForLock(e.Name()) {
					continue
				}
				r := Removed{sizeOf(dir), e.Name(), dir}
				if err := os.RemoveAll(dir); err != nil {
					return all, err
				}
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// sizeOf is what the files below a directory hold, as far as they can be read.
func sizeOf(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if i, err := d.Info(); err == nil {
			sum += i.Size()
		}
		return nil
	})
	return sum
}

// npmPackages lists the packages of a package-lock.json.
func npmPackages(lock []byte) []string {
	var l struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(lock, &l); err != nil {
		return nil // npm itself will say what is wrong
	}
	var out []string
	for p, v := range l.Packages {
		if name, ok := strings.CutPrefix(p, "node_modules/"); ok && !v.Dev {
			out = append(out, name+"@"+v.Version)
		}
	}
	slices.Sort(out)
	return out
}

// Megabytes is a size as people read it.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
