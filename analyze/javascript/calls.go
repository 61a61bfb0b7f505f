package javascript

import (
	"slices"

	"sallyport/analyze"
)

// callee is what is called.
type callee struct {
	node      int
	functions value
	receiver  value
	key       string // of a member call, when it is known
	member    bool
	named     bool // an identifier
	indexed   bool // a member by a key that is a number
	handed    bool // the receiver was handed over, and may be nothing whatever was seen of it
	asked     bool // a member of the receiver is asked for where it is called, so that there is one
	lent      bool // the function need not be a member of the receiver: call, apply or bind calls it of that, or the language
}

// lacksReceiver tells whether what is called may have no receiver: that is the global object where it is not strict.
func (c callee) lacksReceiver() bool {
	return !c.member || c.handed || !c.asked && c.receiver.mayBeNothing()
}

// callee evaluates what is called.
func (j *javascript) callee(i int) callee {
	t := j.tree
	i = j.bare(i)
	c := callee{node: i}
	switch t.Kind(i) {
	case kindMemberExpression:
		o, p := t.Child(i, objectField), t.Child(i, propertyField)
		if o == analyze.NoNode || p == analyze.NoNode || t.Kind(o) == kindImport {
			c.functions = anything()
			return c
		}
		c.receiver, c.key, c.member, c.asked = j.objectOf(o).present(), j.memberKey(p), true, t.Kind(o) != kindSuper
		if !c.asked {
			c.receiver = j.this
			c.functions = j.memberOfSuper(c.key, i)
		} else if made := j.listMadeHere(c); made != nil {
			c.functions = j.join(j.builtin(made, c.key), j.shared(c.key))
		} else {
			c.functions = j.memberOf(c.receiver, c.key, i)
		}
		if !isPrivate(c.key) && !ownConstructor(c.key, c.receiver) {
			j.property(c.key, p)
		}
	case kindSubscriptExpression:
		o, x := t.Child(i, objectField), t.Child(i, indexField)
		if o == analyze.NoNode || x == analyze.NoNode {
			c.functions = anything()
			return c
		}
		c.receiver, c.member, c.asked = j.objectOf(o).present(), true, t.Kind(o) != kindSuper
		keys := j.load(x)
		j.keyProperties(keys, x)
		c.key, _ = keys.str()
		c.indexed = len(keys) > 0 && !slices.ContainsFunc(keys, func(k atom) bool { return !k.numeric() })
		c.functions = j.members(c.receiver, keys, i)
		if t.Kind(o) == kindSuper {
			c.receiver, c.functions = j.this, j.join(c.functions, j.membersOfSuper(keys, i))
		}
	case kindIdentifier:
		c.named = true
		c.functions = j.variable(i)
	default:
		c.functions = j.eval(i)
	}
	return c
}

// call evaluates a call, also a tagged template.
func (j *javascript) call(i int) value {
	t := j.tree
	f, list := t.Child(i, functionField), t.Child(i, argumentsField)
	if f == analyze.NoNode {
		return anything()
	}
	if imports(t, f) {
		a := j.arguments(list, false)
		return j.importNamed(a.get(0), i)
	}
	switch t.Kind(f) {
	case kindSuper:
		return j.superCall(i, list)
	}
	c := j.callee(f)
	a := j.arguments(list, c.handsOnThis())
	a.at = i
	j.mentionCall(c, a, i)
	if c.member && isListening(c.key) {
		j.givenToCall(a.get(1), i)
	}
	return j.apply(c, a, i)
}

// mentionCall reports the symbols that are called. Plain require("x") is an
// import and nothing else.
func (j *javascript) mentionCall(c callee, a arguments, i int) {
	if !j.reports() {
		return
	}
	forward := c.member && isForward(c.key)
	for _, v := range c.functions {
		if v.kind != atomSymbol || forward {
			continue
		}
		if c.named && v.text == "globalThis.require" && j.identifierText(c.node) == "require" {
			continue
		}
		j.mention(v.text, i, analyze.HowCall, c.functions.single(), a.facts(), a.splat, a.named()...)
	}
}

