package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// containerAt returns the container that node i makes.
func (p *python) containerAt(i int, kind containerKind) int {
	n, ok := p.unit.made[i]
	if !ok {
		n = len(p.containers)
		p.containers = append(p.containers, container{kind: kind, round: p.round})
		p.unit.made[i] = n
	}
	return n
}

// beside is the key of containerAt for what is made beside what node i makes, of which there are three kinds:
// 0 for what variable i has as *i or **i, and others for node i.
func beside(kind, i int) int { return -1 - 3*i - kind }

func containerValue(n int) value { return one(atom{kind: atomContainer, n: int64(n)}) }

// put adds v to a container under key; position says where in a sequence, -1
// for anywhere.
func (p *python) put(n, position int, v value) {
	c := &p.containers[n]
	p.grow(&c.all, v)
	if c.escaped {
		p.escape(v)
	}
	switch {
	case position < 0 || position > len(c.list) || position >= maxElements || position == len(c.list) && c.round != p.round:
		p.grow(&c.rest, v)
	case position == len(c.list):
		if p.quiet == 0 {
			c.list = append(c.list, v)
			p.changed = true
		}
	default:
		p.grow(&c.list[position], v)
	}
}

// putKey adds v to a dictionary.
func (p *python) putKey(n int, key, v value) {
	c := &p.containers[n]
	p.grow(&c.all, v)
	if c.escaped {
		p.escape(v)
	}
	a, exact := key.constant()
	if !exact || key.flags&worked != 0 || len(c.dict) >= maxElements {
		p.grow(&c.keys, key)
		p.grow(&c.rest, v)
		return
	}
	old, ok := c.dict[a]
	if !ok && p.quiet == 0 {
		if c.dict == nil {
			c.dict = map[atom]value{}
		}
		c.dict[a] = v
		c.keyed = append(c.keyed, a)
		p.changed = true
		return
	}
	p.grow(&old, v)
	if p.quiet == 0 {
		c.dict[a] = old
	}
}

// sequenceOf returns a container made by node i with these elements.
func (p *python) sequenceOf(i int, items []value) value {
	n := p.containerAt(i, sequence)
	if p.filledOnTrial(n, items) {
		return containerValue(n)
	}
	if c := &p.containers[n]; c.filled && len(items) != len(c.list) {
		p.shift(n) // this place makes lists of several lengths, and counts from either end
	}
	for k, v := range items {
		p.put(n, k, v)
	}
	p.containers[n].filled = true
	return containerValue(n)
}

// filledOnTrial fills container n where nothing is bound, because it is evaluated on trial: one that nobody
// else has.
func (p *python) filledOnTrial(n int, items []value) bool {
	if p.quiet == 0 || len(p.containers[n].list) > 0 {
		return false
	}
	p.containers[n].list = items[:min(len(items), maxElements)]
	p.containers[n].all = anything()
	return true
}

// display evaluates a list, tuple or set.
func (p *python) display(i int) value {
	t := p.unit.tree
	n := p.containerAt(i, sequence)
	p.containers[n].tuple = t.Kind(i) == kindTuple || t.Kind(i) == kindExpressionList
	if t.Kind(i) == kindSet { // in an order of its own, and each once
		p.looseOf(i, nil)
	}
	k := 0
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		v := p.load(c)
		if p.splatted(c) {
			items, exact := p.sequence(v)
			if !exact {
				p.put(n, -1, p.elements(v))
				k = maxElements
				continue
			}
			for _, item := range items {
				p.put(n, k, item)
				k++
			}
			continue
		}
		p.put(n, k, v)
		k++
	}
	return containerValue(n)
}

// splatted tells whether i is a splat.
func (p *python) splatted(i int) bool {
	k := p.unit.tree.Kind(i)
	return k == kindListSplat || k == kindParenthesizedListSplat
}

// loadSplat evaluates what stands behind the stars of a splat.
func (p *python) loadSplat(i int) value {
	t := p.unit.tree
	for i != analyze.NoNode && (t.Kind(i) == kindListSplat || t.Kind(i) == kindParenthesizedListSplat || t.Kind(i) == kindDictionarySplat) {
		i = t.FirstNamed(i)
	}
	return p.load(i)
}

