package javascript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// held returns everything that an object holds, also behind accessors.
func (j *javascript) held(o *object) value { return j.heldFor(o, objectValue(o)) }

// heldFor is held, where accessors are told that they were asked of this.
func (j *javascript) heldFor(o *object, this value) value {
	j.reads(&o.readBy)
	out := j.join(o.rest, o.loose)
	if !j.work(len(o.keys)) {
		return anything()
	}
	for _, k := range o.keys {
		if strings.HasPrefix(k, getPrefix) {
			out = j.join(out, j.invoke(*o.props[k], this))
		} else if !strings.HasPrefix(k, setPrefix) {
			out = j.join(out, *o.props[k])
		}
	}
	return out
}

// keysOf returns the property names of s as constants, where they are known.
func (j *javascript) keysOf(s value) value {
	o := s.taken()
	if o != nil {
		j.reads(&o.readBy)
	}
	if o == nil || o.mutable || o.escaped || len(o.keys) > maxConsts || len(o.rest) > 0 || !j.listsKeys(o) {
		return ofKind(atomAnyString)
	}
	var keys []string
	for _, k := range o.keys { // an accessor has the name that it is read by
		k = strings.TrimPrefix(strings.TrimPrefix(k, getPrefix), setPrefix)
		if isPrivate(k) {
			continue
		}
		if strings.HasPrefix(k, symbolPrefix) || k == "__proto__" || k == objectText || !utf8.ValidString(k) { // a symbol, which is not listed, or text
			return ofKind(atomAnyString)
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { // numbers come first, by what they are
		n, numbered := indexOf(a)
		m, numberedToo := indexOf(b)
		switch {
		case numbered && numberedToo:
			return cmp.Compare(n, m)
		case numbered:
			return -1
		case numberedToo:
			return 1
		}
		return 0
	})
	var out value
	for _, k := range keys {
		out = append(out, atom{kind: atomString, text: k})
	}
	return out
}

// listsKeys tells whether the language lists all that an object of the program has under
// keys: not what functions, classes and regular expressions have.
func (j *javascript) listsKeys(o *object) bool {
	return !o.unlisted && o.code == nil && o.class == nil && o.bound == nil && o.instanceOf == nil && j.tree.Kind(o.node) != kindRegex &&
		o.props[getPrefix+anyKey] == nil && o.props[setPrefix+anyKey] == nil
}

// unlist notes that o has members which the language perhaps does not list.
func (j *javascript) unlist(o *object) {
	if !o.unlisted {
		o.unlisted = true
		j.learned(&o.readBy)
	}
}

// indexOf returns the number that a key is, where the language takes it for one.
func indexOf(key string) (uint64, bool) {
	if !isIndex(key) {
		return 0, false
	}
	n, err := strconv.ParseUint(key, 10, 32)
	return n, err == nil && n < 1<<32-1 && strconv.FormatUint(n, 10) == key
}
