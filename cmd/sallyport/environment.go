package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/mcp"
	"sallyport/sandbox"
)

// maxSecretBytes bounds the file of a secret.
const maxSecretBytes = 64 << 10

// environments makes the operator's environments as the gate knows them. One
// that cannot be used is left out, and an error only for who names it.
func (a *app) environments(cfg config.Config, named string) (map[string]gate.Environment, error) {
	if _, ok := cfg.Environments[named]; named != "" && named != "default" && !ok {
		return nil, unknownEnvironment(cfg, named)
	}
	out := map[string]gate.Environment{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Environments)) {
		env, err := a.environment(cfg, name)
		switch {
		case err == nil:
			out[name] = env
		case name == cmp.Or(named, "default"):
			return nil, fmt.Errorf("environment %s: %w", name, err)
		default:
			a.warn("environment %s cannot be used: %v", name, err)
		}
	}
	return out, nil
}

func (a *app) environment(cfg config.Config, name string) (gate.Environment, error) {
	c := cfg.Environments[name]
	env := gate.Environment{
		Description: c.Description,
		Runtimes:    map[analyze.Language]sandbox.Runtime{},
		Env:         c.Env,
		Secrets:     map[string]string{},
	}
	for v, s := range c.Secrets {
		value, err := a.secret(s)
		if err != nil {
			return env, fmt.Errorf("secret %s: %w", v, err)
		}
		env.Secrets[v] = value
	}
	for lang, t := range toolchains(c) {
		rt := sandbox.Runtime{Interpreter: t.Interpreter, Image: t.Image}
		for _, m := range c.Mounts {
			rt.Mounts = append(rt.Mounts, sandbox.Mount{Source: m.Source, Target: m.Target, Writable: m.Writable})
		}
		if t.Lock != "" {
			in, err := a.installed(name, lang, t)
			if err != nil {
				return env, err
			}
			rt.Interpreter = in.interpreter
			rt.Mounts = append(rt.Mounts, in.mounts...)
			env.Packages = append(env.Packages, in.packages...)
		}
		if err := a.imageReady(cfg, name, t.Image); err != nil {
			return env, err
		}
		env.Runtimes[lang] = rt
	}
	slices.Sort(env.Packages)
	return env, nil
}

func toolchains(c config.Environment) map[analyze.Language]config.Toolchain {
	return map[analyze.Language]config.Toolchain{analyze.Python: c.Python, analyze.JavaScript: c.JavaScript}
}

// secret reads the value of a secret. One that is not there is an error: a
// program would fail later, and say less.
func (a *app) secret(s config.Secret) (string, error) {
	if s.Env != "" {
		v, ok := a.env(s.Env)
		if !ok {
			return "", withHint(fmt.Errorf("%s is not set", s.Env), "set it where sallyport is started, or take the secret out of sallyport.yaml")
		}
		return v, nil
	}
	f, err := os.Open(s.File)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecretBytes+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxSecretBytes {
		return "", fmt.Errorf("%s is larger than %d KiB", s.File, maxSecretBytes>>10)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// installation is what `env build` made of a lock file.
type installation struct {
	dir         string
	interpreter string // "" is the usual one
	mounts      []sandbox.Mount
	packages    []string
}

// errNotBuilt is wrapped by the error of an environment whose packages are
// not installed.
var errNotBuilt = errors.New("its packages are not installed")

// installed finds the installation of a lock file. Its directory has the hash
// of the lock in its name: a lock that changes is an environment to build.
func (a *app) installed(name string, lang analyze.Language, t config.Toolchain) (installation, error) {
	in, err := a.installation(name, lang, t)
	if err != nil {
		return in, err
	}
	if _, err := os.Stat(in.dir); errors.Is(err, fs.ErrNotExist) {
		return in, withHint(fmt.Errorf("%w", errNotBuilt), "sallyport env build %s", name)
	} else if err != nil {
		return in, err
	}
	return in, nil
}

// installation says where the installation of a lock file is to be.
func (a *app) installation(name string, lang analyze.Language, t config.Toolchain) (installation, error) {
	lock, err := os.ReadFile(t.Lock)
	if err != nil {
		return installation{}, fmt.Errorf("reading the lock file: %w", err)
	}
	data, ok := a.xdg("XDG_DATA_HOME", ".local/share")
	if !ok {
		return installation{}, withHint(usagef("no place for packages: neither XDG_DATA_HOME nor HOME is set"), "set XDG_DATA_HOME to an absolute path")
	}
	sum := sha256.Sum256(lock)
	in := installation{dir: filepath.Join(data, "env", fmt.Sprintf("%s-%s-%s", name, lang, hex.EncodeToString(sum[:8])))}
	if lang == analyze.Python {
		in.interpreter = filepath.Join(in.dir, "bin", "python3")
		in.packages = pinned(lock)
	} else {
		modules := filepath.Join(in.dir, "node_modules")
		in.mounts = []sandbox.Mount{{Source: modules, Target: "/node_modules"}}
		in.packages = npmPackages(lock)
	}
	return in, nil
}

var requirement = regexp.MustCompile(`(?m)^([A-Za-z0-9._-]+)==([^\s;\\]+)`)

// pinned lists the packages of a pip requirements file.
func pinned(lock []byte) []string {
	var out []string
	for _, m := range requirement.FindAllSubmatch(lock, -1) {
		out = append(out, string(m[1])+"=="+string(m[2]))
	}
	return out
}

// mcpEnvironments describes the environments to clients.
func mcpEnvironments(envs map[string]gate.Environment) []mcp.Environment {
	var out []mcp.Environment
	for _, name := range slices.Sorted(maps.Keys(envs)) {
		out = append(out, mcp.Environment{Name: name, Description: envs[name].Description, Languages: []string{"python", "javascript"}, Packages: envs[name].Packages})
	}
	return out
}

func unknownEnvironment(cfg config.Config, name string) error {
	defined := slices.Sorted(maps.Keys(cfg.Environments))
	return withHint(usagef("no environment %q in the configuration", name), "%s", didYouMean(name, defined, "sallyport env list"))
}
