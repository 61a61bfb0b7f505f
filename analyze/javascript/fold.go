package javascript

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
	"sallyport/analyze/codec"
)

// fits is true for a folded string within the bounds.
func (j *javascript) fits(n int) bool { return n <= j.Limits.Fold }

// toStrings converts every value as String(v) does.
func (j *javascript) toStrings(s value) value {
	if len(s) == 1 && s[0].kind == atomString {
		return s
	}
	var out value
	if all := s; len(all) > 1 && all.has(tableAtom) { // of which a text is made, too
		s, out = all.unshared(), ofKind(atomAnyString)
	}
	j.convertsAll(s)
	for _, v := range s {
		r := j.toString(v)
		if !out.has(r) {
			out = append(slices.Clip(out), r)
		}
		if v.kind == atomBytes && j.written {
			out = append(out, atom{kind: atomAnyString})
		}
	}
	if j.unseen(s) {
		return ofKind(atomAnyString)
	}
	return j.collapse(out)
}

func (j *javascript) toString(v atom) atom {
	text := ""
	switch v.kind {
	case atomString:
		text = v.text
	case atomBytes:
		if !utf8.ValidString(v.text) { // of which a text has other characters
			return atom{kind: atomAnyString}
		}
		text = v.text
	case atomNumber:
		text = formatNumber(v.num)
	case atomBool:
		text = strconv.FormatBool(v.num != 0)
	case atomNull:
		text = "null"
	case atomUndefined:
		text = "undefined"
	case atomObject:
		if v.obj.array && !j.mayReplace("join") && !j.mayReplace("toString") && !j.mayReplace(symbolPrefix+"toPrimitive") {
			if s, ok := j.joined(v.obj, arguments{}).str(); ok {
				return atom{kind: atomString, text: s}
			}
		}
		if f := v.obj.props["toString"]; f != nil {
			j.invoke(*f, objectValue(v.obj))
		}
		return atom{kind: atomAnyString}
	default:
		return atom{kind: atomAnyString}
	}
	return atom{kind: atomString, text: text}
}

// concat joins two sets of strings.
func (j *javascript) concat(a, b value) value {
	if len(a)*len(b) > maxAtoms {
		return ofKind(atomAnyString)
	}
	var out value
	for _, x := range a {
		for _, y := range b {
			v := atom{kind: atomAnyString}
			if x.kind == atomString && y.kind == atomString && j.fits(len(x.text)+len(y.text)) && j.work((len(x.text)+len(y.text))/64) {
				v = atom{kind: atomString, text: x.text + y.text}
			}
			if !out.has(v) {
				out = append(out, v)
			}
		}
	}
	return j.collapse(out)
}

// plus evaluates a + b.
func (j *javascript) plus(a, b value) value {
	if x, y := a.unshared(), b.unshared(); len(x) < len(a) || len(y) < len(b) { // of which a text is made, too
		s := j.plus(x, y)
		if s.any(atomString) || s.single() && s[0].kind == atomNumber {
			s = j.join(s, ofKind(atomAnyString))
		}
		return s
	}
	if a.numbers() && b.numbers() {
		return arithmetic("+", a, b)
	}
	if j.unseen(a) || j.unseen(b) {
		return anything()
	}
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if !a.strings() && !b.strings() && (a.unclear() || b.unclear()) {
		j.convertsAll(a)
		j.convertsAll(b)
		return anything()
	}
	s := j.concat(j.toStrings(a), j.toStrings(b))
	if x, y := a.sums(), b.sums(); len(x) > 0 && len(y) > 0 {
		s = j.join(s, arithmetic("+", x, y))
	}
	return s
}

// sums returns what in s a number is added to, and not a text put behind.
func (s value) sums() value {
	if s.strings() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return !one(v).numbers() })
}

// numbers, strings and unclear say what + makes of a set.
func (s value) numbers() bool {
	for _, v := range s {
		if !v.numeric() && v.kind != atomBool && v.kind != atomNull && v.kind != atomUndefined {
			return false
		}
	}
	return len(s) > 0
}

func (s value) strings() bool {
	for _, v := range s {
		if v.kind != atomString && v.kind != atomAnyString {
			return false
		}
	}
	return len(s) > 0
}

func (s value) unclear() bool {
	for _, v := range s {
		switch v.kind {
		case atomUnknown, atomComputed, atomSymbol, atomNative, atomConstructor:
			return true
		case atomObject:
			if !v.obj.array {
				return true
			}
		}
	}
	return false
}

