package javascript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sallyport/analyze"
	"sallyport/analyze/codec"
)

// callSymbol evaluates a call of an outside function.
func (j *javascript) callSymbol(name string, c callee, a arguments, i int) value {
	j.opens(name, a, i)
	j.streamOptions(name, a)
	j.givenToLibrary(name, "", a, i)
	if inside := callsOfInside(name); inside != "" {
		j.heard(one(withInside(inside)), a)
		j.remembersInside(inside, a, i)
	}
	if givesMemory(name) {
		j.hasMemory()
	}
	j.hasStream(name)
	j.endsJobBy(name, a)
	if strings.HasPrefix(name, "node:assert") && surelyCalls(name, "") {
		j.callsOfNothing(a.get(0))
	} else if fillsMade(name) && !a.has(2) {
		j.callsOfNothing(a.get(1))
	}
	if strings.HasPrefix(name, "node:test") {
		j.mayRemember(name)
	}
	if strings.HasSuffix(name, ".setMaxListeners") {
		j.overflows()
	}
	var made value
	if c.member {
		made = j.madeWith(name, c, a, i)
		j.heard(c.receiver, a.behindChunk(name))
		j.tellsOfReceiver(c, a, i)
		j.changesReceiver(methodOfAll(name), c, i)
		j.initializes(name, c.receiver, i)
		j.calledOf(name, c.receiver, i)
	}
	out := j.join(j.calledSymbol(name, c, a, i), made)
	if inside := insideOf(name); inside != "" || j.givesEngine(name, a) {
		out = j.join(out, j.hasInside(cmp.Or(inside, handleOfZlib), a))
	}
	if c.member {
		j.keepsHistory(name, c.receiver, i)
	}
	if owner, key, _ := cutLast(name); isFunction(owner) && strings.HasPrefix(owner, "globalThis.") { // of a constructor
		out = j.orReplaced(key, out)
	}
	return out
}

// calledSymbol is callSymbol, but for what is made with classes of the program.
func (j *javascript) calledSymbol(name string, c callee, a arguments, i int) value {
	if strings.HasPrefix(name, "node:test") {
		given := a
		if _, key, _ := cutLast(name); key == "apply" {
			given = j.forwardedArguments(key, a, i)
		}
		j.testsWith(given, i)
	}
	if f := j.tables.calls[name]; f != nil {
		if s, ok := f(j, name, c, a, i); ok {
			return s
		}
	}
	if owner, key, _ := cutLast(name); c.member && isForward(key) && !bindsItself(owner) { // whichever function it was read of
		c.key = key
		if s, ok := j.forward(c, a, i); ok {
			return s
		}
	}
	var passedOn value
	if name == "globalThis.Object.prototype.toLocaleString" && c.member {
		c.key = "toLocaleString"
		passedOn = j.passedOn(c, a, i)
	}
	// What Object.prototype has is not what an array, say, has by the same name.
	if at := strings.LastIndex(name, ".prototype."); at >= 0 && c.member && !strings.HasPrefix(name, "globalThis.Object.") {
		c.key = name[at+len(".prototype."):]
		its := c
		its.receiver = j.receiverOf(name[:at], c.receiver)
		if s, ok := j.builtinMethod(its, a, i); ok {
			return j.join(s, j.passedOn(c, a, i))
		}
		j.escapeReceiver(c, i)
		passedOn = j.passedOn(c, a, i)
	}
	if _, key, _ := cutLast(name); c.member && key == "valueOf" {
		return j.join(anything(), c.receiver)
	}
	if name == "globalThis.JSON.stringify" {
		j.givenToCall(a.get(1), i)
	}
	if isInert(name) && j.emit {
		j.shown(append(slices.Concat(a.positional...), a.rest...), i)
	}
	if strings.HasPrefix(name, "node:assert") { // which calls functions, and keeps what it compares in its error
		for _, s := range a.positional {
			j.handBack(s, i)
		}
		j.handBack(a.rest, i)
	}
	if !isInert(name) {
		j.escapeArgs(a, i)
	} else if a.has(1) && !isQuietInert(name) {
		if name == "node:util.inspect" || name == consoleDir { // whose options an object gets that shows itself
			a = a.shift(1)
		}
		j.escapeArgs(a, i)
	}
	if strings.HasPrefix(name, "globalThis.Math.") {
		return ofKind(atomAnyNumber)
	}
	out := j.join(j.join(anything(), passedOn), chained(name, c))
	if isQuietInert(name) && isInert(name) { // which gives none of it back
		return out
	}
	return j.join(out, j.stillInside(c, a))
}

// receiverOf is what a method of a class works on that is called of s: a text for that of texts,
// and nothing that is known where s is of another class.
func (j *javascript) receiverOf(class string, s value) value {
	if class == "globalThis.String" {
		return j.toStrings(s)
	}
	var out value
	for _, v := range s {
		switch {
		case v.kind == atomString || v.kind == atomAnyString, v.kind == atomNumber && class != "globalThis.Number", v.kind == atomBytes && class != "globalThis.Buffer",
			v.kind == atomObject && v.obj.array && !v.obj.collection && !v.obj.iterator && class != "globalThis.Array",
			v.kind == atomObject && (v.obj.array || v.obj.collection) && !v.obj.isList() && class == "globalThis.Array": // of which that sees other members than those that are in it
			j.escape(one(v), j.here)
			v = atom{}
		}
		out = j.add(out, v)
	}
	return out
}

