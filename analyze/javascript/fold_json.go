package javascript

import (
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"
)

// foldJSON folds JSON.parse of a constant; a reviver sees all of it.
func (j *javascript) foldJSON(a arguments, i int) value {
	out := anything()
	if text, ok := j.toStrings(a.get(0)).str(); ok {
		d := json.NewDecoder(strings.NewReader(text))
		if v, ok := readJSON(d, 0); ok && d.InputOffset() == int64(len(strings.TrimRight(text, " \t\r\n"))) {
			n := 10
			out = j.jsonValue(v, i, &n)
		}
	}
	if f := a.get(1); len(f) > 0 {
		holder := j.objectFor(i, 6) // stands for all that the reviver is called of
		holder.mutable = true
		j.grow(&holder.readBy, &holder.rest, j.join(out, anything()))
		j.grow(&holder.readBy, &holder.rest, j.jsonStrings(out, 0))
		s := j.invoke(f, objectValue(holder), ofKind(atomAnyString), j.held(holder), anything()) // which newer ones tell of the text
		j.names(anyKey, s)
		j.escape(j.join(out, j.join(s, j.held(holder))), i) // it may be anywhere in the result
		return j.join(j.join(out, s), anything())
	}
	return out
}

// members are those of an object, in the order in which they stand.
type members struct {
	keys   []string
	values map[string]any
}

// readJSON reads a value of constants that JavaScript reads in the same way.
func readJSON(d *json.Decoder, depth int) (any, bool) {
	t, err := d.Token()
	if err != nil || depth > 100 {
		return nil, false
	}
	switch t := t.(type) {
	case string:
		return t, !strings.ContainsRune(t, utf8.RuneError)
	case float64:
		return t, t != 0 || !math.Signbit(t)
	case json.Delim:
		if t == '[' {
			list := []any{}
			for d.More() {
				v, ok := readJSON(d, depth+1)
				if !ok {
					return nil, false
				}
				list = append(list, v)
			}
			_, err := d.Token()
			return list, err == nil
		}
		o := members{values: map[string]any{}}
		for d.More() {
			key, ok := readJSON(d, depth+1)
			if !ok {
				return nil, false
			}
			v, ok := readJSON(d, depth+1)
			if !ok {
				return nil, false
			}
			name := key.(string)
			if _, twice := o.values[name]; !twice {
				o.keys = append(o.keys, name)
			}
			o.values[name] = v
		}
		_, err := d.Token()
		return o, err == nil
	}
	return t, true
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
			j.grow(&o.readBy, o.prop(formatNumber(float64(k))), j.jsonValue(e, i, n))
		}
		if len(v) > maxIndexed {
			o.mutable = true
			j.grow(&o.readBy, &o.rest, anything())
		}
		return objectValue(o)
	case members:
		o := j.objectFor(i, *n)
		for _, k := range v.keys {
			j.grow(&o.readBy, o.prop(oneText(k)), j.jsonValue(v.values[k], i, n))
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
			out = j.add(out, v)
		case v.kind == atomObject && depth < 5:
			for _, k := range v.obj.keys {
				out = j.join(out, j.jsonStrings(*v.obj.props[k], depth+1))
			}
		}
	}
	return out
}