// converts looks at an object that the language makes a text or a number of, iterates over or
// waits for, by methods that it asks for: one under a key that is not known may be what a
// function gave that is not known, which may be the one that makes code.
func (j *javascript) converts(v atom) {
	if v.kind == atomObject && j.reports() && j.holdsResult(v.obj) {
		j.dynamicAt(analyze.DynamicClass, j.here)
	}
}

// convertsAll is converts for what an expression may yield, where that is an object for sure:
// of what may be a text, too, most is one.
func (j *javascript) convertsAll(s value) {
	for _, v := range s {
		if v.kind != atomObject && v.kind != atomUndefined {
			return
		}
	}
	for _, v := range s {
		j.converts(v)
	}
}

// holdsResult tells whether an object has, or inherits, under a key that is not known what a
// function gave that is not known.
func (j *javascript) holdsResult(o *object) bool {
	line, _ := j.lineage(o)
	for _, from := range line {
		if from.underUnknown().hasResult() {
			return true
		}
	}
	return false
}

// number converts a value as Number(v) does; NaN when it is not known.
func (v atom) number() float64 {
	switch v.kind {
	case atomNumber, atomBool:
		return v.num
	case atomNull:
		return 0
	case atomString:
		if !isASCII(v.text) {
			return math.NaN() // what is white space differs
		}
		text := strings.TrimSpace(v.text)
		if text == "" {
			return 0
		}
		if strings.ContainsAny(text, "_nNpPiI") || len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' {
			return math.NaN()
		}
		return numberText(text)
	case atomObject:
		if v.obj.array && v.obj.listed() && len(v.obj.keys) == 0 {
			return 0
		}
	}
	return math.NaN()
}

// arithmetic evaluates an operator on numbers; BigInt and bit operators of
// large numbers are left alone.
func arithmetic(operator string, a, b value) value {
	if !a.single() || !b.single() {
		return ofKind(atomAnyNumber)
	}
	x, y := a[0].number(), b[0].number()
	if x != x || y != y {
		return ofKind(atomAnyNumber)
	}
	switch operator {
	case "+":
		return finite(x + y)
	case "-":
		return finite(x - y)
	case "*":
		return finite(x * y)
	case "/": // of 0 and -0, which are not told apart
		return finite(x / y)
	case "%":
		return finite(math.Mod(x, y))
	case "**": // exact for whole numbers; others are rounded as each engine likes
		if r := math.Pow(x, y); x == math.Trunc(x) && y == math.Trunc(y) && y >= 0 && math.Abs(r) <= 1<<53 {
			return finite(r)
		}
		return ofKind(atomAnyNumber)
	}
	if math.Abs(x) > math.MaxInt32 || math.Abs(y) > math.MaxInt32 {
		return ofKind(atomAnyNumber)
	}
	m, n := int32(x), int32(y)
	switch operator {
	case "&":
		return numberValue(float64(m & n))
	case "|":
		return numberValue(float64(m | n))
	case "^":
		return numberValue(float64(m ^ n))
	case "<<":
		return numberValue(float64(m << (uint32(n) & 31)))
	case ">>":
		return numberValue(float64(m >> (uint32(n) & 31)))
	case ">>>":
		return numberValue(float64(uint32(m) >> (uint32(n) & 31)))
	case "<", ">", "<=", ">=":
		return ofKind(atomUnknown)
	}
	return ofKind(atomAnyNumber)
}

// finite is a result that every engine agrees on.
func finite(n float64) value {
	if math.IsInf(n, 0) {
		return ofKind(atomAnyNumber)
	}
	return numberValue(n)
}

func negated(s value) value {
	if !s.single() {
		return ofKind(atomUnknown)
	}
	switch v := s[0]; v.kind {
	case atomNumber, atomBool:
		return boolValue(v.num == 0)
	case atomString:
		return boolValue(v.text == "")
	case atomNull, atomUndefined:
		return boolValue(true)
	case atomObject:
		return boolValue(false)
	}
	return ofKind(atomUnknown) // also of what the library has, if it has it
}

func (j *javascript) signed(operator string, s value) value {
	if !s.single() {
		return ofKind(atomAnyNumber)
	}
	n := s[0].number()
	if operator == "-" {
		n = -n
	}
	return numberValue(n)
}