// apply calls every function that the callee may be.
func (j *javascript) apply(c callee, a arguments, i int) value {
	if j.applying > 20 || !j.work(1+c.weight(a)) {
		return j.notFollowed(c.functions, c, a, i)
	}
	j.applying++
	defer func() { j.applying-- }()
	out, forwarded := j.forwarded(c, a, i)
	for _, v := range c.functions {
		if !forwarded || j.hidesForward(v, c) {
			out = j.join(out, j.applyValue(v, c, a, i))
		}
	}
	if forwarded {
		return out
	}
	if j.unseen(c.functions) {
		out = j.applyValue(atom{}, c, a, i)
	}
	return out
}

// weight is how many steps a call takes besides one: what is done with a few takes none.
func (c callee) weight(a arguments) int { return max(c.size(a)-48, 0) / 4 }

// size is with how much functions are called: of what, and with what.
func (c callee) size(a arguments) int {
	n := len(c.receiver)
	for s := range a.all {
		n += len(s)
	}
	return n * len(c.functions)
}

// isForward is true for the methods that call what they are methods of.
func isForward(key string) bool { return key == "call" || key == "apply" || key == "bind" }

// forwarded is forward by each of these methods that the callee may be: one may be stored
// under the name of another.
func (j *javascript) forwarded(c callee, a arguments, i int) (out value, done bool) {
	if !c.member {
		return nil, false
	}
	keys := []string{c.key}
	for _, v := range c.functions {
		if v.kind == atomNative && !slices.Contains(keys, v.text) {
			keys = append(keys, v.text)
		}
	}
	for _, key := range keys {
		if isForward(key) {
			c.key = key
			s, ok := j.forward(c, a, i)
			out, done = j.join(out, s), done || ok
		}
	}
	return out, done
}

// hidesForward tells whether a function is one that the program has put in the place of
// call, apply or bind, or another of the language's own.
func (j *javascript) hidesForward(v atom, c callee) bool {
	switch v.kind {
	case atomObject, atomComputed:
		return true
	case atomNative:
		return !isForward(v.text)
	case atomSymbol:
		return !c.receiver.any(atomSymbol)
	case atomUnknown:
		return !isForward(c.key) || j.replacesForward(c.receiver, c.key)
	}
	return false
}

func (j *javascript) applyValue(v atom, c callee, a arguments, i int) value {
	if v.inert() {
		return nil // an error: nothing is called
	}
	switch v.kind {
	case atomNative:
		j.changesReceiver(v.text, c, i)
		if c.key != v.text { // whatever it is stored under
			j.putThere(c, a, i)
			c.key = v.text
		}
		return j.orReplaced(c.key, j.join(j.unknownCall(c, a, i), j.borrowed(c, a, i)))
	case atomSymbol:
		return j.callSymbol(v.text, c, a, i)
	case atomObject:
		if v.obj.bound != nil {
			return j.applyBound(v.obj, a, i)
		}
		if v.obj.code != nil {
			return j.callFunction(v.obj, c, a)
		}
		if v.obj.class != nil || v.obj.proxied {
			return j.construct(v, a, i)
		}
		if v.obj.instanceOf == nil && len(v.obj.proto) == 0 {
			return nil // an error, too
		}
		j.escapeArgs(a, i)
		return anything()
	case atomConstructor:
		j.madeByClass(v, i)
		j.property("constructor", i)
		j.escapeArgs(a, i)
		return anything()
	case atomComputed:
		if v == tableAtom {
			return j.callInherited(c, a, i)
		}
		if v.text == ofListeners {
			s, _ := j.listeners("", c, a, i)
			return s
		}
		switch v.text {
		case ofFunction, ofTable, ofLeakCall:
			j.dynamicAt(analyze.DynamicClass, i)
		case ofCall:
			j.dynamicAt(analyze.DynamicComputed, i)
		case ofLeak, ofStream:
			if v.num >= 2 {
				j.dynamicAt(analyze.DynamicClass, i)
			}
		default:
			if v.num >= 2 { // what comes of it runs nothing before it is called, too
				j.dynamicAt(analyze.DynamicClass, i)
			}
		}
		if v.text == ofStream && c.member && mayBeStream(c.receiver) {
			j.connects(i)
		}
		j.opensAny(i)
		j.takesAnyMemory(i)
		j.putThere(c, a, i)
		j.lentMethod(c, i)
		j.unknownCall(c, a, i)
		if c.member && c.key == "" && !c.indexed { // perhaps a method that calls what it is given
			for s := range a.all {
				if s.hasResult() {
					j.dynamicAt(analyze.DynamicClass, i)
				}
			}
		}
		if v.text == ofLeak || v.text == ofLeakCall || v.text == "" && v.num < 2 {
			return one(leakedResult)
		}
		return one(resultAtom)
	case atomUnknown:
		j.putThere(c, a, i)
		s := j.unknownCall(c, a, i)
		if j.leaked == 0 {
			return s
		}
		if j.leaked >= 2 && (!c.member || c.indexed) {
			j.dynamicAt(j.mayBeMade(), i)
		} else if j.leaked >= 2 {
			j.event(eventHeld, c.key, i)
		}
		if j.surely {
			return j.add(s, resultAtom)
		}
		return j.add(s, leakedResult)
	}
	return j.unknownCall(c, a, i)
}

