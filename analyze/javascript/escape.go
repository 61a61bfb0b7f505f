package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// escape says that code which is not seen gets hold of the values.
func (j *javascript) escape(s value, at int) {
	for _, v := range s {
		switch v.kind {
		case atomSymbol:
			j.losesSight(v, at)
		case atomConstructor:
			j.madeByClass(v, at)
		case atomComputed:
			j.leak(v)
		case atomUnknown:
			j.contextWent(v)
			j.warningWent(v, at)
		case atomNative:
			j.wentAway()
			j.mayRemember(v.text)
		case atomBytes:
			j.writes()
		case atomObject:
			j.plainly(one(v))
			j.escapeObject(v.obj, at)
		}
	}
}

// losesSight says that an outside symbol goes where it is not followed.
func (j *javascript) losesSight(v atom, at int) {
	if v == perhapsGlobal {
		j.dynamicAt(analyze.DynamicClass, at)
		return
	}
	if isNamespace(v.text) {
		j.dynamicAt(analyze.DynamicMember, at)
	}
	j.lend(v.text, at)
}

// plainly says that the functions in s may be called without a receiver.
func (j *javascript) plainly(s value) {
	for _, v := range s {
		if v.kind == atomObject && v.obj.code != nil && !v.obj.code.away {
			v.obj.code.away = true
			j.learned(&v.obj.code.given)
		}
	}
}

// streamOptions notes the options of a stream that is made: it calls some of the functions in
// them, and those as its own methods.
func (j *javascript) streamOptions(class string, a arguments) {
	switch class {
	case "node:stream.Duplex", "node:stream.PassThrough", "node:stream.Readable", "node:stream.Transform", "node:stream.Writable":
		for _, v := range a.get(0) {
			if v.kind == atomObject {
				v.obj.streams = true
			}
		}
	}
}

// isStreamMethod is true for the options that a stream takes for methods of its own.
func isStreamMethod(key string) bool {
	switch key {
	case "construct", "destroy", "final", "flush", "read", "transform", "write", "writev":
		return true
	}
	return false
}

// escapeObject is escape for an object and all that it holds: its functions are
// called as methods then. It keeps a list, because objects may be nested as
// deeply as the source is long.
func (j *javascript) escapeObject(o *object, at int) {
	if !j.escapes(o) {
		return
	}
	for held := j.escapeRest(nil, o, at); len(held) > 0; {
		o := held[len(held)-1]
		held = held[:len(held)-1]
		if j.escapes(o) {
			held = j.escapeRest(held, o, at)
		}
	}
}

// escapeRest is escape for what is reached from an object that did.
func (j *javascript) escapeRest(held []*object, o *object, at int) []*object {
	held = j.escapeMembers(held, o, at)
	held = j.escapeInherited(held, o, at)
	held = j.escapeCalled(held, o, at)
	if j.reachesBehind { // by a name that is not known, where o came back
		line, _ := j.lineage(o)
		held = j.escapeHeld(held, j.leadsTo(line), at)
	}
	j.behind(o, at)
	return held
}

// escapeMembers is escape for what an object holds.
func (j *javascript) escapeMembers(held []*object, o *object, at int) []*object {
	j.reads(&o.readBy)
	for _, k := range o.keys {
		if !o.streams || !isStreamMethod(k) {
			j.plainly(*o.props[k])
		}
		held = j.escapeHeld(held, *o.props[k], at)
	}
	j.plainly(o.rest)
	j.plainly(o.mapKeys)
	held = j.escapeHeld(held, o.rest, at)
	return j.escapeHeld(held, o.mapKeys, at)
}

// escapeInherited is escape for what an object inherits: who has it reads and calls that. What has it is
// not changed: nobody gets at that.
func (j *javascript) escapeInherited(held []*object, o *object, at int) []*object {
	line, _ := j.lineage(o)
	for _, from := range line[1:] {
		if from.lentAt != j.walked {
			from.lentAt = j.walked
			held = j.escapeMembers(held, from, at)
		}
	}
	return held
}

