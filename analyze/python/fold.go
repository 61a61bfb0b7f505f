package python

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
)

// number evaluates a number literal.
func (p *python) number(i int) value {
	text := strings.ReplaceAll(p.unit.tree.Source(i), "_", "")
	if strings.HasSuffix(text, "j") || strings.HasSuffix(text, "J") {
		return anything()
	}
	if p.unit.tree.Kind(i) == kindInteger {
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return intValue(n)
		}
		if len(text) < 4096 {
			if n, ok := new(big.Int).SetString(text, 0); ok {
				return bigValue(n)
			}
		}
		if strings.Trim(text, "0") == "" {
			return intValue(0)
		}
		return anything()
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return floatValue(f)
	}
	return anything()
}

// unary folds -x, +x and ~x.
func (p *python) unary(i int) value {
	t := p.unit.tree
	v := p.load(t.Child(i, argumentField))
	a, ok := v.constant()
	if !ok {
		return anything()
	}
	op := p.operator(i)
	if a.kind == atomFloat && op == kindMinus {
		return floatValue(-a.float()).with(v.flags)
	}
	n, ok := a.bigInt()
	if !ok {
		return anything()
	}
	switch op {
	case kindMinus:
		n.Neg(n)
	case kindPlus:
	default:
		n.Not(n)
	}
	return bigValue(n).with(v.flags)
}

// binary evaluates a binary operation over all combinations of constants.
func (p *python) binary(i int, left, right value, op analyze.Kind) value {
	p.takesBehind(i, left, right)
	p.meets(left, right)
	p.meets(right, left)
	if v, ok := p.operands(i, left, right, op); ok {
		return v
	}
	if w := (left.flags | right.flags) & worked; w != 0 {
		of := []value{left, right}
		left.flags, right.flags = left.flags&^worked, right.flags&^worked
		out := p.binary(i, left, right, op).with(w)
		if op == kindPlus {
			return likePath(out, of...)
		}
		return out
	}
	if (left.flags|right.flags)&manyNumbers != 0 && left.numeric() && right.numeric() {
		switch op {
		case kindPlus, kindMinus, kindStar, kindFloorDivide, kindPercent:
			return value{flags: manyNumbers}
		}
	}
	if len(left.atoms) == 0 || len(right.atoms) == 0 || len(left.atoms)*len(right.atoms) > maxStrings {
		return p.prefixed(left, op, "__radd__")
	}
	var out value
	for _, a := range left.atoms {
		for _, b := range right.atoms {
			if folded, ok := p.foldBinary(a, b, op); ok {
				out = out.join(folded)
			} else if a.kind == atomString && op == kindPlus {
				out = out.join(p.prefixed(one(a), op, "__radd__"))
			} else {
				out = out.with(open)
			}
		}
	}
	if left.open() || right.open() {
		return out.join(p.prefixed(left, op, "__radd__"))
	}
	return out
}

// prefixed keeps the start of a string that something unknown is added to. What is added
// may say itself what comes of it, by a method of that name.
func (p *python) prefixed(left value, op analyze.Kind, method string) value {
	a, ok := left.single()
	if !ok || op != kindPlus || a.kind != atomString && a.kind != atomPrefix || a.text == "" {
		return anything()
	}
	begins := one(atom{kind: atomPrefix, text: a.text})
	if p.answersText(method) {
		return begins.with(open)
	}
	return begins
}

// answersText tells whether an object of the program may say itself what a text and it come
// to, by method: its class has that, or one of the library above it.
func (p *python) answersText(method string) bool {
	return p.own[method] || p.spread || p.shapes()
}

// answers are the methods by which an object says what a text and it come to, and classes of
// the library that have them and give what the class makes of the text.
func answers() (methods, classes []string) {
	return []string{"__radd__", "__rmod__"}, []string{"UserString", "UserList"}
}

// spellsAnswer tells whether a name has one of these in it.
func spellsAnswer(name string) bool {
	methods, classes := answers()
	return slices.ContainsFunc(slices.Concat(methods, classes), func(s string) bool { return strings.Contains(name, s) })
}

// bringsAnswers notes that the program has those methods.
func (p *python) bringsAnswers() {
	methods, _ := answers()
	for _, method := range methods {
		p.owns(method)
	}
}

