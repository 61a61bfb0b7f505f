package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Node asks objects for members by name, too: an emitter for the handlers of an event,
// the mocks of its test runner for what they take the place of. What comes back is a
// member whose name the program chose, as obj[key] is.

// isInside tells whether a key is one under which Node keeps what it acts by.
func isInside(key string) bool {
	key = strings.TrimPrefix(strings.TrimPrefix(key, getPrefix), setPrefix)
	return key == "_events" || key == "_handle"
}

// listeners evaluates what lists the handlers of an event.
func (j *javascript) listeners(_ string, _ callee, a arguments, i int) (value, bool) {
	j.escapeArgs(a, i)
	return j.arrayOf(i, 6, computed(2, false)), true
}

// isStandard tells whether a symbol is a stream that may be a socket.
func isStandard(name string) bool {
	return name == "globalThis.process.stdin" || name == "globalThis.process.stdout" || name == "globalThis.process.stderr"
}

// openStdin gives the standard input.
func (j *javascript) openStdin(_ string, _ callee, _ arguments, _ int) (value, bool) {
	return symbol("globalThis.process.stdin"), true
}

// connectOfStream makes a standard stream another socket.
const connectOfStream = "globalThis.process.stdin.connect"

// connects notes that a standard stream may be told to connect.
func (j *javascript) connects(at int) {
	j.perhaps(connectOfStream, at, analyze.HowReference)
}

// mayBeStream tells whether a method may be called of a standard stream.
func mayBeStream(receiver value) bool {
	return slices.ContainsFunc(receiver, func(v atom) bool {
		return v.kind == atomUnknown || v.kind == atomComputed || v.kind == atomSymbol && isStandard(v.text) || v.kind == atomObject && (v.obj.escaped || len(v.obj.proto) > 0)
	})
}

// mocked evaluates mock.method and its like, which replace a member and return a
// function that calls what was there.
func (j *javascript) mocked(_ string, _ callee, a arguments, i int) (value, bool) {
	j.keyProperties(a.get(1), i)
	m := j.members(a.get(0), a.get(1), i)
	j.mentionAll(m, i, analyze.HowReference)
	j.definesLength(a.get(0), a.get(1), i)
	j.assignMember(a.get(0), a.get(1), a.get(2), i)
	j.escapeArgs(a, i)
	return m, true
}

// testsWith calls the functions that node:test is given: it tells them of the test.
func (j *javascript) testsWith(a arguments, at int) {
	old, title := j.here, len(a.positional) > 1
	j.here = at
	for s := range a.all {
		if title { // and no function that is not known
			s = objectsOf(s)
		}
		title = false
		j.invoke(s, one(contextAtom), one(contextAtom), anything())
	}
	j.here = old
}

// contextWent notes that what node:test gives a test, if v is that, went where it is not followed.
func (j *javascript) contextWent(v atom) {
	if v == contextAtom && !j.contexts {
		j.contexts = true
		j.learned(nil)
	}
}

// hasInside is what Node gives that leads inside of it by a member. The functions that it is given are called of that.
func (j *javascript) hasInside(inside string, a arguments) value {
	j.mayHaveInside(inside)
	it := one(withInside(inside))
	j.heard(it, a)
	if inside == classOfDirectory {
		for s := range a.all {
			j.callback(s.functions(), a.at, anything(), it)
		}
	}
	return value{{}, it[0]}
}

// mayHaveInside notes that the program has something of Node's into which a member leads.
func (j *javascript) mayHaveInside(inside string) {
	if inside != "" && !slices.Contains(j.insides, inside) {
		j.insides = append(j.insides, inside)
		j.learned(nil)
	}
}

// asksInside notes that the this at a node may be what Node goes on by: a function that is called of it, or of what the end of
// a directory is told by, has no business with that.
func (j *javascript) asksInside(at int) {
	for _, v := range j.this {
		if v == withInside(contextOfRead) || v == withInside(searchOfGlob) || v == withInside(classOfDirectory) {
			j.perhaps(v.text, at, analyze.HowReference)
		}
	}
}