func (p *python) dictionary(i int) value {
	t := p.unit.tree
	n, sure := p.containerAt(i, mapping), map[atom]bool{}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindPair {
			key, v := p.load(t.Child(c, keyField)), p.load(t.Child(c, valueField))
			p.storedKey(c, key, v)
			p.putKey(n, key, v)
			if a, exact := key.constant(); exact {
				sure[a] = true
			}
			continue
		}
		v := p.loadSplat(c)
		p.merge(n, v)
		p.surelyOf(v, sure)
	}
	p.madeWith(n, sure)
	return containerValue(n)
}

// surelyOf adds the keys that v has whatever happens.
func (p *python) surelyOf(v value, sure map[atom]bool) {
	a, ok := v.single()
	if !ok || a.kind != atomContainer || p.containers[a.n].moved || p.leaky(int(a.n)) != 0 || !p.step(len(p.containers[a.n].sure)) {
		return
	}
	for key := range p.containers[a.n].sure {
		sure[key] = true
	}
}

// madeWith notes which keys dictionary n has whatever happens, until some are taken out: those that it
// had each time it was made.
func (p *python) madeWith(n int, sure map[atom]bool) {
	c := &p.containers[n]
	switch {
	case p.quiet > 0:
	case c.sure == nil:
		c.sure = sure
	default:
		for key := range c.sure {
			if !sure[key] {
				delete(c.sure, key)
				p.changed = true
			}
		}
	}
}

// merge adds the items of a dictionary to container n.
func (p *python) merge(n int, v value) {
	for _, a := range v.atoms {
		if a.kind != atomContainer {
			if !a.constant() { // it is of the library, or says itself what it has
				var how valueFlags
				if a == behindName {
					how = walked
				}
				p.putRest(n, anything().with(how), anything())
			}
			continue
		}
		from := p.containers[a.n]
		leak := p.leaky(int(a.n))
		if !p.step(len(from.keyed)) {
			p.putRest(n, from.all.with(leak), anything())
			continue
		}
		for _, key := range from.keyed {
			p.putKey(n, one(key), from.dict[key])
		}
		p.putRest(n, from.rest.with(leak), from.keys.with(leak))
	}
	if v.open() {
		p.putRest(n, anything().with(v.flags&(walked|strange)), anything())
	}
}

// putRest adds v to a dictionary under keys that are not known.
func (p *python) putRest(n int, v, keys value) {
	p.grow(&p.containers[n].rest, v)
	p.grow(&p.containers[n].all, v)
	p.grow(&p.containers[n].keys, keys)
}

// looseOf returns a container made by node i of these elements, of which it has some, in any order.
func (p *python) looseOf(i int, items []value) value {
	n := p.containerAt(i, sequence)
	p.containers[n].loose = true
	p.shift(n)
	if p.filledOnTrial(n, items) {
		return containerValue(n)
	}
	for k, v := range items {
		p.put(n, k, v)
	}
	return containerValue(n)
}

// workable returns the elements of v as sequence does, also where it has but some of them, or in another
// order: for what is worked out of them.
func (p *python) workable(v value) (items []value, exact, loose bool) {
	if a, ok := v.single(); ok && a.kind == atomContainer {
		if c := &p.containers[a.n]; c.loose && !c.escaped && c.rest.nothing() {
			return workedOut(c.list), true, true
		}
	}
	items, exact = p.sequence(v)
	return items, exact, false
}

// workedOut are elements whose place was worked out: a constant is none that is known, also where it is
// one of several.
func workedOut(items []value) []value {
	out := make([]value, len(items))
	for k, v := range items {
		if slices.ContainsFunc(v.atoms, atom.constant) {
			v = v.with(worked)
		}
		out[k] = v
	}
	return out
}

// stepElements is how many elements are gone through in one step.
const stepElements = 8

// sequence returns the elements of v in order when they are known exactly.
func (p *python) sequence(v value) ([]value, bool) {
	if v.flags&worked != 0 {
		v.flags &^= worked
		items, exact := p.sequence(v)
		return workedOut(items), exact
	}
	a, ok := v.single()
	if !ok {
		return nil, false
	}
	switch a.kind {
	case atomContainer:
		if !p.step(len(p.containers[a.n].list) / stepElements) {
			return nil, false
		}
		return p.containers[a.n].items()
	case atomString:
		if len(a.text) > maxElements || !p.step(len(a.text)/stepElements) {
			return nil, false
		}
		var items []value
		for _, r := range a.text {
			items = append(items, stringValue(string(r)))
		}
		return items, true
	case atomBytes:
		if len(a.text) > maxElements || !p.step(len(a.text)/stepElements) {
			return nil, false
		}
		items := make([]value, len(a.text))
		for k := range len(a.text) {
			items[k] = intValue(int64(a.text[k]))
		}
		return items, true
	}
	return nil, false
}

