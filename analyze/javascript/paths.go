package javascript

import (
	"path"
	"strings"

	"sallyport/analyze"
)

// unknownName stands in a path for names that are not known.
const unknownName = "*"

// pathAt says which file the expression at node i names, where that is no
// constant text, "" when it is not known. What it says is shown to policy and is
// no value: nothing is looked up by it.
func (j *javascript) pathAt(i int) string {
	t := j.tree
	if i == analyze.NoNode || !j.step() {
		return ""
	}
	switch t.Kind(i) {
	case kindParenthesizedExpression:
		return j.pathAt(t.FirstNamed(i))
	case kindTemplateString:
		if first := t.FirstNamed(i); first != analyze.NoNode && t.Kind(first) == kindTemplateSubstitution && t.Start(first) == t.Start(i)+1 {
			if s := j.pathAt(t.FirstNamed(first)); s != "" {
				return s + "/" + unknownName
			}
		}
		return analyze.PathBeginning(j.beginning(i))
	case kindBinaryExpression:
		return analyze.PathBeginning(j.beginning(i))
	case kindIdentifier:
		if j.quietly(i).has(atom{kind: atomSymbol, text: "globalThis.__dirname"}) {
			return "."
		}
	case kindCallExpression:
		return j.pathCalled(i)
	case kindNewExpression:
		return j.pathOfURL(i)
	}
	return ""
}

// pathCalled is the path that a call of one of Node's functions comes to.
func (j *javascript) pathCalled(i int) string {
	t := j.tree
	var name string
	if f := j.quietly(t.Child(i, functionField)); f.single() && f[0].kind == atomSymbol {
		name = strings.Replace(f[0].text, "node:path/posix.", "node:path.", 1)
	}
	args := t.Child(i, argumentsField)
	switch name {
	case "node:os.homedir":
		return "~"
	case "node:os.tmpdir":
		return "/tmp"
	case "globalThis.process.cwd":
		return "."
	case "node:path.join", "node:path.resolve", "node:path.normalize":
		return j.pathJoined(args, name == "node:path.resolve")
	}
	return ""
}

// pathJoined joins what the arguments at a node name. To resolve begins anew with
// what is absolute.
func (j *javascript) pathJoined(args int, resolve bool) string {
	t, parts := j.tree, []string{}
	if args == analyze.NoNode {
		return ""
	}
	for c := t.FirstNamed(args); c != analyze.NoNode; c = t.NextNamed(c) {
		s, ok := j.quietly(c).str()
		if !ok {
			s = j.pathAt(c)
		}
		switch {
		case s == "" && !ok && (len(parts) == 0 || resolve):
			return ""
		case s == "" && !ok:
			s = unknownName
		case resolve && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~")):
			parts = parts[:0]
		}
		parts = append(parts, s)
	}
	return path.Join(parts...)
}

// pathOfURL is the path that new URL names: of a URL of a file, or beside the
// program.
func (j *javascript) pathOfURL(i int) string {
	t := j.tree
	args := t.Child(i, argumentsField)
	if args == analyze.NoNode || t.FirstNamed(args) == analyze.NoNode || !j.quietly(t.Child(i, constructorField)).has(atom{kind: atomSymbol, text: "globalThis.URL"}) {
		return ""
	}
	s, ok := j.quietly(t.FirstNamed(args)).str()
	switch {
	case !ok:
		return ""
	case len(s) > 5 && strings.EqualFold(s[:5], "file:"):
		return s
	case strings.Contains(s, ":") || t.NextNamed(t.FirstNamed(args)) == analyze.NoNode:
		return "" // another host, or no URL
	}
	return strings.ReplaceAll(s, `\`, "/")
}
