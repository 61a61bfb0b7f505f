package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// arguments are the arguments of a call.
type arguments struct {
	positional []value
	splat      bool // positional ends before arguments that cannot be told apart
	rest       value
	at         int
	objects    uint64         // which of them are surely objects, by what stands there: a bit each
	starts     map[int]string // with what an argument begins that is not wholly known
	paths      map[int]string // which file an argument names that is no constant
}

// get returns argument n; beyond what is passed it is undefined.
func (a arguments) get(n int) value {
	if n < len(a.positional) {
		return a.positional[n]
	}
	if a.splat {
		return a.rest
	}
	return nil
}

// given returns argument n, which is undefined where none is passed.
func (a arguments) given(n int) value {
	if a.has(n) {
		return a.get(n)
	}
	return ofKind(atomUndefined)
}

// has tells whether there may be an argument n.
func (a arguments) has(n int) bool { return n < len(a.positional) || a.splat }

// all yields what each argument may be, and at the end what those may be that cannot be told
// apart.
func (a arguments) all(yield func(value) bool) {
	for _, s := range a.positional {
		if !yield(s) {
			return
		}
	}
	yield(a.rest)
}

// same tells whether two lists of arguments are one.
func (a arguments) same(b arguments) bool {
	return a.splat == b.splat && a.rest.same(b.rest) && slices.EqualFunc(a.positional, b.positional, value.same)
}

// shift returns the arguments without the first n.
func (a arguments) shift(n int) arguments {
	a.positional = a.positional[min(n, len(a.positional)):]
	a.objects >>= n
	return a
}

// surely tells whether argument n is an object by what stands there.
func (a arguments) surely(n int) bool { return a.objects>>n&1 != 0 }

// facts returns the arguments as policy sees them.
func (a arguments) facts() []analyze.Arg {
	out := make([]analyze.Arg, 0, len(a.positional))
	for n, s := range a.positional {
		arg := analyze.Arg{MayBe: a.paths[n]}
		if s = s.naming(); s.single() {
			switch v := s[0]; v.kind {
			case atomString:
				arg = analyze.Arg{Value: analyze.Clip(v.text), Known: true}
			case atomNumber:
				arg = analyze.Arg{Value: v.num, Known: true}
			case atomBool:
				arg = analyze.Arg{Value: v.num != 0, Known: true}
			case atomNull:
				arg = analyze.Arg{Known: true}
			}
		}
		out = append(out, arg)
	}
	return out
}

// addressKeys are options that hold a host or an address.
var addressKeys = []string{"baseURL", "host", "hostname", "origin", "prefixUrl", "url"}

// named returns texts among the arguments that facts cannot show: one of
// several, the beginning of one, an option.
func (a arguments) named() (out []analyze.Named) {
	add := func(key string, s value) {
		for _, v := range s {
			if v.kind == atomString {
				out = append(out, analyze.Named{Key: key, Text: analyze.Clip(v.text), Whole: true})
			}
		}
	}
	for n, s := range a.positional {
		if !s.single() {
			add("", s)
		}
		if text := a.starts[n]; text != "" {
			out = append(out, analyze.Named{Text: analyze.Clip(text)})
		}
		o := s.taken()
		if o == nil {
			continue
		}
		for _, key := range addressKeys {
			if v := o.props[key]; v != nil {
				add(key, *v)
			}
		}
	}
	return out
}

// begins notes how the next argument begins, at node i, when it is a text that
// is put together of what is not wholly known, and which file it names.
func (a *arguments) begins(j *javascript, i int, s value) {
	if _, whole := s.str(); whole || !j.emit {
		return
	}
	if file := j.pathAt(i); file != "" {
		if a.paths == nil {
			a.paths = map[int]string{}
		}
		a.paths[len(a.positional)] = analyze.Clip(file)
	}
	if text := j.beginning(i); text != "" {
		if a.starts == nil {
			a.starts = map[int]string{}
		}
		a.starts[len(a.positional)] = text
	}
}

// beginning is the constant that a template or a sum of texts begins with.
func (j *javascript) beginning(i int) string {
	t := j.tree
	for {
		switch t.Kind(i) {
		case kindParenthesizedExpression:
			i = t.FirstNamed(i)
		case kindBinaryExpression:
			if op := t.Child(i, operatorField); op == analyze.NoNode || t.Source(op) != "+" {
				return ""
			}
			left := t.Child(i, leftField)
			if text, ok := j.quietly(left).str(); ok {
				return text
			}
			i = left
		case kindTemplateString:
			return j.templateBeginning(i)
		default:
			return ""
		}
	}
}