// elements returns what iterating over v can give.
func (p *python) elements(v value) value {
	var out value
	for _, a := range v.atoms {
		switch a.kind {
		case atomContainer:
			c := &p.containers[a.n]
			out = out.with(p.leaky(int(a.n)))
			if c.kind == mapping {
				out = out.join(c.keys)
				for _, key := range c.keyed {
					out = out.join(one(key))
				}
				continue
			}
			out = out.join(c.all).join(c.keys)
		case atomInstance:
			if out = out.with(open); a == action { // it stands for several, too
				out = out.join(one(a))
			}
		default:
			out = out.with(open)
		}
	}
	if v.open() {
		out = out.with(open | v.flags&(walked|strange))
	}
	return out
}

// values returns what the values of a dictionary can be.
func (p *python) values(v value) value {
	var out value
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			out = out.join(p.containers[a.n].all).with(p.leaky(int(a.n)))
		}
		if a == behindName {
			out = out.with(walked)
		}
	}
	if v.open() {
		out = out.with(open | v.flags&(walked|strange))
	}
	return out
}

// leaky tells whether others may have put something into container n.
func (p *python) leaky(n int) valueFlags {
	if c := &p.containers[n]; c.code || c.escaped && !c.tuple {
		return open
	}
	return 0
}

// appendAll adds the elements of more to the containers in v.
func (p *python) appendAll(v, more value) {
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			if p.containers[a.n].kind == mapping {
				p.merge(int(a.n), more)
				pairs := p.pairs(more)
				p.putRest(int(a.n), pairs, pairs)
			} else {
				p.put(int(a.n), -1, p.elements(more))
			}
		}
	}
}

// pairs is what the lists among v hold, of which a dictionary takes each for a key and a value.
func (p *python) pairs(v value) value {
	var lists value
	for _, a := range v.atoms {
		if a.kind == atomContainer && p.containers[a.n].kind != mapping {
			lists = lists.join(one(a))
		}
	}
	return p.elements(p.elements(lists))
}

// comprehension evaluates a comprehension: what it iterates over first in the
// scope around, the rest in its own.
func (p *python) comprehension(i int) value {
	t := p.unit.tree
	inner := p.unit.scopes[i]
	if inner == nil {
		return anything()
	}
	mapped := t.Kind(i) == kindDictionaryComprehension
	kind := sequence
	if mapped {
		kind = mapping
	}
	n := p.containerAt(i, kind)
	body := t.Child(i, bodyField)
	var items value
	clauses, first := 0, analyze.NoNode
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if c == body {
			continue
		}
		clauses++
		if t.Kind(c) != kindForInClause {
			p.within(inner, func() { p.load(c) })
			continue
		}
		right := t.Child(c, rightField)
		var v value
		if first == analyze.NoNode {
			first = c
			v = p.load(right)
			items = v
		} else {
			p.within(inner, func() { v = p.load(right) })
		}
		p.within(inner, func() { p.bind(t.Child(c, leftField), p.elements(v)) })
	}
	if body == analyze.NoNode || first == analyze.NoNode {
		return anything()
	}
	p.within(inner, func() {
		if mapped {
			p.putKey(n, p.load(t.Child(body, keyField)), p.load(t.Child(body, valueField)))
			return
		}
		v := p.load(body)
		if clauses == 1 {
			if folded, loose, ok := p.foldEach(t.Child(first, leftField), body, items); ok {
				if loose || t.Kind(i) != kindListComprehension {
					p.looseOf(i, workedOut(folded))
				} else {
					p.sequenceOf(i, workedOut(folded))
				}
				return
			}
		}
		p.put(n, -1, v)
	})
	return containerValue(n)
}

