package gate

import (
	"fmt"
	"maps"
	"slices"

	"sallyport/analyze"
	"sallyport/sandbox"
)

// Environment is what programs run in, defined by the operator under a name.
// The zero Environment is the backend's own: for gVisor, the host's
// interpreters and no variable but the fixed ones.
type Environment struct {
	Description string
	Packages    []string // what is installed, for people and policies

	Runtimes map[analyze.Language]sandbox.Runtime
	Env      map[string]string

	// Secrets are variables whose values are replaced in everything that a
	// program prints or leaves.
	Secrets map[string]string
}

// environment returns the operator's environment of a name. "" and "default"
// are the same one, which need not be defined.
func (g *Gate) environment(name string) (Environment, error) {
	if name == "" {
		name = "default"
	}
	env, ok := g.opts.Environments[name]
	if !ok && name != "default" {
		return env, fmt.Errorf("%w %q", ErrEnvironment, name)
	}
	return env, nil
}

// runtime is what a program of a language runs with.
func (e Environment) runtime(lang analyze.Language) sandbox.Runtime {
	rt := e.Runtimes[lang]
	rt.Env = slices.Clone(rt.Env)
	for _, vars := range []map[string]string{e.Env, e.Secrets} {
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			rt.Env = append(rt.Env, name+"="+vars[name])
		}
	}
	return rt
}
