package javascript

import "sallyport/analyze"

// jsArgs are the arguments of a call.
type jsArgs struct {
	sets  []jsSet
	splat bool // sets ends before arguments that cannot be told apart
	rest  jsSet
	at    int
}

// get returns argument n; beyond what is passed it is undefined.
func (a jsArgs) get(n int) jsSet {
	if n < len(a.sets) {
		return a.sets[n]
	}
	if a.splat {
		return a.rest
	}
	return nil
}

// shift returns the arguments without the first n.
func (a jsArgs) shift(n int) jsArgs {
	a.sets = a.sets[min(n, len(a.sets)):]
	return a
}

// facts returns the arguments as policy sees them.
func (a jsArgs) facts() []analyze.Arg {
	out := make([]analyze.Arg, 0, len(a.sets))
	for _, s := range a.sets {
		var arg analyze.Arg
		if s.single() {
			switch v := s[0]; v.kind {
			case jsConstString:
				arg = analyze.Arg{Value: clip(v.text), Known: true}
			case jsConstNumber:
				arg = analyze.Arg{Value: v.num, Known: true}
			case jsConstBool:
				arg = analyze.Arg{Value: v.num != 0, Known: true}
			case jsConstNull:
				arg = analyze.Arg{Known: true}
			}
		}
		out = append(out, arg)
	}
	return out
}

// clip bounds a constant that is reported as an argument.
func clip(s string) string {
	const longest = 4 << 10
	return s[:min(len(s), longest)]
}

// arguments evaluates the arguments at node i: a list or, of a tagged
// template, its strings and values.
//
// With quietThis, a first argument "this" mentions nothing: see handsOnThis.
func (j *jsWalk) arguments(i int, quietThis bool) jsArgs {
	a := jsArgs{at: i}
	if i == analyze.NoNode {
		return a
	}
	t := j.tree
	if t.Kind(i) == jsTemplateString {
		return j.templateArguments(i)
	}
	n := 0
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		n++
	}
	a.sets = make([]jsSet, 0, n)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != jsSpreadElement {
			s := j.argument(c, quietThis && len(a.sets) == 0)
			if a.splat {
				a.rest = j.union(a.rest, s)
			} else {
				a.sets = append(a.sets, s)
			}
			continue
		}
		a.spread(j, j.expr(t.FirstNamed(c)), c)
	}
	return a
}

func (j *jsWalk) argument(i int, quietThis bool) jsSet {
	if quietThis && j.tree.Kind(i) == jsThis {
		return j.this
	}
	return j.expr(i)
}

// handsOnThis is true for f.call and f.apply of a function that comes from the
// program: f.apply(this, …) is how wrappers stay out of the way, and what f
// does with its receiver is seen in f.
func (c jsCallee) handsOnThis() bool {
	if c.key != "call" && c.key != "apply" {
		return false
	}
	return !c.receiver.hasSymbol() && !c.receiver.any(jsNative)
}

// spread adds the elements of an array to the arguments.
func (a *jsArgs) spread(j *jsWalk, s jsSet, at int) {
	if o := s.local(); o != nil && o.listed() && !a.splat {
		for _, k := range o.keys {
			a.sets = append(a.sets, *o.props[k])
		}
		return
	}
	if v := s; v.single() && v[0].kind == jsSymbol && v[0].text == "globalThis.arguments" {
		a.sets = append(a.sets, unknownSet(), symbolSet("globalThis.require"), symbolSet("globalThis.module"))
		a.splat, a.rest = true, unknownSet()
		return
	}
	a.splat = true
	a.rest = j.union(j.union(a.rest, j.elements(s, at)), unknownSet())
}