func (j *javascript) templateBeginning(i int) string {
	t := j.tree
	var text strings.Builder
	at := t.Start(i) + 1
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) != kindTemplateSubstitution {
			continue
		}
		text.WriteString(decodeEscapes(t.Text[at:t.Start(c)]))
		part, ok := j.quietly(t.FirstNamed(c)).str()
		if !ok {
			break
		}
		text.WriteString(part)
		at = t.End(c)
	}
	return text.String()
}

// quietly evaluates what was evaluated before, without reporting it again.
func (j *javascript) quietly(i int) value {
	emit := j.emit
	j.emit = false
	defer func() { j.emit = emit }()
	return j.load(i)
}

// arguments evaluates the arguments at node i: a list or, of a tagged
// template, its strings and values.
//
// With quietThis, a first argument "this" mentions nothing: see handsOnThis.
func (j *javascript) arguments(i int, quietThis bool) arguments {
	a := arguments{at: i}
	if i == analyze.NoNode {
		return a
	}
	t := j.tree
	if t.Kind(i) == kindTemplateString {
		return j.templateArguments(i)
	}
	n := 0
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		n++
	}
	a.positional = j.places(n)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindSpreadElement {
			s := j.argument(c, quietThis && len(a.positional) == 0)
			if a.splat {
				a.rest = j.join(a.rest, s)
			} else {
				a.begins(j, c, s)
				if k := len(a.positional); k < 64 && j.isObjectHere(c) {
					a.objects |= 1 << k
				}
				a.positional = append(a.positional, s)
			}
			continue
		}
		a.spread(j, j.load(t.FirstNamed(c)), c)
	}
	return a
}

func (j *javascript) argument(i int, quietThis bool) value {
	if quietThis && j.tree.Kind(j.bare(i)) == kindThis {
		j.asksInside(i)
		return j.this
	}
	return j.load(i)
}

// handsOnThis is true for f.call and f.apply of a function that comes from the
// program: f.apply(this, …) is how wrappers stay out of the way, and what f
// does with its receiver is seen in f.
func (c callee) handsOnThis() bool {
	if c.key != "call" && c.key != "apply" {
		return false
	}
	return !c.receiver.hasSymbol() && !c.receiver.any(atomNative)
}

// spread adds the elements of an array to the arguments.
func (a *arguments) spread(j *javascript, s value, at int) {
	if o := s.taken(); o != nil && j.listed(o) && !a.splat && !j.iteratesOtherwise() {
		for _, k := range o.keys {
			a.positional = append(a.positional, *o.props[k])
		}
		return
	}
	if v := s; v.single() && v[0].kind == atomSymbol && v[0].text == "globalThis.arguments" {
		a.positional = append(a.positional, anything(), symbol("globalThis.require"), symbol("globalThis.module"))
		a.splat, a.rest = true, anything()
		return
	}
	a.splat = true
	a.rest = j.join(j.join(a.rest, j.elements(s, at)), anything())
}

func (j *javascript) templateArguments(i int) arguments {
	t, o := j.tree, j.objectAt(i)
	a := arguments{at: i, positional: []value{objectValue(o)}}
	o.array = true
	j.freezes(o, i)
	at, n := t.Start(i)+1, 0
	part := func(end int) {
		if at <= end {
			s := decodeEscapes(t.Text[at:end])
			j.constant(s)
			j.grow(&o.readBy, o.prop(formatNumber(float64(n))), stringValue(s))
			if strings.Contains(t.Text[at:end], "\\") { // undefined stands for an escape that is none
				j.grow(&o.readBy, o.prop(formatNumber(float64(n))), ofKind(atomUndefined))
			}
			n++
		}
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) == kindTemplateSubstitution {
			part(t.Start(c))
			a.positional = append(a.positional, j.load(t.FirstNamed(c)))
			at = t.End(c)
		}
	}
	part(t.End(i) - 1)
	if s := t.Source(i); len(s) >= 2 && n == 1 {
		o.raw = s[1 : len(s)-1]
	}
	return a
}
