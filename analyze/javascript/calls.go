package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// arguments are the arguments of a call.
type arguments struct {
	positional []value
	splat      bool // positional ends before arguments that cannot be told apart
	rest       value
	at         int
	objects    uint64         // which of them are surely objects, by what stands there: a bit each
	starts     map[int]string // with what an argument begins that is not wholly known
	paths      map[int]string // which file an argument names that is no constant
}

// get returns argument n; beyond what is passed it is undefined.
func (a arguments) get(n int) value {
	if n < len(a.positional) {
		return a.positional[n]
	}
	if a.splat {
		return a.rest
	}
	return nil
}

// given returns argument n, which is undefined where none is passed.
func (a arguments) given(n int) value {
	if a.has(n) {
		return a.get(n)
	}
	return ofKind(atomUndefined)
}

// has tells whether there may be an argument n.
func (a arguments) has(n int) bool { return n < len(a.positional) || a.splat }

// all yields what each argument may be, and at the end what those may be that cannot be told
// apart.
func (a arguments) all(yield func(value) bool) {
	for _, s := range a.positional {
		if !yield(s) {
			return
		}
	}
	yield(a.rest)
}

// same tells whether two lists of arguments are one.
func (a arguments) same(b arguments) bool {
	return a.splat == b.splat && a.rest.same(b.rest) && slices.EqualFunc(a.positional, b.positional, value.same)
}

// shift returns the arguments without the first n.
func (a arguments) shift(n int) arguments {
	a.positional = a.positional[min(n, len(a.positional)):]
	a.objects >>= n
	return a
}

// surely tells whether argument n is an object by what stands there.
func (a arguments) surely(n int) bool { return a.objects>>n&1 != 0 }

// facts returns the arguments as policy sees them.
func (a arguments) facts() []analyze.Arg {
	out := make([]analyze.Arg, 0, len(a.positional))
	for n, s := range a.positional {
		arg := analyze.Arg{MayBe: a.paths[n]}
		if s = s.naming(); s.single() {
			switch v := s[0]; v.kind {
			case atomString:
				arg = analyze.Arg{Value: analyze.Clip(v.text), Known: true}
			case atomNumber:
				arg = analyze.Arg{Value: v.num, Known: true}
			case atomBool:
				arg = analyze.Arg{Value: v.num != 0, Known: true}
			case atomNull:
				arg = analyze.Arg{Known: true}
			}
		}
		out = append(out, arg)
	}
	return out
}

// addressKeys are options that hold a host or an address.
var addressKeys = []string{"baseURL", "host", "hostname", "origin", "prefixUrl", "url"}

// named returns texts among the arguments that facts cannot show: one of
// several, the beginning of one, an option.
func (a arguments) named() (out []analyze.Named) {
	add := func(key string, s value) {
		for _, v := range s {
			if v.kind == atomString {
				out = append(out, analyze.Named{Key: key, Text: analyze.Clip(v.text), Whole: true})
			}
		}
	}
	for n, s := range a.positional {
		if !s.single() {
			add("", s)
		}
		if text := a.starts[n]; text != "" {
			out = append(out, analyze.Named{Text: analyze.Clip(text)})
		}
		o := s.taken()
		if o == nil {
			continue
		}
		for _, key := range addressKeys {
			if v := o.props[key]; v != nil {
				add(key, *v)
			}
		}
	}
	return out
}

// begins notes how the next argument begins, at node i, when it is a text that
// is put together of what is not wholly known, and which file it names.
func (a *arguments) begins(j *javascript, i int, s value) {
	if _, whole := s.str(); whole || !j.emit {
		return
	}
	if file := j.pathAt(i); file != "" {
		if a.paths == nil {
			a.paths = map[int]string{}
		}
		a.paths[len(a.positional)] = analyze.Clip(file)
	}
	if text := j.beginning(i); text != "" {
		if a.starts == nil {
			a.starts = map[int]string{}
		}
		a.starts[len(a.positional)] = text
	}
}

// beginning is the constant that a template or a sum of texts begins with.
func (j *javascript) beginning(i int) string {
	t := j.tree
	for {
		switch t.Kind(i) {
		case kindParenthesizedExpression:
			i = t.FirstNamed(i)
		case kindBinaryExpression:
			if op := t.Child(i, operatorField); op == analyze.NoNode || t.Source(op) != "+" {
				return ""
			}
			left := t.Child(i, leftField)
			if text, ok := j.quietly(left).str(); ok {
				return text
			}
			i = left
		case kindTemplateString:
			return j.templateBeginning(i)
		default:
			return ""
		}
	}
}