// madeWith is what a function of the library returns that is called as a method of a class
// of the program, or of an object of one that has a class of the library above it: it may
// make that with the class, to which it hands what it is given, or give the object back.
func (j *javascript) madeWith(name string, c callee, a arguments, i int) value {
	var out value
	owner, key, _ := cutLast(name)
	method := strings.Contains(name, ".prototype.")
	if !strings.HasPrefix(name, "globalThis.") {
		j.givesKeys(c.receiver, true)
	}
	if method || owner == modulePaths {
		j.fills(c.receiver, key, a, i)
	}
	for _, v := range c.receiver {
		if method && walkedAsIs(v) {
			j.walks(v, key, a, i)
		}
		switch {
		case v.kind == atomSymbol && isStandard(v.text):
			if !keepsToItself(c.key) {
				j.lend(v.text, i)
			}
		case v.kind == atomComputed && makesByThis(name):
			j.makesByAny(one(v), i)
		case v.kind == atomObject && v.obj.class != nil && makesByThis(name) && j.aboveAny(v.obj):
			j.dynamicAt(analyze.DynamicClass, i)
		case v.kind != atomObject:
		case v.obj.instanceOf != nil:
			if _, above := j.lineage(v.obj); len(above) > 0 {
				out = j.add(out, v)
				j.walks(v, key, a, i)
			}
			if handsOn(name) {
				j.escapeObject(v.obj, i)
			}
		case method:
		case v.obj.callable():
			j.escapeArgs(a, i)
			if v.obj.class != nil && v.obj.asked != j.walked {
				v.obj.asked = j.walked
				j.replacing(v.obj, i)
			}
			out = j.join(out, objectValue(j.instanceOf(v.obj)))
			if fillsMade(name) {
				j.filled(callee{receiver: one(v)}, anything(), i)
			}
		case v.obj.bound != nil:
			j.escapeArgs(a, i)
			if fillsMade(name) {
				j.filled(callee{receiver: one(v)}, anything(), i)
			}
		}
	}
	return out
}

// initializes says that a class of the library's that is called without new takes the object that it is called of
// for one of its own, and sets members of it.
func (j *javascript) initializes(name string, receiver value, i int) {
	emits := isEmitter(name)
	if !emits && !isPlainClass(name) {
		return
	}
	for _, v := range receiver {
		switch {
		case v.kind != atomObject:
		case emits: // which a class of the program may well do with each object that it makes
			j.unlist(v.obj)
			for _, k := range v.obj.keys {
				if setByEmitters(k) {
					j.put(v.obj, k, anything())
				}
			}
		default:
			j.escapeObject(v.obj, i)
		}
	}
}

// initializesHolder is initializes where the language calls s of an object, and of those that inherit from it.
func (j *javascript) initializesHolder(o *object, s value) {
	for _, v := range s {
		if v.kind == atomSymbol {
			j.initializes(v.text, j.withHeirs(objectValue(o)), j.here)
		}
	}
}

// isPlainClass is true for classes of modules, but for emitters: some of them are plain functions, which can be
// called without new.
func isPlainClass(name string) bool {
	owner, key, _ := cutLast(name)
	return strings.HasPrefix(owner, "node:") && key != "" && key[0] >= 'A' && key[0] <= 'Z' && !strings.Contains(name, ".prototype.") && !isEmitter(name)
}

// isEmitter is true for emitters and streams, by all of their names.
func isEmitter(name string) bool {
	switch name {
	case "node:events", "node:events.EventEmitter", "node:events.init", "node:events.EventEmitter.init", "node:stream", "node:stream.Duplex", "node:stream.PassThrough",
		"node:stream.Readable", "node:stream.Stream", "node:stream.Transform", "node:stream.Writable":
		return true
	}
	return strings.HasPrefix(name, "node:_stream_") && !strings.HasSuffix(name, "State")
}

// setByEmitters is true for members that emitters and streams set when they are made.
func setByEmitters(key string) bool {
	switch key {
	case "_construct", "_destroy", "_events", "_eventsCount", "_final", "_flush", "_maxListeners", "_read", "_readableState", "_transform",
		"_writableState", "_write", "_writev", "allowHalfOpen", "domain":
		return true
	}
	return false
}

// fills says that a method of arrays puts what it is given into the prototype that it is called
// of, which all has that inherits from it, or among the places where require looks.
func (j *javascript) fills(receiver value, key string, a arguments, i int) {
	switch key {
	case "copyWithin", "fill", "push", "splice", "unshift":
	default:
		return
	}
	given := a.rest
	for _, s := range a.positional {
		given = j.join(given, s)
	}
	for _, v := range receiver {
		if v.kind == atomSymbol && (prototypeOf(v.text) || v.text == modulePaths) {
			j.assignSymbol(v, stringValue("0"), given, i, false)
		} else if mayBeShared(v) {
			j.assignShared(stringValue("0"), given, i)
		} else if j.cameBack(v) {
			j.shareAll(stringValue("0"), given)
		}
	}
}

// walkedAsIs tells whether a method of arrays that is called of something gives just that to the
// function that it calls: the analysis does not see it as an array, which methodOfArray does.
func walkedAsIs(v atom) bool {
	switch v.kind {
	case atomSymbol, atomNative, atomConstructor, atomComputed:
		return true
	case atomObject:
		return !v.obj.array
	}
	return false
}

// walks says that a method which calls a function for each element of an object gives that
// the object, too.
func (j *javascript) walks(v atom, key string, a arguments, i int) {
	switch key {
	case "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "map", "reduce", "reduceRight", "some":
		j.callback(a.get(0), i, anything(), anything(), j.add(anything(), v), j.add(anything(), v))
	}
}

// symbolKeys evaluates what lists keys that are symbols: those of an object of the
// library lead to its insides. What is not known may be one; but of all that a program
// gets without naming it, only streams of files have a whole module there, and standard streams.
func (j *javascript) symbolKeys(_ string, _ callee, a arguments, i int) (value, bool) {
	s := a.get(0)
	kind := analyze.DynamicAttribute
	if j.files || j.standard || j.ofLibrary(s) { // the standard input may be such a stream
		kind = analyze.DynamicMember
	}
	if len(s) == 0 || slices.ContainsFunc(s, j.hasForeignKeys) {
		j.dynamicAt(kind, i)
	}
	return anything(), true
}