// borrowed is what a method of the language gives that the program has put on a list or collection: it may be that of
// another class, which takes the object for something else.
func (j *javascript) borrowed(c callee, a arguments, i int) value {
	var out value
	for _, v := range c.receiver {
		if v.kind == atomObject && (v.obj.array || v.obj.collection) && j.own(v.obj, c.key).any(atomNative) {
			j.escape(one(v), i)
			j.escapeArgs(a, i)
			out = anything()
		}
	}
	return out
}

// callInherited calls what all objects inherit: Object gives its argument back, valueOf its receiver,
// and one puts a getter there. Where the object has functions of its own, these are what is called.
func (j *javascript) callInherited(c callee, a arguments, i int) value {
	if slices.ContainsFunc(j.returns(a.get(1).functions()), changesShared) {
		j.dynamicAt(analyze.DynamicClass, i)
	}
	if !j.lentMethod(c, i) && len(c.functions.functions()) > 0 { // it is a table of functions, which nobody takes for what one of them gives
		return j.join(anything(), a.get(0).objects())
	}
	j.escapeArgs(a, i)
	return j.join(anything(), j.join(c.receiver, a.get(0)))
}

// unknownCall calls a function that is not known: a method of a built-in class
// perhaps, and else code that gets hold of the arguments.
func (j *javascript) unknownCall(c callee, a arguments, i int) value {
	if c.member && c.key != "" {
		if s, ok := j.builtinMethod(c, a, i); ok {
			return j.join(s, j.passedOn(c, a, i))
		}
	}
	j.walksUnknown(c, a, i)
	if c.member && c.receiver.has(computed(1, false)[0]) {
		j.goesBehind()
	}
	j.escapeReceiver(c, i)
	j.showsHandle(c, i)
	j.mocksLength(c, a, i)
	j.givenToLibrary("", c.key, a, i)
	j.fillsByForward(c, a, i)
	j.escapeArgs(a, i)
	if c.member {
		j.heard(c.receiver, a)
	}
	if c.member && c.key == "valueOf" {
		return j.join(anything(), c.receiver)
	}
	return j.join(j.join(anything(), j.passedOn(c, a, i)), j.stillInside(c, a))
}

// fillsByForward is fills for a method of the language that is called by call or apply.
func (j *javascript) fillsByForward(c callee, a arguments, i int) {
	if c.key != "call" && c.key != "apply" {
		return
	}
	for _, v := range c.receiver {
		if v.kind == atomNative {
			j.fills(a.get(0), v.text, j.forwardedArguments(c.key, a, i), i)
		}
	}
}

// forwardedArguments is what call, apply or bind gives to the function that it is called of.
func (j *javascript) forwardedArguments(key string, a arguments, i int) arguments {
	if key != "apply" {
		return a.shift(1)
	}
	out := arguments{at: i}
	if list := a.get(1); len(list) > 0 {
		out.spread(j, list, i)
	}
	return out
}

// putThere says that what the program has put under a name, of which nothing is known, has
// what it is called with, although it has the name of a method that is. It has what it is
// called of, too, and may return that or give it to a function: so may a method of a class
// that is not known.
func (j *javascript) putThere(c callee, a arguments, i int) {
	if !c.member {
		return
	}
	for _, v := range c.receiver {
		if v.kind != atomObject {
			continue
		}
		own := v.obj.props[c.key] != nil
		if own {
			j.escapeArgs(a, i)
		}
		kept := own || v.obj.callable() || v.obj.instanceOf != nil // which does not escape as a receiver
		if kept && j.mayBeForeign(v.obj, c.key) {
			j.learnedOf(&j.hearing, one(v)) // it may be any function of the program's that went away
			if v.obj.behind != j.walked {
				j.behind(newObject(i, one(v)), i)
			}
			if j.remembers {
				j.escapeObject(v.obj, i)
			}
		}
	}
}

