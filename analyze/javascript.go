package analyze

import (
	"strings"

	"github.com/smacker/go-tree-sitter/javascript"
)

func newJavaScript() *language {
	return &language{
		grammar:   newGrammar(javascript.GetLanguage(), javascriptKinds(), javascriptFields()),
		canonical: canonicalJavaScript,
		walk:      walkJavaScript,
	}
}

func canonicalJavaScript(goal Goal, text string) (string, Goal, *Refusal) {
	if goal != "" && goal != Script && goal != Module {
		return "", "", &Refusal{Code: RefusedLanguage, Message: "JavaScript has no goal of that name"}
	}
	return text, goal, nil
}

// javascriptWalk resolves names through require and import.
type javascriptWalk struct {
	*walk
	aliases map[string]string
}

func walkJavaScript(w *walk) {
	j := &javascriptWalk{walk: w, aliases: map[string]string{}}
	for i := range w.tree.nodes {
		j.bind(i)
	}
	for i := range w.tree.nodes {
		j.mention(i)
	}
}

func (j *javascriptWalk) bind(i int) {
	t := j.tree
	switch t.kind(i) {
	case jsIdentifier, jsPropertyIdentifier, jsShorthandPropertyIdentifier, jsShorthandPropertyIdentifierPattern, jsStatementIdentifier, jsPrivatePropertyIdentifier:
		j.identifier(strings.TrimPrefix(t.source(i), "#"))
	case jsImportStatement, jsExportStatement:
		j.goal = Module
		if s := t.child(i, jsSourceField); s != noNode {
			j.importModule(nodeModule(unquote(t.source(s))), j.at(t, s))
		}
	case jsVariableDeclarator:
		module := j.required(t.child(i, jsValueField))
		if module == "" {
			return
		}
		switch name := t.child(i, jsNameField); t.kind(name) {
		case jsIdentifier:
			j.aliases[t.source(name)] = module
		case jsObjectPattern:
			for c := t.firstNamed(name); c != noNode; c = t.nextNamed(c) {
				if t.kind(c) == jsShorthandPropertyIdentifierPattern {
					j.aliases[t.source(c)] = module + "." + t.source(c)
					j.use(module+"."+t.source(c), Use{How: HowImport, Certainty: Exact, Span: j.at(t, c)})
				}
			}
		}
	}
}

// required returns the module that node i requires, or "".
func (j *javascriptWalk) required(i int) string {
	t := j.tree
	if i == noNode || t.kind(i) != jsCallExpression {
		return ""
	}
	args := t.child(i, jsArgumentsField)
	if t.source(t.child(i, jsFunctionField)) != "require" || args == noNode {
		return ""
	}
	if s := t.firstNamed(args); s != noNode && t.kind(s) == jsString {
		return nodeModule(unquote(t.source(s)))
	}
	return ""
}

func (j *javascriptWalk) mention(i int) {
	t := j.tree
	switch t.kind(i) {
	case jsCallExpression:
		if module := j.required(i); module != "" {
			j.importModule(module, j.at(t, i))
		}
	case jsIdentifier, jsMemberExpression:
		name := j.qualified(i)
		if name == "" {
			return
		}
		how := HowReference
		if t.field(i) == jsFunctionField || t.field(i) == jsConstructorField {
			how = HowCall
		}
		j.use(name, Use{How: how, Certainty: Exact, Span: j.at(t, i)})
	}
}

func (j *javascriptWalk) qualified(i int) string {
	t := j.tree
	switch t.kind(i) {
	case jsCallExpression:
		return j.required(i)
	case jsIdentifier:
		if module, ok := j.aliases[t.source(i)]; ok {
			return module
		}
		switch name := t.source(i); name {
		case "eval", "Function", "process", "fetch", "globalThis", "require", "WebAssembly":
			return "globalThis." + name
		}
	case jsMemberExpression:
		if object := j.qualified(t.child(i, jsObjectField)); object != "" {
			property := t.source(t.child(i, jsPropertyField))
			j.attr(property, j.at(t, i))
			return object + "." + property
		}
	}
	return ""
}

func unquote(s string) string { return strings.Trim(s, "'\"") }

// nodeModule gives Node's own modules their prefix.
func nodeModule(name string) string {
	switch name {
	case "child_process", "fs", "fs/promises", "http", "https", "net", "os", "path", "process", "util", "vm", "worker_threads":
		return "node:" + name
	}
	return name
}