// ofLibrary tells whether s may be an object that the library is known to have made, or one of a class below its own.
func (j *javascript) ofLibrary(s value) bool {
	return slices.ContainsFunc(s, func(v atom) bool {
		switch v.kind {
		case atomObject:
			_, above := j.lineage(v.obj)
			return value(above).hasSymbol()
		case atomUnknown:
			return v.hasInside()
		case atomComputed:
			return v.text == ofStream
		}
		return !v.inert() && v != perhapsGlobal
	})
}

// givesKeys says that the objects in s may have got keys of the library's, where it does.
func (j *javascript) givesKeys(s value, foreign bool) {
	for _, v := range s {
		if v.kind == atomObject && foreign && !v.obj.foreign {
			v.obj.foreign = true
			j.learned(&v.obj.readBy)
		}
	}
}

// hasForeignKeys tells whether v may have keys that the program did not give it: those of
// what it was copied from, of a class of the library above it, or of code that is not seen
// and has it.
func (j *javascript) hasForeignKeys(v atom) bool {
	if v.kind != atomObject {
		return !v.inert()
	}
	if v.obj.foreign || v.obj.escaped {
		return true
	}
	_, above := j.lineage(v.obj)
	return slices.ContainsFunc(above, func(v atom) bool {
		switch v.text {
		case "globalThis.Array.prototype", "globalThis.Map.prototype", "globalThis.Object.prototype", "globalThis.RegExp.prototype", "globalThis.Set.prototype":
			return v.kind != atomSymbol
		}
		return v.kind != atomNull && v.kind != atomUndefined
	})
}

// chained is what a method of an emitter returns: what it is a method of, or called of.
func chained(name string, c callee) value {
	owner, key, _ := cutLast(name)
	its := owner == "globalThis.process" || isStandard(owner)
	if !its && !prototypeOf(owner) {
		return nil
	}
	switch key {
	case "on", "once", "off", "addListener", "removeListener", "removeAllListeners", "prependListener", "prependOnceListener", "setMaxListeners",
		"setEncoding", "resume", "pause", "unpipe", "wrap", "destroy", "end", "ref", "unref", "setTimeout", "setNoDelay", "setKeepAlive", "setRawMode", "setDefaultEncoding", "unshift":
		var out value
		if its {
			out = symbol(owner)
		}
		if c.member {
			out = append(out, c.receiver...)
		}
		return out
	}
	return nil
}

func cutLast(name string) (owner, key string, ok bool) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return "", name, false
	}
	return name[:at], name[at+1:], true
}

// loader loads the module that it is given the name of.
func (j *javascript) loader(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.importNamed(a.get(0), i), true
}

// evaluator makes a function of strings.
func (j *javascript) evaluator(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.functionOf(a, i), true
}

// evaluated runs its first argument as code.
func (j *javascript) evaluated(_ string, _ callee, a arguments, i int) (value, bool) {
	j.runValue(a.get(0), i)
	return anything(), true
}

// symbolOnce makes a symbol. One that is made where the program comes by no more than once is a key
// that stands there: nothing else has it.
func (j *javascript) symbolOnce(_ string, _ callee, a arguments, i int) (value, bool) {
	if len(a.positional) > 1 || a.splat || !j.once(i) {
		return nil, false
	}
	if _, told := a.get(0).str(); !told && len(a.positional) > 0 {
		return nil, false
	}
	return one(atom{kind: atomOnce, text: symbolPrefix + strconv.Itoa(i)}), true
}

// once tells whether node i runs no more than once: it is given to a name, or to a member of an object
// that stands there, at the top of the program.
func (j *javascript) once(i int) bool {
	return j.onlyIn(i, kindVariableDeclarator, kindVariableDeclaration, kindLexicalDeclaration, kindExportStatement, kindPair, kindObject)
}

// onlyIn tells whether there are only nodes of some kinds around node i, up to the whole program.
func (j *javascript) onlyIn(i int, kinds ...analyze.Kind) bool {
	p := j.tree.Parent(i)
	for p != analyze.NoNode && slices.Contains(kinds, j.tree.Kind(p)) {
		p = j.tree.Parent(p)
	}
	return p != analyze.NoNode && j.tree.Kind(p) == kindProgram
}

// symbolFor gives symbols by their names: one with a name of the program's own is a key that stands there. Some are
// Node's, of which one is for what shows an object.
func (j *javascript) symbolFor(_ string, _ callee, a arguments, _ int) (value, bool) {
	name, ok := a.get(0).str()
	inspects, rejects := symbol("node:util.inspect.custom"), symbol("node:events.captureRejectionSymbol")
	switch {
	case !ok:
		return j.join(j.join(inspects, rejects), anything()), true
	case name == "nodejs.util.inspect.custom":
		return j.join(inspects, anything()), true
	case name == "nodejs.rejection":
		return j.join(rejects, anything()), true
	case strings.HasPrefix(name, "node"), strings.HasPrefix(name, "undici"):
		return nil, false
	}
	return one(atom{kind: atomOnce, text: symbolPrefix + "for " + name}), true
}

// frozen gives back what it is given, which gets no more members.
func (j *javascript) frozen(_ string, _ callee, a arguments, i int) (value, bool) {
	j.pins(a.get(0))
	for _, v := range a.get(0) {
		if v.kind == atomObject {
			j.freezes(v.obj, i)
		}
	}
	if len(a.positional) == 0 {
		return j.join(a.get(0), ofKind(atomUndefined)), true
	}
	return a.get(0), true
}

// freezes says that an object gets no more members from node i on. Where that is said in several
// functions, nobody knows which comes first.
func (j *javascript) freezes(o *object, i int) {
	switch {
	case o.frozenAt == 0:
	case o.frozenAt == frozenSomewhere:
		return
	case j.functionAround(o.frozenAt) != j.functionAround(i):
		i = frozenSomewhere
	case o.frozenAt <= i:
		return
	}
	o.frozenAt = i
	j.learned(&o.readBy)
}

// frozenSomewhere is the frozenAt of what is frozen in several functions.
const frozenSomewhere = -1