// escapeCalled is escape for what comes of calling what went away: the objects that a function or class
// makes, and what they get to be made; what a bound function gives.
func (j *javascript) escapeCalled(held []*object, o *object, at int) []*object {
	switch {
	case o.class != nil:
		held = append(held, o.class.instance)
		held = j.escapeConstructors(held, o, at)
	case o.code != nil && !o.code.arrow && !o.code.method && !o.code.async && !o.code.generator:
		held = append(held, j.instanceOf(o))
	default:
		given := j.calledByOthers(o, at)
		j.plainly(given)
		held = j.escapeHeld(held, given, at)
	}
	return held
}

// calledByOthers says that a bound function is called by who is not seen, and returns what that gets hold of: what the
// functions of the program give and, of anything else that is bound, that and what it is bound to. A function of the
// library changes, calls and gives back the objects that it is bound to.
func (j *javascript) calledByOthers(o *object, at int) value {
	j.reads(&o.readBy)
	if o.bound == nil {
		return nil
	}
	var out value
	given := o.boundTo.with(j, arguments{at: at, splat: true, rest: anything()})
	for _, v := range o.bound {
		switch {
		case v.kind == atomObject && v.obj.code != nil:
			j.askFor(v.obj.code)
			out = j.join(out, j.callFunction(v.obj, o.boundTo.this, given))
		case v.kind == atomObject, v.kind == atomNative && isForward(v.text):
			out = j.add(j.join(out, o.boundTo.this.receiver), v)
			for s := range given.all {
				out = j.join(out, s)
			}
		case v.kind == atomNative, v.kind == atomSymbol, v.kind == atomConstructor:
			j.lendsMemory(v.text)
			out = j.join(out, objectsOf(o.boundTo.this.receiver))
			for s := range given.all {
				out = j.join(out, objectsOf(s))
			}
		}
	}
	return out
}

// objectsOf returns the objects in s, functions and classes as well.
func objectsOf(s value) value {
	return slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return v.kind != atomObject })
}

// escapeConstructors says that a class is called with anything: its constructor is or, where it has none,
// that of the class above it.
func (j *javascript) escapeConstructors(held []*object, o *object, at int) []*object {
	for n, classes := 0, []*object{o}; n < len(classes) && j.step(); n++ {
		o := classes[n]
		j.reads(&o.readBy)
		if o.constructor != nil {
			j.askFor(o.constructor.code)
			j.reads(&o.constructor.code.gives)
			j.plainly(o.constructor.code.ret)
			held = j.escapeHeld(held, o.constructor.code.ret, at)
			continue
		}
		var above value
		switch {
		case o.class != nil:
			above = o.class.super
		case o.bound != nil:
			above = o.bound
			for s := range o.boundTo.args.all {
				held = j.escapeHeld(held, s, at)
			}
		case o.code != nil:
			j.askFor(o.code)
		}
		for _, v := range above {
			if v.kind == atomObject && !slices.Contains(classes, v.obj) {
				classes = append(classes, v.obj)
			}
		}
	}
	return held
}

// behind notes what code that has an object gets from behind it: from what it inherits
// from, what a class makes, what a bound function was bound to, what functions return.
// These are not changed on the way, and stay what they were seen to be. Each is looked
// at once a walk, whatever leads to it.
func (j *javascript) behind(o *object, at int) {
	for next := j.led(nil, o); len(next) > 0 && j.step(); {
		v := next[len(next)-1]
		next = next[:len(next)-1]
		switch {
		case v.kind == atomSymbol && prototypeOf(v.text), v.kind == atomObject && v.obj.behind == j.walked:
		case v.kind != atomObject:
			j.escape(one(v), at)
		case j.work(1 + len(v.obj.keys)):
			v.obj.behind = j.walked
			for _, k := range v.obj.keys {
				next = append(next, *v.obj.props[k]...)
			}
			next = j.led(append(append(next, v.obj.rest...), v.obj.mapKeys...), v.obj)
		}
	}
}

