package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// statements walks the children of a block.
func (j *javascript) statements(i int) {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		j.statement(c)
	}
}

// statement walks a statement, or an expression whose value nobody uses.
func (j *javascript) statement(i int) {
	if !j.step() {
		return
	}
	t := j.tree
	switch t.Kind(i) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration:
		f := j.definition(i)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			scope := int(j.scopeIn[i])
			if k := t.Kind(t.Parent(i)); k == kindIfStatement || k == kindElseClause { // of which it is the body, without a block
				f = j.maybe(f)
			}
			j.declareValue(scope, name, f)
			if outer := j.functionScopeOf(scope); outer != scope { // which gets what the name stands for in the block, when that is reached
				own := j.bindings[scopedName{scope, j.identifierText(name)}]
				j.reads(&own.readBy)
				j.declareValue(outer, name, j.maybe(own.values))
			}
		}
	case kindClassDeclaration:
		c := j.classDefinition(i)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			j.declareValue(int(j.scopeIn[i]), name, c)
		}
	case kindVariableDeclarator:
		j.declarator(i)
	case kindImportStatement:
		j.importStatement(i)
	case kindExportStatement:
		j.exportStatement(i)
	case kindForInStatement:
		j.forIn(i)
	case kindReturnStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			s := j.load(e)
			if j.function != nil {
				j.grow(&j.function.gives, &j.function.ret, s)
			} else {
				j.escape(s, e)
			}
		} else if j.function != nil {
			j.function.bare = true
		}
	case kindThrowStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			s := j.load(e)
			j.learnedOf(&j.thrown, s)
			j.handBack(s, i) // who catches it may be a promise, or a listener of the process
			j.shown(s, i)
		}
	case kindCatchClause:
		if p := t.Child(i, parameterField); p != analyze.NoNode {
			j.bindPattern(p, j.join(j.known(&j.thrown), anything()), p)
		}
		if b := t.Child(i, bodyField); b != analyze.NoNode {
			j.statement(b)
		}
	case kindWithStatement:
		j.withStatement(i)
	case kindLabeledStatement:
		if b := t.Child(i, bodyField); b != analyze.NoNode {
			j.statement(b)
		}
	case kindExpressionStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.discard(e)
		}
	case kindComment, kindHashBangLine, kindHtmlComment, kindEmptyStatement, kindBreakStatement, kindContinueStatement, kindDebuggerStatement,
		kindStatementIdentifier, kindImportAttribute:
	case kindProgram, kindVariableDeclaration, kindLexicalDeclaration, kindStatementBlock, kindElseClause, kindIfStatement, kindSwitchStatement,
		kindForStatement, kindWhileStatement, kindDoStatement, kindTryStatement, kindSwitchBody, kindSwitchCase, kindSwitchDefault, kindFinallyClause:
		j.statements(i)
	default:
		j.discard(i)
	}
}

// discard evaluates an expression for what it does.
func (j *javascript) discard(i int) {
	j.load(i)
}

func (j *javascript) functionScopeOf(scope int) int {
	return functionScopeOf(j.scopes, scope)
}

// declareValue gives the name at node i, declared in scope, a value.
func (j *javascript) declareValue(scope, i int, s value) {
	if b := j.bindings[scopedName{scope, j.identifierText(i)}]; b != nil {
		j.grow(&b.readBy, &b.values, s)
	}
}

func (j *javascript) declarator(i int) {
	t := j.tree
	name, value := t.Child(i, nameField), t.Child(i, valueField)
	if name == analyze.NoNode {
		return
	}
	if t.Kind(t.Parent(i)) == kindVariableDeclaration {
		j.unsetBehindCatch(name)
	}
	s := ofKind(atomUndefined)
	if value != analyze.NoNode {
		s = j.source(name, value)
	} else if t.Kind(name) == kindIdentifier && j.setNext(i, name) {
		return // the value is what is assigned then
	}
	j.bindPattern(name, s, i)
	if value != analyze.NoNode && t.Kind(t.Parent(i)) == kindVariableDeclaration {
		j.unsetOutside(name, i, j.blockOf(i))
	}
}