func (j *javascript) templateBeginning(i int) string {
	t := j.tree
	var text strings.Builder
	at := t.Start(i) + 1
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) != kindTemplateSubstitution {
			continue
		}
		text.WriteString(decodeEscapes(t.Text[at:t.Start(c)]))
		part, ok := j.quietly(t.FirstNamed(c)).str()
		if !ok {
			break
		}
		text.WriteString(part)
		at = t.End(c)
	}
	return text.String()
}

// quietly evaluates what was evaluated before, without reporting it again.
func (j *javascript) quietly(i int) value {
	emit := j.emit
	j.emit = false
	defer func() { j.emit = emit }()
	return j.load(i)
}

// arguments evaluates the arguments at node i: a list or, of a tagged
// template, its strings and values.
//
// With quietThis, a first argument "this" mentions nothing: see handsOnThis.
func (j *javascript) arguments(i int, quietThis bool) arguments {
	a := arguments{at: i}
	if i == analyze.NoNode {
		return a
	}
	t := j.tree
	if t.Kind(i) == kindTemplateString {
		return j.templateArguments(i)
	}
	n := 0
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		n++
	}
	a.positional = j.places(n)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindSpreadElement {
			s := j.argument(c, quietThis && len(a.positional) == 0)
			if a.splat {
				a.rest = j.join(a.rest, s)
			} else {
				a.begins(j, c, s)
				if k := len(a.positional); k < 64 && j.isObjectHere(c) {
					a.objects |= 1 << k
				}
				a.positional = append(a.positional, s)
			}
			continue
		}
		a.spread(j, j.load(t.FirstNamed(c)), c)
	}
	return a
}

func (j *javascript) argument(i int, quietThis bool) value {
	if quietThis && j.tree.Kind(i) == kindThis {
		return j.this
	}
	return j.load(i)
}

// handsOnThis is true for f.call and f.apply of a function that comes from the
// program: f.apply(this, …) is how wrappers stay out of the way, and what f
// does with its receiver is seen in f.
func (c callee) handsOnThis() bool {
	if c.key != "call" && c.key != "apply" {
		return false
	}
	return !c.receiver.hasSymbol() && !c.receiver.any(atomNative)
}

// spread adds the elements of an array to the arguments.
func (a *arguments) spread(j *javascript, s value, at int) {
	if o := s.taken(); o != nil && j.listed(o) && !a.splat && !j.iteratesOtherwise() {
		for _, k := range o.keys {
			a.positional = append(a.positional, *o.props[k])
		}
		return
	}
	if v := s; v.single() && v[0].kind == atomSymbol && v[0].text == "globalThis.arguments" {
		a.positional = append(a.positional, anything(), symbol("globalThis.require"), symbol("globalThis.module"))
		a.splat, a.rest = true, anything()
		return
	}
	a.splat = true
	a.rest = j.join(j.join(a.rest, j.elements(s, at)), anything())
}

func (j *javascript) templateArguments(i int) arguments {
	t, o := j.tree, j.objectAt(i)
	a := arguments{at: i, positional: []value{objectValue(o)}}
	o.array = true
	j.freezes(o, i)
	at, n := t.Start(i)+1, 0
	part := func(end int) {
		if at <= end {
			s := decodeEscapes(t.Text[at:end])
			j.constant(s)
			j.grow(&o.readBy, o.prop(formatNumber(float64(n))), stringValue(s))
			if strings.Contains(t.Text[at:end], "\\") { // undefined stands for an escape that is none
				j.grow(&o.readBy, o.prop(formatNumber(float64(n))), ofKind(atomUndefined))
			}
			n++
		}
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) == kindTemplateSubstitution {
			part(t.Start(c))
			a.positional = append(a.positional, j.load(t.FirstNamed(c)))
			at = t.End(c)
		}
	}
	part(t.End(i) - 1)
	if s := t.Source(i); len(s) >= 2 && n == 1 {
		o.raw = s[1 : len(s)-1]
	}
	return a
}

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
}

