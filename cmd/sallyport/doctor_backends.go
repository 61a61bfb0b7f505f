package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/install"
	"sallyport/internal/report"
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
func candidates(ctx context.Context, configure configured, setup *install.Setup) []candidate {
	var all []candidate
	var registered []string
	for _, name := range install.BackendNames() {
		c := candidate{Name: name, Kind: "backend", Chosen: name == setup.BackendName()}
		detail, runtimes, err := try(ctx, configure, name)
		if err != nil {
			var u *sandbox.Unavailable
			why := err
			if errors.As(err, &u) {
				why = u.Cause // the line says already which one
			}
			c.Detail, _ = inWords(why)
			if _, c.Fix = inWords(err); strings.HasPrefix(c.Fix, "sallyport doctor") { // which says so
				c.Fix = ""
			}
		} else {
			c.Works, c.Detail = true, detail
		}
		registered = append(registered, runtimes...)
		all = append(all, c)
	}
	return append(all, runtimes(setup, registered)...)
}

// try runs a program of each language in a backend, whichever is chosen.
func try(ctx context.Context, configure configured, name string) (detail string, runtimes []string, err error) {
	setup, err := configure(func(o *install.Options) {
		o.Backend, o.Observe, o.Speech.Note = name, nil, nil // what each loads is said once
	})
	if err != nil {
		return "", nil, err
	}
	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"observe"}})
	if err != nil {
		return "", nil, err
	}
	var backend sandbox.Backend
	s, err := setup.Run(func(o *gate.Options) { o.Policy, backend = engine, o.Backend })
	if err != nil {
		return "", nil, err
	}
	defer s.Close()
	if e, ok := backend.(interface{ Runtimes() []string }); ok {
		runtimes = e.Runtimes()
	}
	d := backend.Describe()
	parts := []string{strings.TrimSpace(d.Version + " " + d.Mode)}
	for _, p := range []struct {
		language analyze.Language
		source   string
	}{{analyze.Python, "print(6*7)\n"}, {analyze.JavaScript, "console.log(6*7)\n"}} {
		ans, err := s.Gate.Run(ctx, gate.Request{Name: "doctor", Language: p.language, Source: []byte(p.source), Tool: "doctor", Client: "cli"})
		switch {
		case err != nil:
			return "", runtimes, fmt.Errorf("%s: %w", p.language, err)
		case ans.Result == nil:
			return "", runtimes, fmt.Errorf("%s: denied: %s %s", p.language, ans.Decision.Reason, ans.Decision.Detail)
		case ans.Result.Reason != sandbox.Exited || string(ans.Result.Stdout) != "42\n":
			return "", runtimes, fmt.Errorf("%s: ended with %s, exit %d: %s", p.language, ans.Result.Reason, ans.Result.Exit, answer.OneLine(string(ans.Result.Stderr)))
		}
		parts = append(parts, fmt.Sprintf("%s %s", p.language, ans.Result.Runtime.Version))
	}
	if len(runtimes) > 0 {
		parts = append(parts, "runtimes "+strings.Join(runtimes, ", "))
	}
	return strings.Join(parts, "; "), runtimes, nil
}

// runtimes looks for OCI runtimes on PATH that no engine here knows by name.
func runtimes(setup *install.Setup, registered []string) []candidate {
	var found []candidate
	path := setup.SearchPath()
	for _, name := range []string{"runc", "crun", "youki", "kata-runtime"} {
		binary, err := install.LookPath(path, name)
		if err != nil {
			continue
		}
		c := candidate{Name: name, Kind: "runtime", Chosen: name == setup.Config.Sandbox.Engine.Runtime, Detail: binary, Works: slices.Contains(registered, name)}
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

func writeCandidates(r *report.Text, all []candidate) {
	for _, c := range all {
		mark, style, name := "-   ", report.Dim, c.Kind+" "+c.Name
		switch {
		case c.Works:
			mark, style = "ok  ", report.Green
		case c.Chosen:
			mark, style = "fail", report.Red
		}
		if c.Chosen {
			name += " (chosen)"
		}
		r.Printf("%s %s: %s\n", r.Paint(style, mark), name, c.Detail)
		if c.Fix != "" {
			r.Printf("     %s %s\n", r.Paint(report.Dim, "fix:"), c.Fix)
		}
	}
}
