package javascript

import (
	"slices"

	"sallyport/analyze"
)

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
		j.mayRemember(v.text)
		return j.constructSymbol(v.text, a, i)
	case atomObject:
		switch o := v.obj; {
		case o.bound != nil:
			return j.constructBound(o, a, i)
		case o.proxied: // a trap answers
			j.escapeArgs(a, i)
			return j.join(o.rest, anything())
		case o.class != nil:
			return j.constructClass(o, a, i)
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
		if v.kind == atomConstructor && len(a.positional) == 0 && !a.splat { // Function makes of nothing what does nothing
			j.dynamicAt(analyze.DynamicClass, i)
			return anything()
		}
		if v.kind == atomComputed {
			j.goesBehind()
		}
		return j.applyValue(v, callee{node: i}, a, i)
	}
	j.escapeArgs(a, i)
	return anything()
}

// constructBound evaluates new of a bound function: that makes what the one makes that it is
// bound to.
func (j *javascript) constructBound(o *object, a arguments, i int) value {
	out := j.applyBound(o, a, i)
	if j.applying > 20 || !j.step() {
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

// constructClass runs the constructor of a class, or those of the classes above it, each once: a class that a function
// makes may be above itself.
func (j *javascript) constructClass(o *object, a arguments, i int) value {
	out := j.join(objectValue(o.class.instance), j.replaced(o.class.super))
	classes, seen := []*object{o}, map[*object]bool{o: true}
	for n := 0; n < len(classes) && j.step(); n++ {
		c, got := classes[n], value(nil)
		j.reads(&c.readBy)
		if c.constructor != nil {
			j.passArgs(c.constructor.code, a)
			j.reads(&c.constructor.code.gives)
			got = j.inPlace(nil, c.constructor.code.ret)
		} else {
			for _, s := range c.class.super {
				switch {
				case s.kind == atomObject && s.obj.class != nil:
					if !seen[s.obj] {
						seen[s.obj] = true
						classes = append(classes, s.obj)
					}
				case s.kind == atomSymbol:
					j.mention(s.text, i, analyze.HowCall, c.class.super.single(), a.facts(), a.splat, a.named()...)
					got = j.join(got, j.constructAbove(s.text, objectValue(c.class.instance), a, i))
				default:
					got = j.join(got, j.construct(s, a, i))
				}
			}
		}
		if n == 0 { // what those above give is in the place of an object already
			out = j.join(out, got)
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
			j.constructClass(s.obj, a, i)
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
