package install

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/internal/replace"
)

// Lock makes the lock file of an environment from requirements, such as pandas>=2,
// or, without any, from those that the lock was made from before.
func (s *Setup) Lock(ctx context.Context, name string, lang analyze.Language, requirements []string) error {
	c, ok := s.Config.Environments[name]
	if !ok {
		return unknownEnvironment(s.Config, name)
	}
	t := toolchains(c)[lang]
	if t.Lock == "" {
		return hint.With(hint.Usage("environment %s names no lock file for %s", name, lang), "say in the configuration where it is to be: %s: {lock: %s}", lang, lockNames[lang])
	}
	for _, r := range requirements {
		if !plainRequirement[lang].MatchString(r) {
			return hint.With(hint.Usage("%q is no name of a package with versions", r), "%s; an address or a path would run its code here", lockExamples[lang])
		}
	}
	tmp, err := os.MkdirTemp("", "sallyport-lock-")
	if err != nil {
		return err
	}
	tools := installers{path: s.SearchPath(), python: cmp.Or(s.Config.Sandbox.Python, "python3"), output: s.opts.Output}
	var n int
	if lang == analyze.Python {
		n, err = tools.lockPython(ctx, tmp, name, t, requirements)
	} else {
		n, err = tools.lockJavaScript(ctx, tmp, t.Lock, requirements)
	}
	if err = errors.Join(err, os.RemoveAll(tmp)); err != nil {
		return hint.While(err, "locking environment %s", name)
	}
	s.tell.Say("%s locked in %s; sallyport env build %s installs what is new", answer.Count(n, "package"), t.Lock, name)
	return nil
}

var (
	lockNames    = map[analyze.Language]string{analyze.Python: "NAME.lock", analyze.JavaScript: "NAME/package-lock.json"}
	lockExamples = map[analyze.Language]string{analyze.Python: "for instance pandas, or 'pandas>=2,<3'", analyze.JavaScript: "for instance lodash, or lodash@^4"}

	// plainRequirement is what names a package of an index and nothing else: pip and
	// npm run code of what is at an address or a path.
	plainRequirement = map[analyze.Language]*regexp.Regexp{
		analyze.Python:     regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(\[[\w., -]+\])? *((===|[<>=!~]=|[<>]) *[\w.*+!]+( *, *(===|[<>=!~]=|[<>]) *[\w.*+!]+)*)?$`),
		analyze.JavaScript: regexp.MustCompile(`^(@[\w-][\w.-]*/)?[\w-][\w.-]*(@[\w.^~<>=*+-]+)?$`),
	}
)

// madeFrom begins the lines of a lock that say which requirements it was made from.
const madeFrom = "# require: "

// lockPython asks pip what it would install. Wheels only: pip runs code to find out
// what anything else needs.
func (i installers) lockPython(ctx context.Context, tmp, name string, t config.Toolchain, requirements []string) (int, error) {
	old, err := os.ReadFile(t.Lock)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	before := requirementsOf(old)
	if len(bytes.TrimSpace(old)) > 0 && len(before) == 0 {
		return 0, hint.With(hint.Usage("%s was not made by env lock, and is left as it is", t.Lock), "move it away, or name another file in the configuration")
	}
	if len(requirements) == 0 {
		requirements = before
	}
	if len(requirements) == 0 {
		return 0, hint.With(hint.Usage("nothing says what to lock"), "sallyport env lock %s --require pandas", name)
	}
	for _, r := range requirements {
		if !plainRequirement[analyze.Python].MatchString(r) {
			return 0, hint.Usage("%s: %q is no name of a package with versions", t.Lock, r)
		}
	}
	report := filepath.Join(tmp, "report.json")
	args := []string{"-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--root-user-action", "ignore", "--quiet",
		"--dry-run", "--ignore-installed", "--only-binary", ":all:", "--report", report, "--"}
	if err := i.run(ctx, tmp, i.python, append(args, requirements...)...); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return 0, err
	}
	pins, err := reported(text)
	if err != nil {
		return 0, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by sallyport env lock %s, of:\n", name)
	for _, r := range requirements {
		b.WriteString(madeFrom + r + "\n")
	}
	for _, p := range pins {
		b.WriteString(p + "\n")
	}
	return len(pins), replaceLock(t.Lock, []byte(b.String()))
}

func requirementsOf(lock []byte) (out []string) {
	for line := range strings.Lines(string(lock)) {
		if r, ok := strings.CutPrefix(strings.TrimSpace(line), madeFrom); ok {
			out = append(out, r)
		}
	}
	return out
}

// reported reads a report of pip's: each package with its version and its hash.
func reported(report []byte) ([]string, error) {
	var r struct {
		Install []struct {
			Metadata struct{ Name, Version string }
			Download struct {
				Archive struct {
					Hashes map[string]string
					Hash   string // "sha256=…": all that pip before 23.1 says of a file of this machine
				} `json:"archive_info"`
			} `json:"download_info"`
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return nil, fmt.Errorf("the report of pip: %w", err)
	}
	var out []string
	for _, p := range r.Install {
		sum := cmp.Or(p.Download.Archive.Hashes["sha256"], strings.TrimPrefix(p.Download.Archive.Hash, "sha256="))
		if !plainName.MatchString(p.Metadata.Name) || !plainName.MatchString(p.Metadata.Version) || !hexSHA256.MatchString(sum) {
			return nil, fmt.Errorf("the report of pip has no name, version and sha256 of %.40q", p.Metadata.Name)
		}
		out = append(out, fmt.Sprintf("%s==%s --hash=sha256:%s", p.Metadata.Name, p.Metadata.Version, sum))
	}
	slices.Sort(out)
	return out, nil
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9][\w.+!-]*$`)
	hexSHA256 = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// lockJavaScript has npm write package.json and package-lock.json, and installs
// nothing. Without requirements it locks what package.json says.
func (i installers) lockJavaScript(ctx context.Context, tmp, lock string, requirements []string) (int, error) {
	dir := filepath.Dir(lock)
	names := []string{"package.json", "package-lock.json"}
	if filepath.Base(lock) != names[1] {
		return 0, hint.Usage("the lock of JavaScript is a package-lock.json, and not %s", filepath.Base(lock))
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == names[0] && len(requirements) == 0:
			return 0, hint.With(hint.Usage("nothing says what to lock"), "--require lodash, or a package.json beside the lock")
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), b, 0o600); err != nil {
			return 0, err
		}
	}
	args := []string{"install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error", "--"}
	if err := i.run(ctx, tmp, "npm", append(args, requirements...)...); err != nil {
		return 0, err
	}
	n := 0
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(tmp, name))
		if err == nil {
			n = len(npmPackages(b))
			err = replaceLock(filepath.Join(dir, name), b)
		}
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

func replaceLock(path string, b []byte) error {
	return replace.File(path, 0o644, replace.Bytes(b))
}
