package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// assignShared assigns to members of what may be shared so: any object may have them then. What
// functions do that are put there in place of others is not followed.
func (j *javascript) assignShared(keys, s value, at int) {
	if slices.ContainsFunc(s, changesShared) || j.leadsOut(s) {
		j.dynamicAt(analyze.DynamicClass, at)
	}
	j.goesBehind()
	j.shareAll(keys, s)
}

// shareAll notes what any object may have under keys.
func (j *javascript) shareAll(keys, s value) {
	if j.unseen(keys) {
		keys = anything()
	}
	for _, k := range keys {
		j.share(k, s.there())
	}
}

// changesShared is true for what changes how objects act that have it without knowing.
func changesShared(v atom) bool {
	switch v.kind {
	case atomSymbol:
		owner, key, _ := cutLast(v.text)
		return isNamespace(v.text) || isFunction(v.text) && !strings.HasPrefix(owner, "globalThis.process") && owner != "node:os" && strings.ToUpper(key) != key
	case atomNative:
		return isLanguageMethod(v.text)
	case atomConstructor:
		return true
	}
	return v.kind == atomObject && (v.obj.callable() || v.obj.bound != nil)
}

// leadsOut tells whether objects in s lead to something outside whose members a policy must tell apart.
func (j *javascript) leadsOut(s value) bool {
	held, seen := []value{s}, map[*object]bool{}
	for n := 0; n < len(held); n++ {
		for _, v := range held[n] {
			switch {
			case v.kind == atomSymbol && isNamespace(v.text):
				return true
			case v.kind == atomObject && !seen[v.obj] && j.work(1+len(v.obj.keys)):
				seen[v.obj] = true
				j.reads(&v.obj.readBy)
				for _, k := range v.obj.keys {
					held = append(held, *v.obj.props[k])
				}
				held = append(held, v.obj.underUnknown(), v.obj.rest, j.returns(one(v)))
			}
		}
	}
	return false
}

// share notes what any object may have under a key.
func (j *javascript) share(key atom, s value) {
	name, ok := propertyKey(key)
	switch {
	case key.numeric(), ok && isIndex(name): // which are not told apart
		name = "0"
	case !ok:
		name = anyKey
	}
	if j.shares == nil {
		j.shares = map[string]*kept{}
		j.outdates(nil)
	}
	if name == anyKey {
		s = s.faint()
	}
	j.sharedAt(name)
	p := j.shares[name]
	if len(p.values) == 0 && len(s) > 0 { // which is no growing constant
		p.values = s
		j.learned(&p.readBy)
	}
	j.grow(&p.readBy, &p.values, s)
	if name != "0" {
		j.names(name, s)
	}
}

// shared is what any object may have under a key, because it was put on what all objects inherit from:
// under a key that is not known hardly in the place of the language's own methods: see mayReplace.
func (j *javascript) shared(key string) value {
	if isIndex(key) {
		key = "0"
	}
	out := j.sharedAt(key)
	if !isLanguageMethod(key) {
		out = j.join(out, j.sharedAt(anyKey))
	}
	return out
}

// sharedAt is what is noted under a key: nothing of any, as long as nothing was.
func (j *javascript) sharedAt(key string) value {
	if j.shares == nil {
		return nil
	}
	p := j.shares[key]
	if p == nil {
		p = new(kept)
		j.shares[key] = p
	}
	j.reads(&p.readBy)
	return p.values
}

// mayPatch looks at what is put on a member of a function of the library under a name that is not
// known: it may be the prototype, which all code shares.
func (j *javascript) mayPatch(o atom, at int) {
	if o.kind == atomComputed && o.text == ofFunction {
		j.dynamicAt(analyze.DynamicPatch, at)
	}
}

// store notes what the program puts under a key of an object that is not its
// own, such as a function or a Buffer: by the key alone.
func (j *javascript) store(keys, s value) {
	if j.unseen(keys) {
		j.putAt(anyKey, s)
	}
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			j.names(key, s)
			j.asked(key, s)
			j.putAt(key, s)
		} else {
			j.namesAny(k, s)
			j.putAt(anyKey, s)
		}
		if k.text == "__proto__" {
			for _, v := range s {
				j.inherit(v)
			}
		}
	}
}

// stored is what the program has put under a key of objects that are not its own. Who merges
// data puts members of members there, which are hardly called in the place of a method of
// the language: not the call counts that may make code, but what is done with what it gives.
func (j *javascript) stored(key string) value {
	own, loose := j.place(key), j.place(anyKey)
	j.reads(&own.readBy)
	j.reads(&loose.readBy)
	switch {
	case len(own.values) == 0 || own == loose:
		return j.storedAt(loose, nil)
	case len(loose.values) == 0:
		return j.storedAt(own, nil)
	}
	return j.storedAt(own, loose.values)
}

// place is what the program has put under a key.
type place struct {
	values value
	readBy readBy

	own, loose value // what storedAt was last asked for, which made these of it
	both       value
	spilled    value // what was in excess

	member, beside value // what memberOrStored was last asked for, which made joined of it
	joined         value
}

// place returns the place of what is put under a key.
func (j *javascript) place(key string) *place {
	p := j.placed[key]
	if p == nil {
		p = new(place)
		j.placed[key] = p
	}
	return p
}

// putAt adds to what is put under a key.
func (j *javascript) putAt(key string, s value) {
	if key == anyKey {
		s = s.faint()
	}
	p := j.place(key)
	j.grow(&p.readBy, &p.values, s)
}

// storedAt is what was put at a place and under keys that are not known. It is joined anew
// when there is more.
func (j *javascript) storedAt(p *place, loose value) value {
	if !p.own.same(p.values) || !p.loose.same(loose) {
		p.own, p.loose = p.values, loose
		p.both, p.spilled = j.joinStored(p.values, loose)
	}
	j.escape(p.spilled, j.here)
	return p.both
}

// joinStored joins what was put under a key and under keys that are not known, and tells what
// of it was too much to tell apart.
func (j *javascript) joinStored(own, loose value) (out, spilled value) {
	out = make(value, 0, len(own)+len(loose))
	for _, s := range [...]value{own, loose} {
		for _, v := range s {
			if v.kind == atomComputed {
				v.num = min(v.num, 1)
			}
			if out.covers(v) {
				continue
			}
			kept, lost := j.bounded(append(out, v))
			out, spilled = kept, append(spilled, lost...)
		}
	}
	return slices.Clip(out), spilled
}