// stillInside is what a call may give back of what leads inside of Node: what it is called of, as on does, or what it is
// given, as pipe does.
func (j *javascript) stillInside(c callee, a arguments) value {
	var out value
	if c.member {
		out = c.receiver.insides()
	}
	for s := range a.all {
		out = j.join(out, s.insides())
	}
	return out
}

// insides returns what of s leads inside of something of Node's.
func (s value) insides() value {
	if !slices.ContainsFunc(s, atom.hasInside) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return !v.hasInside() })
}

func (v atom) hasInside() bool { return v.kind == atomUnknown && v.text != "" }

// givesEngine tells whether a function of zlib may give its stream, too: its options say so.
func (j *javascript) givesEngine(name string, a arguments) bool {
	if !strings.HasPrefix(name, "node:zlib.") || !j.mayHaveInfo(a.get(1)) {
		return false
	}
	j.streamed()
	return true
}

// mayHaveInfo tells whether options may have the member info.
func (j *javascript) mayHaveInfo(options value) bool {
	return slices.ContainsFunc(options, func(v atom) bool {
		if v.kind == atomObject {
			return !v.obj.callable() && (v.obj.escaped || len(v.obj.rest)+len(v.obj.loose) > 0 || len(j.own(v.obj, "info")) > 0)
		}
		return v.kind == atomUnknown || v.kind == atomComputed
	})
}

// hasConsole notes that a member of the console, if name is that, may be had by any name: one of its streams, perhaps.
func (j *javascript) hasConsole(name string) {
	if name == "globalThis.console" && !j.consoles {
		j.consoles = true
		j.learned(nil)
	}
}

// keepsHistory notes that an object of the program is made one that reads lines, and waits in a way of its own, or does not:
// it may keep their history in a file, as what it reads from says.
func (j *javascript) keepsHistory(name string, this value, at int) {
	if !isLines(name) {
		return
	}
	for _, v := range this {
		if v.kind != atomObject || len(j.ownOrLoose(v.obj, "pause")) > 0 || slices.ContainsFunc([]string{"input", "paused"}, func(key string) bool {
			return len(j.own(v.obj, key)) > 0 || j.hasAccessor(one(v), getPrefix, key)
		}) {
			j.mention(historyOfLines, at, analyze.HowReference, false, nil, false)
		}
	}
}

// handBack says that what is in s comes back as something that is not known, but is not
// changed on the way: functions are called, computed members return.
func (j *javascript) handBack(s value, at int) {
	held, seen := slices.Clip(s), map[*object]bool{}
	for n := 0; n < len(held); n++ {
		switch v := held[n]; {
		case v.kind == atomObject && seen[v.obj]:
		case v.kind == atomComputed, v.kind == atomSymbol, v.kind == atomUnknown, v.kind == atomObject && (v.obj.callable() || v.obj.bound != nil):
			j.escape(one(v), at)
		case v.kind == atomBytes:
			j.writes()
		case v.kind == atomObject && j.work(len(v.obj.keys)):
			seen[v.obj] = true
			j.reads(&v.obj.readBy)
			if !v.obj.escaped { // who has it back may change it
				v.obj.escaped = true
				j.learned(&v.obj.readBy)
			}
			for _, k := range v.obj.keys {
				held = append(held, *v.obj.props[k]...)
			}
			held = append(append(held, v.obj.rest...), v.obj.mapKeys...)
			for _, p := range v.obj.proto {
				if p.kind == atomObject {
					held = append(held, p)
				}
			}
		}
	}
}