// source evaluates what a pattern takes apart. Taking named members of a
// symbol mentions those, not the symbol.
func (j *javascript) source(pattern, value int) value {
	t := j.tree
	if t.Kind(pattern) != kindObjectPattern {
		return j.load(value)
	}
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindRestPattern {
			return j.load(value)
		}
	}
	return j.eval(value)
}

// forIn walks for (… of …) and for (… in …).
func (j *javascript) forIn(i int) {
	t := j.tree
	left, right := t.Child(i, leftField), t.Child(i, rightField)
	operator := t.Child(i, operatorField)
	if v := t.Child(i, valueField); v != analyze.NoNode && left != analyze.NoNode {
		j.bindPattern(left, j.load(v), left)
	}
	if left != analyze.NoNode && right != analyze.NoNode {
		s := ofKind(atomAnyString)
		if operator != analyze.NoNode && t.Source(operator) == "of" {
			s = j.elements(j.load(right), right)
			if isForAwait(t, i) {
				j.convertsAll(s)
				s = j.awaited(s)
			}
		} else {
			s = j.join(s, j.keysOf(j.eval(right)))
			s = j.join(s, anything())
		}
		if t.Child(i, kindField) != analyze.NoNode {
			j.bindPattern(left, s, left)
			if t.Source(t.Child(i, kindField)) == "var" {
				j.unsetBehindCatch(left)
				j.unsetOutside(left, left, i)
			}
		} else {
			j.assign(left, s)
		}
	}
	if b := t.Child(i, bodyField); b != analyze.NoNode {
		j.statement(b)
	}
}

func (j *javascript) withStatement(i int) {
	t := j.tree
	j.dynamicAt(analyze.DynamicNamespace, i)
	o, b := t.Child(i, objectField), t.Child(i, bodyField)
	if o == analyze.NoNode || b == analyze.NoNode {
		return
	}
	j.with = append(j.with, j.load(o))
	j.statement(b)
	j.with = j.with[:len(j.with)-1]
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

// bindPattern gives the names of a declaring pattern their values.
func (j *javascript) bindPattern(i int, s value, at int) {
	t := j.tree
	switch t.Kind(i) {
	case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifierPattern:
		j.assignName(i, s)
	case kindAssignmentPattern, kindObjectAssignmentPattern:
		left, right := t.Child(i, leftField), t.Child(i, rightField)
		if right != analyze.NoNode {
			s = j.join(s.there(), j.source(left, right))
		}
		if left != analyze.NoNode {
			j.bindPattern(left, s, at)
		}
	case kindObjectPattern:
		j.objectPattern(i, s)
	case kindArrayPattern:
		j.arrayPattern(i, s)
	case kindRestPattern:
		if c := t.FirstNamed(i); c != analyze.NoNode {
			j.bindPattern(c, s, at)
		}
	default:
		j.assign(i, s)
	}
}

func (j *javascript) objectPattern(i int, s value) {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindShorthandPropertyIdentifierPattern:
			j.bindPattern(c, j.taken(s, j.identifierText(c), c), c)
		case kindObjectAssignmentPattern:
			left := t.Child(c, leftField)
			if left != analyze.NoNode {
				j.bindPattern(c, j.taken(s, j.identifierText(left), left), c)
			}
		case kindPairPattern:
			j.pairPattern(c, s)
		case kindRestPattern:
			if n := t.FirstNamed(c); n != analyze.NoNode {
				j.bindPattern(n, j.restOf(i, s, c), c)
			}
		}
	}
}

