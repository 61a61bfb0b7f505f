package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sallyport/analyze"
	"sallyport/egress"
	"sallyport/policy"
	"sallyport/sandbox"
)

// Environment is what programs run in, defined by the operator under a name.
// The zero Environment is the backend's own: for gVisor, the host's
// interpreters and no variable but the fixed ones.
type Environment struct {
	Description string
	Packages    []string // what is installed, for people and policies

	// Runtimes are those of the languages that the environment has. One without
	// any has every language, with the backend's own interpreters.
	Runtimes map[analyze.Language]sandbox.Runtime
	Env      map[string]string

	// Secrets are variables whose values are replaced in everything that a
	// program prints or leaves.
	Secrets map[string]string

	// Egress is what programs may reach. Nil is nothing: they have no network.
	Egress *egress.Proxy

	// Rules say what programs are judged to reach where there is no Egress
	// because nothing runs.
	Rules []egress.Rule
}

// reach is what policy sees of the hosts that programs may reach.
func (e Environment) reach() *policy.Egress {
	switch {
	case e.Egress != nil:
		return &policy.Egress{Hosts: e.Egress.Hosts()}
	case len(e.Rules) > 0:
		return &policy.Egress{Hosts: egress.Hosts(e.Rules)}
	}
	return nil
}

// Has reports whether programs of a language can run in the environment.
func (e Environment) Has(language analyze.Language) bool {
	_, ok := e.Runtimes[language]
	return ok || len(e.Runtimes) == 0
}

// environment returns the operator's environment of a name, for programs of a
// language: one that lacks it is never replaced by another. "" and "default"
// are the same one, which need not be defined.
func (g *Gate) environment(name string, language analyze.Language) (Environment, error) {
	if name == "" {
		name = "default"
	}
	env, ok := g.opts.Environments[name]
	if !ok && name != "default" {
		return env, fmt.Errorf("%w %q: there is none of this name", ErrEnvironment, name)
	}
	if !env.Has(language.Runs()) {
		return env, fmt.Errorf("%w %q: it has no %s", ErrEnvironment, name, language)
	}
	return env, nil
}

// finder is a Backend that knows its interpreters without starting one.
type finder interface {
	Interpreter(ctx context.Context, spec sandbox.Spec) (sandbox.RuntimeUsed, error)
}

// Version is that of the interpreter of the default environment, "" where it
// cannot be told before a program has run.
func (g *Gate) Version(ctx context.Context, language analyze.Language) string {
	f, ok := g.opts.Backend.(finder)
	env, err := g.environment("", language)
	if !ok || err != nil {
		return ""
	}
	used, err := f.Interpreter(ctx, sandbox.Spec{Language: string(language), Runtime: env.Runtime(language)})
	if err != nil {
		return ""
	}
	return used.Version
}

// Runtime is what a program of a language runs with.
func (e Environment) Runtime(lang analyze.Language) sandbox.Runtime {
	rt := e.Runtimes[lang]
	rt.Env = slices.Clone(rt.Env)
	vars := []map[string]string{e.Env, e.Secrets}
	if e.Egress != nil {
		vars = append(vars, e.Egress.Sentinels())
	}
	for _, vars := range vars {
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			rt.Env = append(rt.Env, name+"="+vars[name])
		}
	}
	return rt
}
