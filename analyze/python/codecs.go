package python

import (
	"encoding/hex"
	"math/big"
	"strings"
	"unicode/utf8"

	"sallyport/analyze/codec"
)

// foldCodec folds encode and decode with the codecs that hide text.
func foldCodec(a atom, direction string, args []atom) (atom, bool) {
	name := "utf8"
	if len(args) > 0 {
		if args[0].kind != atomString {
			return atom{}, false
		}
		name = strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(args[0].text))
	}
	bytesOf := func(s string) (atom, bool) { return atom{kind: atomBytes, text: s}, true }
	textOf := func(s string) (atom, bool) { return atom{kind: atomString, text: s}, utf8.ValidString(s) }
	if direction == "encode" {
		switch name {
		case "utf8", "ascii", "u8", "utf", "usascii":
			return bytesOf(a.text)
		case "latin1", "iso88591", "l1":
			return narrow(a.text)
		case "rot13":
			return textOf(codec.Rot13(a.text))
		case "hex", "hexcodec":
			return atom{kind: a.kind, text: hex.EncodeToString([]byte(a.text))}, true
		case "utf16":
			return bytesOf(codec.EncodeUTF16(a.text, true, false))
		case "utf16le", "utf16be":
			return bytesOf(codec.EncodeUTF16(a.text, false, name == "utf16be"))
		}
		return atom{}, false
	}
	switch name {
	case "utf8", "ascii", "u8", "utf", "usascii":
		return textOf(a.text)
	case "latin1", "iso88591", "l1", "cp1252", "charmap":
		return textOf(codec.Latin1(a.text))
	case "rot13":
		return textOf(codec.Rot13(a.text))
	case "unicodeescape", "stringescape", "rawunicodeescape":
		s, ok := decodeLiteral(codec.Latin1(a.text), "")
		if !ok {
			return atom{}, false
		}
		return textOf(s)
	case "utf16", "utf16le", "utf16be":
		s, ok := codec.UTF16(a.text, name == "utf16be")
		if !ok {
			return atom{}, false
		}
		return textOf(s)
	case "hex", "hexcodec":
		s, ok := codec.Hex(a.text)
		return atom{kind: atomBytes, text: s}, ok
	case "base64", "base64codec":
		s, ok := codec.Base64(a.text)
		return atom{kind: atomBytes, text: s}, ok
	case "zlib", "zlibcodec", "zip":
		s, ok := codec.Inflate("zlib", a.text, maxInflated)
		return atom{kind: atomBytes, text: s}, ok
	case "bz2", "bz2codec":
		s, ok := codec.Inflate("bz2", a.text, maxInflated)
		return atom{kind: atomBytes, text: s}, ok
	}
	return atom{}, false
}

const maxInflated = 64 << 10

// narrow turns characters below 256 into bytes.
func narrow(s string) (atom, bool) {
	var b strings.Builder
	for _, r := range s {
		if r > 0xff {
			return atom{}, false
		}
		b.WriteByte(byte(r))
	}
	return atom{kind: atomBytes, text: b.String()}, true
}

// foldCall folds a call of a pure function of the standard library on
// constants.
func (p *python) foldCall(name string, args *arguments) (value, bool) {
	if len(args.positional) == 0 || args.splat {
		return value{}, false
	}
	if name == "builtins.bytes" || name == "builtins.bytearray" {
		v, ok := p.foldBytes(args.positional[0], args)
		return v.with(worked), ok
	}
	fold := p.tables.folds[name]
	a, ok := args.positional[0].constant()
	if fold == nil || !ok || !p.step(1+len(a.text)/64) {
		return value{}, false
	}
	more := make([]atom, 0, 2)
	for _, v := range args.after(1).positional {
		c, ok := v.constant()
		if !ok {
			return value{}, false
		}
		more = append(more, c)
	}
	for _, v := range args.named {
		c, ok := v.value.constant()
		if !ok {
			return value{}, false
		}
		more = append(more, c)
	}
	folded, ok := fold(a, more)
	if !ok {
		return value{}, false
	}
	return p.folded(folded).with(worked), true
}

