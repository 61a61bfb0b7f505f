package gate

import (
	"crypto/sha256"
	"encoding/hex"
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
			User:        g.caller.User,
			Session:     req.Session,
			Environment: req.Environment,
			Files:       files(req.Files),
			Limits:      toPolicyLimits(g.opts.Ceilings.Tighten(req.Limits)),
		},
		Time: g.opts.Now().UTC(),
	}
	if in.Request.Environment == "" {
		in.Request.Environment = "default"
	}
	if b := g.opts.Backend; b != nil {
		d := b.Describe()
		in.Sandbox.Backend = d.Name
		for c := range d.Controls {
			in.Sandbox.Capabilities = append(in.Sandbox.Capabilities, string(c))
		}
	}
	env := g.opts.Environments[in.Request.Environment]
	in.Sandbox.Image = env.Runtimes[f.Language].Image
	in.Request.Packages = env.Packages
	return in
}

// source converts field by field: the leaves do not know each other, and the
// compiler breaks here when they drift apart.
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
		Version:     f.Version,
		Language:    string(f.Language),
		Goal:        string(f.Goal),
		SHA256:      f.SHA256,
		Bytes:       f.Bytes,
		Lines:       f.Lines,
		Complete:    f.Complete,
		Syntax:      problems(f.Syntax),
		Hygiene:     problems(f.Hygiene),
		Names:       f.Names,
		Uses:        uses,
		Imports:     f.Imports,
		ImportSpans: spans(f.ImportSpans),
		Attrs:       f.Attrs,
		AttrSpans:   attrs,
		Strings:     f.Strings,
		Dynamic:     spans(f.Dynamic),
	}
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

func toPolicyLimits(l sandbox.Limits) policy.Limits {
	return policy.Limits{
		WallMillis:    l.Wall.Milliseconds(),
		CPUMillis:     l.CPU.Milliseconds(),
		MemoryBytes:   l.Memory,
		Processes:     l.Pids,
		OutputBytes:   l.OutputBytes,
		FileBytes:     l.FileBytes,
		ArtifactBytes: l.ArtifactBytes,
		ArtifactCount: l.ArtifactCount,
	}
}

func fromPolicyLimits(l policy.Limits) sandbox.Limits {
	return sandbox.Limits{
		Wall:          time.Duration(l.WallMillis) * time.Millisecond,
		CPU:           time.Duration(l.CPUMillis) * time.Millisecond,
		Memory:        l.MemoryBytes,
		Pids:          l.Processes,
		OutputBytes:   l.OutputBytes,
		FileBytes:     l.FileBytes,
		ArtifactBytes: l.ArtifactBytes,
		ArtifactCount: l.ArtifactCount,
	}
}
