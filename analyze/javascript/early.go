package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// A member that is assigned where its object is made is there for whoever gets the object after that. Who
// has the object before may ask for the member too early: what it copies, or gives, is undefined.

// maxEarly bounds what is looked at for one member: uses, fields and classes. Behind it somebody may ask.
const maxEarly = 512

// askedBefore tells whether an object may be asked for a member before that is assigned at node i, where
// the object is made or by its constructor.
func (j *javascript) askedBefore(o *object, key string, i int) bool {
	t := j.tree
	end := t.After(i)
	if p := t.Parent(i); t.Kind(p) == kindAssignmentExpression {
		end = t.After(p)
	}
	a := &asker{javascript: j, o: o, key: key, at: i}
	switch class := o.instanceOf; {
	case class != nil && class.class != nil:
		return a.byConstructing(class, end, 0)
	case class != nil:
		return a.byThis(class.node, class.node, end)
	case o.node == 0:
		return a.exports(end)
	case i == o.node: // of what the call at i makes
		return false
	case o.class != nil && a.byClass(o, end):
		return true
	case i < o.node: // of what is made there
		return a.byMaking(end)
	}
	name := j.nameOf(o)
	return name == analyze.NoNode || a.byName(name, end)
}

// fieldAskedBefore is askedBefore for what the field at node i of a class defines.
func (j *javascript) fieldAskedBefore(class, o *object, key string, i int) bool {
	a := &asker{javascript: j, o: o, key: key, at: i}
	if o == class {
		return a.byClass(o, j.tree.After(i))
	}
	return a.byFields(class, false, j.tree.After(i)) || a.byAbove(class, 0)
}

// nameOf returns the node of the name under which an object is declared where it is made, or NoNode.
func (j *javascript) nameOf(o *object) int {
	t := j.tree
	switch t.Kind(o.node) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindClassDeclaration:
		return t.Child(o.node, nameField)
	}
	i := t.Bracketed(o.node, kindParenthesizedExpression)
	p := t.Parent(i)
	if t.Kind(p) != kindVariableDeclarator || t.Field(i) != valueField {
		return analyze.NoNode
	}
	if name := t.Child(p, nameField); name != analyze.NoNode && t.Kind(name) == kindIdentifier {
		return name
	}
	return analyze.NoNode
}

// asker looks for who may ask an object for a member before node at assigns that.
type asker struct {
	*javascript
	o   *object
	key string
	at  int
	n   int // what was looked at
}

// spent tells whether enough was looked at.
func (a *asker) spent() bool {
	a.n++
	return a.n > maxEarly
}

// byMaking is true where somebody may have what is made in the very expression of which a member is assigned, and ask
// before node end: only who gives it to a name first hands it to nobody.
func (a *asker) byMaking(end int) bool {
	t, named := a.tree, false
	for i, p := a.o.node, t.Parent(a.o.node); p != a.at; i, p = p, t.Parent(p) {
		switch t.Kind(p) {
		case kindParenthesizedExpression:
		case kindArguments:
			if t.Parent(p) != a.at || t.FirstNamed(p) != i {
				return true
			}
		case kindAssignmentExpression:
			if left := t.Child(p, leftField); left == analyze.NoNode || left == i || t.Kind(left) != kindIdentifier {
				return true
			}
			named = true
		default:
			return true
		}
	}
	return a.runsSetters() || named && !a.undisturbed(end, "")
}

// undisturbed tells whether nobody has a part in what is between the node where the object is made and node end, and
// no error ends that: the object is known by a name.
func (a *asker) undisturbed(end int, name string) bool {
	t := a.tree
	if !a.quiet(t.After(a.o.node), end, a.at, name) {
		return false
	}
	call := t.Kind(a.at) == kindCallExpression
	if call && a.functionAround(a.at) != analyze.NoNode { // for which there may be no room any more
		return false
	}
	for k := t.After(a.o.node); k < end; k++ {
		p := t.Parent(k)
		switch in := t.Kind(p); {
		case in == kindMemberExpression && t.Field(k) == propertyField && t.Kind(t.Parent(p)) == kindAssignmentExpression && t.Field(p) == leftField:
		case call && (in == kindPair && t.Field(k) == keyField || in == kindMethodDefinition && t.Field(k) == nameField || t.Kind(k) == kindShorthandPropertyIdentifier):
		default:
			continue
		}
		switch key := a.memberKey(k); {
		case a.refuses(key), call && (key == "get" || key == "set"): // of a descriptor, which has a value, or nobody knows what
			return false
		}
	}
	return true
}

