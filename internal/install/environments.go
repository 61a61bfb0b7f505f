package install

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/trust"
	"sallyport/sandbox"
)

// environments makes the operator's environments for the gate. One that cannot
// be used is left out with a warning; it is an error only if a flag names it.
func (s *Setup) environments() (map[string]gate.Environment, error) {
	chosen := s.opts.Environment
	if err := named(s.Config, chosen); err != nil {
		return nil, err
	}
	out := map[string]gate.Environment{}
	for _, name := range slices.Sorted(maps.Keys(s.Config.Environments)) {
		if s.opts.Sole && name != cmp.Or(chosen, "default") {
			continue // nobody needs its secrets
		}
		env, err := s.environment(name, secret)
		switch {
		case err == nil:
			out[name] = env
		case name == cmp.Or(chosen, "default"):
			return nil, s.places().environment(name, hint.While(err, "environment %s", name))
		default:
			s.tell.Warn("environment %s cannot be used: %v", name, s.places().environment(name, err))
		}
	}
	return out, nil
}

// judged are environments as far as a judgement depends on them; the one that is chosen has the
// packages of its locks, installed or not. What is wrong with another, a run says, and config check.
func judged(s *Setup) (map[string]gate.Environment, error) {
	chosen := s.opts.Environment
	if err := named(s.Config, chosen); err != nil {
		return nil, err
	}
	out := map[string]gate.Environment{}
	for name, c := range s.Config.Environments {
		env, err := outline(c, name, func(lang analyze.Language, t config.Toolchain) (in installation, err error) {
			if t.Lock != "" && name == cmp.Or(chosen, "default") {
				in, err = installationOf("", name, lang, t)
			}
			return in, err
		})
		if c.Egress != nil {
			rules, wrong := egressRules(c)
			if err = cmp.Or(err, wrong); wrong == nil {
				env.Rules = rules
			}
		}
		if err != nil && name == chosen {
			return nil, s.places().environment(name, hint.While(err, "environment %s", name))
		}
		out[name] = env
	}
	return out, nil
}

// named says whether the environment that a flag names is there.
func named(c config.Config, name string) error {
	if _, ok := c.Environments[name]; name != "" && name != "default" && !ok {
		return unknownEnvironment(c, name)
	}
	return nil
}

// Environment makes one environment for who looks at it, or says why it cannot be
// used. A command for a secret is not run.
func (s *Setup) Environment(name string) (gate.Environment, error) {
	return s.environment(name, unread)
}

// known is Opened.Known.
func known(s *Setup) answer.Environments {
	known := map[string]gate.Environment{}
	for name := range s.Config.Environments {
		unasked := func(lookup, config.Secret) (string, error) { return "not read", nil }
		if env, err := s.environment(name, unasked); err == nil {
			known[name] = env
		}
	}
	return answer.NewEnvironments(known)
}

func (s *Setup) environment(name string, read func(lookup, config.Secret) (string, error)) (gate.Environment, error) {
	c := s.Config.Environments[name]
	env, err := outline(c, name, func(lang analyze.Language, t config.Toolchain) (in installation, err error) {
		if t.Lock != "" {
			in, err = installed(s.opts.Env, name, lang, t)
		}
		return in, cmp.Or(err, s.imageReady(name, t.Image))
	})
	if err != nil {
		return env, err
	}
	env.Description, env.Env, env.Secrets = c.Description, c.Env, map[string]string{}
	for _, v := range slices.Sorted(maps.Keys(c.Secrets)) { // the same one is complained of each time
		if c.Secrets[v].Broker != nil {
			continue
		}
		value, err := read(s.opts.Env, c.Secrets[v])
		if err != nil {
			return env, hint.While(err, "secret %s", v)
		}
		env.Secrets[v] = value
	}
	if c.Egress != nil {
		out, err := proxy(s.opts.Env, c, read)
		if err != nil {
			return env, err
		}
		env.Egress = out
	}
	return env, nil
}

// outline is with what programs of each language run in an environment; found says what a lock
// brings.
func outline(c config.Environment, name string, found func(analyze.Language, config.Toolchain) (installation, error)) (gate.Environment, error) {
	env := gate.Environment{Runtimes: map[analyze.Language]sandbox.Runtime{}}
	languages := toolchains(c)
	for _, lang := range slices.Sorted(maps.Keys(languages)) {
		t := languages[lang]
		if t == (config.Toolchain{}) && c.Python != c.JavaScript && name != "default" {
			continue // it was made for the other language
		}
		rt := sandbox.Runtime{Interpreter: t.Interpreter, Image: t.Image}
		for _, m := range c.Mounts {
			rt.Mounts = append(rt.Mounts, sandbox.Mount{Source: m.Source, Target: m.Target, Writable: m.Writable})
		}
		in, err := found(lang, t)
		if err != nil {
			return env, err
		}
		rt.Interpreter = cmp.Or(in.interpreter, rt.Interpreter)
		rt.Mounts = append(rt.Mounts, in.mounts...)
		env.Packages = append(env.Packages, in.packages...)
		if lang == analyze.Python {
			rt.Preload = c.Preload
		}
		env.Runtimes[lang] = rt
	}
	slices.Sort(env.Packages)
	return env, nil
}

