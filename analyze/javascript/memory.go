package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What Node's own parts in machine code are given they use while functions of the program run in
// the midst of that, or beside the program in a thread. A program that takes the memory of a buffer
// away meanwhile, or makes it smaller, has them use what is somebody else's by then. A decoder
// shows where it keeps what it counts by.

// takesMemory notes that a member is read by whose name a program may do so, of what is not known.
func (j *javascript) takesMemory(key string, at int) {
	if !j.emit {
		return
	}
	name, most := "", -1 // how many arguments do no harm
	switch key {
	case "resize", "transfer", "transferToFixedLength", "transferToImmutable":
		if !j.memory {
			return
		}
		name = "globalThis.ArrayBuffer.prototype." + key
	case "postMessage":
		name, most = "globalThis.MessagePort.prototype.postMessage", 1
	case toWeb:
		name, most = streamToWeb, 1
	case "getReader":
		name, most = "globalThis.ReadableStream.prototype.getReader", 0
	case "lastChar":
		name = "node:string_decoder.StringDecoder.prototype.lastChar"
	case "reset":
		if !j.compresses {
			return
		}
		name = resetOfStream
	case "params":
		if !j.compresses || j.asksOn(at) {
			return
		}
		name = paramsOfStream
	case "algorithm":
		if !j.changesAlgorithm(at) {
			return
		}
		name = algorithmOfKey
	case "run":
		if !j.jobs {
			return
		}
		name = runOfJob
	case "_writev", "_writeGeneric", "_write", "_final": // by these a pipe goes on writing what stood in a list, or shows its handle
		if !j.standard && !j.consoles {
			return
		}
		name = "globalThis.process.stdout." + key
	default:
		return
	}
	if !j.calledWith(at, most) {
		j.mention(name, at, analyze.HowReference, false, nil, false)
	}
}

// showsMemory notes that a member is asked for that may be, or give, a buffer's memory.
func (j *javascript) showsMemory(key string) {
	switch key {
	case "buffer", "parent": // small Buffers share one
		j.writes()
		j.hasMemory()
	case "arrayBuffer":
		j.hasMemory()
	}
}

// toWeb is a function of streams that makes one of bytes, where its options say so.
const (
	toWeb       = "toWeb"
	streamToWeb = "node:stream.Readable." + toWeb
)

// mentionToWeb notes what asks for it by its name, of whatever: that may have it as a copy.
func (j *javascript) mentionToWeb() {
	for i := range j.tree.Len() {
		if j.asksToWeb(i) {
			j.noteUse(streamToWeb, i, analyze.HowReference, false, nil, false)
		}
	}
}

// asksToWeb tells whether node i asks something for that by its name, and may give it options.
func (j *javascript) asksToWeb(i int) bool {
	t, p := j.tree, j.tree.Parent(i)
	switch t.Kind(i) {
	case kindPropertyIdentifier, kindShorthandPropertyIdentifierPattern:
		if j.identifierText(i) != toWeb {
			return false
		}
	default:
		return false
	}
	switch t.Kind(p) {
	case kindMemberExpression:
		return !j.calledWith(p, 1)
	case kindPairPattern, kindObjectPattern, kindObjectAssignmentPattern:
		return true
	}
	return false
}

// hasMemory notes that the program has a buffer's memory, or a port that takes such.
func (j *javascript) hasMemory() {
	if !j.memory {
		j.memory = true
		j.learned(nil)
	}
}

// takesAnyMemory notes that a member of which the name is not known is called where the program has
// such: it may be what takes it.
func (j *javascript) takesAnyMemory(at int) {
	if !j.reports() {
		return
	}
	for _, of := range [...]struct {
		had  bool
		name string
	}{{j.memory, "globalThis.ArrayBuffer.prototype.transfer"}, {j.compresses, resetOfStream}, {j.jobs, runOfJob}} {
		if of.had {
			j.perhaps(of.name, at, analyze.HowCall)
		}
	}
}

// lendsMemory notes that what makes such went where nobody follows it: whoever has it makes one.
func (j *javascript) lendsMemory(name string) {
	if name == "globalThis.ArrayBuffer" || name == "globalThis.MessageChannel" {
		j.hasMemory()
	}
	j.hasStream(name)
	if endsJob(name) {
		j.hasJob()
	}
}

// A stream of zlib that is reset, or gets other parameters, while a thread compresses with it, and a job of crypto that is
// run again when it has ended, use memory that is gone. By the algorithm of a key, an object that a program may change,
// machine code reads as many bytes as that says.
const (
	resetOfStream  = "node:zlib.Deflate.prototype.reset"
	paramsOfStream = "node:zlib.Deflate.prototype.params"
	algorithmOfKey = "globalThis.CryptoKey.prototype.algorithm"
	runOfJob       = "node:crypto.Job.prototype.run"
)