// foldEach evaluates body once for every element of a known sequence, when
// target is a plain name and every result is one constant.
func (p *python) foldEach(target, body int, items value) (folded []value, loose, ok bool) {
	list, exact, loose := p.workable(items)
	if !exact || target == analyze.NoNode || len(list) == 0 || p.unit.tree.Kind(target) != kindIdentifier {
		return nil, false, false
	}
	folded, ok = p.foldOver(p.variableAt(target), list, func() value { return p.load(body) })
	return folded, loose, ok
}

// foldOver evaluates f with a variable set to each of the items in turn.
func (p *python) foldOver(id int, items []value, f func() value) ([]value, bool) {
	before := p.vars[id].value
	p.quiet++
	defer func() {
		p.quiet--
		p.vars[id].value = before
	}()
	out := make([]value, 0, len(items))
	for _, item := range items {
		if _, ok := item.constant(); !ok || !p.step(1) {
			return nil, false
		}
		p.vars[id].value = item
		v := f()
		if _, ok := v.constant(); !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// step counts folding work; it is false when there was too much, and then
// nothing folds any more.
func (p *python) step(n int) bool {
	p.steps += n
	return p.steps <= p.Limits.Steps
}

// subscript evaluates v[key].
func (p *python) subscript(i int) value {
	t := p.unit.tree
	object := t.Child(i, valueField)
	if object == analyze.NoNode {
		return anything()
	}
	if p.isOwnModule(i) {
		return p.ownModule(i)
	}
	receiver := p.load(object)
	as := p.keysOf(receiver)
	keys, slice := p.keysAt(i, receiver)
	p.asType = as
	if slice != analyze.NoNode {
		return p.slice(i, receiver, slice)
	}
	p.givesTypes(i, receiver)
	p.setting(i, receiver, keyOf(keys))
	return p.item(i, receiver, keyOf(keys))
}

// keysAt evaluates what stands between the brackets of the subscript at i: its keys, or the
// one slice. A key that is not known stands for one of several slices, and for a splat.
func (p *python) keysAt(i int, receiver value) (keys []value, slice int) {
	t := p.unit.tree
	object := t.Child(i, valueField)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch {
		case c == object:
		case t.Kind(c) == kindSlice && len(keys) == 0 && t.NextNamed(c) == analyze.NoNode:
			return nil, c
		case t.Kind(c) == kindSlice:
			keys = append(keys, p.keptSlice(c, receiver))
		case t.Kind(c) == kindListSplat:
			keys = append(keys, p.givenKey(c, receiver), anything())
		default:
			keys = append(keys, p.givenKey(c, receiver))
		}
	}
	return keys, analyze.NoNode
}

// keptSlice evaluates the slice at i, of which nothing is followed.
func (p *python) keptSlice(i int, receiver value) value {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		p.escape(p.givenKey(c, receiver))
	}
	return anything()
}

// givenKey evaluates what stands at i and is given to receiver as a key.
func (p *python) givenKey(i int, receiver value) value {
	key := p.load(i)
	p.meets(key, receiver)
	p.keyed(receiver, key)
	return key
}

// keyOf is what keys come to: more than one is a tuple, of which nothing is known.
func keyOf(keys []value) value {
	if len(keys) == 1 {
		return keys[0]
	}
	return anything()
}

// item evaluates receiver[key].
func (p *python) item(i int, receiver, key value) value {
	var out value
	p.keyed(receiver, key)
	p.meets(key, receiver)
	for _, a := range receiver.atoms {
		switch {
		case a.kind == atomSymbol && a.text == "sys.modules":
			out = out.join(p.importNamed(i, key, analyze.DynamicNamespace))
		case a.kind == atomNamespace:
			out = out.join(p.namespaceItem(i, a.text, key))
		case a == behindName:
			out = out.join(p.namespaceItem(i, "builtins", key))
		case a.kind == atomContainer:
			out = out.join(p.element(i, a, key)).with(p.leaky(int(a.n)))
		case a.kind == atomString || a.kind == atomBytes:
			out = out.join(p.index(a, key))
		default:
			out = out.with(open)
		}
	}
	out = out.with(receiver.flags & (reached | walked | strange))
	if receiver.open() {
		if name, ok := key.str(); ok {
			p.handMember(name)
			out = out.join(p.special(name)).join(p.escapedMember(name))
			if p.tables.attributes[name] != "" {
				p.noteAttribute(i, name, value{})
			}
		}
		out = out.with(open)
	}
	return out
}