// mayBeFrozen tells whether an object may be frozen before node i is reached: where both stand in one
// function, what stands first comes first.
func (j *javascript) mayBeFrozen(o *object, i int) bool {
	return o.frozenAt != 0 && (o.frozenAt < i || j.functionAround(o.frozenAt) != j.functionAround(i))
}

// pins says that members of the objects in s cannot be written, nor those of what inherits from them be
// made by assigning: that may be all objects.
func (j *javascript) pins(s value) {
	if !j.pinned && slices.ContainsFunc(s, func(v atom) bool { return mayBeShared(v) || j.cameBack(v) }) {
		j.pinned = true
		j.learned(nil)
	}
}

// told is a function of Object as Reflect has it: its answer only tells whether that was done.
func told(f intrinsic) intrinsic {
	return func(j *javascript, name string, c callee, a arguments, i int) (value, bool) {
		f(j, name, c, a, i)
		return anything(), true
	}
}

// objectAssign copies members into its first argument.
func (j *javascript) objectAssign(_ string, _ callee, a arguments, i int) (value, bool) {
	first := j.boxed(a.get(0).present(), i)
	given := a.shift(1).positional
	if a.splat {
		given = append(slices.Clip(given), a.rest)
	}
	for _, s := range given {
		for _, v := range first {
			j.assignAll(v, s, first.several(), i)
		}
	}
	j.escape(a.rest, i)
	return first, true
}

// assignAll copies the members of s into one object, or into another.
func (j *javascript) assignAll(v atom, s value, either bool, i int) {
	switch v.kind {
	case atomObject:
		j.mutates(v.obj)
		j.spreadInto(v.obj, s, i, func(key string, s value) {
			if either {
				s = j.maybe(s)
			}
			j.assignMember(one(v), stringValue(key), s, i)
		})
		for _, from := range s {
			if from.kind == atomObject && !from.obj.array {
				j.reads(&from.obj.readBy)
				j.mayInherit(v.obj, from.obj.rest)
			}
		}
		return
	case atomSymbol:
		j.assignEach(s, i, func(keys, s value) { j.assignSymbol(v, keys, s, i, false) })
		return
	}
	if mayBeShared(v) {
		j.assignEach(s, i, func(keys, s value) { j.assignShared(keys, s, i) })
	}
	if v == tableAtom {
		return
	}
	if v.kind == atomBytes {
		j.writes()
	}
	j.mayPatch(v, i)
	j.escape(s, i)
	for _, from := range s {
		j.inherit(from)
		if from.kind == atomObject {
			j.prepared(nil, j.join(from.obj.rest, from.obj.loose), i)
		}
	}
	j.reopened(j.keysOf(s), i)
}

// objectCreate makes an object with a prototype.
func (j *javascript) objectCreate(_ string, _ callee, a arguments, i int) (value, bool) {
	o := j.objectFor(i, 6)
	o.mutable = true
	if above := a.get(0); len(above) > 1 { // null among them
		j.movesBelow(o)
	}
	for _, v := range a.get(0) {
		if v.kind != atomNull {
			j.derive(o, one(v))
		}
	}
	j.defineAll(objectValue(o), a.get(1), i)
	return objectValue(o), true
}

// objectSetPrototypeOf changes a prototype.
func (j *javascript) objectSetPrototypeOf(_ string, _ callee, a arguments, i int) (value, bool) {
	first := a.get(0)
	j.inheritsFrom(first, a.get(1), i)
	return first, true
}

// inheritsFrom says that the objects in s have what those in above have.
func (j *javascript) inheritsFrom(s, above value, i int) {
	for _, v := range s {
		switch {
		case v.kind == atomObject:
			j.reparent(v.obj, above)
			continue
		case v.kind == atomSymbol && v != perhapsGlobal && (prototypeOf(v.text) || isPatch(v.text, "__proto__")):
			j.dynamicAt(analyze.DynamicPatch, i)
		}
		for _, from := range above {
			j.inherit(from)
		}
		j.escape(above, i)
	}
}

// inherits is util.inherits: what the first class makes has what the second gives. Of anything else it is
// given it takes the prototypes.
func (j *javascript) inherits(_ string, _ callee, a arguments, i int) (value, bool) {
	for _, v := range a.get(0) {
		if v.kind == atomObject && v.obj.callable() {
			j.derive(j.instanceOf(v.obj), j.prototypes(a.get(1)))
			j.movesBelow(j.instanceOf(v.obj))
			j.put(v.obj, "super_", a.get(1))
		} else {
			j.inheritsFrom(j.memberOf(one(v), prototypeKey, i), j.memberOf(a.get(1), prototypeKey, i), i)
			j.escapeArgs(a, i)
		}
	}
	return anything(), true
}

// valueOf is the method of Object, which gives its receiver back.
func (j *javascript) valueOf(_ string, c callee, _ arguments, _ int) (value, bool) {
	return j.join(anything(), c.receiver), true
}

// objectGetPrototypeOf gives a prototype.
func (j *javascript) objectGetPrototypeOf(_ string, _ callee, a arguments, _ int) (value, bool) {
	return j.prototypeOf(a.get(0)), true
}

// objectValues lists all members.
func (j *javascript) objectValues(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.arrayOf(i, 6, j.valuesOf(a.get(0), i)), true
}

// objectEntries lists all members with their names.
func (j *javascript) objectEntries(_ string, _ callee, a arguments, i int) (value, bool) {
	first := a.get(0)
	pair := j.objectFor(i, 7)
	pair.array = true
	j.grow(&pair.readBy, pair.prop("0"), j.keysOf(first))
	j.grow(&pair.readBy, pair.prop("1"), j.valuesOf(first, i))
	return j.arrayOf(i, 6, objectValue(pair)), true
}

// objectFromEntries makes an object of pairs.
func (j *javascript) objectFromEntries(_ string, _ callee, a arguments, i int) (value, bool) {
	o := j.objectFor(i, 6)
	o.mutable = true
	s := j.memberOf(j.elements(a.get(0), i), "1", i)
	j.names(anyKey, s)
	j.putLoose(o, s, false)
	return objectValue(o), true
}

