package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/python/stdlib"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/policy"
	"sallyport/sandbox"
)

// firstUse are modules of packages that build something when they are first
// used, which takes long and comes to the same each time. What an environment
// preloads may, too.
var firstUse = map[string]string{"matplotlib": "matplotlib.font_manager"}

// preparing is the program that has libraries build it. What they leave where they
// look for it later it brings out, and nothing that is mounted there.
func preparing(modules []string) string {
	return `import os, shutil, tempfile
import ` + strings.Join(modules, "\nimport ") + `

def mounted(folder, names):
    return [n for n in names if os.path.ismount(os.path.join(folder, n))]

shutil.copytree(tempfile.gettempdir(), "` + preparedDir + `", ignore=mounted)
`
}

// preparedDir is where it is in an installation. The runner inside of a sandbox has
// the same name for it.
const preparedDir = "prepared"

// prepareTime is what libraries may take to build all that they want.
const prepareTime = 5 * time.Minute

// prepare has the libraries of an environment build what they build at first
// use, and keeps it with them. It is a program like any other: judged, on record,
// and in the sandbox, with nothing of the environment but its packages.
// Where it cannot run, the environment is slower and no worse.
func prepare(ctx context.Context, s *Setup, store, name string) error {
	e := s.Config.Environments[name]
	in, err := installationOf(store, name, analyze.Python, e.Python)
	if err != nil {
		return err
	}
	modules := toPrepare(in.packages, e.Preload)
	if len(modules) == 0 {
		return nil
	}
	program := preparing(modules)
	if b := s.BackendName(); b != "gvisor" && b != "oci" {
		return nil // an engine's programs do not see the installation
	}
	mark := filepath.Join(in.dir, preparedDir+".py")
	if done, err := os.ReadFile(mark); err == nil && string(done) == program {
		return nil
	}
	s.tell.Say("preparing what libraries of %s build at first use", name)
	files, err := runPreparing(ctx, s, name, e, program)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.tell.Warn("%s can be used, but each run builds what its libraries build at first use: %v", name, err)
		return nil
	}
	return keepPrepared(in.dir, mark, program, files)
}

// toPrepare are the modules to import for packages as installations name them.
func toPrepare(packages, preload []string) (modules []string) {
	for _, p := range packages {
		name, _, _ := strings.Cut(p, "==")
		if m := firstUse[strings.ToLower(name)]; m != "" {
			modules = append(modules, m)
		}
	}
	return append(modules, preload...)
}

// runPreparing runs the program and returns what came out of it.
func runPreparing(ctx context.Context, s *Setup, name string, e config.Environment, program string) (files []sandbox.File, err error) {
	cfg, opts := s.Config, s.opts
	cfg.Environments = map[string]config.Environment{name: {Python: e.Python}}
	cfg.Limits.Timeout, cfg.Limits.CPU = max(cfg.Limits.Timeout, config.Duration(prepareTime)), max(cfg.Limits.CPU, config.Duration(prepareTime))
	opts.Environment, opts.Sole, opts.Warm = name, true, 0
	o, err := With(cfg, opts).Run()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	a, err := o.Gate.Run(ctx, gate.Request{
		Name: preparedDir + ".py", Language: analyze.Python, Source: []byte(program), Tool: "env build", Environment: name,
		Limits: sandbox.Limits{Wall: prepareTime, CPU: prepareTime},
	})
	switch {
	case err != nil:
		return nil, err
	case a.Result == nil || a.Decision.Effect != policy.Allow:
		return nil, fmt.Errorf("policy does not let it run, see sallyport audit show %s", a.ID)
	case a.Result.Reason == sandbox.Policy:
		v, _ := a.Result.Stopped()
		return nil, fmt.Errorf("policy denies what it did: %s: %s", v.Capability, answer.Visible(v.Detail))
	case a.Result.Reason != sandbox.Exited || a.Result.Exit != 0:
		lines := bytes.Split(bytes.TrimSpace(a.Result.Stderr), []byte("\n"))
		return nil, fmt.Errorf("%s: %s", a.Result.Reason, answer.Visible(string(lines[len(lines)-1])))
	case a.Result.ArtifactsDropped > 0 || a.Result.ArtifactsMissing:
		return nil, errors.New("it is larger than limits.artifacts and limits.artifacts_mb let out")
	}
	return a.Result.Artifacts, nil
}