// refuses tells whether it may be an error to assign to a key of the object: it, or one that it inherits from or that
// inherits from it, has an accessor or is frozen, or it is a function with such a member of its own.
func (a *asker) refuses(key string) bool {
	return a.pinned || slices.ContainsFunc(a.withHeirs(objectValue(a.o)), func(v atom) bool {
		line, _ := a.lineage(v.obj)
		return slices.ContainsFunc(line, func(from *object) bool {
			return from.accessors || a.mayBeFrozen(from, a.at) || (from.callable() || from.bound != nil) && (isFunctionKey(key) || key == prototypeKey)
		})
	})
}

// runsSetters tells whether node at is a call that may assign more than the member, to an object with setters of its own:
// these are told of the object.
func (a *asker) runsSetters() bool {
	t := a.tree
	if t.Kind(a.at) != kindCallExpression {
		return false
	}
	if f := a.bare(t.Child(a.at, functionField)); f != analyze.NoNode && t.Kind(f) == kindMemberExpression && a.memberKey(t.Child(f, propertyField)) == "defineProperty" {
		return false
	}
	return slices.ContainsFunc(a.withHeirs(objectValue(a.o)), func(v atom) bool {
		line, _ := a.lineage(v.obj)
		return slices.ContainsFunc(line, func(from *object) bool {
			return from.accessors && slices.ContainsFunc(from.keys, func(k string) bool { return strings.HasPrefix(k, setPrefix) })
		})
	})
}

// byName is true where a use of the name that the object is declared under asks, before node end.
func (a *asker) byName(name, end int) bool {
	t, o := a.tree, a.o
	from := o.node
	if o.callable() { // whose own code runs where it is called by that name
		from = t.After(from)
	}
	text := a.identifierText(name)
	all := a.identifiersOf(text)
	n, _ := slices.BinarySearch(all, int32(from))
	if n > 0 && a.undisturbed(end, text) {
		all = all[n:]
	}
	for _, at := range all {
		k := int(at)
		if a.spent() {
			return true
		}
		if k == name || k < from && !a.calledLater(k, a.at) || k >= end && !a.runsBefore(k, a.at) {
			continue
		}
		if a.asks(k) && (a.sameName(k, name) || a.isClassName(k, text)) {
			return true
		}
	}
	return false
}

// isClassName tells whether the name at node k means the class that the object is: outside of it that is another variable.
func (a *asker) isClassName(k int, name string) bool {
	if a.tree.Kind(a.o.node) != kindClassDeclaration {
		return false
	}
	outside := a.bindings[scopedName{int(a.scopeIn[a.o.node]), name}]
	found, _ := a.resolve(k)
	return slices.Contains(found, outside)
}

// exports is byName for what module.exports is at first.
func (a *asker) exports(end int) bool {
	t := a.tree
	for _, k := range a.identifiersOf("exports") {
		if (int(k) < end || a.runsBefore(int(k), a.at)) && a.asks(int(k)) {
			return true
		}
	}
	for _, k := range a.identifiersOf("module") {
		p := t.Parent(int(k))
		if int(k) >= end && !a.runsBefore(int(k), a.at) {
			continue
		}
		if t.Kind(p) != kindMemberExpression || t.Field(int(k)) != objectField || a.asks(p) {
			return true
		}
	}
	return a.byThis(analyze.NoNode, 0, end)
}

// receiversWithin returns the nodes of this and super that stand between two nodes.
func (j *javascript) receiversWithin(from, to int) []int32 {
	if j.receivers == nil {
		j.receivers = []int32{} // once, also where there are none
		for k := range j.tree.Len() {
			if kind := j.tree.Kind(k); kind == kindThis || kind == kindSuper {
				j.receivers = append(j.receivers, int32(k))
			}
		}
	}
	return within(j.receivers, from, to)
}

// byThis is true where this, of the function or field at node of, asks between two nodes.
func (a *asker) byThis(of, from, end int) bool {
	t := a.tree
	for _, at := range a.receiversWithin(from, end) {
		k := int(at)
		if a.spent() {
			return true
		}
		f := a.functionAround(k)
		for f != of && f != analyze.NoNode && t.Kind(f) == kindArrowFunction {
			f = a.functionAround(f)
		}
		if call := t.Parent(k); a.callsSuper(k) { // which yields the object, for whoever takes it
			k = call
			if t.Kind(t.Parent(call)) == kindExpressionStatement {
				continue
			}
		}
		if f == of && a.asks(k) {
			return true
		}
	}
	return false
}