// objectKeys lists the names of all members.
func (j *javascript) objectKeys(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.keyArray(a.get(0), i), true
}

// objectGetOwnPropertyDescriptor describes one member, if it is there.
func (j *javascript) objectGetOwnPropertyDescriptor(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.maybe(j.descriptor(a.get(0), a.get(1), i)), true
}

// objectGetOwnPropertyDescriptors describes all members.
func (j *javascript) objectGetOwnPropertyDescriptors(_ string, _ callee, a arguments, i int) (value, bool) {
	o := j.objectFor(i, 6)
	j.givesKeys(objectValue(o), true)
	d := j.objectFor(i, 7)
	j.grow(&o.readBy, &o.rest, objectValue(d))
	j.grow(&d.readBy, d.prop("value"), j.valuesOf(a.get(0), i))
	return objectValue(o), true
}

// objectDefineProperty defines one member.
func (j *javascript) objectDefineProperty(_ string, _ callee, a arguments, i int) (value, bool) {
	first := a.get(0)
	j.define(first, a.get(1), a.get(2), i)
	return first, true
}

// objectDefineProperties defines members.
func (j *javascript) objectDefineProperties(_ string, _ callee, a arguments, i int) (value, bool) {
	first := a.get(0)
	j.defineAll(first, a.get(1), i)
	return first, true
}

// reflectApply calls its first argument.
func (j *javascript) reflectApply(_ string, _ callee, a arguments, i int) (value, bool) {
	c, given := j.reflected(a, a.get(2), i)
	return j.apply(c, given, i), true
}

// reflectConstruct calls its first argument with new.
func (j *javascript) reflectConstruct(_ string, _ callee, a arguments, i int) (value, bool) {
	c, given := j.reflected(a, a.get(1), i)
	var out value
	for _, v := range c.functions {
		out = j.join(out, j.construct(v, given, i))
	}
	return j.join(out, anything()), true
}

// reflected returns what Reflect.apply and Reflect.construct call, and with what.
func (j *javascript) reflected(a arguments, list value, i int) (callee, arguments) {
	c := callee{node: i, functions: a.get(0), receiver: a.get(1), member: true, handed: !a.surely(1)}
	given := arguments{at: i}
	if len(list) > 0 {
		given.spread(j, list, i)
	}
	j.mentionForward(c, given, i, analyze.HowCall)
	return c, given
}

// reflectGet reads a member.
func (j *javascript) reflectGet(_ string, _ callee, a arguments, i int) (value, bool) {
	j.keyProperties(a.get(1), i)
	m := j.members(a.get(0), a.get(1), i)
	j.mentionAll(m, i, analyze.HowReference)
	j.escape(a.get(2), i) // an accessor has it
	return m, true
}

// reflectDelete deletes a member, which is a write to it where others have it, too.
func (j *javascript) reflectDelete(_ string, _ callee, a arguments, i int) (value, bool) {
	for _, v := range a.get(0) {
		if v.kind == atomSymbol {
			j.assignMember(one(v), a.get(1), ofKind(atomUndefined), i)
		}
	}
	return nil, false
}

// reflectSet assigns a member, of its last argument where it has four.
func (j *javascript) reflectSet(_ string, _ callee, a arguments, i int) (value, bool) {
	j.keyProperties(a.get(1), i)
	v := a.get(2)
	if len(a.positional) <= 2 {
		v = j.join(v, ofKind(atomUndefined))
	}
	j.assignMember(a.get(0), a.get(1), v, i)
	if a.has(3) {
		j.assignMember(a.get(3), a.get(1), v, i)
		j.escape(a.get(3), i)
	}
	return anything(), true
}

// toldNothing tells nothing that leads on.
func (j *javascript) toldNothing(_ string, _ callee, _ arguments, _ int) (value, bool) {
	return anything(), true
}

// bindingOf is a way to Node's inner modules.
func (j *javascript) bindingOf(name string, _ callee, a arguments, i int) (value, bool) {
	if s, ok := a.get(0).str(); ok {
		return symbol(name + "." + s), true
	}
	j.dynamicAt(analyze.DynamicMember, i)
	return anything(), true
}

// requireMade makes another require.
func (j *javascript) requireMade(_ string, _ callee, _ arguments, _ int) (value, bool) {
	return symbol("globalThis.require"), true
}

// timer calls its argument later.
func (j *javascript) timer(name string, _ callee, a arguments, i int) (value, bool) {
	first := 1 // of what it hands on
	if name == "globalThis.setTimeout" || name == "globalThis.setInterval" {
		first = 2
	}
	var timer value // which calls it as a method of its own
	if first == 2 || name == "globalThis.setImmediate" {
		j.keepsTimed(a.get(0))
		timer = anything()
	}
	if name == "globalThis.queueMicrotask" { // which hands on none
		a.splat, first = false, len(a.positional)
	}
	return j.callTimer(timer, a, first, i), true
}

// keepsTimed notes the functions in s that do something with what they are called with: who
// has the timer can call them with anything else.
func (j *javascript) keepsTimed(s value) {
	for _, v := range s {
		if v.kind == atomObject && (v.obj.bound != nil || v.obj.code != nil && v.obj.code.arity > 0) {
			j.learnedOf(&j.timed, one(v))
		}
	}
}

// handedOn gives back what it is given, or something that acts like it.
func (j *javascript) handedOn(name string, _ callee, a arguments, i int) (value, bool) {
	if strings.HasPrefix(name, "node:util.") {
		for _, v := range a.get(0) { // it is called from there: of a promise nobody is told by a function of the program
			if name != "node:util.promisify" || v.kind != atomSymbol || !endsJob(v.text) {
				j.escape(one(v), i)
			}
		}
	}
	return j.join(a.get(0), anything()), true
}

// tried calls its first argument with the others, and gives a promise of what that gives.
func (j *javascript) tried(_ string, _ callee, a arguments, i int) (value, bool) {
	functions := a.get(0)
	if a.splat {
		functions = j.join(functions, a.rest)
	}
	s := j.callbackWith(functions, i, a.shift(1))
	j.escapeArgs(a, i)
	return j.join(s, anything()), true
}