// lacksReceiver tells whether what is called may have no receiver: that is the global object where it is not strict.
func (c callee) lacksReceiver() bool { return !c.member || c.handed || c.receiver.mayBeNothing() }

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
		c.receiver, c.key, c.member = j.objectOf(o).present(), j.memberKey(p), true
		if t.Kind(o) == kindSuper {
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
		c.receiver, c.member = j.objectOf(o).present(), true
		keys := j.load(x)
		j.keyProperties(keys, x)
		c.key, _ = keys.str()
		c.indexed = len(keys) > 0 && !slices.ContainsFunc(keys, func(k atom) bool { return !k.numeric() })
		c.functions = j.members(c.receiver, keys, i)
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
	if j.applying > 20 || !j.step() {
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
		return j.replacesForward(c.receiver, c.key)
	}
	return false
}

func (j *javascript) applyValue(v atom, c callee, a arguments, i int) value {
	if v.inert() {
		return nil // an error: nothing is called
	}
	switch v.kind {
	case atomNative:
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
		j.dynamicAt(analyze.DynamicSubclass, i)
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
			if v.num >= 2 {
				j.dynamicAt(analyze.DynamicComputed, i)
			}
		}
		if v.text == ofStream && c.member && mayBeStream(c.receiver) {
			j.connects(i)
		}
		j.opensAny(i)
		j.takesAnyMemory(i)
		j.putThere(c, a, i)
		j.unknownCall(c, a, i)
		if c.member && c.key == "" && !c.indexed { // perhaps a method that calls what it is given
			for s := range a.all {
				if s.hasResult() {
					j.dynamicAt(analyze.DynamicClass, i)
				}
			}
		}
		if v.text == ofLeak || v.text == ofLeakCall {
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
	if len(c.functions.functions()) > 0 { // it is a table of functions, which nobody takes for what one of them gives
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
	j.escapeReceiver(c, i)
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
	return j.join(anything(), j.passedOn(c, a, i))
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
		}
	}
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
	target := callee{node: c.node, member: true, receiver: a.get(0), handed: !a.surely(0)}
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
	if null := target.receiver; null.single() && (null[0].kind == atomNull || null[0].kind == atomUndefined) || len(null) == 0 {
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
		j.calledPlainly(f)
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
	c := callee{node: j.here, functions: functions, receiver: receiver, member: receiver != nil}
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
	if j.applying > 20 || !j.step() {
		return j.notFollowed(one(v), c, a, j.here)
	}
	j.applying++
	defer func() { j.applying-- }()
	return j.applyValue(v, c, a, j.here)
}

func (j *javascript) newCall(i int) value {
	t := j.tree
	f, list := t.Child(i, constructorField), t.Child(i, argumentsField)
	if f == analyze.NoNode {
		return anything()
	}
	c := j.callee(f)
	a := j.arguments(list, false)
	a.at = i
	for _, v := range c.functions {
		if v.kind == atomSymbol {
			j.mention(v.text, i, analyze.HowCall, c.functions.single(), a.facts(), a.splat, a.named()...)
		}
	}
	var out value
	for _, v := range c.functions {
		out = j.join(out, j.construct(v, a, i))
	}
	if j.unseen(c.functions) {
		j.escapeArgs(a, i)
		return anything()
	}
	return out
}

// construct evaluates new of a value.
func (j *javascript) construct(v atom, a arguments, i int) value {
	if v == tableAtom { // Object, which gives its argument back
		return j.join(anything(), a.get(0))
	}
	switch v.kind {
	case atomSymbol:
		return j.constructSymbol(v.text, a, i)
	case atomObject:
		switch o := v.obj; {
		case o.bound != nil:
			return j.constructBound(o, a, i)
		case o.proxied: // a trap answers
			j.escapeArgs(a, i)
			return j.join(o.rest, anything())
		case o.class != nil:
			return j.constructClass(o, a, i, 0)
		case o.code != nil:
			if o.code.instance == nil {
				o.code.instance = j.instanceOf(o)
				j.learned(&o.code.given)
			}
			j.madeAgain(o, o)
			j.passArgs(o.code, a)
			j.reads(&o.code.gives)
			return j.join(objectValue(o.code.instance), j.inPlace(nil, o.code.ret))
		}
	case atomConstructor, atomComputed, atomUnknown:
		return j.applyValue(v, callee{node: i}, a, i)
	}
	j.escapeArgs(a, i)
	return anything()
}

// constructBound evaluates new of a bound function: that makes what the one makes that it is
// bound to.
func (j *javascript) constructBound(o *object, a arguments, i int) value {
	out := j.applyBound(o, a, i)
	if j.applying > 20 {
		return out
	}
	j.applying++
	defer func() { j.applying-- }()
	for _, f := range o.bound {
		switch f.kind {
		case atomObject:
			out = j.join(out, j.construct(f, o.boundTo.with(j, a), i))
		case atomSymbol:
			out = j.join(out, j.constructSymbol(f.text, o.boundTo.with(j, a), i))
		}
	}
	return out
}

// or returns what a function is bound to that bind makes, which may have made it of another.
func (b *binding) or(j *javascript, this callee, args arguments) *binding {
	if b == nil {
		return &binding{this: this, args: args}
	}
	if this.member != b.this.member { // one of them has no receiver
		this.member = true
		this.receiver = j.join(this.receiver, ofKind(atomUndefined))
	}
	this.receiver = j.join(b.this.receiver, this.receiver)
	same := min(len(args.positional), len(b.args.positional))
	all := args
	all.positional, all.splat, all.rest = nil, args.splat || b.args.splat, j.join(b.args.rest, args.rest)
	for k := range same {
		all.positional = append(all.positional, j.join(b.args.positional[k], args.positional[k]))
	}
	for _, s := range slices.Concat(b.args.positional[same:], args.positional[same:]) {
		all.splat, all.rest = true, j.join(all.rest, s)
	}
	return &binding{this: this, args: all}
}

// same tells whether two of them are one: what is the same in or has not grown.
func (b *binding) same(c *binding) bool {
	return c != nil && b.this.member == c.this.member && b.this.receiver.same(c.this.receiver) && b.args.same(c.args)
}

// with returns the arguments of a call behind those that a function is bound to.
func (b *binding) with(j *javascript, a arguments) arguments {
	all := arguments{at: a.at, splat: b.args.splat || a.splat, rest: j.join(b.args.rest, a.rest)}
	all.positional = append(all.positional, b.args.positional...)
	if !b.args.splat {
		all.positional = append(all.positional, a.positional...)
		return all
	}
	for _, s := range a.positional { // of which nobody knows how many come before them
		all.rest = j.join(all.rest, s)
	}
	return all
}

// constructClass runs the constructor of a class, or that of its superclass.
func (j *javascript) constructClass(o *object, a arguments, i, depth int) value {
	j.reads(&o.readBy)
	out := j.join(objectValue(o.class.instance), j.replaced(o.class.super))
	if o.constructor != nil {
		j.passArgs(o.constructor.code, a)
		j.reads(&o.constructor.code.gives)
		return j.inPlace(out, o.constructor.code.ret)
	}
	for _, s := range o.class.super {
		switch {
		case s.kind == atomObject && s.obj.class != nil:
			if depth < 20 {
				j.constructClass(s.obj, a, i, depth+1)
			} else {
				j.escape(one(s), i)
				j.escapeArgs(a, i)
			}
		case s.kind == atomSymbol:
			j.mention(s.text, i, analyze.HowCall, o.class.super.single(), a.facts(), a.splat, a.named()...)
			out = j.join(out, j.constructAbove(s.text, objectValue(o.class.instance), a, i))
		default:
			out = j.join(out, j.construct(s, a, i))
		}
	}
	return out
}

// superCall evaluates super(…).
func (j *javascript) superCall(i, list int) value {
	a := j.arguments(list, false)
	if j.class == nil || j.class.class == nil {
		j.escapeArgs(a, i)
		return anything()
	}
	j.reads(&j.class.readBy)
	for _, s := range j.class.class.super {
		switch {
		case s.kind == atomObject && s.obj.class != nil:
			j.constructClass(s.obj, a, i, 0)
		case s.kind == atomSymbol:
			j.mention(s.text, i, analyze.HowCall, j.class.class.super.single(), a.facts(), a.splat, a.named()...)
			j.constructAbove(s.text, j.this, a, i)
		default:
			j.construct(s, a, i)
		}
	}
	return j.this
}

// constructAbove runs the constructor of the library that a class of the program has above
// it. A map, say, holds what it was given, and hands it to the set or add of that class; a
// stream calls the functions that it was given of the object that is made.
func (j *javascript) constructAbove(name string, this value, a arguments, i int) value {
	s := j.constructSymbol(name, a, i)
	j.keepsHistory(name, this, i)
	j.heard(this, a)
	if leadsBack(name) {
		j.escape(this, i)
	}
	if s.any(atomObject) {
		j.escapeArgs(a, i)
	}
	return s
}

// importModule loads the module of a known name.
func (j *javascript) importModule(name string, at int) value {
	j.constant(name)
	module := nodeModule(name)
	j.event(eventImport, analyze.Clip(module), at)
	if module == "node:test" && !j.tests {
		j.tests = true
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