// asksOn tells whether what node i gives is asked for a member at once, and not called by that.
func (j *javascript) asksOn(i int) bool {
	t, p := j.tree, j.tree.Parent(i)
	if p == analyze.NoNode || t.Kind(p) != kindMemberExpression || t.Field(i) != objectField {
		return false
	}
	switch j.identifierText(t.Child(p, propertyField)) {
	case "call", "apply", "bind":
		return false
	}
	return true
}

// changesAlgorithm tells whether the algorithm of a key, which node i gives, is changed there or goes elsewhere, but to be shown.
func (j *javascript) changesAlgorithm(i int) bool {
	t, p := j.tree, j.tree.Parent(i)
	if p == analyze.NoNode {
		return true
	}
	if j.asksOn(i) {
		p, i = t.Parent(p), p
		return t.Field(i) == leftField && (t.Kind(p) == kindAssignmentExpression || t.Kind(p) == kindAugmentedAssignmentExpression) || t.Kind(p) == kindUpdateExpression
	}
	switch t.Kind(p) {
	case kindBinaryExpression, kindTemplateSubstitution, kindExpressionStatement:
		return false
	case kindArguments:
		called := t.Source(t.Child(t.Parent(p), functionField))
		return !strings.HasPrefix(called, "console.") && called != "JSON.stringify"
	}
	return true
}

// hasStream notes that a function or class of zlib gives a stream, where it does.
func (j *javascript) hasStream(name string) {
	if !j.compresses && isStreamOfZlib(name) {
		j.streamed()
	}
}

// streamed notes that the program has a stream of zlib.
func (j *javascript) streamed() {
	if !j.compresses {
		j.compresses = true
		j.learned(nil)
	}
}

// isStreamOfZlib is true for what gives a stream of zlib.
func isStreamOfZlib(name string) bool {
	key, ok := strings.CutPrefix(name, "node:zlib.")
	return ok && key != "" && (strings.HasPrefix(key, "create") || key[0] >= 'A' && key[0] <= 'Z')
}

// hasJob notes that the program may be told of the end of a job of crypto: its function is called of that.
func (j *javascript) hasJob() {
	if !j.jobs {
		j.jobs = true
		j.learned(nil)
	}
}

// endsJob is true for functions of crypto that call what they are given when they are done.
func endsJob(name string) bool {
	key, ok := strings.CutPrefix(name, "node:crypto.")
	return ok && !strings.Contains(key, ".") && !strings.HasSuffix(key, "Sync") && !strings.HasPrefix(key, "create") && key != "" && key[0] >= 'a'
}

// endsJobBy looks at a call of a function that may call one of its arguments, but for the first, for the end of a job. An
// arrow function, and one that is bound, is called of nothing else.
func (j *javascript) endsJobBy(name string, a arguments) {
	if !endsJob(name) {
		return
	}
	for s := range a.shift(1).all {
		if slices.ContainsFunc(s, func(v atom) bool {
			return v.kind == atomUnknown || v.kind == atomComputed || v.kind == atomObject && v.obj.code != nil && !v.obj.code.arrow
		}) {
			j.hasJob()
		}
	}
}

// What bytes say of how many they are Node believes: where a program says it, Node reads and writes beyond them.
const (
	byteLength    = "byteLength"
	lengthOfBytes = "globalThis.Uint8Array.prototype." + byteLength
)

// definesLength notes that a member is defined that may be that, of what may be bytes.
func (j *javascript) definesLength(owner, keys value, at int) {
	if !j.reports() || !j.unseen(keys) && !slices.ContainsFunc(keys, mayBeLength) {
		return
	}
	for _, o := range owner {
		if o.kind == atomUnknown || o.kind == atomComputed && o != tableAtom || o.kind == atomBytes || o.kind == atomObject && j.isView(o.obj) {
			j.mention(lengthOfBytes, at, analyze.HowAssign, false, nil, false)
			return
		}
	}
}

// mocksLength is definesLength for a function that is not known, where the test runner is loaded: it may be one of a mock.
func (j *javascript) mocksLength(c callee, a arguments, at int) {
	if !j.tests || !j.reports() {
		return
	}
	if c.key == "apply" {
		a = j.forwardedArguments(c.key, a, at)
	}
	if c.key == "property" {
		j.definesLength(a.get(0), a.get(1), at)
	}
	for n := 1; n < len(a.positional) || a.splat && n < 2; n++ {
		if slices.ContainsFunc(a.get(n), func(k atom) bool { return k.text == byteLength }) {
			j.definesLength(a.get(n-1), a.get(n), at)
		}
	}
}

// mayBeLength tells whether a key may be byteLength.
func mayBeLength(k atom) bool {
	key, ok := propertyKey(k)
	return !ok && !k.numeric() || key == byteLength
}