// passedOn is what a method of the library returns that asks what it is a method of for
// another method, and gives back what that returns.
func (j *javascript) passedOn(c callee, a arguments, i int) value {
	var asked string
	switch c.key {
	case "concat", "copyWithin", "fill", "reverse", "sort", "swap16", "swap32", "swap64":
		return j.givenBack(c, i)
	case "match", "matchAll", "replace", "replaceAll", "search", "split":
		var out value
		for _, v := range c.receiver {
			if v.kind != atomString && v.kind != atomAnyString { // which are texts whatever they are asked
				out = j.join(out, j.matched(v, c.key, a))
			}
		}
		return out
	case "toLocaleString":
		asked = "toString"
	case "toString":
		asked = "join"
	case "catch", "finally":
		asked = "then"
	default:
		return nil
	}
	var out value
	for _, v := range c.receiver {
		if v.kind != atomObject {
			continue
		}
		if f := j.join(j.own(v.obj, asked), j.own(v.obj, getPrefix+asked)); len(f) > 0 {
			j.escapeArgs(a, i)
			j.escape(f, i)
			out = j.join(out, j.join(j.invoke(j.own(v.obj, asked), one(v), anything(), anything()), anything()))
		}
		j.converts(v)
		if loose := j.looseFunctions(v.obj); len(loose) > 0 {
			out = j.join(j.join(out, anything()), j.gives(loose))
		}
	}
	return out
}

// heard says that functions which are given to a method that the analysis does not see are
// called of what it is a method of, as listeners are: of an object of the program, of the
// process or of a standard stream.
func (j *javascript) heard(receiver value, a arguments) {
	var by value
	for _, v := range receiver {
		if v.kind == atomObject || v.kind == atomUnknown && v.text != "" || v.kind == atomSymbol && (v.text == "globalThis.process" || isStandard(v.text)) {
			by = append(by, v)
		}
	}
	if len(by) == 0 {
		return
	}
	for _, s := range a.positional {
		j.hears(s, by)
	}
	j.hears(a.rest, by)
}

// behindChunk returns the arguments without what a standard stream writes, which is no function: that is an error.
func (a arguments) behindChunk(name string) arguments {
	if stream, write := strings.CutSuffix(name, ".write"); write && isStandard(stream) && len(a.positional) > 0 {
		a.positional = a.positional[1:]
	}
	return a
}

// tellsOfReceiver looks at listeners of the process and of standard streams that are no functions of the program: one of
// the language's or of the library's may hand on what it is called of, as replace of a text does, or remember it, as a mock.
func (j *javascript) tellsOfReceiver(c callee, a arguments, i int) {
	if !isListening(c.key) {
		return
	}
	for _, r := range c.receiver {
		switch {
		case r.kind != atomSymbol:
		case isStandard(r.text) && (j.mayHandOn(a.get(1)) || j.mayHandOn(a.rest)):
			j.lend(r.text, i)
		case r.text == "globalThis.process":
			if j.mayHandOn(a.get(1)) || j.mayHandOn(a.rest) {
				j.dynamicAt(analyze.DynamicAttribute, i)
			}
			j.warns(a, i)
			j.listens(i)
		}
	}
}

// fewListeners is how many listeners of an event an emitter has before it warns of them, unless it is told otherwise.
const fewListeners = 10

// listens notes that a listener is added to the process at node i. There may be so many of them that a warning is
// about the process.
func (j *javascript) listens(i int) {
	if !slices.Contains(j.listening, i) && len(j.listening) <= fewListeners {
		j.listening = append(j.listening, i)
	}
	if len(j.listening) > fewListeners || j.mayRepeat(i) {
		j.overflows()
	}
}

func (j *javascript) overflows() {
	if !j.overflowing {
		j.overflowing = true
		j.learned(nil)
	}
}

// mayRepeat tells whether node i may run more than once: it stands in a loop, a function or whatever else.
func (j *javascript) mayRepeat(i int) bool {
	return !j.onlyIn(i, kindCallExpression, kindMemberExpression, kindExpressionStatement, kindIfStatement, kindElseClause, kindStatementBlock, kindTryStatement)
}

// showsHandle notes a method by which a stream of zlib calls what it is given of its handle in machine code.
func (j *javascript) showsHandle(c callee, i int) {
	if (c.key == "_flush" || c.key == "_transform") && slices.Contains(j.insides, handleOfZlib) {
		j.perhaps(handleOfZlib, i, analyze.HowReference)
	}
}

