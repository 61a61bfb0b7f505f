package javascript

import (
	"encoding/json"
	"slices"
)

// foldJSON folds JSON.parse of a constant; a reviver sees all of it.
func (j *jsWalk) foldJSON(a jsArgs, i int) jsSet {
	out := unknownSet()
	if text, ok := j.toStrings(a.get(0)).str(); ok {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			n := 10
			out = j.jsonValue(v, i, &n)
		}
	}
	if f := a.get(1); len(f) > 0 {
		held := j.objectFor(i, 6)
		j.add(&held.rest, out)
		j.add(&held.rest, j.jsonStrings(out, 0))
		s := j.callback(f, i, kindSet(jsAnyString), held.rest)
		return j.union(j.union(out, s), unknownSet())
	}
	return out
}

// jsonValue makes the value that v stands for; n numbers its objects.
func (j *jsWalk) jsonValue(v any, i int, n *int) jsSet {
	*n++
	switch v := v.(type) {
	case string:
		j.constant(v)
		return stringSet(v)
	case float64:
		return numberSet(v)
	case bool:
		return boolSet(v)
	case nil:
		return kindSet(jsConstNull)
	case []any:
		o := j.objectFor(i, *n)
		o.array = true
		for k, e := range v[:min(len(v), maxIndexed)] {
			j.add(o.prop(formatNumber(float64(k))), j.jsonValue(e, i, n))
		}
		o.mutable = o.mutable || len(v) > maxIndexed
		return localSet(o)
	case map[string]any:
		o := j.objectFor(i, *n)
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			j.add(o.prop(k), j.jsonValue(v[k], i, n))
		}
		return localSet(o)
	}
	return unknownSet()
}

// jsonStrings returns the strings inside a folded JSON value.
func (j *jsWalk) jsonStrings(s jsSet, depth int) jsSet {
	var out jsSet
	for _, v := range s {
		switch {
		case v.kind == jsConstString:
			out = j.union(out, oneOf(v))
		case v.kind == jsLocal && depth < 5:
			for _, k := range v.obj.keys {
				out = j.union(out, j.jsonStrings(*v.obj.props[k], depth+1))
			}
		}
	}
	return out
}