// keepPrepared puts what came out into an installation, in place of what is there,
// and then says of what program it is.
func keepPrepared(dir, mark, program string, files []sandbox.File) (err error) {
	tmp, err := os.MkdirTemp(dir, ".prepared-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		path, ok := strings.CutPrefix(f.Path, preparedDir+"/")
		if !ok || sandbox.CheckPath(path) != nil {
			continue // nothing of what it was asked for
		}
		if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	if err := letRead(tmp); err != nil {
		return err
	}
	place := filepath.Join(dir, preparedDir)
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	if err := os.Rename(tmp, place); err != nil {
		return err
	}
	return os.WriteFile(mark, []byte(program), 0o644)
}

// checkPreload finds what an environment preloads and does not have. It looks for
// files, and runs nothing: what is not built yet and what is in an image passes, and
// what may be built into an interpreter, which has no file.
func checkPreload(s *Setup, name string) error {
	e := s.Config.Environments[name]
	if len(e.Preload) == 0 || e.Python.Image != "" {
		return nil
	}
	interpreter := e.Python.Interpreter
	if e.Python.Lock != "" {
		in, err := installed(s.opts.Env, name, analyze.Python, e.Python)
		if errors.Is(err, errNotBuilt) {
			return nil
		} else if err != nil {
			return err
		}
		interpreter = in.interpreter
	}
	places := modulePlaces(cmp.Or(interpreter, s.Config.Sandbox.Python))
	for _, m := range e.Preload {
		if len(places) == 0 || stdlib.BuiltIn(m) || slices.ContainsFunc(places, func(dir string) bool { return hasModule(dir, m) }) {
			continue
		}
		err := hint.Usage("preload: there is no module %q in it", m)
		if top, _, _ := strings.Cut(m, "."); stdlib.Standard(top) {
			return hint.With(err, "it is of Python's standard library, of which this interpreter has not all: Debian has python3-tk, python3-gdbm and python3-venv in packages of their own")
		}
		return hint.With(err, "name a module that its packages have, or lock a package that has it")
	}
	return nil
}

// modulePlaces are the directories with the modules of an interpreter: its own
// and, of a virtual environment, those of the one that it was made of. None are
// known of one that is not in a bin directory.
func modulePlaces(interpreter string) (dirs []string) {
	if filepath.Base(filepath.Dir(interpreter)) != "bin" {
		return nil
	}
	prefix := filepath.Dir(filepath.Dir(interpreter))
	homes := []string{prefix}
	if text, err := os.ReadFile(filepath.Join(prefix, "pyvenv.cfg")); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(line, "="); strings.TrimSpace(key) == "home" {
				homes = append(homes, filepath.Dir(strings.TrimSpace(value)))
			}
		}
	}
	for _, home := range homes {
		for _, pattern := range []string{"lib/python3*", "lib/python3*/*-packages", "lib/python3*/lib-dynload", "local/lib/python3*/*-packages"} {
			found, err := filepath.Glob(filepath.Join(home, pattern))
			if err == nil {
				dirs = append(dirs, found...)
			}
		}
	}
	return dirs
}

// hasModule reports whether a directory has a module: a package, a file in Python
// or one in C.
func hasModule(dir, module string) bool {
	path := filepath.Join(append([]string{dir}, strings.Split(module, ".")...)...)
	for _, file := range []string{path, path + ".py"} {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	found, err := filepath.Glob(path + ".*so")
	return err == nil && len(found) > 0
}