// anyElement gives a promise of all elements, or of one: what that comes to, and something else until then.
func (j *javascript) anyElement(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.join(j.join(a.get(0), j.elements(a.get(0), i)), anything()), true
}

// arrayFrom makes an array of what it iterates over.
func (j *javascript) arrayFrom(_ string, c callee, a arguments, i int) (value, bool) {
	elements := j.elements(a.get(0), i)
	for _, v := range a.get(0) {
		if v.kind == atomObject && !v.obj.array && !v.obj.collection { // which may have a length, and nothing else
			elements = j.add(elements, atom{kind: atomUndefined})
		}
	}
	if f := a.get(1); len(f) > 0 {
		j.receives(f, a.get(2), i)
		elements = j.invoke(f, nil, elements, ofKind(atomAnyNumber))
	}
	return j.join(j.arrayOf(i, 6, elements), j.filled(c, elements, i)), true
}

// fillsMade is true for functions of lists that make one with what they are called of, whatever that
// gives, and put what they are given into it.
func fillsMade(name string) bool {
	owner, key, _ := cutLast(name)
	return strings.HasPrefix(owner, "globalThis.") && (key == "from" || key == "fromAsync" || key == "of") &&
		name != "globalThis.Array.from" && name != "globalThis.Array.of" // which are followed
}

// makesByThis is true for functions that make something with whatever they are called of.
func makesByThis(name string) bool {
	owner, key, _ := cutLast(name)
	return fillsMade(name) || name == "globalThis.Array.from" || name == "globalThis.Array.of" || owner == "globalThis.Promise" && key != "prototype"
}

// aboveAny tells whether what a class extends may be what makes code.
func (j *javascript) aboveAny(o *object) bool {
	_, above := j.lineage(o)
	return j.join(above, o.class.super).putToCall()
}

// makesByAny says that such a function makes something with a member whose name is not known: what makes functions of text,
// perhaps.
func (j *javascript) makesByAny(s value, i int) {
	for _, v := range s {
		if v.kind == atomComputed {
			j.construct(v, arguments{at: i, splat: true, rest: anything()}, i)
		}
	}
}

// filled puts elements into what Array.from and Array.of make with the class that
// they are methods of, where that is one of the program.
func (j *javascript) filled(c callee, elements value, i int) value {
	var out value
	for _, v := range c.receiver {
		if v.kind != atomObject {
			continue
		}
		for _, r := range j.construct(v, arguments{at: i, splat: true, rest: anything()}, i) { // how many there are, perhaps
			if r.kind == atomObject {
				j.mutates(r.obj)
				j.putAny(r.obj, ofKind(atomAnyString), elements)
				if !r.obj.array {
					j.put(r.obj, "length", ofKind(atomAnyNumber))
				}
			} else {
				j.escape(elements, i)
			}
			out = j.add(out, r)
		}
	}
	return out
}

// arrayMade makes an array of its arguments.
func (j *javascript) arrayMade(name string, c callee, a arguments, i int) (value, bool) {
	all := a.rest
	for _, s := range a.positional {
		all = j.join(all, s)
	}
	if name == "globalThis.Array" && len(a.positional) < 2 && !all.strings() { // perhaps the length
		all = j.maybe(all)
	}
	out := j.arrayOf(i, 6, all)
	if name == "globalThis.Array.of" {
		out = j.join(out, j.filled(c, all, i))
	}
	return out, true
}

// objectMade makes an object, or gives back its argument.
func (j *javascript) objectMade(_ string, _ callee, a arguments, i int) (value, bool) {
	if s := a.get(0).there(); len(s) > 0 {
		return j.boxed(s, i), true
	}
	return objectValue(j.objectFor(i, 6)), true
}

// boxNumber is the object that a node makes of a text, a number or a truth.
const boxNumber = 13

// boxed returns s as objects: that of a text, say, is one of its own, which may get methods that
// say what it becomes, and is true whatever it holds.
func (j *javascript) boxed(s value, i int) value {
	if !slices.ContainsFunc(s, atom.primitive) {
		return s
	}
	o := j.objectFor(i, boxNumber)
	o.mutable = true
	j.grow(&o.readBy, &o.rest, anything())
	return j.join(slices.DeleteFunc(slices.Clone(s), atom.primitive), objectValue(o))
}

// primitive is true for what is no object, but for what may be one.
func (v atom) primitive() bool {
	return v.kind >= atomString && v.kind <= atomUndefined || v.kind == atomAnyString || v.kind == atomAnyNumber
}

// stringBoxed makes the object of a text.
func (j *javascript) stringBoxed(_ string, _ callee, a arguments, i int) (value, bool) {
	return j.boxed(j.toStrings(a.given(0)), i), true
}

// stringMade converts to a string.
func (j *javascript) stringMade(_ string, _ callee, a arguments, _ int) (value, bool) {
	return j.toStrings(a.get(0)), true
}

// stringFromCodes folds a string of character codes.
func (j *javascript) stringFromCodes(_ string, _ callee, a arguments, _ int) (value, bool) {
	return j.fromCodes(a), true
}

// rawString folds a raw template.
func (j *javascript) rawString(_ string, _ callee, a arguments, _ int) (value, bool) {
	if o := a.get(0).local(); o != nil && o.raw != "" && len(a.positional) == 1 {
		return stringValue(o.raw), true
	}
	return ofKind(atomAnyString), true
}

// numberMade converts to a number.
func (j *javascript) numberMade(name string, _ callee, a arguments, _ int) (value, bool) {
	return foldToNumber(name, a), true
}

// bufferFrom folds a Buffer.
func (j *javascript) bufferFrom(_ string, _ callee, a arguments, _ int) (value, bool) {
	return j.foldBuffer(a)
}

// jsonParse folds JSON.
func (j *javascript) jsonParse(_ string, _ callee, a arguments, i int) (value, bool) {
	j.mayBeCalled(a.get(1), i)
	return j.foldJSON(a, i), true
}