// led adds to next where an object leads besides to its members.
func (j *javascript) led(next value, o *object) value {
	j.reads(&o.readBy)
	for _, v := range o.proto {
		if o.class == nil || v.kind == atomObject { // of a class what it extends: a module perhaps, of which only an instance has a part
			next = append(next, v)
		}
	}
	if o.class != nil {
		next = append(next, objectValue(o.class.instance)...)
		if o.constructor != nil {
			j.reads(&o.constructor.code.gives)
			next = append(next, o.constructor.code.ret...)
		}
	}
	if o.bound != nil {
		next = append(next, j.returns(objectValue(o))...)
	}
	if o.code != nil {
		j.reads(&o.code.gives)
		next = append(next, o.code.ret...)
	}
	return next
}

// prototypeOf is true for the prototype of a class of the library.
func prototypeOf(name string) bool {
	_, ok := prototypeOwner(name)
	return ok
}

// escapes marks an object; it is false when what the object holds was seen to
// in this walk already.
func (j *javascript) escapes(o *object) bool {
	if o.escaped && (!j.emit || o.reported == j.walked) {
		return false
	}
	if !o.escaped {
		o.escaped = true
		j.learned(&o.readBy)
		if o.code != nil {
			o.code.outside = true
			j.learned(&o.code.given)
		}
		if o.code != nil || o.bound != nil {
			j.wentAway()
		}
	}
	o.reported = j.walked
	return true
}

func (j *javascript) escapeHeld(held []*object, s value, at int) []*object {
	for _, v := range s {
		switch {
		case v.kind == atomObject:
			held = append(held, v.obj)
		case v.kind == atomSymbol:
			j.losesSight(v, at)
		case v.kind == atomComputed:
			j.leak(v)
		case v.kind == atomUnknown:
			j.contextWent(v)
			j.warningWent(v, at)
		case v.kind == atomNative:
			j.wentAway()
			j.mayRemember(v.text)
		case v.kind == atomBytes:
			j.writes()
		}
	}
	return held
}

// leak notes that a computed member went where the analysis does not follow: by
// whatever way, a promise, an emitter, an iterator, a reason, it may come back as
// anything that is not known.
func (j *javascript) leak(v atom) {
	if v.text == ofTable { // mostly plain data, as of texts by language and name
		if !j.carried {
			j.carried = true
			j.learned(nil)
		}
		return
	}
	depth := v.num
	if v.text == ofCall || v.text == ofLeakCall || v.text == ofListeners {
		depth = 2
	}
	if v.text == ofStream && !j.connector {
		j.connector = true
		j.learned(nil)
	}
	if depth >= 2 && v.text == "" && !j.surely {
		j.surely = true
		j.learned(nil)
	}
	if depth > j.leaked {
		j.leaked = depth
		j.learned(nil)
	}
}

// goesBehind notes that a member whose name is not known, of what is not known, gets something: it may be the class of an object
// that went where it is not followed, or what that inherits from.
func (j *javascript) goesBehind() {
	if !j.reachesBehind {
		j.reachesBehind = true
		j.learned(nil)
	}
}

// givenToCall looks at what something gets that calls it: a result of a function that is
// not known may be what the one made that makes code.
func (j *javascript) givenToCall(s value, at int) {
	if s.has(resultAtom) {
		j.dynamicAt(analyze.DynamicComputed, at)
	}
	j.mayBeCalled(s, at)
}

// mayBeCalled is givenToCall for what may be called, and, where something went that may make
// code, for what is not known at all: that may be such a result, too. Strict alone denies it.
func (j *javascript) mayBeCalled(s value, at int) {
	if s.hasResult() || j.leaked >= 2 && (s.any(atomUnknown) || s.any(atomComputed)) {
		j.dynamicAt(analyze.DynamicClass, at)
	}
}

// mayMakeCode tells whether s may be what calling a member gave whose name is not known, or a member two unknown keys
// deep: of a table most is plain data.
func (s value) mayMakeCode() bool {
	return s.hasResult() || slices.ContainsFunc(s, func(v atom) bool {
		return v.kind == atomComputed && v.num >= 2 && v.text != ofTable && v.text != ofLeak
	})
}