// foldBytes folds bytes([…]) and bytes("…", "utf-8").
func (p *python) foldBytes(v value, args *arguments) (value, bool) {
	if a, ok := v.constant(); ok {
		switch {
		case a.kind == atomBytes:
			return v, true
		case a.kind == atomString && len(args.positional)+len(args.named) > 1:
			folded, ok := foldCodec(a, "encode", nil)
			return one(folded), ok
		}
		return value{}, false
	}
	items, exact := p.sequence(v)
	if !exact {
		return value{}, false
	}
	var b strings.Builder
	for _, item := range items {
		n, ok := item.integer()
		if !ok || n < 0 || n > 255 {
			return value{}, false
		}
		b.WriteByte(byte(n))
	}
	return p.folded(atom{kind: atomBytes, text: b.String()}).with(worked), true
}

// fold folds a call of a pure function with constants.
type fold = func(a atom, more []atom) (atom, bool)

// folds are the functions that fold, by their qualified name. What a program can
// build a name or code with belongs here.
func folds() map[string]fold {
	integer := func(prefix string, base int) fold {
		return func(a atom, _ []atom) (atom, bool) {
			n, ok := a.bigInt()
			if !ok || n.Sign() < 0 {
				return atom{}, false
			}
			return atom{kind: atomString, text: prefix + n.Text(base)}, true
		}
	}
	decoder := func(decode func(string) (string, bool)) fold {
		return func(a atom, _ []atom) (atom, bool) {
			if a.kind != atomString && a.kind != atomBytes {
				return atom{}, false
			}
			s, ok := decode(a.text)
			return atom{kind: atomBytes, text: s}, ok
		}
	}
	text := func(f func(string) (string, bool)) fold {
		return func(a atom, _ []atom) (atom, bool) {
			if a.kind != atomString {
				return atom{}, false
			}
			s, ok := f(a.text)
			return atom{kind: atomString, text: s}, ok
		}
	}
	return map[string]fold{
		"builtins.chr":               foldChr,
		"builtins.ord":               foldOrd,
		"builtins.len":               foldLen,
		"builtins.str":               foldStr,
		"builtins.int":               foldInt,
		"builtins.hex":               integer("0x", 16),
		"builtins.bin":               integer("0b", 2),
		"builtins.oct":               integer("0o", 8),
		"codecs.decode":              func(a atom, more []atom) (atom, bool) { return foldCodec(a, "decode", more) },
		"codecs.encode":              func(a atom, more []atom) (atom, bool) { return foldCodec(a, "encode", more) },
		"base64.b64decode":           decoder(codec.Base64),
		"base64.standard_b64decode":  decoder(codec.Base64),
		"base64.urlsafe_b64decode":   decoder(codec.Base64),
		"base64.decodebytes":         decoder(codec.Base64),
		"binascii.a2b_base64":        decoder(codec.Base64),
		"base64.b32decode":           decoder(codec.Base32),
		"base64.b16decode":           decoder(codec.Hex),
		"binascii.unhexlify":         decoder(codec.Hex),
		"binascii.a2b_hex":           decoder(codec.Hex),
		"builtins.bytes.fromhex":     decoder(codec.Hex),
		"builtins.bytearray.fromhex": decoder(codec.Hex),
		"zlib.decompress":            foldZlib,
		"bz2.decompress":             foldBz2,
		"urllib.parse.unquote":       text(unquote),
		"urllib.parse.unquote_plus":  text(unquotePlus),
		"textwrap.dedent":            text(func(s string) (string, bool) { return dedent(s), agreed(s) }),
		"sys.intern":                 text(func(s string) (string, bool) { return s, true }),
		"ast.literal_eval":           foldLiteral,
		"json.loads":                 foldLiteral,
	}
}

func foldChr(a atom, _ []atom) (atom, bool) {
	if a.kind != atomInt || a.n > utf8.MaxRune || !utf8.ValidRune(rune(a.n)) {
		return atom{}, false
	}
	return atom{kind: atomString, text: string(rune(a.n))}, true
}