// decoded folds the codecs of strings.
func (j *javascript) decoded(name string, _ callee, a arguments, _ int) (value, bool) {
	return j.foldDecode(name, a), true
}

// arrayOf returns the array number n that node i makes, holding elements.
func (j *javascript) arrayOf(i, n int, elements value) value {
	o := j.objectFor(i, n)
	o.array, o.mutable = true, true
	j.grow(&o.readBy, &o.rest, elements)
	return objectValue(o)
}

// callTimer evaluates setTimeout and its like: strings were code once.
func (j *javascript) callTimer(timer value, a arguments, first, i int) value {
	for _, v := range a.get(0) {
		switch v.kind {
		case atomString:
			j.runText(v.text, stringCode, i)
			j.dynamicAt(analyze.DynamicCode, i)
		case atomAnyString:
			j.dynamicAt(analyze.DynamicCode, i)
		case atomSymbol, atomComputed: // which what the call returns leads to
			j.escape(one(v), i)
		}
	}
	j.invokeWith(a.get(0), timer, a.shift(first))
	j.escapeArgs(a.shift(first), i)
	return anything()
}

// functionOf evaluates Function(parameters…, body).
func (j *javascript) functionOf(a arguments, i int) value {
	text := make([]string, 0, len(a.positional))
	for _, s := range a.positional {
		t, ok := j.toStrings(s).str()
		if !ok {
			j.dynamicAt(analyze.DynamicCode, i)
			return anything()
		}
		text = append(text, t)
	}
	if a.splat {
		j.dynamicAt(analyze.DynamicCode, i)
		return anything()
	}
	if n := len(text); n > 0 {
		j.runText("(async function*("+strings.Join(text[:n-1], ",")+"\n) {\n"+text[n-1]+"\n})", stringCode, i)
	}
	return anything()
}

// prototypeOf evaluates Object.getPrototypeOf.
func (j *javascript) prototypeOf(s value) value {
	var out value
	for _, v := range s {
		if v.kind == atomObject {
			j.reads(&v.obj.readBy)
		}
		switch {
		case v.kind == atomObject && v.obj.callable():
			out = j.join(out, symbol("globalThis.Function.prototype"))
		case v.kind == atomObject && v.obj.instanceOf != nil:
			j.isPrototype(one(v))
			out = j.join(j.add(out, v), v.obj.proto)
		case v.kind == atomObject && len(v.obj.proto) > 0:
			out = j.join(out, v.obj.proto)
		case v.kind == atomSymbol && v.text == "globalThis.module":
			out = j.join(out, symbol("node:module.prototype"))
		case v.kind == atomSymbol:
			out = j.join(out, symbol("globalThis.Function.prototype"))
		default:
			out = j.join(out, anything())
		}
	}
	return out
}

// valuesOf evaluates all members of s. All members of a module are too many.
func (j *javascript) valuesOf(s value, i int) value {
	var out value
	for _, v := range s {
		switch {
		case v.kind == atomObject:
			out = j.join(out, j.held(v.obj))
		case v.kind == atomSymbol:
			out = j.join(out, j.anyMember(one(v), false, i))
		default:
			j.opensInside(v, false, i)
			out = j.join(out, j.known(&j.timed))
		}
	}
	if s.taken() != nil && !j.keysOf(s).any(atomAnyString) { // which has no more than stands there
		return out
	}
	return j.join(out, anything())
}

// keyArray evaluates Object.keys.
func (j *javascript) keyArray(s value, i int) value {
	o := j.objectFor(i, 6)
	o.array = true
	keys := j.keysOf(s)
	if keys.any(atomAnyString) || s.taken() != nil && s.taken().array {
		o.mutable = true
		j.grow(&o.readBy, &o.rest, ofKind(atomAnyString))
		return objectValue(o)
	}
	if s.taken().unordered && len(keys) > 1 {
		return j.arrayOf(i, 6, keys)
	}
	for n, k := range keys {
		j.grow(&o.readBy, o.prop(formatNumber(float64(n))), one(k))
	}
	return objectValue(o)
}

func (j *javascript) descriptor(owner, keys value, i int) value {
	d := j.objectFor(i, 6)
	d.mutable = true
	j.keyProperties(keys, i)
	m := j.members(owner, keys, i)
	j.mentionAll(m, i, analyze.HowReference)
	j.grow(&d.readBy, d.prop("value"), m)
	for _, accessor := range []string{"get", "set"} {
		j.grow(&d.readBy, d.prop(accessor), anything())
	}
	return objectValue(d)
}

// defineAll evaluates Object.defineProperties. Accessors that are not known have the owner.
func (j *javascript) defineAll(owner, descriptors value, i int) {
	for _, v := range descriptors {
		if v.kind != atomObject {
			j.escape(one(v), i)
			j.escape(owner, i)
			j.givesKeys(owner, true)
			continue
		}
		if v.obj.escaped {
			j.escape(owner, i)
		}
		for _, from := range j.made(v.obj) {
			j.defineEach(owner, v.obj, from, len(descriptors) == 1 && !v.obj.mutable && j.listsKeys(v.obj), i)
		}
	}
}

// defineEach is defineAll for what stands for own members of the object described. Where that perhaps has them
// not, or does not list them, they are not defined.
func (j *javascript) defineEach(owner value, described, from *object, surely bool, i int) {
	j.reads(&from.readBy)
	if !j.work(len(from.keys)) {
		return
	}
	for _, k := range from.keys {
		name, getter := strings.CutPrefix(k, getPrefix)
		switch {
		case getter:
			j.define(owner, stringValue(name), j.invoke(*from.props[k], objectValue(described)), i)
		case strings.HasPrefix(k, setPrefix):
			continue
		default:
			j.define(owner, stringValue(k), *from.props[k], i)
		}
		for _, o := range owner {
			if !surely && o.kind == atomObject {
				j.put(o.obj, name, ofKind(atomUndefined))
			}
		}
	}
	if len(from.rest) > 0 {
		j.define(owner, ofKind(atomAnyString), from.rest, i)
		j.givesKeys(owner, j.hasForeignKeys(atom{kind: atomObject, obj: described}))
	}
}

