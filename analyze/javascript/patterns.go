package javascript

import "sallyport/analyze"

// bindPattern gives the names of a declaring pattern their values.
func (j *javascript) bindPattern(i int, s value, at int) {
	t := j.tree
	switch t.Kind(i) {
	case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifierPattern:
		j.assignName(i, s)
	case kindAssignmentPattern, kindObjectAssignmentPattern:
		left, right := t.Child(i, leftField), t.Child(i, rightField)
		if right != analyze.NoNode {
			s = j.join(s.there(), j.source(left, right))
		}
		if left != analyze.NoNode {
			j.bindPattern(left, s, at)
		}
	case kindObjectPattern:
		j.objectPattern(i, s)
	case kindArrayPattern:
		j.arrayPattern(i, s)
	case kindRestPattern:
		if c := t.FirstNamed(i); c != analyze.NoNode {
			j.bindPattern(c, s, at)
		}
	default:
		j.assign(i, s)
	}
}

func (j *javascript) objectPattern(i int, s value) {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindShorthandPropertyIdentifierPattern:
			j.bindPattern(c, j.taken(s, j.identifierText(c), c), c)
		case kindObjectAssignmentPattern:
			left := t.Child(c, leftField)
			if left != analyze.NoNode {
				j.bindPattern(c, j.taken(s, j.identifierText(left), left), c)
			}
		case kindPairPattern:
			j.pairPattern(c, s)
		case kindRestPattern:
			if n := t.FirstNamed(c); n != analyze.NoNode {
				j.bindPattern(n, j.restOf(i, s, c), c)
			}
		}
	}
}

// restOf is what a pattern leaves of s: of what is the program's an object with the members that
// the pattern does not take; of the rest, which is as good as the whole, each may be missing.
func (j *javascript) restOf(pattern int, s value, at int) value {
	t, o := j.tree, j.objectFor(at, 0)
	o.losesOrder()
	taken, all := map[string]bool{}, true // whether the keys are known
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		key := c
		switch t.Kind(c) {
		case kindObjectAssignmentPattern:
			key = t.Child(c, leftField)
		case kindPairPattern:
			key = t.Child(c, keyField)
		case kindRestPattern:
			continue
		}
		if key == analyze.NoNode || t.Kind(key) == kindComputedPropertyName {
			all = false
			continue
		}
		if text := j.keyText(key); text != objectText { // which stands for others, too
			taken[text] = true
		}
	}
	if !all || len(s) > 1 {
		j.unlist(o)
	}
	out, several := objectValue(o), s.several()
	for _, v := range s {
		if v.kind == atomObject || v.kind == atomBytes || v.primitive() {
			j.spreadInto(o, one(v), at, func(key string, s value) {
				if !all || len(out) > 1 || several { // what one has another lacks
					s = j.maybe(s)
				}
				if !taken[key] {
					j.put(o, key, s)
				}
			})
			continue
		}
		out = j.join(out, j.join(one(v), anything()))
	}
	return out
}

// taken is the member of s that a pattern takes out.
func (j *javascript) taken(s value, key string, at int) value {
	m := j.memberOf(s, key, at)
	j.property(key, at)
	j.mentionAll(m, at, analyze.HowReference)
	return m
}

func (j *javascript) pairPattern(i int, s value) {
	t := j.tree
	key, to := t.Child(i, keyField), t.Child(i, valueField)
	if key == analyze.NoNode || to == analyze.NoNode {
		return
	}
	var m value
	if t.Kind(key) == kindComputedPropertyName {
		k := j.load(t.FirstNamed(key))
		j.keyProperties(k, t.FirstNamed(key))
		m = j.members(s, k, key)
	} else {
		m = j.memberOf(s, j.keyText(key), key)
		j.property(j.keyText(key), key)
	}
	target := to
	if t.Kind(to) == kindAssignmentPattern {
		target = t.Child(to, leftField)
	}
	if target == analyze.NoNode || t.Kind(target) != kindObjectPattern {
		j.mentionAll(m, key, analyze.HowReference)
	} else {
		j.mentionOwners(m, key)
	}
	j.bindPattern(to, m, i)
}

func (j *javascript) arrayPattern(i int, s value) {
	t, n := j.tree, 0
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if !t.Named(c) {
			if t.Source(c) == "," {
				n++
			}
			continue
		}
		switch t.Kind(c) {
		case kindComment:
		case kindRestPattern:
			rest := j.objectAt(c)
			rest.array, rest.mutable = true, true
			j.grow(&rest.readBy, &rest.rest, j.elements(s, c))
			if e := t.FirstNamed(c); e != analyze.NoNode {
				j.bindPattern(e, objectValue(rest), c)
			}
		default:
			m := j.iteratedOr(j.members(s, numberValue(float64(n)), c))
			for _, v := range s {
				if v.kind == atomObject && (!v.obj.isList() || len(j.ownOrLoose(v.obj, symbolPrefix+"iterator")) > 0) { // which may give fewer than it has under numbers
					m = j.join(m, j.maybe(j.elements(one(v), c)))
				}
			}
			j.bindPattern(c, m, c)
		}
	}
}

// keyText returns the text of a property name that is not computed.
func (j *javascript) keyText(i int) string {
	switch j.tree.Kind(i) {
	case kindString:
		return oneText(decodeKey(j.quotedText(i)))
	case kindNumber:
		return numberKey(j.tree.Source(i))
	}
	return j.identifierText(i)
}

// memberKey is the key of the member that the name at node i is: no text names a private one.
func (j *javascript) memberKey(i int) string {
	if j.tree.Kind(i) == kindPrivatePropertyIdentifier {
		return privatePrefix + j.identifierText(i)
	}
	return j.keyText(i)
}
