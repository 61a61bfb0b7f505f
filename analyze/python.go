package analyze

import (
	"strings"

	"github.com/smacker/go-tree-sitter/python"
)

func newPython() *language {
	return &language{
		grammar:   newGrammar(python.GetLanguage(), pythonKinds(), pythonFields()),
		canonical: canonicalPython,
		walk:      walkPython,
	}
}

func canonicalPython(goal Goal, text string) (string, Goal, *Refusal) {
	if goal != "" && goal != Script {
		return "", "", &Refusal{Code: RefusedLanguage, Message: "Python has no modules of that kind"}
	}
	return text, Script, nil
}

// pythonWalk resolves names through import aliases.
type pythonWalk struct {
	*walk
	aliases map[string]string
}

func walkPython(w *walk) {
	p := &pythonWalk{walk: w, aliases: map[string]string{}}
	for i := range w.tree.nodes {
		p.bind(i)
	}
	for i := range w.tree.nodes {
		p.mention(i)
	}
}

func (p *pythonWalk) bind(i int) {
	t := p.tree
	switch t.kind(i) {
	case pyIdentifier:
		p.identifier(t.source(i))
	case pyImportStatement:
		for c := t.firstNamed(i); c != noNode; c = t.nextNamed(c) {
			module, alias := p.aliased(c)
			p.importModule(module, p.at(t, c))
			if alias == "" {
				alias, _, _ = strings.Cut(module, ".")
				module = alias
			}
			p.aliases[alias] = module
		}
	case pyImportFromStatement:
		m := t.child(i, pyModuleNameField)
		module := t.source(m)
		p.importModule(module, p.at(t, m))
		for c := t.firstNamed(i); c != noNode; c = t.nextNamed(c) {
			if c == m || t.kind(c) == pyWildcardImport {
				continue
			}
			name, alias := p.aliased(c)
			if alias == "" {
				alias = name
			}
			p.aliases[alias] = module + "." + name
			p.use(module+"."+name, Use{How: HowImport, Certainty: Exact, Span: p.at(t, c)})
		}
	}
}

func (p *pythonWalk) aliased(i int) (name, alias string) {
	if p.tree.kind(i) == pyAliasedImport {
		return p.tree.source(p.tree.child(i, pyNameField)), p.tree.source(p.tree.child(i, pyAliasField))
	}
	return p.tree.source(i), ""
}

func (p *pythonWalk) mention(i int) {
	t := p.tree
	if k := t.kind(i); k != pyIdentifier && k != pyAttribute {
		return
	}
	name := p.qualified(i)
	if name == "" {
		return
	}
	how := HowReference
	if up := t.parent(i); t.kind(up) == pyCall && t.field(i) == pyFunctionField {
		how = HowCall
	}
	p.use(name, Use{How: how, Certainty: Exact, Span: p.at(t, i)})
}

func (p *pythonWalk) qualified(i int) string {
	t := p.tree
	switch t.kind(i) {
	case pyIdentifier:
		name := t.source(i)
		if t.kind(t.parent(i)) == pyAttribute && t.field(i) == pyAttributeField {
			p.attr(name, p.at(t, i))
			return ""
		}
		if module, ok := p.aliases[name]; ok {
			return module
		}
		switch name {
		case "exec", "eval", "compile", "open", "__import__":
			return "builtins." + name
		}
	case pyAttribute:
		if object := p.qualified(t.child(i, pyObjectField)); object != "" {
			return object + "." + t.source(t.child(i, pyAttributeField))
		}
	}
	return ""
}