// element is what a subscript with key finds in container a. A key that is not known may be a
// slice, where the program has any but as it is written: node i makes a part of the list then.
func (p *python) element(i int, a atom, key value) value {
	c := &p.containers[a.n]
	v := c.get(key)
	if c.kind == mapping {
		p.meets(c.keys, key)
	}
	if c.kind == sequence && key.flags&^(worked|manyNumbers|manyStrings) != 0 && (p.slices || p.own["__getitem__"] || p.own["__class_getitem__"] || p.own["__setitem__"] || p.own["__delitem__"]) {
		return v.join(p.bag(i, c.all))
	}
	return v
}

// namespaceItem evaluates a key of a module's dictionary.
func (p *python) namespaceItem(i int, module string, key value) value {
	var out value
	for _, a := range key.atoms {
		if a.kind != atomString {
			continue
		}
		p.noteAttribute(i, a.text, value{})
		if a.text == annotations { // every module and class body has it
			out = out.join(p.annotationsOf(i))
		}
		if module != "" {
			out = out.join(p.member(i, module, a.text))
			continue
		}
		id := p.lookup(a.text, p.module)
		p.hand(p.vars[id].value)
		out = out.join(p.vars[id].value).join(p.special(a.text)).with(open)
	}
	if key.open() || len(key.atoms) == 0 && !key.nothing() {
		p.namespaceAsData(i, atom{kind: atomNamespace, text: module})
		out = out.with(open)
	}
	return out
}

// setItem assigns v to the subscript at i.
func (p *python) setItem(i int, v value) {
	t := p.unit.tree
	object := t.Child(i, valueField)
	if object == analyze.NoNode {
		return
	}
	receiver := p.eval(object, usage{how: analyze.HowAssign})
	keys, slice := p.keysAt(i, receiver)
	if slice != analyze.NoNode {
		keys = append(keys, p.keptSlice(slice, receiver))
	}
	for _, key := range keys {
		if len(keys) > 1 {
			p.escape(key) // a dictionary keeps the tuple
		}
	}
	if p.isClassBody(object) {
		p.putsInClass(i, keyOf(keys), v)
		return
	}
	p.setKey(i, receiver, keyOf(keys), v)
}

func (p *python) setKey(i int, receiver, key, v value) {
	p.storedKey(i, key, v)
	p.setting(i, receiver, key, v)
	p.keyed(receiver, key)
	p.meets(key, receiver)
	p.setInWalk(i, receiver, key, v)
	kept := receiver.open()
	for _, a := range receiver.atoms {
		kept = kept || a.kind != atomContainer
		switch {
		case a.kind == atomSymbol && a.text == "sys.argv":
			p.argue()
		case isWalked(a): // setInWalk has looked at it
		case a.kind == atomSymbol && a.text == "os.environ":
			p.setEnvironment(i, key)
		case a.kind == atomSymbol && p.stdlib.Inside(a.text):
			p.dynamicAt(analyze.DynamicPatch, i)
		case a.kind == atomSymbol && a.text == "sys.modules":
			p.dynamicAt(analyze.DynamicPatch, i)
		case a.kind == atomNamespace:
			p.setNamespace(i, a.text, key, v)
		case a.kind == atomContainer:
			if p.containers[a.n].kind == mapping {
				p.putKey(int(a.n), key, v)
				continue
			}
			p.shift(int(a.n))
			p.put(int(a.n), -1, v)
			if _, exact := key.constant(); !exact { // a slice takes the elements
				p.put(int(a.n), -1, p.elements(v))
			}
		}
	}
	if kept {
		p.escape(v)
		p.givesClass(i, v)
	}
}

// arguesWith looks at a place where sys.argv, or a method of it, comes up: unless it is only
// read there, whoever gets the list may put something into it.
func (p *python) arguesWith(i int, name string, u usage) {
	switch method, ok := strings.CutPrefix(name, "sys.argv."); {
	case ok:
		switch method {
		case "index", "count", "copy", "pop", "remove", "clear", "__len__", "__contains__", "__getitem__":
			if u.how == analyze.HowCall {
				return
			}
		}
		p.argue()
	case name == "sys.argv" && u.how == analyze.HowReference && !p.readsList(i):
		p.argue()
	}
}