// restOf is what a pattern leaves of s: of what is the program's an object with the members that
// the pattern does not take; of the rest, which is as good as the whole, each may be missing.
func (j *javascript) restOf(pattern int, s value, at int) value {
	t, o := j.tree, j.objectFor(at, 0)
	taken, all := map[string]bool{}, true // whether the keys are known
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		key := c
		switch t.Kind(c) {
		case kindObjectAssignmentPattern:
			key = t.Child(c, leftField)
		case kindPairPattern:
			key = t.Child(c, keyField)
		case kindRestPattern:
			continue
		}
		if key == analyze.NoNode || t.Kind(key) == kindComputedPropertyName {
			all = false
			continue
		}
		if text := j.keyText(key); text != objectText { // which stands for others, too
			taken[text] = true
		}
	}
	if !all || len(s) > 1 {
		j.unlist(o)
	}
	out, several := objectValue(o), s.several()
	for _, v := range s {
		if v.kind == atomObject || v.kind == atomBytes || v.primitive() {
			j.spreadInto(o, one(v), at, func(key string, s value) {
				if !all || len(out) > 1 || several { // what one has another lacks
					s = j.maybe(s)
				}
				if !taken[key] {
					j.put(o, key, s)
				}
			})
			continue
		}
		out = j.join(out, j.join(one(v), anything()))
	}
	return out
}

// taken is the member of s that a pattern takes out.
func (j *javascript) taken(s value, key string, at int) value {
	m := j.memberOf(s, key, at)
	j.property(key, at)
	j.mentionAll(m, at, analyze.HowReference)
	return m
}

func (j *javascript) pairPattern(i int, s value) {
	t := j.tree
	key, to := t.Child(i, keyField), t.Child(i, valueField)
	if key == analyze.NoNode || to == analyze.NoNode {
		return
	}
	var m value
	if t.Kind(key) == kindComputedPropertyName {
		k := j.load(t.FirstNamed(key))
		j.keyProperties(k, t.FirstNamed(key))
		m = j.members(s, k, key)
	} else {
		m = j.memberOf(s, j.keyText(key), key)
		j.property(j.keyText(key), key)
	}
	target := to
	if t.Kind(to) == kindAssignmentPattern {
		target = t.Child(to, leftField)
	}
	if target == analyze.NoNode || t.Kind(target) != kindObjectPattern {
		j.mentionAll(m, key, analyze.HowReference)
	} else {
		j.mentionOwners(m, key)
	}
	j.bindPattern(to, m, i)
}

func (j *javascript) arrayPattern(i int, s value) {
	t, n := j.tree, 0
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if !t.Named(c) {
			if t.Source(c) == "," {
				n++
			}
			continue
		}
		switch t.Kind(c) {
		case kindComment:
		case kindRestPattern:
			rest := j.objectAt(c)
			rest.array, rest.mutable = true, true
			j.grow(&rest.readBy, &rest.rest, j.elements(s, c))
			if e := t.FirstNamed(c); e != analyze.NoNode {
				j.bindPattern(e, objectValue(rest), c)
			}
		default:
			m := j.iteratedOr(j.members(s, numberValue(float64(n)), c))
			for _, v := range s {
				if v.kind == atomObject && (!v.obj.isList() || len(j.ownOrLoose(v.obj, symbolPrefix+"iterator")) > 0) { // which may give fewer than it has under numbers
					m = j.join(m, j.maybe(j.elements(one(v), c)))
				}
			}
			j.bindPattern(c, m, c)
		}
	}
}

// keyText returns the text of a property name that is not computed.
func (j *javascript) keyText(i int) string {
	switch j.tree.Kind(i) {
	case kindString:
		return oneText(decodeKey(j.quotedText(i)))
	case kindNumber:
		return numberKey(j.tree.Source(i))
	}
	return j.identifierText(i)
}

// memberKey is the key of the member that the name at node i is: no text names a private one.
func (j *javascript) memberKey(i int) string {
	if j.tree.Kind(i) == kindPrivatePropertyIdentifier {
		return privatePrefix + j.identifierText(i)
	}
	return j.keyText(i)
}