// lentMethod says that call, apply, bind or the language calls a member whose name is not known of an object of a class
// of the program, of a class or of a function: it may be a method of the language that changes that or gives it back.
// It tells whether that is so.
func (j *javascript) lentMethod(c callee, i int) bool {
	if !c.member || !c.lent {
		return false
	}
	for _, v := range c.receiver {
		if v.kind == atomObject {
			j.escapeObject(v.obj, i)
		}
	}
	return true
}

// changesReceiver says that a method of lists, or one that puts an accessor there, is called of an object of a class of
// the program, of a class or of a function: it changes that, or gives it to a function.
func (j *javascript) changesReceiver(name string, c callee, i int) {
	if !c.member || !mayChange(name) {
		return
	}
	for _, v := range c.receiver {
		if v.kind != atomObject || v.obj.array || v.obj.collection {
			continue
		}
		if _, above := j.lineage(v.obj); v.obj.callable() || len(above) == 0 { // others have such a method themselves
			j.escapeObject(v.obj, i)
		}
	}
}

// mayChange is true for methods of the language that change what they are called of, or give that to a function.
func mayChange(name string) bool {
	switch name {
	case "__defineGetter__", "__defineSetter__", "copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap",
		"forEach", "map", "pop", "push", "reduce", "reduceRight", "reverse", "shift", "some", "sort", "splice", "unshift":
		return true
	}
	return false
}

// mayBeForeign tells whether a method of which nothing is known may be one of another class
// that the program has put into an object, or of the class above it.
func (j *javascript) mayBeForeign(o *object, key string) bool {
	line, above := j.lineage(o)
	if key == "" || above.foreign() {
		return true
	}
	return slices.ContainsFunc(line, func(from *object) bool {
		if p := from.props[key]; p != nil && p.foreign() {
			return true
		}
		if g := from.props[getPrefix+key]; g != nil && j.returns(*g).foreign() {
			return true
		}
		return from.loose.foreign() || from.rest.foreign() && !from.array && !from.collection
	})
}

// foreign tells whether something in s may be a function that is not the program's own.
func (s value) foreign() bool {
	return s.any(atomUnknown) || s.any(atomComputed) || s.any(atomNative)
}

// escapeReceiver says that a method which is not known has what its receiver
// holds, and may return it.
func (j *javascript) escapeReceiver(c callee, i int) {
	if !c.member {
		return
	}
	for _, v := range c.receiver {
		if isHarmlessMethod(c.key) && (v.obj == nil || v.obj.props[c.key] == nil) {
			continue
		}
		if v.kind == atomBytes && !readsBytes(c.key) {
			j.writes()
		}
		switch {
		case v.kind != atomObject:
		case v.obj.code == nil && v.obj.class == nil && v.obj.instanceOf == nil:
			j.escapeObject(v.obj, i)
		case v.obj.asked != j.walked:
			v.obj.asked = j.walked
			j.replacing(v.obj, i)
			j.escape(j.join(j.indexed(v.obj), v.obj.rest), i) // which it may have taken for elements
		}
	}
}

// isHarmlessMethod is true for methods of every object that tell nothing of
// what it holds.
func isHarmlessMethod(key string) bool {
	switch key {
	case "hasOwnProperty", "toString", "valueOf", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString":
		return true
	}
	return false
}

func (j *javascript) escapeArgs(a arguments, at int) {
	for _, s := range a.positional {
		j.escape(s, at)
	}
	j.escape(a.rest, at)
}

// bindsItself is true for classes of the library that have a bind of their own, which
// binds what it is given.
func bindsItself(name string) bool {
	return name == "node:async_hooks.AsyncResource" || name == "node:async_hooks.AsyncLocalStorage"
}