// readsList tells whether the list that stands at i is asked for what it holds, and nobody
// gets the list itself.
func (p *python) readsList(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	switch t.Kind(up) {
	case kindSubscript:
		return t.Child(up, valueField) == i
	case kindForStatement, kindForInClause:
		return t.Child(up, rightField) == i
	case kindListSplat, kindIfStatement, kindNotOperator, kindInterpolation:
		return true
	case kindComparisonOperator:
		op := t.Child(up, operatorsField)
		return op != analyze.NoNode && strings.HasSuffix(t.Source(op), "in") && t.NextNamed(t.FirstNamed(up)) == i && t.NextNamed(i) == analyze.NoNode
	case kindArgumentList:
		fn := t.Child(t.Parent(up), functionField)
		if fn == analyze.NoNode || t.Kind(fn) != kindIdentifier {
			return false
		}
		switch a, _ := p.variable(fn).single(); a.text {
		case "builtins.len", "builtins.list", "builtins.tuple", "builtins.print", "builtins.sorted", "builtins.enumerate", "builtins.str", "builtins.repr", "builtins.set":
			return a.kind == atomSymbol
		}
	}
	return false
}

// argue notes that the program changes its own arguments.
func (p *python) argue() {
	if !p.arguedWith && p.quiet == 0 {
		p.arguedWith, p.changed = true, true
	}
}

// setEnvironment looks at a variable of the environment that is set: some say
// which code the interpreter and its library load.
func (p *python) setEnvironment(i int, key value) {
	for _, a := range key.atoms {
		if a.kind == atomString && strings.HasPrefix(strings.TrimLeft(a.text, "_"), "PYTHON") {
			p.dynamicAt(analyze.DynamicImport, i)
		}
	}
}

// isClassBody tells whether what stands at i asks, in the body of a class, for the names that are bound there so far.
func (p *python) isClassBody(i int) bool {
	t := p.unit.tree
	if p.scope.kind != classScope || t.Kind(i) != kindCall || t.FirstNamed(t.Child(i, argumentsField)) != analyze.NoNode {
		return false
	}
	fn := t.Child(i, functionField)
	return p.isBuiltin(fn, "locals") || p.isBuiltin(fn, "vars")
}

// putsAllInClass puts what v holds, a dictionary or pairs, among the names of the body of a class.
func (p *python) putsAllInClass(i int, v value) {
	for _, a := range v.atoms {
		if a.kind == atomContainer && p.containers[a.n].kind == mapping {
			for _, key := range p.containers[a.n].keyed {
				p.putsInClass(i, one(key), p.containers[a.n].get(one(key)))
			}
		}
	}
	held := p.elements(v).join(p.values(v))
	p.putsInClass(i, anything(), held.join(p.elements(held)).join(v))
}

// putsInClass puts v under a name in the body of the class that is being made, which is as if setattr did it once there is
// one. Below it in that body the name means it, too, and so may any where it is not known: what nobody sees through is then
// taken for a patch, as are annotations of which code may become.
func (p *python) putsInClass(i int, name, v value) {
	if p.unknownName(name) {
		hidden := v.flags&(reached|walked|strange) != 0
		typed := p.imported["dataclasses"] && slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomContainer })
		if hidden || typed {
			p.dynamicAt(analyze.DynamicPatch, i)
		}
		outside := value{atoms: slices.DeleteFunc(slices.Clone(v.atoms), func(a atom) bool { return a.kind != atomSymbol })}
		if joined := p.scope.unseen.join(outside); p.quiet == 0 && (joined.flags != p.scope.unseen.flags || len(joined.atoms) != len(p.scope.unseen.atoms)) {
			p.scope.unseen, p.changed = joined, true
		}
	}
	p.dynamicAt(analyze.DynamicAttribute, i)
	class := one(atom{kind: atomClass, n: int64(p.scope.owner)}).with(open)
	p.setattr(i, &arguments{positional: []value{class, name, v}})
	for _, a := range name.atoms {
		if a.kind == atomString {
			p.assign(p.lookup(a.text, p.scope), v.with(open))
		}
	}
}

// setNamespace assigns to a key of a module's dictionary.
func (p *python) setNamespace(i int, module string, key, v value) {
	p.dynamicAt(analyze.DynamicPatch, i)
	for _, a := range key.atoms {
		if a.kind != atomString {
			continue
		}
		if module == "" {
			p.assign(p.lookup(a.text, p.module), v.with(open))
		} else {
			p.setMember(i, module, a.text, v)
		}
	}
}