// putToCall is mayMakeCode for what stands where nobody puts data: what a table has two keys deep is none there.
func (s value) putToCall() bool {
	return s.hasResult() || slices.ContainsFunc(s, func(v atom) bool {
		return v.kind == atomComputed && v.num >= 2 && v.text != ofLeak
	})
}

// givenToLibrary is mayBeCalled for what a function of Node, or a method of what is not known,
// calls of its arguments and of their members.
func (j *javascript) givenToLibrary(name, key string, a arguments, at int) {
	if !j.reports() {
		return
	}
	first, calls := callsArguments(name, key)
	n := 0
	for s := range a.all {
		if calls && (n >= first || n == len(a.positional)) {
			if surelyCalls(name, key) {
				j.givenToCall(s, at)
			} else {
				j.mayBeCalled(s, at)
			}
		}
		for _, v := range s {
			if v.kind != atomObject {
				continue
			}
			if asksMethods(name, n) || isListening(key) {
				j.converts(v)
			}
			switch {
			case name == consoleDir, name == "" && key == "dir":
				j.givenAsOption(v.obj, n > 0, 2, at)
			case takesOptions(name), key == "pipe", key == "wrap":
				j.givenAsOption(v.obj, n >= dataOf(name), 2, at)
			}
		}
		n++
	}
}

// calledOf says that a function of Node calls members of a plain object that it is called of, which stands for one of Node's.
func (j *javascript) calledOf(name string, receiver value, at int) {
	if !j.reports() || !takesOptions(name) {
		return
	}
	for _, v := range receiver {
		if v.kind == atomObject && v.obj.code == nil && v.obj.class == nil && v.obj.instanceOf == nil {
			j.givenAsOption(v.obj, true, 1, at)
		}
	}
}

// takesOptions is true for functions of Node, which call members of what they are given.
func takesOptions(name string) bool {
	return strings.HasPrefix(name, "node:") || strings.HasPrefix(name, "globalThis.process.") || strings.HasSuffix(name, "Stream") || name == "globalThis.console.Console"
}

// givenAsOption is mayBeCalled for the members of an option, also those that it inherits or an accessor gives, and of those
// in them: of any name where it is no data, for what a function gave that is not known.
func (j *javascript) givenAsOption(o *object, option bool, depth, at int) {
	line, _ := j.lineage(o)
	for _, from := range line {
		if !j.work(len(from.keys) + 1) {
			return
		}
		for _, k := range from.keys {
			s := *from.props[k]
			k, getter := strings.CutPrefix(k, getPrefix)
			if getter {
				s = j.invoke(s, objectValue(o))
			}
			switch {
			case slices.Contains(calledOptions[:], k):
				j.mayBeCalled(s, at)
			case option && s.mayMakeCode():
				j.dynamicAt(analyze.DynamicClass, at)
			}
			for _, v := range s {
				if option && depth > 1 && v.kind == atomObject && v.obj.code == nil {
					j.givenAsOption(v.obj, option, depth-1, at)
				}
			}
		}
		if option && from.underUnknown().mayMakeCode() {
			j.dynamicAt(analyze.DynamicClass, at)
		}
	}
}

// dataOf is how many of the arguments of a function of Node are data before its options, of
// which it calls no member by a name that the program chose.
func dataOf(name string) int {
	owner, key, _ := cutLast(name)
	switch owner {
	case "node:assert", "node:assert/strict", "node:buffer", "node:crypto", "node:path", "node:path/posix", "node:path/win32":
		return 1 << 8
	case "node:fs", "node:fs/promises", "node:querystring", "node:string_decoder", "node:url", "node:util", "node:zlib":
		if key == "writeFile" || key == "writeFileSync" || key == "appendFile" || key == "appendFileSync" {
			return 2
		}
		return 1
	}
	return 0
}

