package javascript

import (
	"slices"

	"sallyport/analyze"
)

// prototypeOfFunctions has what makes code as a member.
const prototypeOfFunctions = "globalThis.Function.prototype"

// anyMember evaluates a member whose key is not known.
func (j *javascript) anyMember(owner value, numeric bool, at int) value {
	var out value
	for _, v := range owner.present() {
		switch v.kind {
		case atomSymbol:
			j.opensInside(v, numeric, at)
			if v.text == "globalThis.require.cache" {
				out = j.join(out, symbol("globalThis.module"))
			}
			if isStandard(v.text) && !numeric {
				j.connects(at)
			}
			if v.text == "globalThis.Reflect" && !numeric { // as traps of a proxy are made, one like the other
				j.mention(v.text, at, analyze.HowReference, owner.single(), nil, false)
				j.dynamicAt(analyze.DynamicClass, at)
				out = j.join(out, anyOfReflect())
			} else if v == perhapsGlobal && !numeric {
				j.dynamicAt(analyze.DynamicClass, at)
			} else if isNamespace(v.text) && (!numeric || v.text == "globalThis.arguments") {
				j.mention(v.text, at, analyze.HowReference, owner.single(), nil, false)
				j.dynamicAt(analyze.DynamicMember, at)
				if v.text == "globalThis.arguments" {
					out = j.join(out, symbol("globalThis.require"))
				}
			} else {
				j.mention(v.text, at, analyze.HowReference, owner.single(), nil, false)
			}
			if v.text == "globalThis.console" && !numeric {
				out = j.add(out, streamAtom)
			}
			if (isFunction(v.text) || v.text == prototypeOfFunctions) && !numeric {
				out = j.join(out, anyOfLibrary(v.text))
			} else {
				out = j.join(out, computed(1, numeric))
			}
		case atomObject:
			out = j.join(out, j.anyLocalMember(v.obj, numeric, at))
		case atomString, atomAnyString:
			out = j.join(out, j.join(ofKind(atomAnyString), computed(1, numeric)))
		case atomBytes:
			if !numeric {
				j.writes()
			}
			out = j.join(out, j.ofUnknown(numeric))
		case atomNative, atomConstructor:
			out = j.join(out, computed(2, numeric))
		case atomComputed:
			j.opensInside(v, numeric, at)
			if v == tableAtom && !numeric {
				out = j.join(out, value{{kind: atomComputed, num: 2, text: ofTable}})
				continue
			}
			out = j.join(out, j.join(v.under(numeric), j.timedBy(numeric)))
		default:
			j.opensInside(v, numeric, at)
			if !numeric { // buffer, perhaps
				j.writes()
			}
			member := j.ofUnknown(numeric)
			if j.standard && !numeric {
				member = one(atom{kind: atomComputed, num: min(j.leaked, 1) + 1, text: ofStream})
			}
			out = j.join(out, j.join(member, j.timedBy(numeric)))
		}
	}
	if !owner.single() {
		out = out.lessSure()
	}
	if j.unseen(owner) {
		return j.join(j.ofUnknown(numeric), j.timedBy(numeric))
	}
	return out
}

// anyOfLibrary is what a function of the library has under a name that is not known: what makes
// code, and of Object what changes what all code shares. Prototypes would cost too much to
// follow: mayPatch looks at what is put on them.
func anyOfLibrary(name string) value {
	out := value{{kind: atomComputed, num: 2, text: ofFunction}}
	if name == "globalThis.Object" {
		for _, key := range changers {
			out = append(out, atom{kind: atomSymbol, text: name + "." + key})
		}
	}
	return out
}

// anyOfReflect is what Reflect has under a name that is not known, but for what only tells of an object.
func anyOfReflect() value {
	out := slices.Clip(symbol("globalThis.Object")) // its constructor
	for _, key := range [...]string{"apply", "construct", "defineProperty", "deleteProperty", "get", "getOwnPropertyDescriptor", "getPrototypeOf", "set",
		"setPrototypeOf"} {
		out = append(out, atom{kind: atomSymbol, text: "globalThis.Reflect." + key})
	}
	return out
}