// forward handles f.call, f.apply and f.bind of what is known to be callable: also of these
// methods themselves, as in f.call.call(g).
func (j *javascript) forward(c callee, a arguments, i int) (value, bool) {
	target := callee{node: c.node, member: true, receiver: a.get(0), handed: !a.surely(0), lent: true}
	var others bool // which are not known, or not followed
	for _, v := range c.receiver {
		others = others || v.kind == atomUnknown || v.kind == atomNative && !isForward(v.text)
		switch {
		case c.key == "bind" && v.kind == atomNative && !isForward(v.text): // which is not known from there on
			j.wentAway()
		case c.key == "bind" && v.kind == atomSymbol && bindsItself(v.text):
		case v.kind == atomNative && isForward(v.text), v.kind == atomSymbol && !isNamespace(v.text), v.kind == atomSymbol && v.text == "globalThis.require",
			v.kind == atomObject && (v.obj.callable() || v.obj.bound != nil), v.kind == atomConstructor, v.kind == atomComputed:
			target.functions = append(target.functions, v)
		case v.kind == atomUnknown && j.leaked > 0:
			target.functions = append(target.functions, j.returned()...)
		}
	}
	if len(target.functions) == 0 {
		return nil, false
	}
	if others { // they get what the others get
		target.functions = j.join(target.functions, anything())
	}
	if null := target.receiver; null.single() && (null[0].kind == atomNull || null[0].kind == atomUndefined) || j.unseen(null) {
		target.member = false
		target.receiver = nil
	}
	rest := j.forwardedArguments(c.key, a, i)
	if c.key == "bind" {
		j.mentionForward(target, rest, i, analyze.HowReference)
		o := j.objectFor(i, 5)
		j.grow(&o.readBy, &o.bound, target.functions)
		if all := o.boundTo.or(j, target, rest); !all.same(o.boundTo) {
			o.boundTo = all
			j.outdates(&o.readBy)
		}
		return objectValue(o), true
	}
	j.mentionForward(target, rest, i, analyze.HowCall)
	return j.apply(target, rest, i), true
}

func (j *javascript) mentionForward(c callee, a arguments, i int, how analyze.How) {
	if !j.reports() {
		return
	}
	for _, v := range c.functions {
		if v.kind == atomSymbol {
			j.mention(v.text, i, how, c.functions.single(), a.facts(), a.splat, a.named()...)
		}
	}
}

func (j *javascript) applyBound(o *object, a arguments, i int) value {
	j.reads(&o.readBy)
	all := o.boundTo.with(j, a)
	all.at = i
	target := o.boundTo.this
	target.functions = o.bound
	if !j.work(target.size(all)) { // bound functions lead to each other: each call counts in full
		return j.notFollowed(target.functions, target, all, i)
	}
	j.mentionForward(target, all, i, analyze.HowCall)
	return j.apply(target, all, i)
}

// notFollowed is a call that is nested too deeply to look at: of functions with what c says and
// a.
func (j *javascript) notFollowed(functions value, c callee, a arguments, i int) value {
	j.escape(functions, i)
	j.escapeReceiver(c, i)
	j.escapeArgs(a, i)
	return anything()
}

// callFunction calls a function of the program.
func (j *javascript) callFunction(o *object, c callee, a arguments) value {
	f := o.code
	if !f.arrow && c.lacksReceiver() {
		if c.member && !j.seenNothing(c.receiver) {
			j.plainly(objectValue(o))
		} else {
			j.calledPlainly(f)
		}
	}
	if !f.arrow && c.member {
		j.grow(&f.given, &f.this, c.receiver)
	}
	j.passArgs(f, a)
	j.reads(&f.gives)
	if f.generator {
		g := j.objectFor(f.node, 3)
		g.array, g.mutable, g.iterator, g.promises = true, true, true, f.async
		j.grow(&g.readBy, &g.rest, f.ret)
		j.iterates(objectValue(g))
		j.derive(g, objectValue(j.instanceOf(o)))
		return objectValue(g)
	}
	if f.async { // a promise of what it returns
		return j.join(f.ret, anything())
	}
	return f.ret
}

// calledPlainly says that a function is called without a receiver, perhaps.
func (j *javascript) calledPlainly(f *function) {
	if !f.plain {
		f.plain = true
		j.learned(&f.given)
	}
}

// callsOfNothing says that the language calls functions without a receiver.
func (j *javascript) callsOfNothing(s value) {
	for _, v := range s {
		if v.kind == atomObject && v.obj.code != nil && !v.obj.code.arrow {
			j.calledPlainly(v.obj.code)
		}
	}
}

// walksUnknown says what a method of lists calls a function of that is called of something which is not known: of what stands
// behind the function, or of nothing.
func (j *javascript) walksUnknown(c callee, a arguments, i int) {
	if !c.member || !surelyCalls("", c.key) || c.key == "__defineGetter__" || c.receiver.any(atomObject) {
		return
	}
	if a.has(1) && c.key != "reduce" && c.key != "reduceRight" {
		j.receives(a.get(0), a.get(1), i)
	} else {
		j.callsOfNothing(a.get(0))
	}
}