func foldOrd(a atom, _ []atom) (atom, bool) {
	if a.kind == atomBytes && len(a.text) == 1 {
		return atom{kind: atomInt, n: int64(a.text[0])}, true
	}
	r, size := utf8.DecodeRuneInString(a.text)
	return atom{kind: atomInt, n: int64(r)}, a.kind == atomString && size == len(a.text) && size > 0
}

func foldLen(a atom, _ []atom) (atom, bool) {
	return atom{kind: atomInt, n: int64(utf8.RuneCountInString(a.text))}, a.kind == atomString
}

func foldStr(a atom, more []atom) (atom, bool) {
	if a.kind == atomBytes && len(more) > 0 {
		return foldCodec(a, "decode", more)
	}
	s, ok := a.pythonStr()
	return atom{kind: atomString, text: s}, ok
}

func foldZlib(a atom, more []atom) (atom, bool) {
	format := "zlib"
	if len(more) == 1 && more[0].kind == atomInt && more[0].n < 0 {
		format = "deflate"
	}
	s, ok := codec.Inflate(format, a.text, maxInflated)
	return atom{kind: atomBytes, text: s}, ok
}

func foldBz2(a atom, _ []atom) (atom, bool) {
	s, ok := codec.Inflate("bz2", a.text, maxInflated)
	return atom{kind: atomBytes, text: s}, ok
}

// foldLiteral folds text that is a string literal.
func foldLiteral(a atom, _ []atom) (atom, bool) {
	if len(a.text) < 2 || !strings.ContainsAny(a.text[:1], `"'`) {
		return atom{}, false
	}
	s, ok := decodeLiteral(strings.Trim(a.text, `"'`), "")
	return atom{kind: atomString, text: s}, ok
}

func foldInt(a atom, more []atom) (atom, bool) {
	switch {
	case a.kind == atomInt || a.kind == atomBig || a.kind == atomBool:
		return a, a.kind != atomBool
	case a.kind == atomString && len(a.text) < 4096:
		base := 10
		if len(more) == 1 && more[0].kind == atomInt && (more[0].n == 0 || more[0].n >= 2 && more[0].n <= 36) {
			base = int(more[0].n)
		}
		if !agreed(a.text) {
			return atom{}, false
		}
		digits := strings.TrimSpace(a.text)
		if base == 16 || base == 2 || base == 8 {
			digits = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(digits), "0x"), "0b"), "0o")
		}
		if n, ok := new(big.Int).SetString(digits, base); ok {
			return bigValue(n).atoms[0], true
		}
	}
	return atom{}, false
}

// classMethod folds a method that is called on the class itself.
func (p *python) classMethod(name string, args *arguments) (value, bool) {
	if name != "builtins.int.from_bytes" || len(args.positional) == 0 {
		return value{}, false
	}
	a, ok := args.positional[0].constant()
	if !ok || a.kind != atomBytes || len(a.text) > 512 {
		return value{}, false
	}
	buf := []byte(a.text)
	if order, given := args.get(1, "byteorder"); given {
		switch text, _ := order.str(); text {
		case "big":
		case "little":
			buf = []byte(reverseBytes(a.text))
		default:
			return value{}, false
		}
	}
	return bigValue(new(big.Int).SetBytes(buf)).with(worked), true
}

func reverseBytes(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

func unquote(s string) (string, bool) {
	s = codec.Percent(s)
	return s, utf8.ValidString(s)
}

func unquotePlus(s string) (string, bool) { return unquote(strings.ReplaceAll(s, "+", " ")) }

// dedent removes the blanks that all lines share.
func dedent(s string) string {
	lines := strings.Split(s, "\n")
	margin := -1
	for _, line := range lines {
		if rest := strings.TrimLeft(line, " \t"); rest != "" {
			if n := len(line) - len(rest); margin < 0 || n < margin {
				margin = n
			}
		}
	}
	for i, line := range lines {
		if strings.TrimLeft(line, " \t") == "" {
			lines[i] = ""
		} else {
			lines[i] = line[margin:]
		}
	}
	return strings.Join(lines, "\n")
}
