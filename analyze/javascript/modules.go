package javascript

import (
	"strings"

	"sallyport/analyze"
)

// importModule loads the module of a known name.
func (j *javascript) importModule(name string, at int) value {
	j.constant(name)
	module := nodeModule(name)
	j.event(eventImport, analyze.Clip(module), at)
	if module == "node:test" && !j.tests {
		j.tests = true
		j.learned(nil)
	}
	if strings.HasPrefix(module, "node:fs") && !j.files {
		j.files = true
		j.learned(nil)
	}
	if strings.HasPrefix(module, "node:readline") && !j.lines {
		j.lines = true
		j.learned(nil)
	}
	if code, ok := dataModule(name); ok {
		j.runText(code, moduleCode, at)
		return anything()
	}
	return symbol(moduleSymbol(j.ModuleName(module, j.At(j.tree, at))))
}

// importNamed loads the modules that an expression may name.
func (j *javascript) importNamed(names value, at int) value {
	var out value
	known := len(names) > 0
	for _, v := range j.toStrings(names.naming()) {
		if v.kind == atomString {
			out = j.join(out, j.importModule(v.text, at))
		} else {
			known = false
		}
	}
	if !known {
		j.dynamicAt(analyze.DynamicImport, at)
		out = j.join(out, anything())
	}
	return out
}

// importStatement walks import … from ….
func (j *javascript) importStatement(i int) {
	t := j.tree
	src := t.Child(i, sourceField)
	if src == analyze.NoNode {
		return
	}
	module := j.importModule(j.stringText(src), src)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindImportClause {
			j.importClause(c, module)
		}
	}
}

func (j *javascript) importClause(i int, module value) {
	t, scope := j.tree, int(j.scopeIn[i])
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindIdentifier:
			j.declareValue(scope, c, module)
		case kindNamespaceImport:
			if name := t.FirstNamed(c); name != analyze.NoNode {
				j.declareValue(scope, name, module)
			}
		case kindNamedImports:
			for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
				name, alias := t.Child(s, nameField), t.Child(s, aliasField)
				if name == analyze.NoNode {
					continue
				}
				if alias == analyze.NoNode {
					alias = name
				}
				member := j.memberOf(module, j.exportName(name), name)
				j.mentionAll(member, name, analyze.HowImport)
				j.declareValue(scope, alias, member)
			}
		}
	}
}

// exportName returns the text of the identifier or string that names an export.
func (j *javascript) exportName(i int) string {
	if j.tree.Kind(i) == kindString {
		return j.stringText(i)
	}
	return j.identifierText(i)
}

func (j *javascript) exportStatement(i int) {
	t := j.tree
	src := t.Child(i, sourceField)
	if src == analyze.NoNode {
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			switch t.Kind(c) {
			case kindExportClause:
				for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
					if name := t.Child(s, nameField); name != analyze.NoNode && t.Kind(name) == kindIdentifier {
						j.mentionAll(j.eval(name), name, analyze.HowReference)
					}
				}
			default:
				j.statement(c)
			}
		}
		return
	}
	module := j.importModule(j.stringText(src), src)
	named := false
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindExportClause {
			continue
		}
		named = true
		for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
			if name := t.Child(s, nameField); name != analyze.NoNode {
				j.mentionAll(j.memberOf(module, j.exportName(name), name), name, analyze.HowImport)
			}
		}
	}
	if !named {
		j.dynamicAt(analyze.DynamicStar, i)
	}
}
