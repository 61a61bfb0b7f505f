package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"time"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
)

// input puts facts and request into the shape that policies see.
func (g *Gate) input(req Request, f analyze.Facts) policy.Input {
	in := policy.Input{
		Source: source(f),
		Request: policy.Request{
			Tool:        req.Tool,
			Client:      req.Client,
			User:        req.Principal.ID(),
			Principal:   policy.Principal(req.Principal),
			Session:     req.Session,
			Environment: req.Environment,
			Labels:      req.Labels,
			Args:        req.Args,
			Files:       append(files(req.Files), req.opened.files()...),
			Limits:      g.asked(req),
		},
		Time: g.opts.Now().UTC(),
	}
	if in.Request.Environment == "" {
		in.Request.Environment = "default"
	}
	if b := g.opts.Backend; b != nil {
		d := b.Describe()
		in.Sandbox.Backend = d.Name
		for _, c := range slices.Sorted(maps.Keys(d.Controls)) {
			in.Sandbox.Capabilities = append(in.Sandbox.Capabilities, string(c))
		}
	}
	env := g.opts.Environments[in.Request.Environment]
	in.Sandbox.Image = env.Runtimes[f.Language].Image
	for _, m := range env.Runtimes[f.Language].Mounts {
		in.Sandbox.Mounts = append(in.Sandbox.Mounts, m.Target)
	}
	for _, o := range req.opened {
		if o.Dir != "" {
			in.Sandbox.Mounts = append(in.Sandbox.Mounts, path.Join(sandbox.WorkDir, o.Path))
		}
	}
	in.Request.Packages = env.Packages
	in.Sandbox.Egress = env.reach()
	return in
}

// source converts field by field, because the leaves do not know each other.
// TestNothingIsLostBetweenLeaves fails when they drift apart.
func source(f analyze.Facts) policy.Source {
	uses := make(map[string][]policy.Use, len(f.Uses))
	for name, us := range f.Uses {
		list := make([]policy.Use, len(us))
		for i, u := range us {
			list[i] = policy.Use{
				How:       string(u.How),
				Certainty: string(u.Certainty),
				Args:      args(u.Args),
				Splat:     u.Splat,
				Path:      u.Path,
				Span:      policy.Span(u.Span),
				Scope:     u.Scope,
			}
		}
		uses[name] = list
	}
	attrs := make(map[string]policy.Span, len(f.AttrSpans))
	for name, s := range f.AttrSpans {
		attrs[name] = policy.Span(s)
	}
	return policy.Source{
		Version:      f.Version,
		Language:     string(f.Language),
		Goal:         string(f.Goal),
		SHA256:       f.SHA256,
		Bytes:        f.Bytes,
		Lines:        f.Lines,
		Complete:     f.Complete,
		Syntax:       problems(f.Syntax),
		Hygiene:      problems(f.Hygiene),
		Names:        f.Names,
		Uses:         uses,
		Imports:      f.Imports,
		EarlyImports: f.EarlyImports,
		ImportSpans:  spans(f.ImportSpans),
		Attrs:        f.Attrs,
		AttrSpans:    attrs,
		Strings:      f.Strings,
		URLs:         urls(f.URLs),
		Hosts:        f.Hosts,
		Dynamic:      spans(f.Dynamic),
	}
}

func urls(in []analyze.URL) []policy.URL {
	out := make([]policy.URL, len(in))
	for i, u := range in {
		out[i] = policy.URL{Symbol: u.Symbol, URL: u.URL, Host: u.Host, Whole: u.Whole, Span: policy.Span(u.Span)}
	}
	return out
}

func args(in []analyze.Arg) []policy.Arg {
	out := make([]policy.Arg, len(in))
	for i, a := range in {
		out[i] = policy.Arg(a)
	}
	return out
}

func problems(in []analyze.Problem) []policy.Problem {
	out := make([]policy.Problem, len(in))
	for i, p := range in {
		out[i] = policy.Problem{Code: p.Code, Message: p.Message, Span: policy.Span(p.Span)}
	}
	return out
}

func spans(in map[string][]analyze.Span) map[string][]policy.Span {
	out := make(map[string][]policy.Span, len(in))
	for name, ss := range in {
		list := make([]policy.Span, len(ss))
		for i, s := range ss {
			list[i] = policy.Span(s)
		}
		out[name] = list
	}
	return out
}

func files(in []sandbox.File) []policy.File {
	out := make([]policy.File, len(in))
	for i, f := range in {
		sum := sha256.Sum256(f.Data)
		out[i] = policy.File{Path: f.Path, Bytes: len(f.Data), SHA256: hex.EncodeToString(sum[:])}
	}
	return out
}

func (all references) files() (out []policy.File) {
	for _, o := range all {
		out = append(out, policy.File{Path: o.Path, Bytes: int(o.Bytes), Reference: true, Directory: o.Dir != "", From: o.from})
	}
	return out
}

// grant is what a decision lets through at run time: the capabilities that no
// rule in force denies. A network is there where the environment has a way out.
func grant(d policy.Decision, env Environment) (g sandbox.Grant) {
	for _, c := range sandbox.Capabilities() {
		if (c != sandbox.CapabilityNetwork || env.Egress != nil) && !slices.Contains(d.Deny, string(c)) {
			g = append(g, c)
		}
	}
	return g
}

// only narrows a grant to what exceptions let pass.
func only(d policy.Decision) map[sandbox.Capability][]string {
	narrow := map[sandbox.Capability][]string{}
	for c, symbols := range d.Lifted {
		narrow[sandbox.Capability(c)] = symbols
	}
	return narrow
}

func toPolicyLimits(l sandbox.Limits) policy.Limits {
	return policy.Limits{
		WallMillis:    millis(l.Wall),
		CPUMillis:     millis(l.CPU),
		MemoryBytes:   l.Memory,
		Processes:     l.Pids,
		OutputBytes:   l.OutputBytes,
		FileBytes:     l.FileBytes,
		DiskBytes:     l.DiskBytes,
		ArtifactBytes: l.ArtifactBytes,
		ArtifactCount: l.ArtifactCount,
	}
}

// millis rounds down, but never to zero, which would be no bound at all.
func millis(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return max(d.Milliseconds(), 1)
}

func fromPolicyLimits(l policy.Limits) sandbox.Limits {
	return sandbox.Limits{
		Wall:          time.Duration(l.WallMillis) * time.Millisecond,
		CPU:           time.Duration(l.CPUMillis) * time.Millisecond,
		Memory:        l.MemoryBytes,
		Pids:          l.Processes,
		OutputBytes:   l.OutputBytes,
		FileBytes:     l.FileBytes,
		DiskBytes:     l.DiskBytes,
		ArtifactBytes: l.ArtifactBytes,
		ArtifactCount: l.ArtifactCount,
	}
}