// stringMember is a property of a constant string.
func stringMember(s, key string) (value, bool) {
	if !isASCII(s) {
		return nil, false
	}
	if key == "length" {
		return numberValue(float64(len(s))), true
	}
	if n, err := strconv.Atoi(key); err == nil && formatNumber(float64(n)) == key {
		if n < 0 || n >= len(s) {
			return ofKind(atomUndefined), true
		}
		return stringValue(s[n : n+1]), true
	}
	return nil, false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// joined is join of an array.
func (j *javascript) joined(o *object, a arguments) value {
	separator := ","
	if s := a.get(0); len(s) > 0 && !(s.single() && s[0].kind == atomUndefined) {
		var ok bool
		if separator, ok = j.toStrings(s).str(); !ok || s.any(atomUndefined) { // which is not the text "undefined" here
			return ofKind(atomAnyString)
		}
	}
	if j.reports() {
		j.convertsAll(j.all(o))
	}
	if !j.listed(o) || j.joining > 8 || !j.work(len(o.keys)) {
		return ofKind(atomAnyString)
	}
	j.joining++
	defer func() { j.joining-- }()
	var b strings.Builder
	for n, k := range o.keys {
		if n > 0 {
			b.WriteString(separator)
		}
		s := *o.props[k]
		if s.single() && (s[0].kind == atomNull || s[0].kind == atomUndefined) {
			continue
		}
		text, ok := j.toStrings(s).str()
		if !ok || s.any(atomNull) || s.any(atomUndefined) || !j.fits(b.Len()+len(text)+len(separator)) {
			return ofKind(atomAnyString)
		}
		b.WriteString(text)
	}
	j.constant(b.String())
	return stringValue(b.String())
}

// sliceBounds are the bounds of slice(from, to) of something n long.
func sliceBounds(n int, a arguments) (from, to int, ok bool) {
	from, to = 0, n
	if len(a.positional) > 0 {
		if from, ok = a.integer(0); !ok {
			return 0, 0, false
		}
	}
	if len(a.positional) > 1 {
		if to, ok = a.integer(1); !ok {
			return 0, 0, false
		}
	}
	clamp := func(k int) int {
		if k < 0 {
			k += n
		}
		return max(0, min(k, n))
	}
	from, to = clamp(from), clamp(to)
	return from, max(from, to), !a.splat
}

// integer returns argument n as a constant integer.
func (a arguments) integer(n int) (int, bool) {
	s := a.get(n)
	if !s.single() || s[0].kind != atomNumber || math.Abs(s[0].num) > 1<<30 {
		return 0, false
	}
	return int(s[0].num), true
}

// text returns argument n as a constant string.
func (a arguments) text(n int) (string, bool) { return a.get(n).str() }

func foldNumber(n float64, key string, a arguments) (value, bool) {
	switch key {
	case "toString":
		radix := 10
		if a.has(0) {
			var ok bool
			if radix, ok = a.integer(0); !ok || radix < 2 || radix > 36 {
				return ofKind(atomAnyString), true
			}
		}
		if radix == 10 {
			return stringValue(formatNumber(n)), true
		}
		if n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
			return stringValue(strconv.FormatInt(int64(n), radix)), true
		}
		return ofKind(atomAnyString), true
	case "toFixed", "toPrecision", "toExponential", "toLocaleString":
		return ofKind(atomAnyString), true
	case "valueOf":
		return numberValue(n), true
	}
	return nil, false
}

// foldBytes folds a method of a constant Buffer.
func foldBytes(s, key string, a arguments) (value, bool) {
	if key != "toString" {
		return nil, false
	}
	encoding := "utf8"
	if a.has(1) { // from where, to where
		return ofKind(atomAnyString), true
	}
	if a.has(0) {
		var ok bool
		if encoding, ok = a.text(0); !ok {
			return ofKind(atomAnyString), true
		}
	}
	switch strings.ToLower(encoding) {
	case "utf8", "utf-8", "ascii", "latin1", "binary":
		if isASCII(s) {
			return stringValue(s), true
		}
		if strings.HasPrefix(strings.ToLower(encoding), "utf") && utf8.ValidString(s) {
			return stringValue(s), true
		}
	case "hex":
		return stringValue(hex.EncodeToString([]byte(s))), true
	case "base64":
		return stringValue(base64.StdEncoding.EncodeToString([]byte(s))), true
	case "base64url":
		return stringValue(base64.RawURLEncoding.EncodeToString([]byte(s))), true
	}
	return ofKind(atomAnyString), true
}

