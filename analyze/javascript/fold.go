package javascript

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"sallyport/analyze/codec"
)

// fits is true for a folded string within the bounds.
func (j *jsWalk) fits(n int) bool { return n <= j.Limits.Fold }

// toStrings converts every value as String(v) does.
func (j *jsWalk) toStrings(s jsSet) jsSet {
	if len(s) == 1 && s[0].kind == jsConstString {
		return s
	}
	var out jsSet
	for _, v := range s {
		r := j.toString(v)
		if r.kind == jsAnyString || !out.has(r) {
			out = append(out, r)
		}
	}
	if len(s) == 0 {
		return kindSet(jsAnyString)
	}
	return j.collapse(out)
}

func (j *jsWalk) toString(v jsValue) jsValue {
	text := ""
	switch v.kind {
	case jsConstString, jsConstBytes:
		text = v.text
	case jsConstNumber:
		text = formatNumber(v.num)
	case jsConstBool:
		text = strconv.FormatBool(v.num != 0)
	case jsConstNull:
		text = "null"
	case jsConstUndefined:
		text = "undefined"
	case jsLocal:
		if v.obj.array {
			if s, ok := j.joined(v.obj, jsArgs{}).str(); ok {
				return jsValue{kind: jsConstString, text: s}
			}
		}
		if f := v.obj.props["toString"]; f != nil {
			j.returns(*f, localSet(v.obj))
		}
		return jsValue{kind: jsAnyString}
	default:
		return jsValue{kind: jsAnyString}
	}
	return jsValue{kind: jsConstString, text: text}
}

// concat joins two sets of strings.
func (j *jsWalk) concat(a, b jsSet) jsSet {
	if len(a)*len(b) > maxSet {
		return kindSet(jsAnyString)
	}
	var out jsSet
	for _, x := range a {
		for _, y := range b {
			v := jsValue{kind: jsAnyString}
			if x.kind == jsConstString && y.kind == jsConstString && j.fits(len(x.text)+len(y.text)) && j.work((len(x.text)+len(y.text))/64) {
				v = jsValue{kind: jsConstString, text: x.text + y.text}
			}
			if !out.has(v) {
				out = append(out, v)
			}
		}
	}
	return j.collapse(out)
}

// plus evaluates a + b.
func (j *jsWalk) plus(a, b jsSet) jsSet {
	if a.numbers() && b.numbers() {
		return arithmetic("+", a, b)
	}
	if !a.strings() && !b.strings() && (a.unclear() || b.unclear()) {
		return unknownSet()
	}
	return j.concat(j.toStrings(a), j.toStrings(b))
}

// numbers, strings and unclear say what + makes of a set.
func (s jsSet) numbers() bool {
	for _, v := range s {
		if !v.numeric() && v.kind != jsConstBool && v.kind != jsConstNull && v.kind != jsConstUndefined {
			return false
		}
	}
	return len(s) > 0
}

func (s jsSet) strings() bool {
	for _, v := range s {
		if v.kind != jsConstString && v.kind != jsAnyString {
			return false
		}
	}
	return len(s) > 0
}

func (s jsSet) unclear() bool {
	for _, v := range s {
		switch v.kind {
		case jsUnknown, jsComputed, jsSymbol, jsNative, jsConstructor:
			return true
		case jsLocal:
			if !v.obj.array {
				return true
			}
		}
	}
	return len(s) == 0
}

// number converts a value as Number(v) does; NaN when it is not known.
func (v jsValue) number() float64 {
	switch v.kind {
	case jsConstNumber, jsConstBool:
		return v.num
	case jsConstNull:
		return 0
	case jsConstString:
		text := strings.TrimSpace(v.text)
		if text == "" {
			return 0
		}
		if strings.ContainsAny(text, "_nNpPiI") || len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' {
			return math.NaN()
		}
		return numberText(text)
	case jsLocal:
		if v.obj.array && v.obj.listed() && len(v.obj.keys) == 0 {
			return 0
		}
	}
	return math.NaN()
}

// arithmetic evaluates an operator on numbers; BigInt and bit operators of
// large numbers are left alone.
func arithmetic(operator string, a, b jsSet) jsSet {
	if !a.single() || !b.single() {
		return kindSet(jsAnyNumber)
	}
	x, y := a[0].number(), b[0].number()
	if x != x || y != y {
		return kindSet(jsAnyNumber)
	}
	switch operator {
	case "+":
		return numberSet(x + y)
	case "-":
		return numberSet(x - y)
	case "*":
		return numberSet(x * y)
	case "/":
		return numberSet(x / y)
	case "%":
		return numberSet(math.Mod(x, y))
	case "**":
		return numberSet(math.Pow(x, y))
	}
	if math.Abs(x) > math.MaxInt32 || math.Abs(y) > math.MaxInt32 {
		return kindSet(jsAnyNumber)
	}
	m, n := int32(x), int32(y)
	switch operator {
	case "&":
		return numberSet(float64(m & n))
	case "|":
		return numberSet(float64(m | n))
	case "^":
		return numberSet(float64(m ^ n))
	case "<<":
		return numberSet(float64(m << (uint32(n) & 31)))
	case ">>":
		return numberSet(float64(m >> (uint32(n) & 31)))
	case ">>>":
		return numberSet(float64(uint32(m) >> (uint32(n) & 31)))
	case "<", ">", "<=", ">=":
		return kindSet(jsUnknown)
	}
	return kindSet(jsAnyNumber)
}

