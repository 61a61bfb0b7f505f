package install

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/typescript"
	"sallyport/analyze/python"
	"sallyport/analyze/python/notebook"
	"sallyport/answer"
	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// Opened is a gate and what it is made of. Whoever opened it closes it.
type Opened struct {
	Gate      *gate.Gate
	Engine    *policy.Engine
	Telemetry *telemetry.Telemetry // nil: none

	// Known are the environments that can be used, as callers are told of them.
	// No secret is read.
	Known func() answer.Environments

	closers []func() error
	warn    func(format string, args ...any)
}

// Close closes all that was opened, the last first. It warns of what could not be
// cleaned up, and returns that too.
func (o *Opened) Close() (err error) {
	for _, c := range slices.Backward(o.closers) {
		if cerr := c(); cerr != nil {
			o.warn("cleaning up: %v", cerr)
			err = errors.Join(err, cerr)
		}
	}
	o.closers = nil
	return err
}

// Edit changes the options of a gate before it is made.
type Edit = func(*gate.Options)

// Run opens a gate that judges, records and runs.
func (s *Setup) Run(edit ...Edit) (*Opened, error) {
	return s.open(edit, s.openTelemetry, s.openSandbox, s.openPolicy, s.openLog)
}

// Judge opens a gate that judges and records.
func (s *Setup) Judge(edit ...Edit) (*Opened, error) {
	return s.open(edit, s.openPolicy, s.openTelemetry, s.openLog)
}

// Look opens a gate that judges and keeps no record.
func (s *Setup) Look(edit ...Edit) (*Opened, error) {
	return s.open(edit, s.openPolicy, s.openTelemetry, discard)
}

func discard(_ *Opened, g *gate.Options) error { g.Log = gate.Discard{}; return nil }

// open opens the parts in order and makes the gate. If one fails, it closes what
// the earlier ones opened.
func (s *Setup) open(edits []Edit, parts ...func(*Opened, *gate.Options) error) (*Opened, error) {
	o := &Opened{warn: s.tell.Warn, Known: func() answer.Environments { return known(s) }}
	opts := gate.Options{
		Ceilings: Ceilings(s.Config.Limits),
		KeepCode: gate.Retention(s.Config.Audit.KeepCode),
		Hooks:    hooks(s.Config.Policy.Runtime),
		Program:  "sallyport/" + s.opts.Version,
	}
	for _, part := range parts {
		if err := part(o, &opts); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	opts.Analyzer = analyze.New(python.Reader(), javascript.Reader(), typescript.Reader(), notebook.Reader())
	opts.Analyzer.Hung = s.opts.Hung
	for _, e := range edits {
		if e != nil {
			e(&opts)
		}
	}
	var err error
	if o.Gate, err = gate.New(opts); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

func (s *Setup) openPolicy(o *Opened, g *gate.Options) (err error) {
	if o.Engine, err = s.Engine(); err != nil {
		return err
	}
	g.Policy = o.Engine
	if g.Backend == nil { // else they are known whole
		g.Environments, err = judged(s)
	}
	return err
}

// openTelemetry starts the telemetry that the operator configured.
func (s *Setup) openTelemetry(o *Opened, g *gate.Options) error {
	t, err := s.startTelemetry()
	if err != nil {
		return err
	}
	if t != nil {
		o.Telemetry, g.Observe = t, t.Observe
		o.closers = append(o.closers, func() error { return endTelemetry(t) })
	}
	return nil
}

// openSandbox opens the backend and makes the environments.
func (s *Setup) openSandbox(o *Opened, g *gate.Options) error {
	if tell := s.opts.Observe; tell != nil {
		t := o.Telemetry
		g.Observe = func(r telemetry.Request) { tell(r); t.Observe(r) }
	}
	t, tell := o.Telemetry, s.opts.Requested
	g.Requested = func(rec audit.Record) {
		if e, ok := exchange(rec); ok {
			t.ObserveExchange(e)
		}
		if tell != nil {
			tell(rec)
		}
	}
	state, err := stateDir(s.opts.Env)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return hint.With(hint.While(err, "no place for sandboxes"), "make %s writable, or set XDG_STATE_HOME to a directory that is", filepath.Dir(state))
	}
	start := time.Now()
	b, err := s.backend(state)
	if err != nil {
		return err
	}
	o.closers = append(o.closers, b.Close)
	d := b.Describe()
	s.tell.Note("backend: %s, %s, %s; ready after %s", d.Name, s.chosenBy(), strings.TrimSpace(d.Version+" "+d.Mode), Spent(time.Since(start)))
	if g.Environments, err = s.environments(); err != nil {
		return err
	}
	g.Backend = ahead(b, state, s.opts, g.Environments)
	g.Directories, err = s.directories()
	if s.Config.Inbox.Path != "" {
		g.Inbox = config.InboxName
	}
	return err
}

// directories are those that callers may name. One that is not there, or no outbox, is
// an error now, and not for who needs it first.
func (s *Setup) directories() (map[string]string, error) {
	out := map[string]string{}
	named := s.Config.Directories()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		dir, key := named[name], "files."+name
		if dir == s.Config.Inbox.Path && name == config.InboxName {
			key = "inbox"
		}
		if err := opens(s, key, dir); err != nil {
			return nil, err
		}
		out[name] = dir
	}
	if dir := s.Config.Outbox.Path; dir != "" {
		return out, opens(s, "outbox", dir)
	}
	return out, nil
}

// opens says whether a directory of the configuration can be opened.
func opens(s *Setup, key, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return hint.With(s.places().at(key, hint.While(err, "%s", key)), "make the directory, or take %s out of the configuration", key)
	}
	return root.Close()
}

func (s *Setup) openLog(o *Opened, g *gate.Options) error {
	log, err := s.auditLog()
	if err != nil {
		return err
	}
	g.Log = log
	o.closers = append(o.closers, log.Close)
	return nil
}

// Ceilings are the limits that no request and no policy can go beyond.
func Ceilings(l config.Limits) sandbox.Limits {
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

// hooks is policy.runtime of a configuration, which has been validated.
func hooks(runtime string) gate.Hooks {
	if runtime == "stop" {
		return gate.HooksStop
	}
	return gate.Hooks(runtime)
}

// Spent is how long something took, short enough to be read.
func Spent(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// Check reads everything that the configuration names, and opens nothing.
func (s *Setup) Check() (*policy.Engine, error) {
	e, err := s.Engine()
	if err != nil {
		return nil, err
	}
	if err := s.checkEnvironments(e); err != nil {
		return nil, err
	}
	if err := s.checkFiles(); err != nil {
		return nil, err
	}
	if _, err := s.directories(); err != nil {
		return nil, err
	}
	if _, err := AuditOptions(s.Config.Audit, "checked only"); err != nil {
		return nil, s.places().audit(err)
	}
	if _, _, err := SharedOptions(s); err != nil {
		return nil, err
	}
	if _, err := telemetryOptions(s.Config.Telemetry, s.opts); err != nil {
		return nil, s.places().at("telemetry", err)
	}
	return e, nil
}