const makesLock = "sallyport env lock %s --require PACKAGE makes a lock"

// checkFiles finds what an environment names and is not there. What `env build`
// has yet to make is no fault of the configuration.
func (s *Setup) checkFiles() error {
	for _, name := range slices.Sorted(maps.Keys(s.Config.Environments)) {
		c := s.Config.Environments[name]
		paths := map[string]string{}
		for lang, t := range toolchains(c) {
			paths[t.Lock] = string(lang) + ".lock"
			image, err := imageFile(s.BackendName(), t.Image)
			if err != nil {
				return s.places().at(fmt.Sprintf("environments.%s.%s.image", name, lang), hint.While(err, "environment %s", name))
			}
			paths[image] = string(lang) + ".image"
			if dir, ok := strings.CutPrefix(t.Image, "dir:"); ok {
				paths[dir] = string(lang) + ".image"
			} else if b := s.BackendName(); t.Image == "" && (b == "gvisor" || b == "oci") { // an engine's is inside its image
				paths[t.Interpreter] = string(lang) + ".interpreter"
			}
		}
		for n, m := range c.Mounts {
			paths[m.Source] = fmt.Sprintf("mounts[%d]", n)
		}
		delete(paths, "")
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			if _, err := os.Stat(path); err != nil {
				err = s.places().at(fmt.Sprintf("environments.%s.%s", name, paths[path]), hint.While(err, "environment %s: %s", name, paths[path]))
				if strings.HasSuffix(paths[path], ".lock") {
					return hint.With(err, makesLock, name)
				}
				return hint.With(err, "put it there, or take %s out of the configuration", paths[path])
			}
		}
		if err := checkPreload(s, name); err != nil {
			return s.places().at("environments."+name+".preload", hint.While(err, "environment %s", name))
		}
	}
	return nil
}

func toolchains(c config.Environment) map[analyze.Language]config.Toolchain {
	return map[analyze.Language]config.Toolchain{analyze.Python: c.Python, analyze.JavaScript: c.JavaScript}
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
func installed(env lookup, name string, lang analyze.Language, t config.Toolchain) (installation, error) {
	places := machineStores(env)
	own, err := ownStore(env)
	if err == nil {
		places = append([]string{own}, places...)
	}
	for _, store := range places {
		in, err := installationOf(store, name, lang, t)
		if err != nil {
			return in, err
		}
		if _, err = os.Stat(in.dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && store != own {
			err = trust.Path("its packages for all users", in.dir)
		}
		return in, err
	}
	return installation{}, hint.With(fmt.Errorf("%w", errNotBuilt), "sallyport env build %s", name)
}

// ownStore is where the installations of a user are.
func ownStore(env lookup) (string, error) {
	data, ok := under(env, "XDG_DATA_HOME", ".local/share")
	if !ok {
		return "", hint.With(hint.Usage("no place for packages: neither XDG_DATA_HOME nor HOME is set"), "set XDG_DATA_HOME to an absolute path")
	}
	return filepath.Join(data, "env"), nil
}

// machineStores are where installations for all users of this machine are. The
// administrator fills the first.
func machineStores(env lookup) (stores []string) {
	dirs, ok := env("XDG_DATA_DIRS")
	if !ok || dirs == "" {
		dirs = "/usr/local/share:/usr/share"
	}
	for _, dir := range filepath.SplitList(dirs) {
		if filepath.IsAbs(dir) {
			stores = append(stores, filepath.Join(dir, "sallyport", "env"))
		}
	}
	return stores
}

// installationOf says where in a store the installation of a lock file is to be.
func installationOf(store, name string, lang analyze.Language, t config.Toolchain) (installation, error) {
	lock, err := os.ReadFile(t.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		return installation{}, hint.With(hint.While(err, "reading the lock file"), makesLock, name)
	}
	if err != nil {
		return installation{}, hint.While(err, "reading the lock file")
	}
	sum := sha256.Sum256(lock)
	in := installation{dir: filepath.Join(store, fmt.Sprintf("%s-%s-%s", name, lang, hex.EncodeToString(sum[:8])))}
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

// sameButForLock reports whether a directory of this name was made for the same
// environment and language, from whatever lock.
func (in installation) sameButForLock(name string) bool {
	own := filepath.Base(in.dir)
	sum := len(own) - 16
	if len(name) != len(own) || name[:sum] != own[:sum] {
		return false
	}
	_, err := hex.DecodeString(name[sum:])
	return err == nil
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

func unknownEnvironment(cfg config.Config, name string) error {
	defined := slices.Sorted(maps.Keys(cfg.Environments))
	if len(defined) == 0 {
		return hint.With(hint.Usage("no environment %q: the configuration has none", name), "sallyport env --help shows how one is written in sallyport.yaml")
	}
	return hint.With(hint.Usage("no environment %q in the configuration", name), "%s", hint.DidYouMean(name, defined, "sallyport env list"))
}