// assignName assigns to the name at node i.
func (j *javascript) assignName(i int, s value) {
	found, global := j.resolve(i)
	if len(found) > 0 {
		for _, b := range found {
			j.grow(&b.readBy, &b.values, s)
		}
		if !global || !j.cells {
			return
		}
	}
	name := j.identifierText(i)
	if global && (isBuiltinGlobal(name) || isModuleVariable(name)) {
		j.mention("globalThis."+name, i, analyze.HowAssign, true, nil, false)
		j.dynamicAt(analyze.DynamicPatch, i)
		j.escape(s, i)
	}
	j.assignGlobal(name, s)
}

// assignGlobal assigns to a global that the program makes so.
func (j *javascript) assignGlobal(name string, s value) {
	p := j.implicit[name]
	if p == nil {
		p = new(kept)
		j.implicit[name] = p
		j.learned(nil)
	}
	j.learnedOf(p, s)
}

// assign assigns to an expression: a name, a member or a pattern.
func (j *javascript) assign(i int, s value) {
	t := j.tree
	switch t.Kind(i) {
	case kindParenthesizedExpression:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.assign(e, s)
		}
	case kindMemberExpression:
		o, p := t.Child(i, objectField), t.Child(i, propertyField)
		if o == analyze.NoNode || p == analyze.NoNode {
			return
		}
		key := j.memberKey(p)
		if !isPrivate(key) {
			j.property(key, p)
		}
		j.assignMember(j.assigned(o, stringValue(key), s), stringValue(key), s, i)
	case kindSubscriptExpression:
		o, x := t.Child(i, objectField), t.Child(i, indexField)
		if o == analyze.NoNode || x == analyze.NoNode {
			return
		}
		owner := j.objectOf(o)
		keys := j.load(x)
		j.keyProperties(keys, x)
		if t.Kind(o) == kindSuper {
			owner = j.assigned(o, keys, s)
		}
		j.assignMember(owner, keys, s, i)
	case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifierPattern, kindAssignmentPattern, kindObjectAssignmentPattern,
		kindObjectPattern, kindArrayPattern, kindRestPattern:
		j.bindPattern(i, s, i)
	default:
		j.statement(i)
		j.escape(s, i)
	}
}

// assigned evaluates the object o, to whose members s is assigned: those of super are
// members of this, but for what setters make of it.
func (j *javascript) assigned(o int, keys, s value) value {
	owner := j.objectOf(o)
	if j.tree.Kind(o) != kindSuper {
		return owner
	}
	for _, v := range j.super {
		for _, k := range keys {
			if key, ok := propertyKey(k); ok && v.kind == atomObject {
				j.invoke(j.setters(v.obj, key, true), j.this, s)
			}
		}
	}
	return j.join(j.this, owner)
}