// warns tells listeners of the process of warnings, if these are the event: one is about an emitter, which it has. An event
// that is not known may be a signal, and is judged as that.
func (j *javascript) warns(a arguments, i int) {
	if !a.get(0).has(stringValue("warning")[0]) {
		return
	}
	j.mayHaveInside(emitterOfWarning)
	for s := range a.all {
		told := s.functions()
		for _, v := range s { // what shows it, too
			if v.kind == atomSymbol {
				told = append(told, v)
			}
		}
		j.callback(told, i, one(withInside(emitterOfWarning)))
	}
}

// warningWent notes that a warning, if v is one, went where it is not followed: so did what it is about.
func (j *javascript) warningWent(v atom, at int) {
	if v == withInside(emitterOfWarning) {
		j.perhaps(emitterOfWarning, at, analyze.HowReference)
	}
}

// mayHandOn tells whether a function in s may hand on what it is called of, or remember that, unseen.
func (j *javascript) mayHandOn(s value) bool {
	return slices.ContainsFunc(s, func(v atom) bool {
		switch v.kind {
		case atomUnknown:
			return j.remembers
		case atomSymbol:
			return strings.Contains(v.text, ".prototype.")
		}
		return v.kind == atomComputed || v.kind == atomNative
	})
}

// handsOnThis is true for methods of the language, and of streams, that hand on what they are called of, or change it.
func handsOnThis(key string) bool {
	switch key {
	case "concat", "match", "matchAll", "pipe", "replace", "replaceAll", "search", "split", "valueOf":
		return true
	}
	return mayChange(key)
}

// mayRemember notes that something of the library is named, or goes away, that hands on what it is called of, or
// remembers it: a function that is not known may be that.
func (j *javascript) mayRemember(name string) {
	_, key, _ := cutLast(name)
	if !j.remembers && (handsOnThis(key) || strings.HasPrefix(name, "node:test") || key == "CallTracker") {
		j.remembers = true
		j.learned(nil)
	}
}

// remembersInside notes that what Node goes on by may be remembered by a function that is not known.
func (j *javascript) remembersInside(inside string, a arguments, i int) {
	if !j.remembers {
		return
	}
	for s := range a.all {
		if s.any(atomUnknown) || s.any(atomComputed) {
			j.perhaps(inside, i, analyze.HowReference)
		}
	}
}

// hears says that the functions in s are called of by: also those that an object of the
// program holds, as the options of a stream do. One that is not known may be any that
// went where it is not followed.
func (j *javascript) hears(s, by value) {
	for _, v := range s {
		switch {
		case v.kind == atomObject && v.obj.code != nil:
			j.grow(&v.obj.code.given, &v.obj.code.this, by)
		case v.kind == atomObject:
			j.membersHear(v.obj, by)
		case v.kind == atomUnknown, v.kind == atomComputed:
			for _, b := range by {
				if j.mayKeep(b) {
					j.learnedOf(&j.hearing, one(b))
				}
			}
		}
	}
}

// membersHear says that the functions which o holds are called of by: once a walk, of all that
// is known by then.
func (j *javascript) membersHear(o *object, by value) {
	j.grow(&o.readBy, &o.hearers, by)
	if o.heard == j.walked || !j.work(len(o.keys)) {
		return
	}
	o.heard = j.walked
	j.reads(&o.readBy)
	for _, k := range o.keys {
		for _, f := range *o.props[k] {
			if f.kind == atomObject && f.obj.code != nil {
				j.grow(&f.obj.code.given, &f.obj.code.this, o.hearers)
			}
		}
	}
}

// mayKeep tells whether something may keep functions that it calls later. What is below a
// class of the language, and of no other, keeps none.
func (j *javascript) mayKeep(v atom) bool {
	if v.kind != atomObject {
		return true
	}
	_, above := j.lineage(v.obj)
	for _, a := range above {
		class, of := strings.CutPrefix(a.text, "globalThis.")
		class, _ = strings.CutSuffix(class, ".prototype")
		switch class {
		case "Array", "Date", "Map", "Promise", "RegExp", "Set", "WeakMap", "WeakSet":
			if of && a.kind == atomSymbol {
				continue
			}
		}
		return true
	}
	return len(above) == 0
}