// foreign tells whether class n is below one of a library beyond the standard one, of which
// nobody knows what it has.
func (p *python) foreign(n int) bool {
	return slices.ContainsFunc(p.chain(n), func(k int) bool {
		bases := p.classes[k].bases
		return bases.open() && p.beyond() || slices.ContainsFunc(bases.atoms, func(a atom) bool { return a.kind == atomSymbol && !p.stdlib.Of(a.text) })
	})
}

// beyond tells whether the program imports modules of other libraries than the standard one.
func (p *python) beyond() bool {
	for module := range p.imported {
		if !p.stdlib.Of(module) {
			return true
		}
	}
	return false
}

// shapes tells whether the program makes classes of other names than stand in their bodies.
func (p *python) shapes() bool {
	return slices.ContainsFunc(p.classes, func(c class) bool {
		return c.meta.open() || slices.ContainsFunc(c.meta.atoms, func(a atom) bool { return a.kind == atomFunction || a.kind == atomGetter }) ||
			p.has(c.scope.owner, "__new__") && p.makesClasses(c.scope.owner)
	})
}

// operands handles operators on things other than constants: a path divided,
// lists added, a string formatted with a tuple.
func (p *python) operands(i int, left, right value, op analyze.Kind) (value, bool) {
	for _, a := range left.atoms {
		switch {
		case a.kind == atomInstance && op == kindSlash:
			if a.text == pathClass {
				return p.dividedPath(left, right), true
			}
			return one(a).with(open), true
		case a.kind == atomContainer && op == kindPlus:
			rest := left.constants()
			if rest.nothing() {
				return p.concatenate(i, left, right), true
			}
			left.atoms = slices.DeleteFunc(slices.Clone(left.atoms), atom.constant)
			return p.concatenate(i, left, right).join(p.binary(i, rest, right, op)), true
		case a.kind == atomContainer && (op == kindPipe || op == kindStar):
			out := p.containerAt(i, p.containers[a.n].kind)
			p.appendAll(containerValue(out), left)
			p.appendAll(containerValue(out), right)
			return containerValue(out).with(open), true
		case a.kind == atomString && op == kindPercent:
			return p.percent(left, right).with(left.flags & worked), true
		}
	}
	for _, a := range right.atoms {
		if a.kind == atomContainer && op == kindStar {
			out := p.containerAt(i, sequence)
			p.appendAll(containerValue(out), right)
			return containerValue(out).with(open), true
		}
		if a.kind == atomInstance && op == kindSlash {
			if a.text == pathClass {
				return p.dividedPath(left, right), true
			}
			return one(a).with(open), true
		}
	}
	return value{}, false
}

// constants is v without all but its constants: text that may as well be a list is still text
// for what is added to it.
func (v value) constants() value {
	rest := value{flags: v.flags & (manyStrings | manyNumbers)}
	for _, a := range v.atoms {
		if a.constant() {
			rest.atoms = append(rest.atoms, a)
		}
	}
	if !rest.nothing() {
		rest.flags |= v.flags & worked
	}
	return rest
}

func (p *python) concatenate(i int, left, right value) value {
	a, ok := p.sequence(left)
	b, ok2 := p.sequence(right)
	if ok && ok2 {
		return p.sequenceOf(i, append(a[:len(a):len(a)], b...))
	}
	n := p.containerAt(i, sequence)
	p.put(n, -1, p.elements(left).join(p.elements(right)))
	return containerValue(n).with(left.answered() | right.answered())
}

// percent folds "…" % x.
func (p *python) percent(left, right value) value {
	format, ok := left.str()
	if !ok {
		return anything()
	}
	items, isTuple := []value{right}, false
	if a, single := right.single(); single && a.kind == atomContainer {
		items, isTuple = p.containers[a.n].items()
		if !isTuple {
			return p.prefixed(stringValue(before(format, "%")), kindPlus, "__rmod__")
		}
	}
	texts := make([]string, len(items))
	for k, item := range items {
		c, ok := item.constant()
		if ok {
			texts[k], ok = c.pythonStr()
		}
		if !ok {
			return p.prefixed(stringValue(before(format, "%")), kindPlus, "__rmod__")
		}
	}
	text, ok := foldPercent(format, texts)
	if !ok {
		return anything()
	}
	return p.folded(atom{kind: atomString, text: text}).with(worked)
}