// assignMember assigns to members of what an expression yields.
func (j *javascript) assignMember(owner, keys, s value, at int) {
	j.convertsAll(keys)
	if keys.has(tableAtom) {
		for _, o := range owner {
			for _, name := range j.namedAsInherited(o) {
				keys = j.add(keys, atom{kind: atomString, text: name})
			}
		}
	}
	either := len(keys) > 1 || owner.several() && !j.ofThis(at)
	for _, o := range owner.present() {
		if mayBeShared(o) {
			j.assignShared(keys, s, at)
		}
		if o == tableAtom {
			continue
		}
		switch o.kind {
		case atomSymbol:
			j.assignSymbol(o.text, keys, s, at, owner.single())
		case atomObject:
			j.mutates(o.obj)
			for _, k := range keys {
				key, ok := propertyKey(k)
				j.invoke(j.setters(o.obj, key, ok), objectValue(o.obj), s)
				if !ok {
					j.namesAny(k, s)
					j.putLoose(o.obj, s, k.numeric())
					if o.obj.leavesHole("length", nil) {
						j.grow(&o.obj.readBy, &o.obj.rest, ofKind(atomUndefined))
					}
					if !k.numeric() {
						j.mayInherit(o.obj, s)
					}
					continue
				}
				if !s.any(atomUnknown) && (j.mayLack(o.obj, key, either, at) || j.mayBeFrozen(o.obj, at)) {
					s = j.maybe(s)
				}
				if key == "length" && o.obj.array {
					j.shrinks(o.obj)
				}
				j.reads(&o.obj.readBy)
				if o.obj.leavesHole(key, s) {
					j.grow(&o.obj.readBy, &o.obj.rest, ofKind(atomUndefined))
				}
				j.put(o.obj, key, s)
				if key == "__proto__" {
					j.reparent(o.obj, s)
				}
			}
			if j.unseen(keys) {
				j.invoke(j.setters(o.obj, "", false), objectValue(o.obj), s)
				j.putLoose(o.obj, s, false)
			}
			if j.belowOthers(o.obj) { // which may have an accessor for it
				j.escape(s, at)
			}
		default:
			if o.kind == atomBytes {
				j.writes()
			}
			j.mayPatch(o, at)
			j.reopened(keys, at)
			j.prepared(keys, s, at)
			j.store(keys, s)
			if j.cameBack(o) && !slices.ContainsFunc(keys, func(k atom) bool { _, ok := propertyKey(k); return !ok }) {
				j.shareAll(keys, s) // what is copied from object to object comes under names that are not known
			}
			j.escape(s, at)
		}
	}
	if j.unseen(owner) {
		j.reopened(keys, at)
		j.prepared(keys, s, at)
		j.store(keys, s)
		j.escape(s, at)
	}
}

// leavesHole tells whether assigning to a key makes an array longer by more than what is assigned.
func (o *object) leavesHole(key string, s value) bool {
	if !o.array || o.collection {
		return false
	}
	if key == "length" {
		return !s.single() || s[0] != numberAtom(0)
	}
	n, ok := indexOf(key)
	return ok && n > 0 && (o.shrinks || o.props[key] == nil && o.props[formatNumber(float64(n-1))] == nil)
}

// mayBeShared tells whether a value, a member whose name is not known, may be what all objects inherit
// from, or Object.
func mayBeShared(v atom) bool {
	return v.kind == atomComputed && (v.text == "" || v.text == ofTable)
}

// cameBack tells whether a value of which nothing is known may be what all objects inherit from, because
// that went where it is not followed.
func (j *javascript) cameBack(v atom) bool { return v.kind == atomUnknown && j.carried }

// assignShared assigns to members of what may be shared so: any object may have them then. What
// functions do that are put there in place of others is not followed.
func (j *javascript) assignShared(keys, s value, at int) {
	if slices.ContainsFunc(s, changesShared) || j.leadsOut(s) {
		j.dynamicAt(analyze.DynamicClass, at)
	}
	if !j.reachesBehind {
		j.reachesBehind = true
		j.learned(nil)
	}
	j.shareAll(keys, s)
}

// shareAll notes what any object may have under keys.
func (j *javascript) shareAll(keys, s value) {
	if j.unseen(keys) {
		keys = anything()
	}
	for _, k := range keys {
		j.share(k, s.there())
	}
}

// changesShared is true for what changes how objects act that have it without knowing.
func changesShared(v atom) bool {
	switch v.kind {
	case atomSymbol:
		owner, key, _ := cutLast(v.text)
		return isNamespace(v.text) || isFunction(v.text) && !strings.HasPrefix(owner, "globalThis.process") && owner != "node:os" && strings.ToUpper(key) != key
	case atomNative:
		return isLanguageMethod(v.text)
	case atomConstructor:
		return true
	}
	return v.kind == atomObject && (v.obj.callable() || v.obj.bound != nil)
}