// mentionLengths notes the classes below those of bytes, or of what is not known, that have a byteLength of their own. They may
// get it of what is put above them, too.
func (j *javascript) mentionLengths() {
	for _, o := range j.objects {
		if o.instanceOf == nil {
			continue
		}
		line, above := j.lineage(o)
		view := slices.ContainsFunc(above, isViewPrototype)
		if !view && !above.foreign() {
			continue
		}
		if view && o.moved || slices.ContainsFunc(line, func(from *object) bool {
			return from.props[byteLength] != nil || from.props[getPrefix+byteLength] != nil
		}) {
			j.noteUse(lengthOfBytes, o.node, analyze.HowAssign, false, nil, false)
		}
	}
}

// isView tells whether an object of the program may be bytes, or what such inherit from.
func (j *javascript) isView(o *object) bool {
	_, above := j.lineage(o)
	return slices.ContainsFunc(above, isViewPrototype)
}

// isViewPrototype is true for what bytes inherit from.
func isViewPrototype(v atom) bool {
	name, ok := prototypeOwner(v.text)
	class, global := strings.CutPrefix(name, "globalThis.")
	return ok && global && v.kind == atomSymbol && (class == "Buffer" || class == "DataView" || strings.HasSuffix(class, "ArrayBuffer") || strings.HasSuffix(class, "Array") && class != "Array")
}

// givesMemory is true for functions that give the memory of a buffer.
func givesMemory(name string) bool {
	return strings.HasPrefix(name, "node:crypto.") || strings.HasPrefix(name, "globalThis.crypto.") || strings.HasPrefix(name, "node:stream/consumers.")
}

// memoryMade makes a buffer's memory, or two ports.
func (j *javascript) memoryMade(_ string, _ callee, _ arguments, _ int) (value, bool) {
	j.hasMemory()
	return nil, false
}

// calledWith tells whether node i is called where it stands, with no more than so many arguments.
func (j *javascript) calledWith(i, most int) bool {
	t, p := j.tree, j.tree.Parent(i)
	if most < 0 || p == analyze.NoNode || t.Kind(p) != kindCallExpression || t.Field(i) != functionField {
		return false
	}
	arguments := t.Child(p, argumentsField)
	if arguments == analyze.NoNode || t.Kind(arguments) != kindArguments {
		return false
	}
	n := 0
	for c := t.FirstNamed(arguments); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindSpreadElement {
			return false
		}
		n++
	}
	return n <= most
}

// streamMade makes a stream. One of bytes takes the buffers that are put into it away from who has them.
func (j *javascript) streamMade(_ string, _ callee, a arguments, i int) (value, bool) {
	if j.emit && slices.ContainsFunc(slices.Concat(a.get(0), a.rest), func(v atom) bool { return j.mayBeOfBytes(v, i) }) {
		j.mention("globalThis.ReadableByteStreamController", i, analyze.HowReference, false, nil, false)
	}
	return nil, false
}

// mayBeOfBytes tells whether a stream that is made of v may be one of bytes, which its type says.
func (j *javascript) mayBeOfBytes(v atom, i int) bool {
	return slices.ContainsFunc(j.option(v, "type", i), func(k atom) bool { return !k.noName() })
}

// option is what v, which a class of the library is given, has under a name, itself or from what all objects inherit.
func (j *javascript) option(v atom, key string, i int) (out value) {
	switch {
	case v.noName():
		return nil
	case v.kind != atomObject, len(v.obj.rest) > 0, v.obj.proxied:
		return anything()
	}
	switch o := v.obj; {
	case o.props[key] != nil && o.getter(key) == nil:
		out = *o.props[key]
	case o.props[key] != nil, o.getter(key) != nil, len(o.proto) > 0:
		out = j.localMember(o, key, objectValue(o), i)
	}
	out = j.join(out, j.sharedAt(key))
	for _, k := range j.sharedAt(anyKey) {
		if k.text == "bytes" || !k.constant() && !k.numeric() { // other data is not what it asks for
			out = j.add(out, k)
		}
	}
	return out
}

// bodyMade makes an answer, or what is asked, with a body. Of a buffer, or of the parts of a form, Node makes
// a stream of bytes of what their own methods give.
func (j *javascript) bodyMade(name string, _ callee, a arguments, i int) (value, bool) {
	body := slices.Concat(a.get(0), a.rest)
	if name == "globalThis.Request" {
		body = nil
		for _, v := range slices.Concat(a.get(1), a.rest) {
			body = append(body, j.option(v, "body", i)...)
		}
	}
	if j.memory && j.emit && slices.ContainsFunc(body, func(v atom) bool { return !v.inert() }) {
		j.mention("globalThis.ReadableByteStreamController", i, analyze.HowReference, false, nil, false)
	}
	return nil, false
}