// timedBy is what a timer has under a key that is not known.
func (j *javascript) timedBy(numeric bool) value {
	if numeric {
		return nil
	}
	return j.known(&j.timed)
}

// computed is what an unknown key yields: after two of them it may be Function.
func computed(depth int, numeric bool) value {
	if numeric {
		return ofKind(atomUnknown)
	}
	return value{{kind: atomComputed, num: float64(min(depth, 2))}}
}

// lessSure returns a member of what is a function among other things: it is not taken for one of
// a function where it goes away.
func (s value) lessSure() value {
	of := computed(2, false)[0]
	at := slices.Index(s, of)
	if at < 0 {
		return s
	}
	s = slices.Clone(s)
	s[at].text = ofMember
	return s
}

// under is what a computed member has under a key that is not known.
func (v atom) under(numeric bool) value {
	if numeric {
		return anything()
	}
	text := ofMember
	if v.text == ofLeak {
		text = ofLeak
	}
	return one(atom{kind: atomComputed, num: 2, text: text})
}

// ofUnknown is what something that is not known has under a key that is not: one key deep, or
// two where what came back may be such a member.
func (j *javascript) ofUnknown(numeric bool) value {
	if numeric || j.leaked == 0 {
		return computed(1, numeric)
	}
	return one(atom{kind: atomComputed, num: 2, text: ofLeak})
}

// opensInside notes a member whose name is not known of what Node gave, or of what is below a class of Node's: it may be
// the one that leads inside.
func (j *javascript) opensInside(v atom, numeric bool, at int) {
	if numeric {
		return
	}
	name := ""
	switch v.kind {
	case atomUnknown:
		name = v.text
		if name == "" && slices.Contains(j.insides, emitterOfWarning) {
			name = emitterOfWarning
		}
	case atomSymbol:
		j.hasConsole(v.text)
		if class, ok := prototypeOwner(v.text); ok {
			name = insideOf(class)
		}
	}
	if name != "" {
		j.perhaps(name, at, analyze.HowReference)
	}
	if j.contexts {
		j.perhaps(assertOfTest, at, analyze.HowReference)
	}
}

func (j *javascript) anyLocalMember(o *object, numeric bool, at int) value {
	var out value
	line, others := j.lineage(o)
	for _, v := range others {
		j.opensInside(v, numeric, at)
		if v.text == prototypeOfFunctions && !numeric {
			out = j.join(out, anyOfLibrary(v.text))
		}
	}
	depth := 1
	for _, from := range line {
		out = j.join(out, j.heldFor(from, objectValue(o)))
		if from.callable() {
			depth = 2
		}
		if from.functions && !numeric {
			out = j.join(out, computed(1, false))
		}
	}
	if !numeric && len(out) > 0 {
		out = j.join(out, one(tableAtom))
	}
	if o.callable() {
		j.anyOfFunction = j.anyOfFunction || o.class == nil && !numeric
		if o.code.showsArguments() && !numeric {
			out = j.join(out, j.argumentsOf(o.code))
		}
	}
	switch {
	case depth == 2 && !numeric && (len(o.keys) > 0 || len(o.rest) > 0 || o.class != nil): // it is a table as well
		out = j.join(out, one(atom{kind: atomComputed, num: 2, text: ofMember}))
	case o.array && !numeric, j.unseen(out), o.escaped, depth == 2:
		out = j.join(out, computed(depth, numeric))
	}
	if !numeric {
		out = j.join(out, j.leadsTo(line))
	}
	return j.maybe(out)
}

// leadsTo is what the first object of a line has besides its members, of the program's own: what it inherits
// from, its class, what a class makes, and the function that has arguments.
func (j *javascript) leadsTo(line []*object) value {
	var out value
	for n, o := range line {
		if n > 0 || o.instanceOf != nil { // what stands for an instance is the prototype, too
			out = j.add(out, o.itself[0])
		}
		switch {
		case o.instanceOf != nil:
			out = j.add(out, o.instanceOf.itself[0])
		case o.callable() && o.makes():
			out = j.add(out, j.instanceOf(o).itself[0])
		case o.arguments:
			out = j.add(out, j.objectAt(o.node).itself[0])
		}
	}
	return out
}
