package python

import (
	"encoding/hex"
	"math/big"
	"strconv"
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
		return p.foldBytes(args.positional[0], args)
	}
	a, ok := args.positional[0].constant()
	if !ok || !p.step(1+len(a.text)/64) {
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
	if folded, ok := foldFunction(name, a, more); ok {
		return p.folded(folded), true
	}
	return value{}, false
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
	return p.folded(atom{kind: atomBytes, text: b.String()}), true
}

// foldFunction folds name(a, more…).
func foldFunction(name string, a atom, more []atom) (atom, bool) {
	stringLike := a.kind == atomString || a.kind == atomBytes
	bytesOf := func(s string, ok bool) (atom, bool) { return atom{kind: atomBytes, text: s}, ok }
	switch name {
	case "builtins.chr":
		if a.kind == atomInt && utf8.ValidRune(rune(a.n)) && a.n <= utf8.MaxRune {
			return atom{kind: atomString, text: string(rune(a.n))}, true
		}
	case "builtins.ord":
		if a.kind == atomBytes && len(a.text) == 1 {
			return atom{kind: atomInt, n: int64(a.text[0])}, true
		}
		if r, size := utf8.DecodeRuneInString(a.text); a.kind == atomString && size == len(a.text) && size > 0 {
			return atom{kind: atomInt, n: int64(r)}, true
		}
	case "builtins.len":
		if a.kind == atomString {
			return atom{kind: atomInt, n: int64(utf8.RuneCountInString(a.text))}, true
		}
	case "builtins.str":
		if a.kind == atomBytes && len(more) > 0 {
			return foldCodec(a, "decode", more)
		}
		if s, ok := a.pythonStr(); ok {
			return atom{kind: atomString, text: s}, true
		}
	case "builtins.int":
		return foldInt(a, more)
	case "builtins.hex", "builtins.bin", "builtins.oct":
		if n, ok := a.bigInt(); ok && n.Sign() >= 0 {
			base := map[string]int{"builtins.hex": 16, "builtins.bin": 2, "builtins.oct": 8}[name]
			return atom{kind: atomString, text: map[int]string{16: "0x", 2: "0b", 8: "0o"}[base] + n.Text(base)}, true
		}
	case "codecs.decode", "codecs.encode":
		return foldCodec(a, strings.TrimPrefix(name, "codecs."), more)
	case "base64.b64decode", "base64.standard_b64decode", "base64.urlsafe_b64decode", "base64.decodebytes", "binascii.a2b_base64":
		if stringLike {
			return bytesOf(codec.Base64(a.text))
		}
	case "base64.b32decode":
		if stringLike {
			return bytesOf(codec.Base32(a.text))
		}
	case "base64.b16decode", "binascii.unhexlify", "binascii.a2b_hex", "builtins.bytes.fromhex", "builtins.bytearray.fromhex":
		if stringLike {
			return bytesOf(codec.Hex(a.text))
		}
	case "zlib.decompress":
		if len(more) == 1 && more[0].kind == atomInt && more[0].n < 0 {
			return bytesOf(codec.Inflate("deflate", a.text, maxInflated))
		}
		return bytesOf(codec.Inflate("zlib", a.text, maxInflated))
	case "bz2.decompress":
		return bytesOf(codec.Inflate("bz2", a.text, maxInflated))
	case "urllib.parse.unquote", "urllib.parse.unquote_plus":
		if a.kind == atomString {
			return unquotePercent(a.text)
		}
	case "html.unescape", "textwrap.dedent", "inspect.cleandoc", "sys.intern", "ast.literal_eval", "json.loads":
		if (name == "textwrap.dedent" || name == "sys.intern") && a.kind == atomString {
			return atom{kind: atomString, text: dedent(name, a.text)}, true
		}
		if s, ok := decodeLiteral(strings.Trim(a.text, `"'`), ""); ok && (name == "json.loads" || name == "ast.literal_eval") && len(a.text) > 1 && strings.ContainsAny(a.text[:1], `"'`) {
			return atom{kind: atomString, text: s}, true
		}
	}
	return atom{}, false
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
	if order, _ := args.get(1, "byteorder"); order.has(atom{kind: atomString, text: "little"}) {
		buf = []byte(reverseBytes(a.text))
	}
	return bigValue(new(big.Int).SetBytes(buf)), true
}

func reverseBytes(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

func unquotePercent(s string) (atom, bool) {
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
	return atom{kind: atomString, text: b.String()}, utf8.ValidString(b.String())
}

// dedent removes the blanks that all lines share, when name asks for that.
func dedent(name, s string) string {
	if name != "textwrap.dedent" {
		return s
	}
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
