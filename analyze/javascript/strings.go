package javascript

import (
	"strings"

	"sallyport/analyze"
)

// foldString folds a method of a constant string. It is false when the result
// is not known.
func (j *javascript) foldString(s, key string, a arguments, i int) (value, bool) {
	if a.splat {
		return nil, false
	}
	if r, ok := j.foldText(s, key, a); ok {
		if !j.fits(len(r)) {
			return ofKind(atomAnyString), true
		}
		j.constant(r)
		return stringValue(r), true
	}
	if !isASCII(s) {
		return nil, false
	}
	switch key {
	case "split":
		return j.split(s, a, i), true
	case "charCodeAt", "codePointAt":
		n, ok := a.integer(0)
		if len(a.positional) == 0 {
			n, ok = 0, true
		}
		if ok && n >= 0 && n < len(s) {
			return numberValue(float64(s[n])), true
		}
	case "indexOf":
		if t, ok := a.text(0); ok && len(a.positional) == 1 {
			return numberValue(float64(strings.Index(s, t))), true
		}
	}
	return nil, false
}

func (j *javascript) foldText(s, key string, a arguments) (string, bool) {
	switch key {
	case "toString", "valueOf", "normalize":
		return s, isASCII(s)
	case "concat":
		for n := range a.positional {
			t, ok := j.toStrings(a.get(n)).str()
			if !ok || !j.fits(len(s)+len(t)) {
				return "", false
			}
			s += t
		}
		return s, true
	case "replace", "replaceAll":
		return j.foldReplace(s, key, a)
	}
	if !isASCII(s) {
		return "", false
	}
	switch key {
	case "toLowerCase":
		return strings.ToLower(s), true
	case "toUpperCase":
		return strings.ToUpper(s), true
	case "trim":
		return strings.TrimSpace(s), true
	case "trimStart":
		return strings.TrimLeft(s, " \t\n\r\v\f"), true
	case "trimEnd":
		return strings.TrimRight(s, " \t\n\r\v\f"), true
	case "repeat":
		n, ok := a.integer(0)
		if !ok || n < 0 || !j.fits(n*max(1, len(s))) {
			return "", false
		}
		return strings.Repeat(s, n), true
	case "charAt", "at":
		n, ok := a.integer(0)
		if len(a.positional) == 0 {
			n, ok = 0, true
		}
		if n < 0 && key == "at" {
			n += len(s)
		}
		if !ok || n < 0 || n >= len(s) {
			return "", ok && key == "charAt"
		}
		return s[n : n+1], true
	case "slice":
		from, to, ok := sliceBounds(len(s), a)
		if !ok {
			return "", false
		}
		return s[from:to], true
	case "substring", "substr":
		return foldSubstring(s, key, a)
	}
	return "", false
}

func foldSubstring(s, key string, a arguments) (string, bool) {
	from, to, ok := 0, len(s), true
	if len(a.positional) > 0 {
		from, ok = a.integer(0)
	}
	if !ok {
		return "", false
	}
	if len(a.positional) > 1 {
		if to, ok = a.integer(1); !ok {
			return "", false
		}
	}
	if key == "substr" {
		if from < 0 {
			from = max(0, from+len(s))
		}
		if len(a.positional) > 1 {
			to += from
		}
	}
	from, to = max(0, min(from, len(s))), max(0, min(to, len(s)))
	if key == "substring" && from > to {
		from, to = to, from
	}
	return s[from:max(from, to)], true
}

// foldReplace folds replacing one constant string by another; patterns that
// are regular expressions are folded when they are plain text.
func (j *javascript) foldReplace(s, key string, a arguments) (string, bool) {
	to, ok := a.text(1)
	if !ok || strings.Contains(to, "$") || !isASCII(s) {
		return "", false
	}
	all := key == "replaceAll"
	from, ok := a.text(0)
	if !ok {
		if from, all, ok = j.plainPattern(a.get(0)); !ok {
			return "", false
		}
	}
	n := 1
	if all {
		n = -1
	}
	if !j.fits(len(s) + (strings.Count(s, from)+1)*len(to)) {
		return "", false
	}
	return strings.Replace(s, from, to, n), true
}

// plainPattern returns the text that a regular expression without operators
// matches.
func (j *javascript) plainPattern(s value) (text string, global, ok bool) {
	o := s.local()
	if o == nil || j.tree.Kind(o.node) != kindRegex || o.mutable {
		return "", false, false
	}
	t := j.tree
	p, f := t.Child(o.node, patternField), t.Child(o.node, flagsField)
	flags := ""
	if f != analyze.NoNode {
		flags = t.Source(f)
	}
	if p == analyze.NoNode || strings.ContainsAny(t.Source(p), `\.[](){}*+?^$|`) || strings.Trim(flags, "g") != "" {
		return "", false, false
	}
	return t.Source(p), flags == "g", true
}

// split evaluates split of a constant string.
func (j *javascript) split(s string, a arguments, i int) value {
	parts := []string{s}
	if separator, ok := a.text(0); ok && len(a.positional) == 1 {
		parts = strings.Split(s, separator)
	} else if text, _, ok := j.plainPattern(a.get(0)); ok && text != "" && len(a.positional) == 1 {
		parts = strings.Split(s, text)
	} else if len(a.positional) > 0 {
		return j.arrayOf(i, 6, ofKind(atomAnyString))
	}
	if len(parts) > maxIndexed {
		return j.arrayOf(i, 6, ofKind(atomAnyString))
	}
	elements := make([]value, len(parts))
	for n, p := range parts {
		elements[n] = stringValue(p)
	}
	return j.list(i, elements)
}
