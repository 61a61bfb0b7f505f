package javascript

import (
	"strings"

	"sallyport/analyze"
)

// Programs bring along what newer versions of the language have. What is put where the program sees that nothing is
// there takes the place of nothing: it is an addition, as under a new name.

// isFilledIn tells whether node i, an assignment or a call, puts what a class of the language, or its prototype, has under
// a key only where the program sees that it is missing. A with statement may give its name to something else.
func (j *javascript) isFilledIn(owner, key string, i int) bool {
	if !isFillable(owner, key) || len(j.with) > 0 {
		return false
	}
	name := owner + "." + key
	return j.putsIfMissing(i, name) || j.reachedIfMissing(i, name)
}

// putsIfMissing tells whether the operator that assigns to node i, or the value, lets what has a name stay as it is.
func (j *javascript) putsIfMissing(i int, name string) bool {
	t := j.tree
	p := t.Parent(i)
	if p == analyze.NoNode || t.Field(i) != leftField {
		return false
	}
	switch t.Kind(p) {
	case kindAugmentedAssignmentExpression:
		return isOr(j.operatorOf(p))
	case kindAssignmentExpression:
		right := j.bare(t.Child(p, rightField))
		return right != analyze.NoNode && t.Kind(right) == kindBinaryExpression && isOr(j.operatorOf(right)) && j.isNamed(t.Child(right, leftField), name)
	}
	return false
}

// ifMissing is a node, and a name that it may be reached without.
type ifMissing struct {
	node int
	name string
}

// reachedIfMissing tells whether node i is reached only where what has a name is missing. Each branch is asked once for each
// name.
func (j *javascript) reachedIfMissing(i int, name string) bool {
	t := j.tree
	for p := t.Parent(i); p != analyze.NoNode && j.step(); i, p = p, t.Parent(p) {
		if !j.isBranch(i, p) {
			continue
		}
		branch := ifMissing{i, name}
		is, known := j.missing[branch]
		if !known {
			is = j.branchesIfMissing(i, p, name) || j.reachedIfMissing(p, name)
			if j.missing == nil {
				j.missing = map[ifMissing]bool{}
			}
			j.missing[branch] = is
		}
		return is
	}
	return false
}

// isBranch tells whether node i is reached, of its parent p, only where a condition holds.
func (j *javascript) isBranch(i, p int) bool {
	switch j.tree.Kind(p) {
	case kindIfStatement:
		return j.tree.Field(i) == consequenceField
	case kindBinaryExpression:
		return j.tree.Field(i) == rightField
	}
	return false
}

// branchesIfMissing tells whether a branch at node i, of its parent p, is one where what has a name is missing.
func (j *javascript) branchesIfMissing(i, p int, name string) bool {
	if j.tree.Kind(p) == kindIfStatement {
		return j.isMissing(j.tree.Child(p, conditionField), name)
	}
	return j.skipsUnlessMissing(p, name)
}

func isOr(operator string) bool {
	return strings.HasPrefix(operator, "||") || strings.HasPrefix(operator, "??")
}

// skipsUnlessMissing tells whether the right side of an operator is looked at only where what has a name is missing.
func (j *javascript) skipsUnlessMissing(i int, name string) bool {
	t := j.tree
	left, operator := t.Child(i, leftField), j.operatorOf(i)
	return isOr(operator) && j.isNamed(left, name) || operator == "&&" && j.isMissing(left, name)
}

// isMissing tells whether the condition at node i holds only where what has a name is missing.
func (j *javascript) isMissing(i int, name string) bool {
	t := j.tree
	if i = j.bare(i); i == analyze.NoNode {
		return false
	}
	switch t.Kind(i) {
	case kindUnaryExpression:
		return j.operatorOf(i) == "!" && j.isThere(t.Child(i, argumentField), name)
	case kindBinaryExpression:
		left, right := j.bare(t.Child(i, leftField)), j.bare(t.Child(i, rightField))
		switch j.operatorOf(i) {
		case "&&":
			return j.isMissing(left, name) || j.isMissing(right, name)
		case "===", "==":
			return j.isTypeOf(left, name) && isText(j.sourceOf(right), "undefined") ||
				j.isNamed(left, name) && j.isNothing(right)
		case "!==", "!=":
			return j.isTypeOf(left, name) && isText(j.sourceOf(right), "function")
		}
	}
	return false
}

// isThere tells whether the condition at node i holds wherever what has a name is there.
func (j *javascript) isThere(i int, name string) bool {
	t := j.tree
	if i = j.bare(i); i == analyze.NoNode || t.Kind(i) != kindBinaryExpression || j.operatorOf(i) != "in" {
		return j.isNamed(i, name)
	}
	owner, key, _ := cutLast(name)
	return isText(j.sourceOf(t.Child(i, leftField)), key) && j.isNamed(t.Child(i, rightField), owner)
}

func (j *javascript) isTypeOf(i int, name string) bool {
	t := j.tree
	return i != analyze.NoNode && t.Kind(i) == kindUnaryExpression && j.operatorOf(i) == "typeof" && j.isNamed(t.Child(i, argumentField), name)
}

// isNamed tells whether node i is a name of the language by which it has something, and that of a member of it.
func (j *javascript) isNamed(i int, name string) bool {
	t := j.tree
	if i = j.bare(i); i == analyze.NoNode {
		return false
	}
	switch t.Kind(i) {
	case kindIdentifier:
		found, global := j.resolve(i)
		return global && len(found) == 0 && name == "globalThis."+j.identifierText(i)
	case kindMemberExpression:
		owner, key, ok := cutLast(name)
		return ok && j.sourceOf(t.Child(i, propertyField)) == key && j.isNamed(t.Child(i, objectField), owner)
	}
	return false
}

// isNothing tells whether node i stands for what is not there.
func (j *javascript) isNothing(i int) bool {
	if i != analyze.NoNode && j.tree.Kind(i) == kindUndefined {
		found, global := j.resolve(i)
		return global && len(found) == 0
	}
	return j.sourceOf(i) == "null" || j.sourceOf(i) == "void 0"
}

func (j *javascript) sourceOf(i int) string {
	if i == analyze.NoNode {
		return ""
	}
	return j.tree.Source(i)
}

// isText tells whether the source of a literal is that of a text.
func isText(source, text string) bool { return source == `"`+text+`"` || source == "'"+text+"'" }

// isFillable is true for what classes of the language have, or may get, that nobody asks for but by its name.
func isFillable(owner, key string) bool {
	class, _ := prototypeOwner(owner)
	if class == "" {
		class = owner
	}
	switch class {
	case "globalThis.Array", "globalThis.Date", "globalThis.Function", "globalThis.Map", "globalThis.Math", "globalThis.Number", "globalThis.Object",
		"globalThis.Promise", "globalThis.RegExp", "globalThis.Set", "globalThis.String":
	default:
		return false
	}
	return owner != "globalThis.Object.prototype" && !isAsked(key) && !isConverter(key) && !tellsOfMatch(owner, key) && (isNewName(key) || isLanguageMethod(key))
}

// tellsOfMatch is true for what RegExp tells of the last match, which may be an empty text.
func tellsOfMatch(owner, key string) bool {
	return owner == "globalThis.RegExp" && (strings.HasPrefix(key, "$") || strings.HasPrefix(key, "last") || strings.HasSuffix(key, "Context"))
}
