// Package install reads a configuration and opens what it names on this machine:
// policies, the log, telemetry, environments with their packages and images, a
// backend, and the gate over all of them. Callers pass in Options what their own
// flags or code add. Nothing is read from the working directory, and nothing is
// opened before somebody asks for it.
package install

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/internal/trust"
	"sallyport/telemetry"
)

// systemConfig is where an administrator configures every user.
const systemConfig = "/etc/sallyport/sallyport.yaml"

// Options add to the configuration, or replace a part of it. The zero value is
// the configuration alone, with no environment variable set.
type Options struct {
	File    string // the configuration; "": the user's, else the system's, else the defaults
	Version string // of the program that asks
	Env     lookup

	Packs       []string // judge by these packs instead of the configured ones
	Policies    []string // judge by these rules, too
	Backend     string   // run here and not where the configuration says
	Environment string   // must be usable; others that are not are left out
	Sole        bool     // no environment but this one is used
	One         *One     // request that will come, and no other
	Warm        int      // sandboxes that wait for each kind of run, at least
	WarmMost    int      // that wait when calls come in bursts, of all kinds together
	Serves      bool     // for longer than one request, so that it can be scraped
	Counts      bool     // what telemetry counts, wherever that goes
	Hung        func()   // called when a rule, or the reading of a program, cannot be stopped: a server ends then; nil for what ends soon anyway

	Observe   func(telemetry.Request) // hears of each request, as the configured telemetry does
	Requested func(audit.Record)      // hears of each request of a program to a host, and of its end
	Speech    Speech
	Output    io.Writer // of the installers of packages; nil is nowhere
}

// lookup is a variable of the environment, as os.LookupEnv has it.
type lookup = func(string) (string, bool)

// Speech tells people how the work goes. A nil function tells nothing.
type Speech struct {
	Say  func(format string, args ...any) // how a long work goes on
	Note func(format string, args ...any) // what is loaded and done
	Warn func(format string, args ...any) // what is wrong and stops nothing
}

// Setup is a configuration together with the Options.
type Setup struct {
	Config config.Config
	opts   Options
	tell   Speech // nothing of it is nil
}

// Read reads the operator's configuration: the file that was named, else the
// user's, else the system's. Never the working directory's.
func Read(opts Options) (*Setup, error) {
	paths := []string{opts.File}
	if opts.File == "" {
		paths = []string{systemConfig}
		if dir, ok := under(opts.Env, "XDG_CONFIG_HOME", ".config"); ok {
			paths = []string{filepath.Join(dir, "sallyport.yaml"), systemConfig}
		}
	} else if err := readable(opts.File, "configuration"); err != nil {
		return nil, err
	}
	for _, p := range paths {
		if err := trust.Path("configuration", p); err != nil {
			return nil, err
		}
		if _, err := os.Stat(p); err == nil {
			break // the next is not read
		}
	}
	cfg, err := config.Load(paths...)
	if err != nil {
		return nil, err
	}
	s := With(cfg, opts)
	if cfg.Path == "" {
		s.tell.Note("configuration: none at %s; the built-in defaults are in force", strings.Join(paths, " or "))
	} else {
		s.tell.Note("configuration: %s", cfg.Path)
	}
	return s, nil
}

// With makes a Setup of a configuration that was read already.
func With(cfg config.Config, opts Options) *Setup {
	if opts.Env == nil {
		opts.Env = func(string) (string, bool) { return "", false }
	}
	silent := func(string, ...any) {}
	tell := opts.Speech
	for _, f := range []*func(string, ...any){&tell.Say, &tell.Note, &tell.Warn} {
		if *f == nil {
			*f = silent
		}
	}
	return &Setup{cfg, opts, tell}
}

// readable refuses a file that was named and cannot be read.
func readable(path, what string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hint.With(hint.Usage("no %s at %s", what, path), "without --config the user's or the system's is read, and none is fine")
	case err == nil && st.IsDir():
		return hint.Usage("%s is a directory, not a %s", path, what)
	case err == nil && !st.Mode().IsRegular():
		return hint.Usage("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return hint.Usage("cannot read %s: %s", path, hint.Reason(err))
	}
	return f.Close()
}

// under returns sallyport's directory below an XDG base directory, or below the
// home directory; false when there is neither.
func under(env lookup, name, home string) (string, bool) {
	if base, ok := env(name); ok && filepath.IsAbs(base) {
		return filepath.Join(base, "sallyport"), true
	}
	if dir, ok := env("HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, home, "sallyport"), true
	}
	return "", false
}

// stateDir is where the log is, and what sandboxes need while they run.
func stateDir(env lookup) (string, error) {
	dir, ok := under(env, "XDG_STATE_HOME", ".local/state")
	if !ok {
		return "", hint.With(hint.Usage("no place for the audit log: neither XDG_STATE_HOME nor HOME is set"), "set XDG_STATE_HOME to an absolute path")
	}
	return dir, nil
}

// SearchPath is PATH without the working directory, where the agent could put a
// python3 of its own. It drops relative parts, the working directory and what is
// below it. If the working directory is the home directory, or above it, what is
// below it stays.
func (s *Setup) SearchPath() string {
	path, _ := s.opts.Env("PATH")
	wd, err := os.Getwd()
	if err == nil {
		wd, err = filepath.EvalSymlinks(wd)
	}
	home, _ := s.opts.Env("HOME")
	below := err == nil && !within(home, wd)
	var out []string
	for _, dir := range filepath.SplitList(path) {
		real, rerr := filepath.EvalSymlinks(dir)
		if !filepath.IsAbs(dir) || rerr != nil || real == wd || below && within(real, wd) {
			continue
		}
		out = append(out, dir)
	}
	return strings.Join(out, string(filepath.ListSeparator))
}

// within reports whether path is dir or below it. Everything is within the
// root, also what is no path.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir == "/" || err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// LookPath finds a program in the directories of path, and nowhere else.
func LookPath(path, name string) (string, error) {
	for dir := range strings.SplitSeq(path, ":") {
		if !strings.HasPrefix(dir, "/") {
			continue
		}
		if found, err := exec.LookPath(dir + "/" + name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("no " + name + " on PATH")
}

// beside is the path of a file beside this program.
func beside(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return filepath.Join(filepath.Dir(self), name), nil
}

func executable(p string) bool {
	_, err := exec.LookPath(p)
	return err == nil
}
