package gate

import (
	"context"
	"fmt"
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
// that may not. What is judged is what is put into the sandbox.
func (g *Gate) judgeFiles(ctx context.Context, req Request, j *judgement) {
	for i, f := range req.Files {
		lang, goal := analyze.LanguageOf(f.Path, nil)
		switch {
		case slices.Contains(opaqueCode, strings.ToLower(path.Ext(f.Path))):
			j.denyFile(f.Path, denyReason(policy.ReasonSource, "file.opaque", "it would be loaded as code that cannot be judged"))
		case j.source.Language() == analyze.JavaScript && loadedAs(j.facts.Imports, f.Path):
			j.denyFile(f.Path, loadedAnyway())
		case lang != "":
			sub := g.decide(ctx, Request{
				Name: f.Path, Language: lang, Goal: goal, Source: f.Data,
				Tool: req.Tool, Client: req.Client, Session: req.Session, Environment: req.Environment,
			})
			if sub.answer.Decision.Effect != policy.Allow && len(f.Data) > 0 {
				j.denyFile(f.Path, sub.answer.Decision)
				continue
			}
			j.files[i].Data = []byte(sub.source.Text())
		}
	}
}

// loadedAs reports whether an import names a file that is no JavaScript by its
// ending: Node's require reads such a file as JavaScript all the same, and
// follows a package.json to any other.
func loadedAs(imports []string, file string) bool {
	if path.Base(file) == "package.json" {
		return true
	}
	if lang, _ := analyze.LanguageOf(file, nil); lang != "" || path.Ext(file) == ".json" {
		return false
	}
	return slices.ContainsFunc(imports, func(specifier string) bool {
		return strings.HasPrefix(specifier, ".") && path.Clean(specifier) == file ||
			strings.HasPrefix(specifier, "/") && path.Clean(specifier) == path.Join(sandbox.WorkDir, file)
	})
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
		Packs:  old.Packs, Policy: old.Policy, Revision: old.Revision, Loosened: old.Loosened, Deny: old.Deny,
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