// asksMethods is true for functions of the library that make a text or a number of an argument,
// or iterate over it, by methods that they ask it for.
func asksMethods(name string, n int) bool {
	if key, ok := strings.CutPrefix(name, "globalThis."); ok {
		switch class, _, _ := strings.Cut(key, "."); class {
		case "BigInt", "Date", "Error", "EvalError", "Map", "Math", "Number", "RangeError", "ReferenceError", "RegExp", "Set", "String", "Symbol", "SyntaxError",
			"TypeError", "URIError", "URL", "URLSearchParams", "WeakMap", "WeakSet", "Array", "Blob", "File",
			"decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "isFinite", "isNaN", "parseFloat", "parseInt", "unescape":
			return key != "Array.isArray" && (class == "RegExp" || !strings.Contains(key, ".prototype."))
		}
		return strings.HasSuffix(key, "Array") || strings.HasSuffix(key, "Array.from")
	}
	return strings.HasPrefix(name, "node:") && n >= dataOf(name) && !isInert(name)
}

// callsArguments is true for functions of Node that may call what they are given, and for
// methods that do, by these names, and tells from which argument on.
func callsArguments(name, key string) (first int, calls bool) {
	if name != "" {
		owner, f, _ := cutLast(name)
		switch {
		case f == "throws", f == "rejects", f == "doesNotThrow", f == "doesNotReject": // of assert
			return 0, true
		case strings.HasPrefix(name, "node:assert"): // a message, behind what is compared
			if owner == "" || f == "ok" || f == "strict" || f == "default" {
				return 1, true
			}
			return 2, true
		case strings.HasPrefix(name, "node:"):
			return 0, !isInert(name) && !isPath(owner) && !strings.HasSuffix(f, "Sync")
		case strings.Contains(name, ".prototype."), isStandard(owner):
			return callsArguments("", f)
		}
		return 0, name == "globalThis.PerformanceObserver" || owner == "globalThis.process.finalization" || name == "globalThis.process.setUncaughtExceptionCaptureCallback" || f == "fromAsync" || f == "groupBy" || f == "from" && strings.HasSuffix(owner, "Array")
	}
	switch key {
	case "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "map", "reduce", "reduceRight", "replace",
		"replaceAll", "some", "sort", "toSorted", "adopt", "defer", "getOrInsertComputed", "waitFor",
		"after", "afterEach", "before", "beforeEach", "bindStore", "close", "end", "flush", "mockImplementation", "mockImplementationOnce", "question", "run",
		"runInAsyncScope", "runStores", "subscribe", "traceCallback", "tracePromise", "traceSync":
		return 0, true
	case "__defineGetter__", "params", "write": // after data
		return 1, true
	}
	return 0, false
}

// surelyCalls is true for those that do nothing with such an argument but to call it, and take no data in its place.
func surelyCalls(name, key string) bool {
	if at := strings.LastIndex(name, "."); at >= 0 {
		key = name[at+1:]
	}
	switch key {
	case "doesNotReject", "doesNotThrow", "rejects", "throws":
		return name != ""
	case "__defineGetter__", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "map", "reduce", "reduceRight", "some", "sort", "toSorted":
		return true
	}
	return false
}

// calledOptions are members of what the library is given that it calls.
var calledOptions = [...]string{
	"abort", "cancel", "checkServerIdentity", "close", "completer", "construct", "createConnection", "destroy", "filter", "final", "flush", "lookup", "pull",
	"read", "size", "sorted", "start", "transform", "write", "writer", "writev",
}

// isHandler is true for members that the library calls of whatever object has them.
func isHandler(key string) bool {
	switch key {
	case "exec", "handleEvent", "onabort", "onclose", "onerror", "onmessage", "onmessageerror", "onopen", "onread", "toString", "valueOf",
		"_construct", "_destroy", "_final", "_flush", "_read", "_transform", "_write", "_writev":
		return true
	}
	return false
}

// names notes that the program put something under a name, which may be what a member
// by that name of anything is, where it is not known.
func (j *javascript) names(key string, s value) {
	if name, getter := strings.CutPrefix(key, getPrefix); getter {
		key, s = name, j.returns(s)
	}
	if j.named[key] || !s.any(atomUnknown) && !s.any(atomComputed) {
		return
	}
	if j.named == nil {
		j.named = map[string]bool{}
	}
	j.named[key] = true // which is asked for when all rounds are over
}

