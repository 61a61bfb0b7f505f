package install

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/internal/hint"
)

// Build installs the packages of environments and fetches their images.
func (s *Setup) Build(ctx context.Context, names []string) error {
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
			if err := s.buildOne(ctx, name, lang, t); err != nil {
				return hint.While(err, "building environment %s", name)
			}
			built++
		}
		if built == 0 {
			s.tell.Say("environment %s names no lock file and no image: there is nothing to do", name)
		}
	}
	return nil
}

// buildOne installs into a directory that appears under its name whole or not
// at all.
func (s *Setup) buildOne(ctx context.Context, name string, lang analyze.Language, t config.Toolchain) (err error) {
	in, err := installationOf(s.opts.Env, name, lang, t)
	if err != nil {
		return err
	}
	if _, err := os.Stat(in.dir); err == nil {
		s.tell.Say("%s %s is built already", name, lang)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(in.dir), 0o700); err != nil {
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
	// Programs are another user inside of the sandbox; what is above this
	// directory stays closed to others.
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Rename(tmp, in.dir); err != nil {
		return err
	}
	s.tell.Say("%s %s is ready", name, lang)
	return nil
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
		return hint.With(err, "each requirement needs its version and its hashes: pip-compile --generate-hashes, or uv pip compile --generate-hashes")
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
	return i.run(ctx, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--silent")
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
	cmd.Stdout, cmd.Stderr = i.output, i.output
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s %s: %w", filepath.Base(name), args[min(2, len(args)-1)], err)
	}
	return nil
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