func before(s, sep string) string {
	head, _, _ := strings.Cut(s, sep)
	return head
}

// foldPercent formats with the plain verbs; others do not fold.
func foldPercent(format string, args []string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch {
		case i < len(format) && format[i] == '%':
			b.WriteByte('%')
		case i < len(format) && (format[i] == 's' || format[i] == 'd' || format[i] == 'i') && len(args) > 0:
			b.WriteString(args[0])
			args = args[1:]
		case i < len(format) && format[i] == 'c' && len(args) > 0:
			if n, err := strconv.Atoi(args[0]); err == nil && utf8.ValidRune(rune(n)) {
				b.WriteRune(rune(n))
			} else {
				b.WriteString(args[0])
			}
			args = args[1:]
		default:
			return "", false
		}
	}
	return b.String(), len(args) == 0
}

// foldBinary folds an operation on two constants.
func (p *python) foldBinary(a, b atom, op analyze.Kind) (value, bool) {
	if !a.constant() || !b.constant() {
		return value{}, false
	}
	switch {
	case op == kindPlus && a.kind == b.kind && (a.kind == atomString || a.kind == atomBytes):
		return p.folded(atom{kind: a.kind, text: a.text + b.text}), true
	case op == kindPlus && a.isText() && b.isText(): // of which one has gaps
		s, _ := p.gapText(a)
		t, _ := p.gapText(b)
		if len(s)+len(t) > p.Limits.Fold {
			return value{}, false
		}
		return one(p.withGap(s + t)), true
	case op == kindPlus && a.kind == atomString && b.kind == atomPrefix:
		return one(atom{kind: atomPrefix, text: a.text + b.text}), true
	case op == kindStar && (a.kind == atomString || a.kind == atomBytes) && b.kind == atomInt:
		return p.repeat(a, b.n)
	case op == kindStar && (b.kind == atomString || b.kind == atomBytes) && a.kind == atomInt:
		return p.repeat(b, a.n)
	case a.kind == atomFloat || b.kind == atomFloat, a.kind == atomBool && b.kind == atomBool: // of which some operators make no number
		return value{}, false
	}
	m, ok := a.bigInt()
	n, ok2 := b.bigInt()
	if !ok || !ok2 {
		return value{}, false
	}
	return foldIntegers(m, n, op)
}

func (p *python) repeat(a atom, n int64) (value, bool) {
	if n <= 0 {
		return one(atom{kind: a.kind}), true
	}
	if len(a.text) > 0 && n > int64(p.Limits.Fold/len(a.text)) {
		return value{}, false
	}
	return p.folded(atom{kind: a.kind, text: strings.Repeat(a.text, int(n))}), true
}

// foldIntegers folds integer arithmetic whose result stays small.
func foldIntegers(m, n *big.Int, op analyze.Kind) (value, bool) {
	const bits = 4096
	r := new(big.Int)
	switch op {
	case kindPlus:
		r.Add(m, n)
	case kindMinus:
		r.Sub(m, n)
	case kindStar:
		if m.BitLen()+n.BitLen() > bits {
			return value{}, false
		}
		r.Mul(m, n)
	case kindFloorDivide, kindPercent:
		if n.Sign() == 0 {
			return value{}, false
		}
		q, rest := new(big.Int).DivMod(m, n, new(big.Int))
		if n.Sign() < 0 && rest.Sign() != 0 { // Python rounds down, DivMod keeps the rest positive
			q.Sub(q, big.NewInt(1))
			rest.Add(rest, n)
		}
		if op == kindPercent {
			q = rest
		}
		r = q
	case kindPower:
		if !n.IsInt64() || n.Sign() < 0 || int64(m.BitLen())*n.Int64() > bits || n.Int64() > bits {
			return value{}, false
		}
		r.Exp(m, n, nil)
	case kindCaret:
		r.Xor(m, n)
	case kindPipe:
		r.Or(m, n)
	case kindAmpersand:
		r.And(m, n)
	case kindShiftLeft:
		if !n.IsInt64() || n.Sign() < 0 || n.Int64() > bits || m.BitLen() > bits {
			return value{}, false
		}
		r.Lsh(m, uint(n.Int64()))
	case kindShiftRight:
		if !n.IsInt64() || n.Sign() < 0 || n.Int64() > 1<<20 {
			return value{}, false
		}
		r.Rsh(m, uint(n.Int64()))
	default:
		return value{}, false
	}
	return bigValue(r), true
}