func negated(s jsSet) jsSet {
	if !s.single() {
		return kindSet(jsUnknown)
	}
	switch v := s[0]; v.kind {
	case jsConstNumber, jsConstBool:
		return boolSet(v.num == 0)
	case jsConstString:
		return boolSet(v.text == "")
	case jsConstNull, jsConstUndefined:
		return boolSet(true)
	case jsLocal, jsNative, jsSymbol:
		return boolSet(false)
	}
	return kindSet(jsUnknown)
}

func (j *jsWalk) signed(operator string, s jsSet) jsSet {
	if !s.single() {
		return kindSet(jsAnyNumber)
	}
	n := s[0].number()
	if operator == "-" {
		n = -n
	}
	return numberSet(n)
}

// stringMember is a property of a constant string.
func stringMember(s, key string) (jsSet, bool) {
	if !isASCII(s) {
		return nil, false
	}
	if key == "length" {
		return numberSet(float64(len(s))), true
	}
	if n, err := strconv.Atoi(key); err == nil && formatNumber(float64(n)) == key {
		if n < 0 || n >= len(s) {
			return kindSet(jsConstUndefined), true
		}
		return stringSet(s[n : n+1]), true
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
func (j *jsWalk) joined(o *jsEntity, a jsArgs) jsSet {
	separator := ","
	if s := a.get(0); len(s) > 0 && !s.any(jsConstUndefined) {
		var ok bool
		if separator, ok = j.toStrings(s).str(); !ok {
			return kindSet(jsAnyString)
		}
	}
	if !o.listed() || j.joining > 8 || !j.work(len(o.keys)) {
		return kindSet(jsAnyString)
	}
	j.joining++
	defer func() { j.joining-- }()
	var b strings.Builder
	for n, k := range o.keys {
		if n > 0 {
			b.WriteString(separator)
		}
		s := *o.props[k]
		if s.single() && (s[0].kind == jsConstNull || s[0].kind == jsConstUndefined) {
			continue
		}
		text, ok := j.toStrings(s).str()
		if !ok || !j.fits(b.Len()+len(text)+len(separator)) {
			return kindSet(jsAnyString)
		}
		b.WriteString(text)
	}
	j.constant(b.String())
	return stringSet(b.String())
}

// sliceBounds are the bounds of slice(from, to) of something n long.
func sliceBounds(n int, a jsArgs) (from, to int, ok bool) {
	from, to = 0, n
	if len(a.sets) > 0 {
		if from, ok = a.integer(0); !ok {
			return 0, 0, false
		}
	}
	if len(a.sets) > 1 {
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
func (a jsArgs) integer(n int) (int, bool) {
	s := a.get(n)
	if !s.single() || s[0].kind != jsConstNumber || math.Abs(s[0].num) > 1<<30 {
		return 0, false
	}
	return int(s[0].num), true
}

// text returns argument n as a constant string.
func (a jsArgs) text(n int) (string, bool) { return a.get(n).str() }

func foldNumber(n float64, key string, a jsArgs) (jsSet, bool) {
	switch key {
	case "toString":
		radix := 10
		if len(a.sets) > 0 {
			var ok bool
			if radix, ok = a.integer(0); !ok || radix < 2 || radix > 36 {
				return kindSet(jsAnyString), true
			}
		}
		if radix == 10 {
			return stringSet(formatNumber(n)), true
		}
		if n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
			return stringSet(strconv.FormatInt(int64(n), radix)), true
		}
		return kindSet(jsAnyString), true
	case "toFixed", "toPrecision", "toExponential", "toLocaleString":
		return kindSet(jsAnyString), true
	case "valueOf":
		return numberSet(n), true
	}
	return nil, false
}

// foldBytes folds a method of a constant Buffer.
func foldBytes(s, key string, a jsArgs) (jsSet, bool) {
	if key != "toString" {
		return nil, false
	}
	encoding := "utf8"
	if len(a.sets) > 0 {
		var ok bool
		if encoding, ok = a.text(0); !ok {
			return kindSet(jsAnyString), true
		}
	}
	switch strings.ToLower(encoding) {
	case "utf8", "utf-8", "ascii", "latin1", "binary":
		if isASCII(s) {
			return stringSet(s), true
		}
		if strings.HasPrefix(strings.ToLower(encoding), "utf") && utf8.ValidString(s) {
			return stringSet(s), true
		}
	case "hex":
		return stringSet(hex.EncodeToString([]byte(s))), true
	case "base64":
		return stringSet(base64.StdEncoding.EncodeToString([]byte(s))), true
	case "base64url":
		return stringSet(base64.RawURLEncoding.EncodeToString([]byte(s))), true
	}
	return kindSet(jsAnyString), true
}

// foldCall folds calls of pure outside functions.
func (j *jsWalk) foldCall(name string, a jsArgs, i int) (jsSet, bool) {
	switch name {
	case "globalThis.String":
		s := j.toStrings(a.get(0))
		return s, true
	case "globalThis.String.fromCharCode", "globalThis.String.fromCodePoint":
		return j.fromCodes(a), true
	case "globalThis.String.raw":
		if o := a.get(0).local(); o != nil && o.raw != "" && len(a.sets) == 1 {
			return stringSet(o.raw), true
		}
		return kindSet(jsAnyString), true
	case "globalThis.Number", "globalThis.parseInt", "globalThis.parseFloat":
		return foldToNumber(name, a), true
	case "globalThis.Buffer.from":
		return j.foldBuffer(a)
	case "globalThis.JSON.parse":
		return j.foldJSON(a, i), true
	case "globalThis.atob", "globalThis.btoa", "globalThis.decodeURIComponent", "globalThis.decodeURI", "globalThis.unescape",
		"globalThis.encodeURIComponent", "globalThis.encodeURI", "globalThis.escape":
		return j.foldDecode(name, a), true
	}
	return nil, false
}

func foldToNumber(name string, a jsArgs) jsSet {
	s := a.get(0)
	if !s.single() {
		return kindSet(jsAnyNumber)
	}
	if name == "globalThis.parseInt" && len(a.sets) > 1 {
		radix, ok := a.integer(1)
		text, isText := s.str()
		if ok && isText && radix >= 2 && radix <= 36 {
			if n, err := strconv.ParseInt(text, radix, 54); err == nil {
				return numberSet(float64(n))
			}
		}
		return kindSet(jsAnyNumber)
	}
	return numberSet(s[0].number())
}

func (j *jsWalk) fromCodes(a jsArgs) jsSet {
	if a.splat {
		return kindSet(jsAnyString)
	}
	var b strings.Builder
	for _, s := range a.sets {
		if !s.single() {
			return kindSet(jsAnyString)
		}
		n := s[0].number()
		if n != math.Trunc(n) || n < 0 || n > 0xffff || n >= 0xd800 && n < 0xe000 {
			return kindSet(jsAnyString)
		}
		b.WriteRune(rune(n))
	}
	j.constant(b.String())
	return stringSet(b.String())
}

func (j *jsWalk) foldDecode(name string, a jsArgs) jsSet {
	s, ok := j.toStrings(a.get(0)).str()
	if !ok {
		return kindSet(jsAnyString)
	}
	switch name {
	case "globalThis.atob":
		s, ok = codec.Base64(s)
		ok = ok && isASCII(s)
	case "globalThis.btoa":
		ok = isASCII(s)
		s = base64.StdEncoding.EncodeToString([]byte(s))
	case "globalThis.decodeURIComponent", "globalThis.decodeURI", "globalThis.unescape":
		s = percentDecode(s)
		ok = isASCII(s) && !strings.Contains(s, "%u")
	default:
		ok = false
	}
	if !ok {
		return kindSet(jsAnyString)
	}
	j.constant(s)
	return stringSet(s)
}

// percentDecode decodes %XX; what is no escape stays.
func percentDecode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// foldBuffer folds Buffer.from of a constant string or list of bytes.
func (j *jsWalk) foldBuffer(a jsArgs) (jsSet, bool) {
	if o := a.get(0).local(); o != nil && o.listed() {
		b := make([]byte, 0, len(o.keys))
		for _, k := range o.keys {
			s := *o.props[k]
			if !s.single() || s[0].kind != jsConstNumber {
				return unknownSet(), true
			}
			b = append(b, byte(int64(s[0].num)))
		}
		return oneOf(jsValue{kind: jsConstBytes, text: string(b)}), true
	}
	s, ok := a.text(0)
	if !ok {
		return nil, false
	}
	encoding := "utf8"
	if len(a.sets) > 1 {
		if encoding, ok = a.text(1); !ok {
			return unknownSet(), true
		}
	}
	switch strings.ToLower(encoding) {
	case "utf8", "utf-8":
	case "hex":
		b, err := hex.DecodeString(s)
		if err != nil {
			return unknownSet(), true
		}
		s = string(b)
	case "base64", "base64url":
		if s, ok = codec.Base64(s); !ok {
			return unknownSet(), true
		}
	default:
		if !isASCII(s) {
			return unknownSet(), true
		}
	}
	if utf8.ValidString(s) {
		j.constant(s)
	}
	return oneOf(jsValue{kind: jsConstBytes, text: s}), true
}