// leadsOut tells whether objects in s lead to something outside whose members a policy must tell apart.
func (j *javascript) leadsOut(s value) bool {
	held, seen := []value{s}, map[*object]bool{}
	for n := 0; n < len(held); n++ {
		for _, v := range held[n] {
			switch {
			case v.kind == atomSymbol && isNamespace(v.text):
				return true
			case v.kind == atomObject && !seen[v.obj] && j.work(1+len(v.obj.keys)):
				seen[v.obj] = true
				j.reads(&v.obj.readBy)
				for _, k := range v.obj.keys {
					held = append(held, *v.obj.props[k])
				}
				held = append(held, v.obj.underUnknown(), v.obj.rest, j.returns(one(v)))
			}
		}
	}
	return false
}

// share notes what any object may have under a key.
func (j *javascript) share(key atom, s value) {
	name, ok := propertyKey(key)
	switch {
	case key.numeric(), ok && isIndex(name): // which are not told apart
		name = "0"
	case !ok:
		name = anyKey
	}
	if j.shares == nil {
		j.shares = map[string]*kept{}
		j.outdates(nil)
	}
	j.sharedAt(name)
	p := j.shares[name]
	if len(p.values) == 0 && len(s) > 0 { // which is no growing constant
		p.values = s
		j.learned(&p.readBy)
	}
	j.grow(&p.readBy, &p.values, s)
	if name != "0" {
		j.names(name, s)
	}
}

// shared is what any object may have under a key, because it was put on what all objects inherit from:
// under a key that is not known hardly in the place of the language's own methods: see mayReplace.
func (j *javascript) shared(key string) value {
	if isIndex(key) {
		key = "0"
	}
	out := j.sharedAt(key)
	if !isLanguageMethod(key) {
		out = j.join(out, j.sharedAt(anyKey))
	}
	return out
}

// sharedAt is what is noted under a key: nothing of any, as long as nothing was.
func (j *javascript) sharedAt(key string) value {
	if j.shares == nil {
		return nil
	}
	p := j.shares[key]
	if p == nil {
		p = new(kept)
		j.shares[key] = p
	}
	j.reads(&p.readBy)
	return p.values
}

// mayPatch looks at what is put on a member of a function of the library under a name that is not
// known: it may be the prototype, which all code shares.
func (j *javascript) mayPatch(o atom, at int) {
	if o.kind == atomComputed && o.text == ofFunction {
		j.dynamicAt(analyze.DynamicPatch, at)
	}
}

// setters returns the setters that assigning to a key calls, or to any key when it is not known.
func (j *javascript) setters(o *object, key string, known bool) value {
	if known {
		return j.join(j.own(o, setPrefix+key), j.own(o, setPrefix+anyKey))
	}
	var out value
	line, _ := j.lineage(o)
	for _, from := range line {
		if !from.accessors {
			continue
		}
		for _, k := range from.keys {
			if strings.HasPrefix(k, setPrefix) {
				out = j.join(out, *from.props[k])
			}
		}
	}
	return out
}

// store notes what the program puts under a key of an object that is not its
// own, such as a function or a Buffer: by the key alone.
func (j *javascript) store(keys, s value) {
	if j.unseen(keys) {
		j.putAt(anyKey, s)
	}
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			j.names(key, s)
			j.asked(key, s)
			j.putAt(key, s)
		} else {
			j.namesAny(k, s)
			j.putAt(anyKey, s)
		}
		if k.text == "__proto__" {
			for _, v := range s {
				j.inherit(v)
			}
		}
	}
}

// inherit is store for what an object that is not the program's own is made to
// inherit from.
func (j *javascript) inherit(v atom) {
	if v.kind != atomObject {
		return
	}
	j.reads(&v.obj.readBy)
	for _, k := range v.obj.keys {
		if name, getter := strings.CutPrefix(k, getPrefix); getter {
			j.putAt(name, j.invoke(*v.obj.props[k], one(v)))
		} else {
			j.putAt(k, *v.obj.props[k])
		}
	}
	j.putAt(anyKey, v.obj.rest)
}