// keepsToItself is true for methods of emitters and streams that hand what they are methods
// of to nobody but as what listeners are called of.
func keepsToItself(key string) bool {
	switch key {
	case "addListener", "emit", "eventNames", "getMaxListeners", "listenerCount", "listeners", "off", "on", "once", "prependListener",
		"prependOnceListener", "rawListeners", "removeAllListeners", "removeListener", "setMaxListeners",
		"cork", "destroy", "end", "isPaused", "pause", "push", "read", "resume", "setDefaultEncoding", "setEncoding", "uncork", "unshift", "write",
		"ref", "unref", "setRawMode", "getWindowSize", "hasColors", "getColorDepth", "clearLine", "clearScreenDown", "cursorTo", "moveCursor":
		return true
	}
	return false
}

// isListening is true for methods that take a listener, after the name of an event.
func isListening(key string) bool {
	switch key {
	case "addEventListener", "addListener", "on", "once", "prependListener", "prependOnceListener":
		return true
	}
	return false
}

// handsOn tells whether a method of the library hands what it is a method of to somebody: an
// event has its target, a stream the one that writes to it.
func handsOn(name string) bool {
	owner, key, _ := cutLast(name)
	switch {
	case key == "addEventListener", key == "dispatchEvent":
		return true
	case strings.HasPrefix(name, "node:"):
		return !keepsToItself(key)
	}
	return strings.HasPrefix(owner, "globalThis.PerformanceObserver")
}

// leadsBack tells whether an object of a class of the library leads to itself by a member, or
// by what its functions are given.
func leadsBack(class string) bool {
	if class == "globalThis.PerformanceObserver" {
		return true
	}
	for _, of := range []string{"node:assert", "node:buffer", "node:stream", "node:string_decoder", "node:url", "node:util"} {
		if class == of || strings.HasPrefix(class, of+".") || strings.HasPrefix(class, of+"/") {
			return false
		}
	}
	return strings.HasPrefix(class, "node:") && class != "node:events" && class != "node:events.EventEmitter"
}

// givenBack is what a method of arrays returns of something else that it is called of: that
// itself or, of concat, an array with it.
func (j *javascript) givenBack(c callee, i int) value {
	var out value
	for _, v := range c.receiver {
		if v.kind == atomSymbol || v.kind == atomComputed || v.kind == atomNative || v.kind == atomObject && (!v.obj.isList() || v.obj.arguments) {
			out = j.add(out, v)
		}
	}
	if c.key == "concat" && len(out) > 0 {
		return j.arrayOf(i, 6, out)
	}
	return out
}

// replacing says that methods which a class of the program has in the place of those of a
// class of the library above it are called by that, with what the program chose, and that
// what they return is handed on.
func (j *javascript) replacing(o *object, at int) {
	line, above := j.lineage(o)
	if len(above) == 0 {
		return
	}
	for _, from := range line {
		if !j.work(len(from.keys)) {
			return
		}
		for _, k := range from.keys {
			name, getter := strings.CutPrefix(k, getPrefix)
			if !isReplaced(name) {
				continue
			}
			called := *from.props[k]
			if getter {
				called = j.returns(called)
			}
			if !isDataOfClass(name) && called.putToCall() {
				j.dynamicAt(analyze.DynamicClass, at)
			}
			for _, v := range *from.props[k] {
				if v.kind != atomObject {
					continue
				}
				j.escape(j.calledByOthers(v.obj, at), at)
				if v.obj.code == nil {
					continue
				}
				j.askFor(v.obj.code)
				j.reads(&v.obj.code.gives)
				for _, r := range v.obj.code.ret {
					if r.kind != atomObject || !slices.Contains(line, r.obj) { // the object itself is nothing new
						j.escape(one(r), at)
					}
				}
			}
		}
	}
}