func (j *jsWalk) templateArguments(i int) jsArgs {
	t, o := j.tree, j.objectAt(i)
	a := jsArgs{at: i, sets: []jsSet{localSet(o)}}
	o.array = true
	at, n := t.Start(i)+1, 0
	part := func(end int) {
		if at <= end {
			s := decodeEscapes(t.Text[at:end])
			j.constant(s)
			j.add(o.prop(formatNumber(float64(n))), stringSet(s))
			n++
		}
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) == jsTemplateSubstitution {
			part(t.Start(c))
			a.sets = append(a.sets, j.expr(t.FirstNamed(c)))
			at = t.End(c)
		}
	}
	part(t.End(i) - 1)
	if s := t.Source(i); len(s) >= 2 && n == 1 {
		o.raw = s[1 : len(s)-1]
	}
	return a
}

// jsCallee is what is called.
type jsCallee struct {
	node      int
	functions jsSet
	receiver  jsSet
	key       string // of a member call, when it is known
	member    bool
	named     bool // an identifier
}

// callee evaluates what is called.
func (j *jsWalk) callee(i int) jsCallee {
	t := j.tree
	for t.Kind(i) == jsParenthesizedExpression {
		i = t.FirstNamed(i)
	}
	c := jsCallee{node: i}
	switch t.Kind(i) {
	case jsMemberExpression:
		o, p := t.Child(i, jsObjectField), t.Child(i, jsPropertyField)
		if o == analyze.NoNode || p == analyze.NoNode || t.Kind(o) == jsImport {
			c.functions = unknownSet()
			return c
		}
		c.receiver, c.key, c.member = j.objectOf(o), j.identifierText(p), true
		if t.Kind(o) == jsSuper {
			c.receiver = j.this
			c.functions = j.memberOf(j.super, c.key, i)
		} else {
			c.functions = j.memberOf(c.receiver, c.key, i)
		}
		if t.Kind(p) != jsPrivatePropertyIdentifier && !ownConstructor(c.key, c.receiver) {
			j.property(c.key, p)
		}
	case jsSubscriptExpression:
		o, x := t.Child(i, jsObjectField), t.Child(i, jsIndexField)
		if o == analyze.NoNode || x == analyze.NoNode {
			c.functions = unknownSet()
			return c
		}
		c.receiver, c.member = j.objectOf(o), true
		keys := j.expr(x)
		j.keyProperties(keys, x)
		c.key, _ = keys.str()
		c.functions = j.members(c.receiver, keys, i)
	case jsIdentifier:
		c.named = true
		c.functions = j.name(i)
	default:
		c.functions = j.ref(i)
	}
	return c
}

// call evaluates a call, also a tagged template.
func (j *jsWalk) call(i int) jsSet {
	t := j.tree
	f, list := t.Child(i, jsFunctionField), t.Child(i, jsArgumentsField)
	if f == analyze.NoNode {
		return unknownSet()
	}
	switch t.Kind(f) {
	case jsImport:
		a := j.arguments(list, false)
		return j.loadSet(a.get(0), i)
	case jsSuper:
		return j.superCall(i, list)
	}
	c := j.callee(f)
	a := j.arguments(list, c.handsOnThis())
	a.at = i
	j.mentionCall(c, a, i)
	return j.apply(c, a, i)
}

// mentionCall reports the symbols that are called. Plain require("x") is an
// import and nothing else.
func (j *jsWalk) mentionCall(c jsCallee, a jsArgs, i int) {
	if !j.emit {
		return
	}
	forward := c.member && (c.key == "call" || c.key == "apply" || c.key == "bind")
	for _, v := range c.functions {
		if v.kind != jsSymbol || forward {
			continue
		}
		if c.named && v.text == "globalThis.require" && j.tree.Source(c.node) == "require" {
			continue
		}
		j.mention(v.text, i, analyze.HowCall, c.functions.single(), a.facts(), a.splat)
	}
}