// index folds one character of a string, or byte of bytes.
func (p *python) index(a atom, key value) value {
	n, ok := key.integer()
	if !ok {
		return anything()
	}
	if w := key.flags & worked; w != 0 {
		key.flags &^= worked
		return p.index(a, key).with(w)
	}
	if a.kind == atomBytes {
		if n < 0 {
			n += int64(len(a.text))
		}
		if n < 0 || n >= int64(len(a.text)) {
			return value{}
		}
		return intValue(int64(a.text[n]))
	}
	runes := []rune(a.text)
	if n < 0 {
		n += int64(len(runes))
	}
	if n < 0 || n >= int64(len(runes)) {
		return value{}
	}
	return stringValue(string(runes[n]))
}

// slice evaluates receiver[start:stop:step].
func (p *python) slice(i int, receiver value, s int) value {
	bounds, ok := p.sliceBounds(s, receiver)
	out := value{flags: receiver.flags&worked | bounds.flags}
	for _, a := range receiver.atoms {
		switch {
		case a.kind == atomContainer:
			items, exact := p.containers[a.n].items()
			if !exact || !ok || bounds.flags != 0 {
				out = out.join(p.bag(i, p.containers[a.n].all.with(p.leaky(int(a.n)))))
				continue
			}
			var kept []value
			for _, k := range bounds.indices(len(items)) {
				kept = append(kept, items[k])
			}
			out = out.join(p.sequenceOf(i, kept))
		case !ok || len(a.text) > p.Limits.Fold || !p.step(1+len(a.text)/64):
			out = out.with(open)
		case a.kind == atomBytes:
			var b strings.Builder
			for _, k := range bounds.indices(len(a.text)) {
				b.WriteByte(a.text[k])
			}
			out = out.join(p.folded(atom{kind: atomBytes, text: b.String()}))
		case a.kind == atomString:
			runes := []rune(a.text)
			var b strings.Builder
			for _, k := range bounds.indices(len(runes)) {
				b.WriteRune(runes[k])
			}
			out = out.join(p.folded(atom{kind: atomString, text: b.String()}))
		default:
			out = out.with(open)
		}
	}
	if receiver.open() {
		out = out.with(open)
	}
	return out
}

// sliceBounds are start, stop and step; math.MinInt64 stands for one left out.
type sliceBounds struct {
	start, stop, step int64
	flags             valueFlags // worked, where one of them is
}

const leftOut = math.MinInt64

func (p *python) sliceBounds(i int, receiver value) (sliceBounds, bool) {
	t := p.unit.tree
	parts := [3]int64{leftOut, leftOut, leftOut}
	k, ok := 0, true
	var flags valueFlags
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Source(c) == ":" {
			k++
			continue
		}
		if !t.Named(c) || t.Extra(c) || k > 2 {
			continue
		}
		v := p.load(c)
		p.meets(v, receiver)
		n, known := v.integer()
		n = max(n, leftOut+1) // which is as far out
		if a, single := v.single(); single && a.kind == atomNone {
			n, known = leftOut, true
		}
		ok = ok && known
		flags |= v.flags & worked
		parts[k] = n
	}
	if parts[2] == leftOut {
		parts[2] = 1
	}
	return sliceBounds{parts[0], parts[1], parts[2], flags}, ok && parts[2] != 0
}

// indices returns the positions that a slice takes from n elements.
func (s sliceBounds) indices(n int) []int {
	length := int64(n)
	s.step = min(max(s.step, -length-1), length+1) // one step out is enough
	low, high := int64(0), length
	if s.step < 0 {
		low, high = -1, length-1
	}
	clamp := func(x, otherwise int64) int64 {
		if x == leftOut {
			return otherwise
		}
		if x < 0 {
			x += length
		}
		return min(max(x, low), high)
	}
	var out []int
	if s.step > 0 {
		for k, stop := clamp(s.start, low), clamp(s.stop, high); k < stop; k += s.step {
			out = append(out, int(k))
			if k > length {
				break
			}
		}
		return out
	}
	for k, stop := clamp(s.start, high), clamp(s.stop, low); k > stop; k += s.step {
		out = append(out, int(k))
		if k < -length {
			break
		}
	}
	return out
}