// define evaluates Object.defineProperty and Reflect.defineProperty.
func (j *javascript) define(owner, keys, d value, i int) {
	var s value
	j.pins(owner)
	for _, o := range owner {
		if o.kind == atomObject {
			j.unlist(o.obj)
		}
	}
	for _, v := range d.present() {
		get := j.memberOf(one(v), "get", i)
		if v.kind == atomObject && v.obj.props["get"] != nil {
			j.mayBeCalled(get, i)
		}
		s = j.join(s, j.invoke(get, owner))
		if given := j.memberOf(one(v), "value", i); len(get.functions()) == 0 {
			s = j.join(s, given)
		} else {
			s = j.join(s, given.there())
		}
		if set := j.memberOf(one(v), "set", i).there(); len(set) > 0 {
			for _, o := range owner {
				if o.kind == atomObject {
					j.putMethod(o.obj, keys, set, setPrefix)
				} else if o.kind == atomSymbol {
					j.ofFunctions(o.text, set)
				} else if mayBeShared(o) {
					j.assignShared(keys, set, i)
				}
			}
		}
	}
	j.keyProperties(keys, i)
	j.definesLength(owner, keys, i)
	j.assignMember(owner, keys, s, i)
}

// functions returns what in s is a function of the program.
func (s value) functions() value {
	var out value
	for _, v := range s {
		if v.kind == atomObject && (v.obj.code != nil || v.obj.bound != nil) {
			out = append(out, v)
		}
	}
	return out
}

// there returns s without what is not there.
func (s value) there() value {
	if !s.any(atomUndefined) {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return v.kind == atomUndefined })
}

// constructSymbol evaluates new of an outside class.
func (j *javascript) constructSymbol(name string, a arguments, i int) value {
	j.opens(name, a, i)
	if f := j.tables.constructors[name]; f != nil {
		if s, ok := f(j, name, callee{node: i}, a, i); ok {
			return s
		}
	}
	j.streamOptions(name, a)
	j.hasStream(name)
	j.givenToLibrary(name, "", a, i)
	if !isInert(name) || a.has(1) || keepsOptions(name) {
		j.escapeArgs(a, i)
	}
	if inside := insideOf(name); inside != "" {
		return j.hasInside(inside, a)
	}
	return anything()
}

// keepsOptions is true for classes whose objects show what they were made with.
func keepsOptions(name string) bool {
	return strings.HasPrefix(name, "node:assert") || strings.HasPrefix(name, "globalThis.console.")
}

// promiseMade makes a promise, which calls what it is given.
func (j *javascript) promiseMade(_ string, _ callee, a arguments, i int) (value, bool) {
	j.givenToCall(a.get(0), i)
	j.callsOfNothing(a.get(0))
	return nil, false
}

// mapMade makes a Map.
func (j *javascript) mapMade(_ string, _ callee, a arguments, i int) (value, bool) {
	o := j.objectFor(i, 6)
	o.mutable, o.collection = true, true
	if a.has(0) {
		pairs := j.elements(a.get(0), i)
		j.grow(&o.readBy, &o.rest, j.memberOf(pairs, "1", i))
		j.grow(&o.readBy, &o.mapKeys, j.memberOf(pairs, "0", i))
	}
	return objectValue(o), true
}

// setMade makes a Set.
func (j *javascript) setMade(_ string, _ callee, a arguments, i int) (value, bool) {
	o := j.objectFor(i, 6)
	o.mutable, o.collection, o.array = true, true, true
	if a.has(0) {
		j.grow(&o.readBy, &o.rest, j.elements(a.get(0), i))
	}
	return objectValue(o), true
}

// moduleMade makes a module, which can load others.
func (j *javascript) moduleMade(_ string, _ callee, _ arguments, _ int) (value, bool) {
	return symbol("node:module.prototype"), true
}

// workerMade starts a Worker: with eval set, the first argument is code.
func (j *javascript) workerMade(_ string, _ callee, a arguments, i int) (value, bool) {
	options := a.get(1).local()
	if options != nil && options.props["eval"] != nil {
		j.runValue(a.get(0), i)
	} else if len(a.positional) > 1 && options == nil {
		j.dynamicAt(analyze.DynamicCode, i)
	}
	if text, ok := a.get(0).str(); ok {
		if code, isData := dataModule(text); isData {
			j.runText(code, moduleCode, i)
		}
	}
	j.escapeArgs(a, i)
	return anything(), true
}

// proxyMade makes a Proxy: its members are those of the target and whatever
// the handler's traps return.
func (j *javascript) proxyMade(_ string, _ callee, a arguments, i int) (value, bool) {
	o := j.objectFor(i, 6)
	o.mutable, o.proxied = true, true
	target, handler := a.get(0), a.get(1)
	j.below(o, target)
	for _, v := range handler {
		if v.kind != atomObject {
			j.escape(one(v), i)
			j.escape(target, i)
			j.grow(&o.readBy, &o.rest, anything())
			continue
		}
		j.reads(&v.obj.readBy)
		for _, k := range v.obj.keys {
			traps := *v.obj.props[k]
			s := j.invoke(traps, objectValue(v.obj), target, ofKind(atomAnyString), anything())
			j.grow(&o.readBy, &o.rest, s)
		}
	}
	return j.join(objectValue(o), target), true
}

// dataModule returns the code of a data: URL.
func dataModule(specifier string) (string, bool) {
	rest, ok := strings.CutPrefix(specifier, "data:")
	if !ok {
		return "", false
	}
	head, body, ok := strings.Cut(rest, ",")
	if !ok {
		return "", false
	}
	text := codec.Percent(body)
	if strings.HasSuffix(head, ";base64") {
		if b, ok := codec.Base64(text); ok {
			return b, true
		}
		return "", false
	}
	return text, true
}
