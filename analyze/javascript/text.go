package javascript

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// identifierText returns the identifier at node i with its escapes decoded.
func (j *javascript) identifierText(i int) string {
	s := j.tree.Source(i)
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return decodeEscapes(s)
}

// decodeEscapes decodes the escapes of a string, template or identifier as
// ECMAScript does. Unpaired surrogates become U+FFFD.
func decodeEscapes(s string) string {
	return decode(s, func(rune) string { return string(utf8.RuneError) })
}

// decodeKey is decodeEscapes for the name of a member: one with an unpaired surrogate is another than one with any
// other. Such a surrogate is written as UTF-8 would be, if it had it; no text of a program holds those bytes.
func decodeKey(s string) string {
	return decode(s, func(r rune) string {
		return string([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
	})
}

// shown is a name as facts hold it: what is no UTF-8 in it is U+FFFD there.
func shown(name string) string { return strings.ToValidUTF8(name, string(utf8.RuneError)) }

// decode decodes escapes, and writes unpaired surrogates as half says.
func decode(s string, half func(rune) string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	var pending rune // a high surrogate that waits for its other half
	flush := func() {
		if pending != 0 {
			b.WriteString(half(pending))
			pending = 0
		}
	}
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			flush()
			b.WriteByte(s[i])
			i++
			continue
		}
		r, size, none := decodeEscape(s[i:])
		i += size
		switch {
		case none:
		case pending != 0 && utf16.IsSurrogate(r) && r >= 0xdc00:
			b.WriteRune(utf16.DecodeRune(pending, r))
			pending = 0
		case utf16.IsSurrogate(r) && r < 0xdc00:
			flush()
			pending = r
		case utf16.IsSurrogate(r):
			flush()
			b.WriteString(half(r))
		default:
			flush()
			b.WriteRune(r)
		}
	}
	flush()
	return b.String()
}

// decodeEscape decodes the escape that s begins with and returns its size;
// none is true for one that stands for nothing, a continued line.
func decodeEscape(s string) (r rune, size int, none bool) {
	switch c := s[1]; c {
	case 'n':
		return '\n', 2, false
	case 't':
		return '\t', 2, false
	case 'r':
		return '\r', 2, false
	case 'b':
		return '\b', 2, false
	case 'f':
		return '\f', 2, false
	case 'v':
		return '\v', 2, false
	case '\n':
		return 0, 2, true
	case 'x':
		if len(s) >= 4 {
			if n, err := strconv.ParseUint(s[2:4], 16, 32); err == nil {
				return rune(n), 4, false
			}
		}
	case 'u':
		if r, size, ok := decodeUnicode(s); ok {
			return r, size, false
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, i := 0, 1
		for i < len(s) && i < 4 && s[i] >= '0' && s[i] <= '7' && n*8+int(s[i]-'0') <= 0377 {
			n = n*8 + int(s[i]-'0')
			i++
		}
		return rune(n), i, false
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	return r, 1 + n, false
}

func decodeUnicode(s string) (r rune, size int, ok bool) {
	if len(s) > 3 && s[2] == '{' {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, 0, false
		}
		n, err := strconv.ParseUint(s[3:end], 16, 32)
		if err != nil || n > utf8.MaxRune {
			return 0, 0, false
		}
		return rune(n), end + 1, true
	}
	if len(s) < 6 {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), 6, err == nil
}

// stringText returns the value of the string literal at node i.
func (j *javascript) stringText(i int) string { return decodeEscapes(j.quotedText(i)) }

// quotedText returns what stands between the quotes of the string literal at node i.
func (j *javascript) quotedText(i int) string {
	s := j.tree.Source(i)
	if len(s) < 2 {
		return ""
	}
	return s[1 : len(s)-1]
}

// literal is a string literal's value: with a surrogate that has no other half, which
// a text of ours cannot hold, any string.
func literal(s string) value {
	if strings.ContainsRune(s, utf8.RuneError) {
		return ofKind(atomAnyString)
	}
	return stringValue(s)
}

// numberText returns the value of a number literal, NaN when it is a BigInt, whose
// arithmetic is another, or no number.
func numberText(s string) float64 {
	s = strings.ReplaceAll(s, "_", "")
	if len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' && !strings.ContainsAny(s, "89.eE") {
		s = "0o" + s[1:]
	}
	if len(s) > 1 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) {
		n, ok := new(big.Int).SetString(s, 0)
		if !ok {
			return math.NaN()
		}
		f, _ := new(big.Float).SetInt(n).Float64()
		return f
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(n, 0) { // which is what a number is that is too large
		return math.NaN()
	}
	return n
}

// numberKey is the key that a number literal is.
func numberKey(s string) string {
	if whole, is := strings.CutSuffix(s, "n"); is {
		if n, ok := new(big.Int).SetString(whole, 0); ok {
			return n.String()
		}
	}
	return formatNumber(numberText(s))
}

// formatNumber writes n as JavaScript's String(n) does.
func formatNumber(n float64) string {
	switch i := int64(n); {
	case !math.Signbit(n) && i < 1<<53 && float64(i) == n:
		return strconv.FormatInt(i, 10)
	case n != n:
		return "NaN"
	case math.IsInf(n, 1):
		return "Infinity"
	case math.IsInf(n, -1):
		return "-Infinity"
	case n == math.Trunc(n) && math.Abs(n) < 1e21:
		return strconv.FormatFloat(n, 'f', -1, 64)
	case math.Abs(n) >= 1e-6 && math.Abs(n) < 1e21:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
	sign := exponent[:1]
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}