// namesAny is names for a key that is not known.
func (j *javascript) namesAny(key atom, s value) {
	if key.kind == atomSymbol && strings.HasPrefix(key.text, "node:") && s.mayMakeCode() { // by which Node asks for what it calls
		j.dynamicAt(analyze.DynamicClass, j.here)
	}
	if !key.numeric() {
		j.names(anyKey, s)
	}
}

// mayHold tells whether a member may be what is not known, because the program has put that
// under its name, or the library keeps under it what it was given. Under a name that is not
// known nobody is taken to put it in the place of the language's own methods.
func (j *javascript) mayHold(key string) bool {
	return j.named[key] || keepsGiven(key) || j.named[anyKey] && key != "" && !isPrivate(key) && !isLanguageMethod(key)
}

// returned is what a value that is not known may be: also what leaked.
func (j *javascript) returned() value {
	if j.leaked == 0 {
		return anything()
	}
	v := atom{kind: atomComputed, num: j.leaked}
	if !j.surely {
		v.text = ofLeak
	}
	if j.connector {
		v.text = ofStream
	}
	return one(v)
}

// lend notes that something outside went where it is not followed: what is put there on
// something that is not known may be put on this. What the class of errors is told to
// prepare a stack with gets the functions of the interpreter. The standard streams can be
// sockets.
func (j *javascript) lend(name string, at int) {
	if isPatch(name, "prepareStackTrace") && !j.isLent(name) {
		p := j.lent[name]
		p.values = anything()
		j.learned(&p.readBy)
	}
	if isFunction(name) {
		j.wentAway()
	}
	j.mayRemember(name)
	if isStandard(name) && !j.standard {
		j.standard = true
		j.learned(nil)
	}
	j.hasConsole(name)
	j.mayHaveInside(insideOf(name))
	j.lendsMemory(name)
	j.lendsChange(name, at)
}

// isLent tells whether something outside went where it is not followed.
func (j *javascript) isLent(name string) bool {
	p := j.lent[name]
	if p == nil {
		p = new(kept)
		j.lent[name] = p
	}
	j.reads(&p.readBy)
	return len(p.values) > 0
}

// lendsChange looks at what goes where it is not followed: of a function that changes what it is
// given, and something that all code shares, one may be given to the other.
func (j *javascript) lendsChange(name string, at int) {
	switch owner, _, _ := cutLast(name); {
	case isChanger(name), name == "globalThis.Object":
		if !j.changer {
			j.changer = true
			j.learned(nil)
		}
	case owner == "globalThis" && isBuiltinGlobal(strings.TrimPrefix(name, "globalThis.")), prototypeOf(name):
		if j.changer {
			j.dynamicAt(analyze.DynamicClass, at)
		}
	}
}

// changers are functions of Object that put members on what they are given.
var changers = [...]string{"assign", "defineProperty", "defineProperties"}

func isChanger(name string) bool {
	key, ok := strings.CutPrefix(name, "globalThis.Object.")
	return ok && slices.Contains(changers[:], key)
}

// prepared looks at a function that is put under a key which is not known, on what is
// not known.
func (j *javascript) prepared(keys, s value, at int) {
	if !j.isLent("globalThis.Error") || !slices.ContainsFunc(s, func(v atom) bool { return v.kind == atomObject && v.obj.code != nil }) {
		return
	}
	known := len(keys) > 0
	for _, k := range keys {
		_, ok := propertyKey(k)
		known = known && ok
	}
	if !known {
		j.dynamicAt(analyze.DynamicPatch, at)
	}
}

// mayBeMade is what a call of something that is not known is: of a member two unknown keys deep
// that went where it is not followed, or of what is that only if another such was.
func (j *javascript) mayBeMade() string {
	if j.surely {
		return analyze.DynamicComputed
	}
	return analyze.DynamicClass
}