// apply calls every function that the callee may be.
func (j *jsWalk) apply(c jsCallee, a jsArgs, i int) jsSet {
	if j.applying > 20 || !j.step() {
		j.escapeArgs(a, i)
		return unknownSet()
	}
	j.applying++
	defer func() { j.applying-- }()
	if c.member {
		switch c.key {
		case "call", "apply", "bind":
			if s, ok := j.forward(c, a, i); ok {
				return s
			}
		}
	}
	var out jsSet
	for _, v := range c.functions {
		out = j.union(out, j.applyValue(v, c, a, i))
	}
	if len(c.functions) == 0 {
		out = j.unknownCall(c, a, i)
	}
	return out
}

func (j *jsWalk) applyValue(v jsValue, c jsCallee, a jsArgs, i int) jsSet {
	switch v.kind {
	case jsConstUndefined, jsConstNull:
		return nil // an error: nothing is called
	case jsSymbol:
		return j.callSymbol(v.text, c, a, i)
	case jsLocal:
		if v.obj.bound != nil {
			return j.applyBound(v.obj, a, i)
		}
		if v.obj.code != nil {
			return j.callFunction(v.obj, c.receiver, !c.member, a)
		}
		if v.obj.class != nil || v.obj.proxied {
			return j.construct(v, a, i)
		}
		j.escapeArgs(a, i)
		return unknownSet()
	case jsConstructor:
		j.unresolved(analyze.DynamicSubclass, i)
		j.property("constructor", i)
		j.escapeArgs(a, i)
		return unknownSet()
	case jsComputed:
		if v.num >= 2 || v.text != "" {
			j.unresolved(analyze.DynamicComputed, i)
		}
		j.unknownCall(c, a, i)
		return jsSet{{kind: jsComputed, num: 1, text: "called"}}
	}
	return j.unknownCall(c, a, i)
}

// unknownCall calls a function that is not known: a method of a built-in class
// perhaps, and else code that gets hold of the arguments.
func (j *jsWalk) unknownCall(c jsCallee, a jsArgs, i int) jsSet {
	if c.member && c.key != "" {
		if s, ok := j.builtinMethod(c, a, i); ok {
			return s
		}
	}
	j.escapeReceiver(c, i)
	j.escapeArgs(a, i)
	return unknownSet()
}

