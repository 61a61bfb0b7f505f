package javascript

import "slices"

// What the language gives lists, texts, functions and constructors can be replaced: by what is put under a name
// that is not known on a member whose name is not known. Of that the analysis sees where it is a function of the
// program. A function that went where it is not followed comes back as anything that is not known: then what is
// put there may be one, and nobody knows what the language's own functions give.

// wentAway notes that a function went where it is not followed.
func (j *javascript) wentAway() {
	if !j.went {
		j.went = true
		j.learned(nil)
	}
}

// mayReplace tells whether what the language has under a key may be a function that is not known.
func (j *javascript) mayReplace(key string) bool {
	return j.went && (j.sharesFunction(key) || j.sharesFunction(anyKey))
}

// sharesFunction tells whether something that is not known was put under a key on what may be shared.
func (j *javascript) sharesFunction(key string) bool {
	return slices.ContainsFunc(j.sharedAt(key), func(v atom) bool { return v.kind == atomUnknown || v.kind == atomComputed && v != tableAtom })
}

// orReplaced returns s, which the language's function of that name gives, and what another gives in its place.
func (j *javascript) orReplaced(key string, s value) value {
	if !j.mayReplace(key) {
		return s
	}
	return j.join(s, anything())
}

// iteratesOtherwise tells whether iterating over what the language iterates over may give something else.
func (j *javascript) iteratesOtherwise() bool {
	return j.mayReplace(symbolPrefix+"iterator") || j.mayReplace("next")
}

// iteratedOr returns s, which iterating gives, and what it may give besides.
func (j *javascript) iteratedOr(s value) value {
	if !j.iteratesOtherwise() {
		return s
	}
	return j.join(s, anything())
}

// replacesForward tells whether the program may have put a function that is not known in the place of call, apply
// or bind, of functions in s.
func (j *javascript) replacesForward(s value, key string) bool {
	return j.mayReplace(key) || slices.ContainsFunc(s, func(v atom) bool {
		switch v.kind {
		case atomSymbol:
			return j.isLent(v.text) && j.putsUnknown(key)
		case atomObject:
			return j.mayBeAnother(v.obj, key)
		}
		return false
	})
}

// mayBeAnother tells whether a function that is not known may stand on an object, or on one that it inherits from, in the
// place of a method of the language: it was put there, or on what is not known where others have the object.
func (j *javascript) mayBeAnother(o *object, key string) bool {
	line, _ := j.lineage(o)
	return slices.ContainsFunc(line, func(from *object) bool {
		p := from.props[key]
		return p != nil && p.uncertain() || from.underUnknown().any(atomUnknown) || from.escaped && j.putsUnknown(key)
	})
}

// putsUnknown tells whether the program puts something that is not known under a key of what is not known.
func (j *javascript) putsUnknown(key string) bool {
	p := j.place(key)
	j.reads(&p.readBy)
	return p.values.uncertain()
}

// uncertain tells whether something in s may be any function.
func (s value) uncertain() bool { return s.any(atomUnknown) || s.any(atomComputed) }