// callsSuper tells whether node i is what the call of the constructor above calls: what that does is for byAbove.
func (a *asker) callsSuper(i int) bool {
	t := a.tree
	return t.Kind(i) == kindSuper && t.Kind(t.Parent(i)) == kindCallExpression
}

// byConstructing is true where making an instance of a class asks, before node end where that is in the class.
func (a *asker) byConstructing(class *object, end, depth int) bool {
	if a.spent() || a.byFields(class, false, a.tree.After(class.node)) || a.byAbove(class, depth) {
		return true
	}
	f := class.constructor
	return f != nil && a.byThis(f.node, f.node, min(end, a.tree.After(f.node)))
}

// byAbove is byConstructing for what the classes above do to make their part of an instance.
func (a *asker) byAbove(class *object, depth int) bool {
	a.reads(&class.readBy)
	for _, v := range class.class.super {
		switch {
		case v.kind == atomUnknown, v.kind == atomComputed, depth > maxAtoms:
			return true
		case v.kind != atomObject:
		case v.obj.class != nil:
			if a.byConstructing(v.obj, a.tree.Len(), depth+1) {
				return true
			}
		case v.obj.code == nil || a.byThis(v.obj.node, v.obj.node, a.tree.After(v.obj.node)):
			return true
		}
	}
	return false
}

// byClass is true where a static block or field of a class asks, before node end.
func (a *asker) byClass(class *object, end int) bool { return a.byFields(class, true, end) }

// byFields is true where fields of a class ask that its instances get, or the static ones, before node end.
func (a *asker) byFields(class *object, static bool, end int) bool {
	t := a.tree
	body := t.Child(class.node, bodyField)
	if body == analyze.NoNode {
		return false
	}
	for c := t.FirstNamed(body); c != analyze.NoNode && c < end; c = t.NextNamed(c) {
		switch k := t.Kind(c); {
		case a.spent():
			return true
		case k != kindFieldDefinition && k != kindClassStaticBlock, static != (k == kindClassStaticBlock || hasWord(t, c, "static")):
			continue
		}
		until := min(end, t.After(c))
		if a.byThis(c, c, until) {
			return true
		}
		if name := t.Child(class.node, nameField); static && name != analyze.NoNode {
			if slices.ContainsFunc(within(a.identifiersOf(a.identifierText(name)), c, until), func(k int32) bool { return a.asks(int(k)) }) {
				return true
			}
		}
	}
	return false
}

// asks tells whether a use of the object at node i may ask it for the member, or hands it to who may.
func (a *asker) asks(i int) bool {
	t := a.tree
	if a.spent() {
		return true
	}
	i = t.Bracketed(i, kindParenthesizedExpression)
	m := t.Parent(i)
	k := t.Kind(m)
	if m == a.at { // which assigns it
		return false
	}
	if k == kindArguments && t.Parent(m) == a.at && t.FirstNamed(m) == i { // so does that, and what is assigned besides
		return a.runsSetters()
	}
	if k != kindMemberExpression && k != kindSubscriptExpression || t.Field(i) != objectField {
		return true
	}
	member := t.Bracketed(m, kindParenthesizedExpression)
	p := t.Parent(member)
	assigned := t.Kind(p) == kindAssignmentExpression && t.Field(member) == leftField
	if k == kindSubscriptExpression {
		return !assigned || a.o.accessors
	}
	name := t.Child(m, propertyField)
	if name == analyze.NoNode {
		return true
	}
	key := a.memberKey(name)
	switch {
	case assigned:
		return a.runs(setPrefix, key)
	case key == a.key, t.Kind(p) == kindCallExpression && t.Field(member) == functionField:
		return true
	}
	return a.runs(getPrefix, key) || a.runs(setPrefix, key) // += and patterns assign, too
}

// runs tells whether the object, or one that inherits from it, has an accessor under a key.
func (a *asker) runs(prefix, key string) bool {
	return slices.ContainsFunc(a.withHeirs(objectValue(a.o)), func(v atom) bool {
		line, _ := a.lineage(v.obj)
		return slices.ContainsFunc(line, func(from *object) bool {
			return from.accessors && (from.props[prefix+key] != nil || from.props[prefix+anyKey] != nil)
		})
	})
}