// escapeReceiver says that a method which is not known has what its receiver
// holds, and may return it.
func (j *jsWalk) escapeReceiver(c jsCallee, i int) {
	if !c.member || c.key != "" && isHarmlessMethod(c.key) {
		return
	}
	for _, v := range c.receiver {
		if v.kind == jsLocal && v.obj.code == nil && v.obj.class == nil && v.obj.instanceOf == nil {
			j.escapeObject(v.obj, i)
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

func (j *jsWalk) escapeArgs(a jsArgs, at int) {
	for _, s := range a.sets {
		j.escape(s, at)
	}
	j.escape(a.rest, at)
}

// forward handles f.call, f.apply and f.bind of what is known to be callable.
func (j *jsWalk) forward(c jsCallee, a jsArgs, i int) (jsSet, bool) {
	target := jsCallee{node: c.node, member: true, receiver: a.get(0)}
	for _, v := range c.receiver {
		switch {
		case v.kind == jsSymbol && !isNamespace(v.text), v.kind == jsSymbol && v.text == "globalThis.require",
			v.kind == jsLocal && (v.obj.code != nil || v.obj.class != nil || v.obj.bound != nil), v.kind == jsConstructor, v.kind == jsComputed:
			target.functions = append(target.functions, v)
		}
	}
	if len(target.functions) == 0 {
		return nil, false
	}
	if null := target.receiver; null.single() && (null[0].kind == jsConstNull || null[0].kind == jsConstUndefined) || len(null) == 0 {
		target.member = false
		target.receiver = nil
	}
	rest := a.shift(1)
	switch c.key {
	case "apply":
		rest = jsArgs{at: i}
		if list := a.get(1); len(list) > 0 {
			rest.spread(j, list, i)
		}
	case "bind":
		j.mentionForward(target, rest, i, analyze.HowReference)
		o := j.objectFor(i, 5)
		o.bound = target.functions
		o.boundArgs, o.boundThis = rest, target
		return localSet(o), true
	}
	j.mentionForward(target, rest, i, analyze.HowCall)
	return j.apply(target, rest, i), true
}

func (j *jsWalk) mentionForward(c jsCallee, a jsArgs, i int, how analyze.How) {
	if !j.emit {
		return
	}
	for _, v := range c.functions {
		if v.kind == jsSymbol {
			j.mention(v.text, i, how, c.functions.single(), a.facts(), a.splat)
		}
	}
}

func (j *jsWalk) applyBound(o *jsEntity, a jsArgs, i int) jsSet {
	all := jsArgs{at: i, splat: o.boundArgs.splat || a.splat, rest: j.union(o.boundArgs.rest, a.rest)}
	all.sets = append(append(all.sets, o.boundArgs.sets...), a.sets...)
	target := o.boundThis
	target.functions = o.bound
	j.mentionForward(target, all, i, analyze.HowCall)
	return j.apply(target, all, i)
}

// callFunction calls a function of the program.
func (j *jsWalk) callFunction(o *jsEntity, receiver jsSet, plain bool, a jsArgs) jsSet {
	f := o.code
	if plain && !f.plain && !f.arrow {
		f.plain, j.changed = true, true
	}
	if !f.arrow && !plain {
		j.add(&f.this, receiver)
	}
	j.passArgs(f, a)
	if f.generator {
		g := j.objectFor(f.node, 3)
		g.array, g.mutable, g.iterator = true, true, true
		j.add(&g.rest, f.ret)
		return localSet(g)
	}
	return f.ret
}

// passArgs joins arguments with what other callers pass.
func (j *jsWalk) passArgs(f *jsFunction, a jsArgs) {
	n := len(a.sets)
	if a.splat {
		n = max(n, len(f.params), 4)
	}
	for len(f.params) < n && len(f.params) < 256 {
		f.params = append(f.params, nil)
	}
	for k := range min(n, len(f.params)) {
		j.add(&f.params[k], a.get(k))
	}
	for _, s := range a.sets {
		j.add(&f.all, s)
	}
	j.add(&f.all, a.rest)
}

// returns calls functions that the language calls by itself: accessors,
// iterators, callbacks.
func (j *jsWalk) returns(functions, receiver jsSet, args ...jsSet) jsSet {
	c := jsCallee{node: j.here, functions: functions, receiver: receiver, member: receiver != nil}
	var out jsSet
	for _, v := range functions {
		if v.kind == jsLocal && v.obj.code != nil {
			out = j.union(out, j.callFunction(v.obj, receiver, receiver == nil, jsArgs{sets: args, at: j.here}))
		} else {
			out = j.union(out, j.applyValue(v, c, jsArgs{sets: args, at: j.here}, j.here))
		}
	}
	return out
}

func (j *jsWalk) newCall(i int) jsSet {
	t := j.tree
	f, list := t.Child(i, jsConstructorField), t.Child(i, jsArgumentsField)
	if f == analyze.NoNode {
		return unknownSet()
	}
	c := j.callee(f)
	a := j.arguments(list, false)
	a.at = i
	for _, v := range c.functions {
		if v.kind == jsSymbol {
			j.mention(v.text, i, analyze.HowCall, c.functions.single(), a.facts(), a.splat)
		}
	}
	var out jsSet
	for _, v := range c.functions {
		out = j.union(out, j.construct(v, a, i))
	}
	if len(c.functions) == 0 {
		j.escapeArgs(a, i)
		return unknownSet()
	}
	return out
}

// construct evaluates new of a value.
func (j *jsWalk) construct(v jsValue, a jsArgs, i int) jsSet {
	switch v.kind {
	case jsSymbol:
		return j.constructSymbol(v.text, a, i)
	case jsLocal:
		switch o := v.obj; {
		case o.bound != nil:
			return j.applyBound(o, a, i)
		case o.proxied: // a trap answers
			j.escapeArgs(a, i)
			return j.union(o.rest, unknownSet())
		case o.class != nil:
			return j.constructClass(o, a, i, 0)
		case o.code != nil:
			if o.code.instance == nil {
				o.code.instance = j.instanceOf(o)
				j.changed = true
			}
			j.passArgs(o.code, a)
			var out jsSet
			for _, r := range o.code.ret {
				if !r.constant() {
					out = append(out, r)
				}
			}
			return j.union(localSet(o.code.instance), out)
		}
	case jsConstructor, jsComputed:
		return j.applyValue(v, jsCallee{node: i}, a, i)
	}
	j.escapeArgs(a, i)
	return unknownSet()
}

// constructClass runs the constructor of a class, or that of its superclass.
func (j *jsWalk) constructClass(o *jsEntity, a jsArgs, i, depth int) jsSet {
	out := localSet(o.class.instance)
	if o.constructor != nil {
		j.passArgs(o.constructor.code, a)
		for _, r := range o.constructor.code.ret {
			if !r.constant() {
				out = j.union(out, oneOf(r))
			}
		}
		return out
	}
	for _, s := range o.class.super {
		switch {
		case s.kind == jsLocal && s.obj.class != nil:
			if depth < 20 {
				j.constructClass(s.obj, a, i, depth+1)
			}
		case s.kind == jsSymbol:
			j.mention(s.text, i, analyze.HowCall, o.class.super.single(), a.facts(), a.splat)
			out = j.union(out, j.constructSymbol(s.text, a, i))
		default:
			out = j.union(out, j.construct(s, a, i))
		}
	}
	return out
}

// superCall evaluates super(…).
func (j *jsWalk) superCall(i, list int) jsSet {
	a := j.arguments(list, false)
	if j.class == nil || j.class.class == nil {
		j.escapeArgs(a, i)
		return unknownSet()
	}
	for _, s := range j.class.class.super {
		switch {
		case s.kind == jsLocal && s.obj.class != nil:
			j.constructClass(s.obj, a, i, 0)
		case s.kind == jsSymbol:
			j.mention(s.text, i, analyze.HowCall, j.class.class.super.single(), a.facts(), a.splat)
			j.constructSymbol(s.text, a, i)
		default:
			j.construct(s, a, i)
		}
	}
	return kindSet(jsConstUndefined)
}

// load loads the module of a known name.
func (j *jsWalk) load(name string, at int) jsSet {
	j.constant(name)
	module := nodeModule(name)
	j.event(jsEventImport, clip(module), at)
	if code, ok := dataModule(name); ok {
		j.code(code, jsModuleCode, at)
		return unknownSet()
	}
	return symbolSet(moduleSymbol(module))
}

// loadSet loads the modules that an expression may name.
func (j *jsWalk) loadSet(names jsSet, at int) jsSet {
	var out jsSet
	known := len(names) > 0
	for _, v := range j.toStrings(names) {
		if v.kind == jsConstString {
			out = j.union(out, j.load(v.text, at))
		} else {
			known = false
		}
	}
	if !known {
		j.unresolved(analyze.DynamicImport, at)
		out = j.union(out, unknownSet())
	}
	return out
}

// code remembers constant code to read, in the last pass.
func (j *jsWalk) code(text string, mode jsMode, at int) {
	if j.emit {
		j.codes = append(j.codes, jsCode{text, mode, j.At(j.tree, at)})
	}
}

// codeSet is code for what an expression may yield.
func (j *jsWalk) codeSet(s jsSet, at int) {
	known := len(s) > 0
	for _, v := range s {
		switch v.kind {
		case jsConstString:
			j.code(v.text, jsStringCode, at)
		case jsConstNumber, jsConstBool, jsConstNull, jsConstUndefined:
		default:
			known = false
		}
	}
	if !known {
		j.unresolved(analyze.DynamicCode, at)
	}
}