// stored is what the program has put under a key of objects that are not its own. Who merges
// data puts members of members there, which are hardly called in the place of a method of
// the language: not the call counts that may make code, but what is done with what it gives.
func (j *javascript) stored(key string) value {
	own, loose := j.place(key), j.place(anyKey)
	j.reads(&own.readBy)
	j.reads(&loose.readBy)
	switch {
	case len(own.values) == 0 || own == loose:
		return j.storedAt(loose, nil)
	case len(loose.values) == 0:
		return j.storedAt(own, nil)
	}
	return j.storedAt(own, loose.values)
}

// place is what the program has put under a key.
type place struct {
	values value
	readBy readBy

	own, loose value // what storedAt was last asked for, which made these of it
	both       value
	spilled    value // what was in excess

	member, beside value // what memberOrStored was last asked for, which made joined of it
	joined         value
}

// place returns the place of what is put under a key.
func (j *javascript) place(key string) *place {
	p := j.placed[key]
	if p == nil {
		p = new(place)
		j.placed[key] = p
	}
	return p
}

// putAt adds to what is put under a key.
func (j *javascript) putAt(key string, s value) {
	p := j.place(key)
	j.grow(&p.readBy, &p.values, s)
}

// storedAt is what was put at a place and under keys that are not known. It is joined anew
// when there is more.
func (j *javascript) storedAt(p *place, loose value) value {
	if !p.own.same(p.values) || !p.loose.same(loose) {
		p.own, p.loose = p.values, loose
		p.both, p.spilled = j.joinStored(p.values, loose)
	}
	j.escape(p.spilled, j.here)
	return p.both
}

// joinStored joins what was put under a key and under keys that are not known, and tells what
// of it was too much to tell apart.
func (j *javascript) joinStored(own, loose value) (out, spilled value) {
	out = make(value, 0, len(own)+len(loose))
	for _, s := range [...]value{own, loose} {
		for _, v := range s {
			if v.kind == atomComputed {
				v.num = min(v.num, 1)
			}
			if out.covers(v) {
				continue
			}
			kept, lost := j.bounded(append(out, v))
			out, spilled = kept, append(spilled, lost...)
		}
	}
	return slices.Clip(out), spilled
}

// assignEach assigns what the objects in s hold, each by its key.
func (j *javascript) assignEach(s value, at int, assign func(keys, s value)) {
	others := j.objectFor(at, 12) // of names that are not known
	for _, v := range s {
		if v.kind != atomObject {
			j.grow(&others.readBy, &others.rest, anything())
		}
		j.spreadInto(others, one(v), at, func(key string, s value) { assign(stringValue(key), s) })
	}
	if len(others.rest) > 0 {
		assign(ofKind(atomAnyString), others.rest)
	}
}

// assignSymbol assigns to members of an outside object.
func (j *javascript) assignSymbol(owner string, keys, s value, at int, sure bool) {
	for _, k := range keys {
		key, ok := propertyKey(k)
		if !ok {
			j.mention(owner, at, analyze.HowAssign, false, nil, false)
			if isNamespace(owner) || isPatch(owner, "prepareStackTrace") && owner != "globalThis.process.env" {
				j.dynamicAt(analyze.DynamicPatch, at)
			}
			j.escape(s, at)
			continue
		}
		if owner == "globalThis.module" && key == "exports" {
			j.learnedOf(&j.exports, s)
			continue
		}
		if owner == "globalThis" && !isBuiltinGlobal(key) {
			j.assignGlobal(key, s)
			if b := j.bindings[scopedName{1, key}]; j.cells && b != nil {
				j.grow(&b.readBy, &b.values, s)
			}
			continue
		}
		name := memberSymbol(owner, key)
		j.names(key, s)
		j.mention(owner+"."+key, at, analyze.HowAssign, sure && keys.single(), nil, false)
		if isPatch(owner, key) {
			j.dynamicAt(analyze.DynamicPatch, at)
		}
		p := j.patched[name]
		if p == nil {
			p = new(kept)
			j.patched[name] = p
			j.outdates(nil) // nobody has read it yet
		}
		j.learnedOf(p, s)
		j.escape(s, at)
	}
}