// foldToNumber folds Number, and parseInt and parseFloat of what is plainly a number in
// all of its length.
func foldToNumber(name string, a arguments) value {
	s := a.get(0)
	if !s.single() || a.splat {
		return ofKind(atomAnyNumber)
	}
	if name != "globalThis.parseInt" && name != "globalThis.parseFloat" {
		return numberValue(s[0].number())
	}
	text, radix := s[0].text, 10
	switch {
	case s[0].kind == atomNumber && s[0].num == math.Trunc(s[0].num) && math.Abs(s[0].num) < 1<<53:
		text = formatNumber(s[0].num)
	case s[0].kind != atomString:
		return ofKind(atomAnyNumber)
	}
	if name == "globalThis.parseInt" && len(a.positional) > 1 {
		var ok bool
		if radix, ok = a.integer(1); !ok || radix < 2 || radix > 36 {
			return ofKind(atomAnyNumber)
		}
	}
	if n, err := strconv.ParseInt(text, radix, 54); err == nil && text[0] != '+' && (text[0] != '-' || n != 0) {
		return numberValue(float64(n))
	}
	return ofKind(atomAnyNumber)
}

func (j *javascript) fromCodes(a arguments) value {
	if a.splat {
		return ofKind(atomAnyString)
	}
	var b strings.Builder
	for _, s := range a.positional {
		if !s.single() {
			return ofKind(atomAnyString)
		}
		n := s[0].number()
		if n != math.Trunc(n) || n < 0 || n > 0xffff || n >= 0xd800 && n < 0xe000 {
			return ofKind(atomAnyString)
		}
		b.WriteRune(rune(n))
	}
	j.constant(b.String())
	return stringValue(b.String())
}

func (j *javascript) foldDecode(name string, a arguments) value {
	s, ok := j.toStrings(a.get(0)).str()
	if !ok {
		return ofKind(atomAnyString)
	}
	switch name {
	case "globalThis.atob":
		s, ok = cleanBase64(s)
		ok = ok && isASCII(s)
	case "globalThis.btoa":
		ok = isASCII(s)
		s = base64.StdEncoding.EncodeToString([]byte(s))
	case "globalThis.decodeURIComponent", "globalThis.unescape":
		s = codec.Percent(s)
		ok = isASCII(s) && !strings.Contains(s, "%u")
	case "globalThis.decodeURI": // which leaves some as they are
		ok = !strings.Contains(s, "%")
	default:
		ok = false
	}
	if !ok {
		return ofKind(atomAnyString)
	}
	j.constant(s)
	return stringValue(s)
}

// cleanBase64 decodes base64 that every reader takes for the same bytes.
func cleanBase64(s string) (string, bool) {
	body := strings.TrimRight(s, "=")
	if len(s)-len(body) > 2 || strings.ContainsAny(body, "-_") && strings.ContainsAny(body, "+/") || strings.ContainsFunc(body, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("+/-_", r)
	}) || strings.HasSuffix(s, "=") && len(s)%4 != 0 {
		return "", false
	}
	return codec.Base64(body)
}

// foldBuffer folds Buffer.from of a constant string or list of bytes.
func (j *javascript) foldBuffer(a arguments) (value, bool) {
	if o := a.get(0).local(); o != nil && j.listed(o) {
		b := make([]byte, 0, len(o.keys))
		for _, k := range o.keys {
			s := *o.props[k]
			if !s.single() || s[0].kind != atomNumber || math.Abs(s[0].num) > math.MaxInt32 {
				return anything(), true
			}
			b = append(b, byte(int64(s[0].num)))
		}
		return one(atom{kind: atomBytes, text: string(b)}), true
	}
	s, ok := a.text(0)
	if !ok {
		return nil, false
	}
	encoding := "utf8"
	if a.has(1) {
		if encoding, ok = a.text(1); !ok {
			return anything(), true
		}
	}
	switch strings.ToLower(encoding) {
	case "utf8", "utf-8":
	case "hex":
		b, err := hex.DecodeString(s)
		if err != nil {
			return anything(), true
		}
		s = string(b)
	case "base64", "base64url":
		if s, ok = cleanBase64(s); !ok {
			return anything(), true
		}
	case "ascii", "latin1", "binary":
		if !isASCII(s) {
			return anything(), true
		}
	default:
		return anything(), true
	}
	if utf8.ValidString(s) {
		j.constant(s)
	}
	return one(atom{kind: atomBytes, text: s}), true
}