// isReplaced is true for what classes of the library ask their own objects for, so that a
// class below may have it in the place of theirs.
func isReplaced(key string) bool {
	switch key {
	case "add", "catch", "exec", "finally", "get", "has", "join", "keys", "resolve", "set", "size", "then", "toISOString", "toString", "valueOf",
		"addEventListener", "addListener", "dispatchEvent", "emit", "listenerCount", "listeners", "off", "on", "once", "prependListener",
		"removeAllListeners", "removeListener", "close", "cork", "destroy", "end", "open", "pause", "pipe", "push", "read", "resume", "setEncoding",
		"uncork", "unpipe", "unshift", "wrap", "write", "error", "group", "log", "warn", "prompt", "question", "format", "parse", "parseHost",
		"resolveObject", "flags", "global", "lastIndex", "source", "unicode", "length", "message", "name", "stack":
		return true
	}
	return isAsked(key) || isIndex(key) || strings.HasPrefix(key, "_")
}

// isDataOfClass is true for those of isReplaced that are read and not called.
func isDataOfClass(key string) bool {
	switch key {
	case "size", "flags", "global", "lastIndex", "source", "unicode", "length", "message", "name", "stack":
		return true
	}
	return isIndex(key) || strings.HasPrefix(key, "_")
}

// askFor says that the language may call a function, with what the program chose.
func (j *javascript) askFor(f *function) {
	if !f.asked {
		f.asked = true
		j.learned(&f.given)
	}
}

// rejected evaluates Promise.reject, whose reason a listener of the process may get.
func (j *javascript) rejected(name string, c callee, a arguments, i int) (value, bool) {
	j.handBack(a.get(0), i)
	j.shown(a.get(0), i)
	return j.handedOn(name, c, a, i)
}

// shown notes that all of what the process is gets printed: its environment, too. So it is with
// a warning that may have the process for its emitter. Node prints what nobody catches, functions with what hangs
// on them, and in place of an object what its toJSON, its accessors and its methods of a name that is not known return.
func (j *javascript) shown(s value, i int) {
	if !j.emit || !s.any(atomObject) && !s.hasSymbol() && !s.has(withInside(emitterOfWarning)) {
		return
	}
	held, seen := []value{s}, map[*object]bool{}
	for n := 0; n < len(held); n++ {
		for _, v := range held[n] {
			if j.overflowing {
				j.warningWent(v, i)
			}
			switch {
			case v.kind == atomSymbol && (v.text == "globalThis.process" || v.text == "globalThis" || v.text == "node:process"):
				j.mention("globalThis.process.env", i, analyze.HowReference, false, nil, false)
				return
			case v.kind == atomObject && !seen[v.obj] && j.work(1+len(v.obj.keys)):
				seen[v.obj] = true
				held = append(held, j.shows(v.obj)...)
			}
		}
	}
}

// shows is what is printed of an object.
func (j *javascript) shows(o *object) []value {
	j.reads(&o.readBy)
	var out []value
	for _, k := range o.keys {
		out = append(out, *o.props[k])
		if isAsked(k) || k == "toISOString" || strings.HasPrefix(k, getPrefix) { // which may give a method
			given := j.returns(*o.props[k])
			out = append(out, given, j.returns(given))
		}
	}
	return append(out, o.rest, o.loose, j.returns(o.rest), j.returns(o.loose), o.mapKeys, o.proto)
}

// returns is what functions of the program return, and what those that are bound may.
func (j *javascript) returns(functions value) value {
	var out value
	for n, held := 0, slices.Clip(functions); n < len(held) && n < maxAtoms; n++ {
		o := held[n].obj
		switch {
		case o == nil:
		case o.code != nil:
			j.reads(&o.code.gives)
			out = append(out, o.code.ret...)
		case o.bound != nil:
			j.reads(&o.readBy)
			held = append(held, o.bound...)
			out = append(append(out, o.boundTo.this.receiver...), o.boundTo.args.rest...)
			out = append(out, slices.Concat(o.boundTo.args.positional...)...)
		}
	}
	return out
}
