package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// systemConfig is where an administrator configures every user.
const systemConfig = "/etc/sallyport/sallyport.yaml"

// config reads the operator's configuration: the file that was named, else the
// user's, else the system's. Never the working directory's.
func (a *app) config() (config.Config, error) {
	paths := []string{a.configPath}
	if a.configPath == "" {
		paths = []string{systemConfig}
		if dir, ok := a.xdg("XDG_CONFIG_HOME", ".config"); ok {
			paths = []string{filepath.Join(dir, "sallyport.yaml"), systemConfig}
		}
	} else if err := readable(a.configPath, "configuration"); err != nil {
		return config.Config{}, err
	}
	for _, p := range paths {
		if err := trusted("configuration", p); err != nil {
			return config.Config{}, err
		}
		if _, err := os.Stat(p); err == nil {
			break // the next is not read
		}
	}
	cfg, err := config.Load(paths...)
	if err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return cfg, err
		}
		return cfg, withHint(err, "%s", configHint(err))
	}
	if cfg.Path == "" {
		a.note("configuration: none at %s; the built-in defaults are in force", strings.Join(paths, " or "))
	} else {
		a.note("configuration: %s", cfg.Path)
	}
	return cfg, nil
}

// readable refuses what a flag names and cannot be read.
func readable(path, what string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return withHint(usagef("no %s at %s", what, path), "without --config the user's or the system's is read, and none is fine")
	case err == nil && st.IsDir():
		return usagef("%s is a directory, not a %s", path, what)
	case err == nil && !st.Mode().IsRegular():
		return usagef("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return usagef("cannot read %s: %s", path, plain(err))
	}
	return f.Close()
}

// xdg returns sallyport's directory below an XDG base directory, or below the
// home directory; false when there is neither.
func (a *app) xdg(name, underHome string) (string, bool) {
	if base, ok := a.env(name); ok && filepath.IsAbs(base) {
		return filepath.Join(base, "sallyport"), true
	}
	if home, ok := a.env("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, underHome, "sallyport"), true
	}
	return "", false
}

func (a *app) stateDir() (string, error) {
	dir, ok := a.xdg("XDG_STATE_HOME", ".local/state")
	if !ok {
		return "", withHint(usagef("no place for the audit log: neither XDG_STATE_HOME nor HOME is set"), "set XDG_STATE_HOME to an absolute path")
	}
	return dir, nil
}

// findRunsc returns the path of runsc and where it was found: beside
// sallyport, in the configuration, or on PATH.
func (a *app) findRunsc(cfg config.Config) (path, where string, err error) {
	var tried []string
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		p := filepath.Join(filepath.Dir(self), "runsc")
		if executable(p) {
			return p, "beside sallyport", trusted("runsc", p)
		}
		tried = append(tried, p)
	}
	if p := cfg.Sandbox.Runsc; p != "" {
		if executable(p) {
			return p, "configured", trusted("runsc", p)
		}
		tried = append(tried, p+" (configured)")
	}
	for _, dir := range filepath.SplitList(a.searchPath()) {
		if p := filepath.Join(dir, "runsc"); executable(p) {
			return p, "on PATH", trusted("runsc", p)
		}
	}
	tried = append(tried, "PATH")
	return "", "", withHint(fmt.Errorf("cannot find the runsc helper; looked at %q", tried),
		"build it with `make`, or set sandbox.runsc in sallyport.yaml")
}

// searchPath is PATH without what the working directory holds: that is the
// agent's, who could put a python3 there. Relative parts are dropped, and so
// are the working directory and what is below it; where it is the home
// directory, or above that, only itself is.
func (a *app) searchPath() string {
	path, _ := a.env("PATH")
	wd, err := os.Getwd()
	if err == nil {
		wd, err = filepath.EvalSymlinks(wd)
	}
	home, _ := a.env("HOME")
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

func executable(p string) bool {
	_, err := exec.LookPath(p)
	return err == nil
}

// session is what a verb works with.
type session struct {
	gate    *gate.Gate
	engine  *policy.Engine
	closers []func() error

	telemetry *telemetry.Telemetry // nil: none
}

// close ends what the session opened, the last first, and says what could not
// be cleaned up.
func (s session) close(a *app) {
	for _, c := range slices.Backward(s.closers) {
		if err := c(); err != nil {
			a.warn("cleaning up: %v", err)
		}
	}
}

// open makes the gate: for judging only, or with a sandbox behind it. A verb
// edits the options for what is its own.
func (a *app) open(cfg config.Config, withSandbox bool, edit ...func(*gate.Options)) (s session, err error) {
	defer func() {
		if err != nil {
			s.close(a)
		}
	}()
	opts := gate.Options{
		Analyzer: analyze.New(python.Reader(), javascript.Reader()),
		Ceilings: ceilings(cfg.Limits),
		KeepCode: gate.Retention(cfg.Audit.KeepCode),
		Program:  "sallyport/" + version(),
	}
	if opts.Policy, err = a.engine(cfg); err != nil {
		return s, err
	}
	s.engine = opts.Policy
	if err := s.openTelemetry(a, cfg, &opts, withSandbox); err != nil {
		return s, err
	}
	if a.noRecord && !withSandbox {
		opts.Log = gate.Discard{}
		s.gate, err = gate.New(opts)
		return s, err
	}
	if withSandbox {
		if err := s.openSandbox(a, cfg, &opts); err != nil {
			return s, err
		}
	}
	log, err := a.openAudit(cfg)
	if err != nil {
		return s, err
	}
	opts.Log = log
	s.closers = append(s.closers, log.Close)
	for _, e := range append(edit, a.inject) {
		if e != nil {
			e(&opts)
		}
	}
	s.gate, err = gate.New(opts)
	return s, err
}

// openTelemetry has requests told to whoever the operator or --verbose wants
// them told to.
func (s *session) openTelemetry(a *app, cfg config.Config, opts *gate.Options, withSandbox bool) error {
	t, err := a.openTelemetry(cfg.Telemetry)
	if err != nil {
		return err
	}
	if t != nil {
		s.telemetry, opts.Observe = t, t.Observe
		s.closers = append(s.closers, func() error { return closeTelemetry(t) })
	}
	if withSandbox && a.verbose {
		opts.Observe = func(r telemetry.Request) { a.noteRequest(r); t.Observe(r) }
	}
	return nil
}

// openSandbox opens the second door, and what programs may find behind it.
func (s *session) openSandbox(a *app, cfg config.Config, opts *gate.Options) error {
	state, err := a.stateDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return withHint(fmt.Errorf("no place for sandboxes: %w", err), "make %s writable, or set XDG_STATE_HOME to a directory that is", filepath.Dir(state))
	}
	start := time.Now()
	b, err := a.backend(cfg, state)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, b.Close)
	d := b.Describe()
	a.note("backend: %s, %s, %s; ready after %s", d.Name, a.chosenBy(cfg), strings.TrimSpace(d.Version+" "+d.Mode), since(start))
	opts.Backend = b
	opts.Environments, err = a.environments(cfg, a.environmentIs)
	return err
}

func ceilings(l config.Limits) sandbox.Limits {
	return sandbox.Limits{
		Wall:        time.Duration(l.Timeout),
		CPU:         time.Duration(l.CPU),
		Memory:      l.MemoryMB << 20,
		Pids:        l.Pids,
		OutputBytes: l.OutputKB << 10,

		FileBytes:     l.FileMB << 20,
		DiskBytes:     l.DiskMB << 20,
		ArtifactCount: l.Artifacts,
		ArtifactBytes: l.ArtifactsMB << 20,
	}
}
