package javascript

import (
	"encoding/json"
	"slices"
)

// foldJSON folds JSON.parse of a constant; a reviver sees all of it.
func (j *javascript) foldJSON(a arguments, i int) value {
	out := anything()
	if text, ok := j.toStrings(a.get(0)).str(); ok {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			n := 10
			out = j.jsonValue(v, i, &n)
		}
	}
	if f := a.get(1); len(f) > 0 {
		held := j.objectFor(i, 6)
		j.grow(&held.rest, out)
		j.grow(&held.rest, j.jsonStrings(out, 0))
		s := j.callback(f, i, ofKind(atomAnyString), held.rest)
		j.escape(s, i) // it may be anywhere in the result
		return j.join(j.join(out, s), anything())
	}
	return out
}

// jsonValue makes the value that v stands for; n numbers its objects.
func (j *javascript) jsonValue(v any, i int, n *int) value {
	*n++
	switch v := v.(type) {
	case string:
		j.constant(v)
		return stringValue(v)
	case float64:
		return numberValue(v)
	case bool:
		return boolValue(v)
	case nil:
		return ofKind(atomNull)
	case []any:
		o := j.objectFor(i, *n)
		o.array = true
		for k, e := range v[:min(len(v), maxIndexed)] {
			j.grow(o.prop(formatNumber(float64(k))), j.jsonValue(e, i, n))
		}
		o.mutable = o.mutable || len(v) > maxIndexed
		return objectValue(o)
	case map[string]any:
		o := j.objectFor(i, *n)
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			j.grow(o.prop(k), j.jsonValue(v[k], i, n))
		}
		return objectValue(o)
	}
	return anything()
}

// jsonStrings returns the strings inside a folded JSON value.
func (j *javascript) jsonStrings(s value, depth int) value {
	var out value
	for _, v := range s {
		switch {
		case v.kind == atomString:
			out = j.join(out, one(v))
		case v.kind == atomObject && depth < 5:
			for _, k := range v.obj.keys {
				out = j.join(out, j.jsonStrings(*v.obj.props[k], depth+1))
			}
		}
	}
	return out
}