// isObjectHere tells whether node i is surely an object, by what stands there.
func (j *javascript) isObjectHere(i int) bool {
	switch i = j.bare(i); j.tree.Kind(i) {
	case kindObject, kindArray, kindArrowFunction, kindFunctionExpression, kindGeneratorFunction, kindClass, kindNewExpression, kindRegex:
		return true
	case kindThis: // of which it is known
		return !j.this.mayBeNothing()
	}
	return false
}

// mayBeNothing tells whether a receiver may be undefined or null: not where a member
// of it was called, but by call, apply and their kin.
func (s value) mayBeNothing() bool {
	for _, v := range s {
		switch v.kind {
		case atomUnknown, atomComputed, atomUndefined, atomNull:
			if v != tableAtom {
				return true
			}
		}
	}
	return len(s) == 0
}

// seenNothing tells whether a receiver was seen to be undefined or null.
func (j *javascript) seenNothing(s value) bool {
	return j.unseen(s) || s.any(atomUndefined) || s.any(atomNull)
}

// maxParams bounds the parameters of a function that are told apart.
const maxParams = 256

// passArgs joins arguments with what other callers pass.
func (j *javascript) passArgs(f *function, a arguments) {
	if !f.called {
		f.called, j.changed = true, true
	}
	passed := len(a.positional)
	a.positional = slices.Clip(a.positional) // the caller's
	for k := passed; k < min(f.arity, maxParams) && !a.splat; k++ {
		a.positional = append(a.positional, ofKind(atomUndefined))
	}
	n := len(a.positional)
	if a.splat {
		n = max(n, len(f.params), f.arity, 4)
	}
	for len(f.params) < n && len(f.params) < maxParams {
		f.params = append(f.params, nil)
	}
	for k := maxParams; k < n; k++ { // which comes in as something that is not known
		j.escape(a.get(k), a.at)
	}
	for k := range min(n, len(f.params)) {
		j.grow(&f.given, &f.params[k], a.get(k))
	}
	for _, s := range a.positional[:passed] {
		j.grow(&f.given, &f.all, s)
	}
	j.grow(&f.given, &f.all, a.rest)
}

// invoke calls functions that the language calls by itself: accessors,
// iterators, callbacks.
func (j *javascript) invoke(functions, receiver value, args ...value) value {
	return j.invokeWith(functions, receiver, arguments{positional: args})
}

// invokeWith is invoke with arguments that may not be told apart.
func (j *javascript) invokeWith(functions, receiver value, a arguments) value {
	a.at = j.here
	c := callee{node: j.here, functions: functions, receiver: receiver, member: receiver != nil, lent: true}
	var out value
	for _, v := range functions {
		out = j.join(out, j.invokeOne(v, c, a))
	}
	return out
}

// invokeOne is invoke of one of the functions.
func (j *javascript) invokeOne(v atom, c callee, a arguments) value {
	switch {
	case v.kind == atomObject && v.obj.code != nil:
		return j.callFunction(v.obj, c, a)
	case v.uncallable():
		return nil
	}
	return j.invokeOther(v, c, a)
}

// invokeOther calls what is not a function of the program, which may well have
// the language call the same again: a method that is stored where it came from.
func (j *javascript) invokeOther(v atom, c callee, a arguments) value {
	if j.applying > 20 || !j.work(1+callee{functions: one(v), receiver: c.receiver}.weight(a)) {
		return j.notFollowed(one(v), c, a, j.here)
	}
	j.applying++
	defer func() { j.applying-- }()
	return j.applyValue(v, c, a, j.here)
}

// runText remembers constant code to read, in the last round.
func (j *javascript) runText(text string, mode mode, at int) {
	if j.reports() {
		j.codes = append(j.codes, code{text, mode, j.At(j.tree, at)})
	}
}

// runValue is runText for what an expression may yield.
func (j *javascript) runValue(s value, at int) {
	known := len(s) > 0
	for _, v := range s {
		switch v.kind {
		case atomString:
			j.runText(v.text, stringCode, at)
		case atomNumber, atomBool, atomNull, atomUndefined:
		default:
			known = false
		}
	}
	if !known {
		j.dynamicAt(analyze.DynamicCode, at)
	}
}
