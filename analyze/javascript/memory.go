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
	if j.memory && j.emit {
		j.mention("globalThis.ArrayBuffer.prototype.transfer", at, analyze.HowCall, false, nil, true)
	}
}

// lendsMemory notes that what makes such went where nobody follows it: whoever has it makes one.
func (j *javascript) lendsMemory(name string) {
	if name == "globalThis.ArrayBuffer" || name == "globalThis.MessageChannel" {
		j.hasMemory()
	}
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
	return j.join(out, j.sharedAt(key))
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
