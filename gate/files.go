package gate

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
)

// opaqueCode are the endings of files that an interpreter would load as code
// and that nobody can judge. They are refused, whatever is in them.
var opaqueCode = []string{".pyc", ".pyo", ".pyd", ".pth", ".so", ".egg", ".whl", ".node", ".wasm"}

// judgeFiles judges the input files that the program could load as code, by
// the same policy as the program itself: one that may not run makes a request
// that may not. What is judged is what is put into the sandbox. Earlier are the
// names of files that are there already.
func (g *Gate) judgeFiles(ctx context.Context, req Request, j *judgement, earlier []string) {
	isJavaScript := j.source.Language() == analyze.JavaScript
	loads := []loader{{".", j.facts.Imports}}
	said := modulesSaid(j.facts)
	identifiers := slices.Clone(j.identifiers)
	for i, f := range req.Files {
		lang, goal := codeIn(f.Path)
		switch {
		case slices.Contains(opaqueCode, strings.ToLower(path.Ext(f.Path))):
			j.denyFile(f.Path, denyReason(policy.ReasonSource, "file.opaque", "it would be loaded as code that cannot be judged"))
		case lang != "":
			sub := g.decide(ctx, Request{
				Name: f.Path, Language: lang, Goal: goal, Source: f.Data,
				Tool: req.Tool, Client: req.Client, Session: req.Session, Environment: req.Environment, Args: req.Args,
			})
			if sub.answer.Decision.Effect != policy.Allow && len(bytes.TrimSpace(f.Data)) > 0 {
				j.denyFile(f.Path, sub.answer.Decision)
				continue
			}
			j.files[i].Data, j.files[i].Judged = []byte(sub.source.Text()), true
			loads = append(loads, loader{path.Dir(f.Path), sub.facts.Imports})
			said = append(said, modulesSaid(sub.facts)...)
			j.reaches = join(j.reaches, sub.reaches)
			if lang == j.source.Language() {
				identifiers = append(identifiers, known(sub.facts)...)
			}
		}
	}
	slices.Sort(identifiers)
	j.identifiers = slices.Compact(identifiers)
	for _, o := range req.opened {
		if slices.Contains(opaqueCode, strings.ToLower(path.Ext(o.Path))) {
			j.denyFile(o.Path, denyReason(policy.ReasonSource, "file.opaque", "it would be loaded as code that cannot be judged"))
		}
	}
	names := slices.Clone(earlier) // a later cell may load what an earlier one brought
	for _, f := range req.Files {
		names = append(names, f.Path)
	}
	if !isJavaScript {
		j.loads = loads
		for _, name := range names {
			if module := moduleOf(name); module != "" && (slices.Contains(said, module) || isInside(module)) && knowsModule(g.opts.Policy, module) {
				j.denyFile(name, inThePlaceOf(module))
			}
		}
		return
	}
	for _, o := range req.opened {
		names = append(names, o.Path)
	}
	for _, name := range names {
		if slices.ContainsFunc(loads, func(l loader) bool { return l.loads(name) }) {
			j.denyFile(name, loadedAnyway())
		}
	}
}

// modulesSaid are the names in Python that may be those of modules which it loads: the hooks let it
// have no other.
func modulesSaid(f analyze.Facts) []string {
	said := slices.Clone(f.Identifiers)
	for _, module := range f.Imports {
		said = append(said, strings.Split(module, ".")...) // each of them may be a file that is loaded
	}
	return said
}

