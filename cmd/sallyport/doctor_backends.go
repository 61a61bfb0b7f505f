package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

// candidate is one thing that could run programs here.
type candidate struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // backend, or runtime: what an engine can be told to use
	Chosen bool   `json:"chosen"`
	Works  bool   `json:"works"`
	Detail string `json:"detail"` // what it is, or why it does not work
	Fix    string `json:"fix,omitempty"`
}

// candidates tries every backend, and looks for OCI runtimes.
func (a *app) candidates(ctx context.Context, cfg config.Config) []candidate {
	var all []candidate
	var registered []string
	for _, name := range backendNames() {
		c := candidate{Name: name, Kind: "backend", Chosen: name == a.backendName(cfg)}
		detail, runtimes, err := a.try(ctx, cfg, name)
		if err != nil {
			c.Detail, c.Fix = mended(err)
		} else {
			c.Works, c.Detail = true, detail
		}
		registered = append(registered, runtimes...)
		all = append(all, c)
	}
	return append(all, a.runtimes(cfg, registered)...)
}

// try runs a program of each language in a backend, whichever is chosen.
func (a *app) try(ctx context.Context, cfg config.Config, name string) (detail string, runtimes []string, err error) {
	other := *a
	other.backendIs, other.verbose = name, false // what each loads is said once
	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"observe"}})
	if err != nil {
		return "", nil, err
	}
	var backend sandbox.Backend
	s, err := other.open(cfg, true, func(o *gate.Options) { o.Policy, backend = engine, o.Backend })
	if err != nil {
		return "", nil, err
	}
	defer s.close(a)
	if e, ok := backend.(interface{ Runtimes() []string }); ok {
		runtimes = e.Runtimes()
	}
	d := backend.Describe()
	parts := []string{strings.TrimSpace(d.Version + " " + d.Mode)}
	for _, p := range []struct {
		language analyze.Language
		source   string
	}{{analyze.Python, "print(6*7)\n"}, {analyze.JavaScript, "console.log(6*7)\n"}} {
		ans, err := s.gate.Run(ctx, gate.Request{Name: "doctor", Language: p.language, Source: []byte(p.source), Tool: "doctor", Client: "cli"})
		switch {
		case err != nil:
			return "", runtimes, fmt.Errorf("%s: %w", p.language, err)
		case ans.Result == nil:
			return "", runtimes, fmt.Errorf("%s: denied: %s %s", p.language, ans.Decision.Reason, ans.Decision.Detail)
		case ans.Result.Reason != sandbox.Exited || string(ans.Result.Stdout) != "42\n":
			return "", runtimes, fmt.Errorf("%s: ended with %s, exit %d: %s", p.language, ans.Result.Reason, ans.Result.Exit, oneLine(string(ans.Result.Stderr)))
		}
		parts = append(parts, fmt.Sprintf("%s %s", p.language, ans.Result.Runtime.Version))
	}
	if len(runtimes) > 0 {
		parts = append(parts, "runtimes "+strings.Join(runtimes, ", "))
	}
	return strings.Join(parts, "; "), runtimes, nil
}

// runtimes looks for OCI runtimes on PATH that no engine here knows by name.
func (a *app) runtimes(cfg config.Config, registered []string) []candidate {
	var found []candidate
	path := a.searchPath()
	for _, name := range []string{"runc", "crun", "youki", "kata-runtime"} {
		binary, err := lookPath(path, name)
		if err != nil {
			continue
		}
		c := candidate{Name: name, Kind: "runtime", Chosen: name == cfg.Sandbox.Engine.Runtime, Detail: binary, Works: slices.Contains(registered, name)}
		if !c.Works {
			c.Detail += ", which no engine here knows"
			c.Fix = fmt.Sprintf("register it in the engine's daemon.json under \"runtimes\", then set sandbox.engine.runtime to %q", name)
			if name != "kata-runtime" { // it runs nothing by itself
				c.Fix = fmt.Sprintf("set sandbox.backend to \"oci\" and sandbox.runtime to %q; or %s", name, c.Fix)
			}
		}
		found = append(found, c)
	}
	return found
}

// lookPath finds a program in the directories of path, and nowhere else.
func lookPath(path, name string) (string, error) {
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

func writeCandidates(r *renderer, all []candidate) {
	for _, c := range all {
		mark, style, name := "-   ", dim, c.Kind+" "+c.Name
		switch {
		case c.Works:
			mark, style = "ok  ", green
		case c.Chosen:
			mark, style = "fail", red
		}
		if c.Chosen {
			name += " (chosen)"
		}
		r.printf("%s %s: %s\n", r.paint(style, mark), name, safe(c.Detail))
		if c.Fix != "" {
			r.printf("     %s %s\n", r.paint(dim, "fix:"), safe(c.Fix))
		}
	}
}
