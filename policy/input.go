package policy

import (
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// inputValue builds the document that rules see. It is lazy: what no rule
// looks at costs nothing, and what rules usually look at is built without a
// detour over JSON. The document belongs to one evaluation.
func (e *Engine) inputValue(in Input) ast.Value {
	capable := e.catalog.classify(in.Source)
	return ast.LazyObject(map[string]any{
		"version":      InputVersion,
		"source":       in.Source.value(capable),
		"request":      in.Request.value(),
		"sandbox":      in.Sandbox.value(),
		"time":         in.Time.UTC().Format(time.RFC3339Nano),
		"capabilities": dict(capable, strs),
	})
}

func (s Sandbox) value() ast.Value {
	fields := []any{"backend", str(s.Backend), "image", str(s.Image), "digest", str(s.Digest), "capabilities", strs(s.Capabilities)}
	if len(s.Mounts) > 0 {
		fields = append(fields, "mounts", strs(s.Mounts))
	}
	if s.Egress != nil {
		fields = append(fields, "egress", object("hosts", strs(s.Egress.Hosts)))
	}
	return object(fields...)
}

// value builds source. Mentions whose arguments rules look at are built at
// once, the others only when a rule asks for them.
func (s Source) value(capable map[string][]string) ast.Value {
	uses := make(map[string]any, len(s.Uses))
	for name, u := range s.Uses {
		uses[name] = lateUses(u)
	}
	for _, capability := range []string{"filesystem.read", "filesystem.write", "code.eval", "code.load"} {
		for _, name := range capable[capability] {
			if u, ok := s.Uses[name]; ok {
				uses[name] = list(u, Use.value)
			}
		}
	}
	return ast.LazyObject(map[string]any{
		"version":       s.Version,
		"language":      s.Language,
		"goal":          s.Goal,
		"sha256":        s.SHA256,
		"bytes":         s.Bytes,
		"lines":         s.Lines,
		"complete":      s.Complete,
		"syntax":        list(s.Syntax, Problem.value),
		"hygiene":       list(s.Hygiene, Problem.value),
		"names":         s.Names,
		"uses":          ast.LazyObject(uses),
		"imports":       s.Imports,
		"early_imports": s.EarlyImports,
		"import_spans":  lazy(s.ImportSpans),
		"attrs":         s.Attrs,
		"attr_spans":    lazy(s.AttrSpans),
		"strings":       s.Strings,
		"urls":          list(s.URLs, URL.value),
		"hosts":         s.Hosts,
		"dynamic":       dict(s.Dynamic, spans),
	})
}

// lazy is an object whose values are built when they are asked for.
func lazy[T any](m map[string]T) ast.Value {
	native := make(map[string]any, len(m))
	for k, v := range m {
		native[k] = v
	}
	return ast.LazyObject(native)
}

// lateUses are mentions that are built over JSON, when a rule asks for them.
type lateUses []Use

func (u lateUses) MarshalJSON() ([]byte, error) { return marshal(list(u, Use.value)) }

func (r Request) value() ast.Value {
	return object(
		"tool", str(r.Tool),
		"client", str(r.Client),
		"user", str(r.User),
		"principal", object(
			"issuer", str(r.Principal.Issuer),
			"subject", str(r.Principal.Subject),
			"name", str(r.Principal.Name),
			"groups", strs(r.Principal.Groups),
			"tenant", str(r.Principal.Tenant),
			"scopes", strs(r.Principal.Scopes),
			"how", str(r.Principal.How),
		),
		"session", str(r.Session),
		"environment", str(r.Environment),
		"labels", dict(r.Labels, str),
		"args", strs(r.Args),
		"files", list(r.Files, func(f File) ast.Value {
			return object("path", str(f.Path), "bytes", num(int64(f.Bytes)), "sha256", str(f.SHA256), "reference", ast.Boolean(f.Reference),
				"directory", ast.Boolean(f.Directory), "from", str(f.From))
		}),
		"packages", strs(r.Packages),
		"limits", r.Limits.value(),
	)
}

func (l Limits) value() ast.Value {
	return object(
		"wall_ms", num(l.WallMillis),
		"cpu_ms", num(l.CPUMillis),
		"memory_bytes", num(l.MemoryBytes),
		"pids", num(l.Processes),
		"output_bytes", num(l.OutputBytes),
		"file_bytes", num(l.FileBytes),
		"disk_bytes", num(l.DiskBytes),
		"artifact_bytes", num(l.ArtifactBytes),
		"artifact_count", num(l.ArtifactCount),
	)
}

func (u Use) value() ast.Value {
	return object(
		"how", str(u.How),
		"certainty", str(u.Certainty),
		"args", list(u.Args, Arg.value),
		"splat", ast.InternedTerm(u.Splat).Value,
		"path", str(u.Path),
		"span", u.Span.value(),
		"scope", str(u.Scope),
	)
}

func (u URL) value() ast.Value {
	return object("symbol", str(u.Symbol), "url", str(u.URL), "host", str(u.Host), "whole", ast.InternedTerm(u.Whole).Value, "span", u.Span.value())
}

func (a Arg) value() ast.Value {
	return object("name", str(a.Name), "value", constant(a.Value), "known", ast.InternedTerm(a.Known).Value, "path", str(a.Path), "may_be", str(a.MayBe))
}

// constant is a folded argument; what is no scalar is null, as an unknown one.
func constant(v any) ast.Value {
	switch v := v.(type) {
	case string:
		return str(v)
	case bool:
		return ast.InternedTerm(v).Value
	case float64:
		return ast.FloatNumberTerm(v).Value
	}
	return ast.NullValue
}

func (p Problem) value() ast.Value {
	return object("code", str(p.Code), "message", str(p.Message), "span", p.Span.value())
}

func (s Span) value() ast.Value {
	return object(
		"line", num(int64(s.Line)),
		"column", num(int64(s.Column)),
		"end_line", num(int64(s.EndLine)),
		"end_column", num(int64(s.EndColumn)),
	)
}

func spans(s []Span) ast.Value { return list(s, Span.value) }

func str(s string) ast.Value { return ast.String(s) }

func num(n int64) ast.Value { return ast.InternedTerm(n).Value }

func strs(s []string) ast.Value { return list(s, str) }

func list[T any](xs []T, value func(T) ast.Value) ast.Value {
	terms := make([]*ast.Term, len(xs))
	for i, x := range xs {
		terms[i] = ast.NewTerm(value(x))
	}
	return ast.NewArray(terms...)
}

func dict[T any](m map[string]T, value func(T) ast.Value) ast.Value {
	items := make([][2]*ast.Term, 0, len(m))
	for k, v := range m {
		items = append(items, [2]*ast.Term{ast.InternedTerm(k), ast.NewTerm(value(v))})
	}
	return ast.NewObject(items...)
}

// object takes keys and values by turns.
func object(keysAndValues ...any) ast.Value {
	items := make([][2]*ast.Term, 0, len(keysAndValues)/2)
	for i := 0; i < len(keysAndValues); i += 2 {
		items = append(items, [2]*ast.Term{
			ast.InternedTerm(keysAndValues[i].(string)),
			ast.NewTerm(keysAndValues[i+1].(ast.Value)),
		})
	}
	return ast.NewObject(items...)
}