// moduleOf is the module that Python finds in a file of the work directory before any other of that
// name; "" where it finds none.
func moduleOf(file string) string {
	name, ok := strings.CutSuffix(path.Clean(file), ".py")
	name = strings.TrimSuffix(name, "/__init__")
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// isInside tells whether a module is one that the library has for itself, and loads when it needs it:
// time.strptime is in _strptime.
func isInside(module string) bool {
	return strings.HasPrefix(module, "_") && !strings.HasPrefix(module, "__")
}

// knowsModule tells whether policy knows a module of Python by its name.
func knowsModule(by *policy.Engine, module string) bool {
	_, ok := by.Classify(string(analyze.Python), module)
	return ok
}

func inThePlaceOf(module string) policy.Decision {
	return denyReason(policy.ReasonSource, "file.place", "it would be loaded in the place of the module "+module+", as which it is judged where it is used")
}

// codeIn is the language that an interpreter would load a file as, by its name:
// to older ones TypeScript is none.
func codeIn(name string) (analyze.Language, analyze.Goal) {
	lang, goal := analyze.LanguageOf(name, nil)
	if lang == analyze.TypeScript {
		return "", ""
	}
	return lang, goal
}

// loader is code that loads other files: the folder that it is in, below the
// work directory, and what it imports.
type loader struct {
	folder  string
	imports []string
}

// loadsOnly has Python load those files alone that something imports: its library asks for some modules
// that it does not have, too, and is given none. In a session a later cell may import them.
func (j *judgement) loadsOnly(by *policy.Engine) {
	for i, f := range j.files {
		if j.source.Language() == analyze.Python {
			j.files[i].Judged = f.Judged && slices.ContainsFunc(j.loads, func(l loader) bool { return l.names(by, f.Path) })
		}
	}
}

// names reports whether one of the imports has a name that is the file's or of a folder that the file is
// in. A module that policy knows is no file of the caller's, nor are those in it.
func (l loader) names(by *policy.Engine, file string) bool {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__"), "/") // all packages have one
	return slices.ContainsFunc(l.imports, func(module string) bool {
		names := strings.Split(module, ".")
		if knowsModule(by, module) || knowsModule(by, names[0]) {
			return false
		}
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(parts, name) })
	})
}

// loads reports whether one of the imports names a file that is no JavaScript by
// its ending: Node reads such a file as JavaScript all the same, and follows a
// package.json to any other.
func (l loader) loads(file string) bool {
	if path.Base(file) == "package.json" {
		return true
	}
	if lang, _ := codeIn(file); lang != "" || path.Ext(file) == ".json" {
		return false
	}
	at := path.Join(sandbox.WorkDir, file)
	return slices.ContainsFunc(l.imports, func(specifier string) bool {
		// require reads a specifier as a path, import as the end of a URL.
		return l.place(specifier) == at || l.place(unescaped(specifier)) == at
	})
}

// place is the file that a specifier names, without an ending that Node adds.
func (l loader) place(specifier string) string {
	switch {
	case strings.HasPrefix(specifier, "/"):
		return path.Clean(specifier)
	case strings.HasPrefix(specifier, "."):
		return path.Join(sandbox.WorkDir, l.folder, specifier)
	}
	return path.Join(sandbox.WorkDir, "node_modules", specifier)
}

// unescaped is the path of a specifier that is read as a URL: without a query
// and a fragment, its escapes resolved, a backslash the same as a slash, and
// what a URL may not hold left out.
func unescaped(specifier string) string {
	s := strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(strings.TrimFunc(specifier, func(r rune) bool { return r <= ' ' }))
	if scheme, rest, ok := strings.Cut(s, ":"); ok && strings.EqualFold(scheme, "file") {
		s = "/" + strings.TrimLeft(rest, "/")
		if host, below, ok := strings.Cut(strings.TrimLeft(rest, "/"), "/"); ok && strings.EqualFold(host, "localhost") {
			s = "/" + below
		}
	}
	if end := strings.IndexAny(s, "?#"); end >= 0 {
		s = s[:end]
	}
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	return s
}

func loadedAnyway() policy.Decision {
	return denyReason(policy.ReasonSource, "file.opaque", "the program loads it as code although its name says otherwise")
}

func denyReason(reason policy.Reason, rule, message string) policy.Decision {
	return policy.Decision{
		Reason:   reason,
		Findings: []policy.Finding{{Rule: rule, Title: "Input file refused", Message: message, Severity: "high", Action: policy.ActionDeny}},
	}
}

// denyFile turns the judgement into a denial for what an input file does. The
// decision is made here and not by the engine, so it gives no permit.
func (j *judgement) denyFile(name string, d policy.Decision) {
	old := j.answer.Decision
	out := policy.Decision{
		Version: policy.DecisionVersion, Effect: policy.Deny, Reason: d.Reason,
		Detail: fmt.Sprintf("input file %s may not be loaded", name),
		Packs:  old.Packs, Policy: old.Policy, Revision: old.Revision, Loosened: old.Loosened, Deny: old.Deny, Lifted: old.Lifted,
	}
	if d.Reason == policy.ReasonSyntax && old.Effect == policy.Deny {
		out.Reason = old.Reason // rules have spoken
	}
	for _, f := range d.Findings {
		f.Message = place(name, f.Span) + f.Message
		f.Span = policy.Span{}
		out.Findings = append(out.Findings, f)
	}
	out.Findings = append(out.Findings, old.Findings...)
	j.answer.Decision = out
}

func place(name string, s policy.Span) string {
	if s.Line == 0 {
		return name + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", name, s.Line, s.Column)
}
