package python

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
)

// literal evaluates a string literal, or several that stand side by side.
func (p *python) literal(i int) value {
	t := p.unit.tree
	if t.Kind(i) == kindString {
		return p.stringLiteral(i)
	}
	var out value
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		v := p.load(c)
		if out.nothing() {
			out = v
		} else {
			out = p.binary(i, out, v, kindPlus)
		}
	}
	return out
}

// stringLiteral evaluates one literal; an f-string's expressions run.
func (p *python) stringLiteral(i int) value {
	t := p.unit.tree
	start := t.First(i)
	if start == analyze.NoNode {
		return anything()
	}
	prefix := strings.ToLower(strings.TrimRight(t.Source(start), `"'`))
	kind := atomString
	if strings.Contains(prefix, "b") {
		kind = atomBytes
	}
	formatted := strings.ContainsAny(prefix, "ft")
	if !formatted {
		text, ok := p.content(i, prefix)
		if !ok {
			return anything()
		}
		return one(atom{kind: kind, text: text})
	}
	return p.formatted(i, prefix, kind)
}

// content returns the decoded text of a plain literal.
func (p *python) content(i int, prefix string) (string, bool) {
	if text, ok := p.unit.text[i]; ok {
		return text, true
	}
	t := p.unit.tree
	first, last := t.First(i), analyze.NoNode
	for c := first; c != analyze.NoNode; c = t.Next(c) {
		last = c
	}
	if first == last {
		return "", true
	}
	raw := lines(t.Text[t.End(first):t.Start(last)] + p.beforeEnd(last))
	if !strings.Contains(raw, `\`) || strings.Contains(prefix, "r") {
		if p.quiet == 0 && raw != "" {
			p.Str(raw)
		}
		return raw, true
	}
	text, ok := decodeLiteral(raw, prefix)
	if ok {
		p.unit.text[i] = text
		p.Str(text)
	}
	return text, ok
}

// beforeEnd is text of a literal that the grammar has in the token at i, which ends it: what is escaped
// in a raw one, where nothing else stands before.
func (p *python) beforeEnd(i int) string {
	return strings.TrimSuffix(p.unit.tree.Source(i), strings.TrimLeft(p.unit.tree.Source(p.unit.tree.First(p.unit.tree.Parent(i))), "rRbBuUfFtT"))
}

// lines is text of the source as the interpreter reads it.
func lines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// decodeLiteral decodes the escapes of a literal with this prefix exactly as
// the interpreter does. It is false for character names it does not know.
func decodeLiteral(raw, prefix string) (string, bool) {
	formatted, isBytes := strings.ContainsAny(prefix, "ft"), strings.Contains(prefix, "b")
	if strings.Contains(prefix, "r") {
		if formatted {
			raw = strings.NewReplacer("{{", "{", "}}", "}").Replace(raw)
		}
		return raw, true
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		c := raw[i]
		if formatted && (c == '{' || c == '}') && i+1 < len(raw) && raw[i+1] == c {
			b.WriteByte(c)
			i += 2
			continue
		}
		if c != '\\' || i+1 == len(raw) {
			b.WriteByte(c)
			i++
			continue
		}
		n, ok := decodeEscape(&b, raw[i:], isBytes)
		if !ok {
			return "", false
		}
		i += n
	}
	return b.String(), true
}

// decodeEscape writes the escape at the start of s and returns its length.
func decodeEscape(b *strings.Builder, s string, isBytes bool) (int, bool) {
	const simple, meaning = "\n\\'\"abfnrtv", "\x00\\'\"\a\b\f\n\r\t\v"
	if k := strings.IndexByte(simple, s[1]); k >= 0 {
		if k > 0 {
			b.WriteByte(meaning[k])
		}
		return 2, true
	}
	switch c := s[1]; {
	case c >= '0' && c <= '7':
		n := 2
		for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(s[1:n], 8, 32)
		writeCode(b, rune(code), isBytes)
		return n, true
	case c == 'x':
		return decodeHexEscape(b, s, 2, isBytes)
	case c == 'u' && !isBytes:
		return decodeHexEscape(b, s, 4, false)
	case c == 'U' && !isBytes:
		return decodeHexEscape(b, s, 8, false)
	case c == 'N' && !isBytes && len(s) > 2 && s[2] == '{':
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, false
		}
		r, ok := characterNamed(s[3:end])
		b.WriteRune(r)
		return end + 1, ok
	}
	b.WriteByte('\\')
	return 1, true // not an escape: the backslash stays
}

func decodeHexEscape(b *strings.Builder, s string, digits int, isBytes bool) (int, bool) {
	if len(s) < 2+digits {
		return 0, false
	}
	code, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil || !isBytes && !utf8.ValidRune(rune(code)) { // a surrogate is no text of ours
		return 0, false
	}
	writeCode(b, rune(code), isBytes)
	return 2 + digits, true
}

func writeCode(b *strings.Builder, code rune, isBytes bool) {
	if isBytes {
		b.WriteByte(byte(code))
	} else {
		b.WriteRune(code)
	}
}

// characterNamed returns the character that Unicode gives this name, for the
// characters that names are spelled with.
func characterNamed(name string) (rune, bool) {
	name = strings.ToUpper(name)
	digits := []string{"ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"}
	for _, prefix := range []string{"LATIN SMALL LETTER ", "LATIN CAPITAL LETTER ", "DIGIT "} {
		rest, ok := strings.CutPrefix(name, prefix)
		switch {
		case !ok:
		case prefix == "DIGIT ":
			for n, word := range digits {
				if rest == word {
					return rune('0' + n), true
				}
			}
		case len(rest) == 1 && prefix == "LATIN SMALL LETTER ":
			return rune(rest[0]) | 0x20, true
		case len(rest) == 1:
			return rune(rest[0]), true
		}
	}
	switch name {
	case "LOW LINE", "SPACING UNDERSCORE":
		return '_', true
	case "FULL STOP", "PERIOD":
		return '.', true
	case "COLON":
		return ':', true
	case "SPACE":
		return ' ', true
	case "LEFT PARENTHESIS":
		return '(', true
	case "RIGHT PARENTHESIS":
		return ')', true
	case "APOSTROPHE":
		return '\'', true
	case "QUOTATION MARK":
		return '"', true
	case "SEMICOLON":
		return ';', true
	case "COMMA":
		return ',', true
	}
	return 0, false
}

// formatField is a replacement field of str.format with the text before it.
type formatField struct {
	before  string
	present bool // false for the text at the end
	name    string
	number  int // of the argument, where no name says which
	reads   []formatRead
	rest    string // conversion and format specification
}

// formatRead is what a replacement field reads of its argument: an attribute, or an element.
type formatRead struct {
	name    string
	element bool
}

// plain tells whether the field is just the argument.
func (f formatField) plain() bool { return len(f.reads) == 0 && f.rest == "" }

// parseFormat takes a format string apart as Python does, fields inside specifications
// too. What comes before a mistake is in the fields, since Python has read it by then.
func parseFormat(s string) ([]formatField, bool) {
	number := 0
	return parseFormatDepth(s, 0, &number)
}

func parseFormatDepth(s string, depth int, number *int) ([]formatField, bool) {
	var fields, inner []formatField
	var text strings.Builder
	whole := true
	for i := 0; i < len(s) && whole; {
		c := s[i]
		if (c == '{' || c == '}') && i+1 < len(s) && s[i+1] == c {
			text.WriteByte(c)
			i += 2
			continue
		}
		if c != '{' {
			whole = c != '}'
			text.WriteByte(c)
			i++
			continue
		}
		f, length, ok := parseField(s[i+1:])
		whole = ok
		if f.name == "" {
			f.number = *number
			*number++
		}
		f.before = text.String()
		text.Reset()
		fields = append(fields, f)
		if strings.ContainsAny(f.rest, "{}") && depth < 2 {
			var nested []formatField
			nested, whole = parseFormatDepth(strings.TrimLeft(f.rest, "!:"), depth+1, number)
			inner = append(inner, nested...)
		}
		i += 1 + length
	}
	fields = append(fields, formatField{before: text.String()})
	for k := range inner { // what they give is unknown, what they read is not
		if inner[k].present {
			inner[k].before, inner[k].rest = "", inner[k].rest+"!"
			fields = append(fields, inner[k])
		}
	}
	return fields, whole
}

// parseField reads a field behind its opening brace, and tells how long it is with the
// closing one. What stands in brackets is an element's name up to the next bracket,
// whatever it is.
func parseField(s string) (f formatField, length int, ok bool) {
	f.present = true
	end := 0
	for ; end < len(s) && !strings.ContainsRune("{}:!", rune(s[end])); end++ {
		if s[end] == '[' {
			closed := strings.IndexByte(s[end:], ']')
			if closed < 0 {
				return f, 0, false
			}
			end += closed
		}
	}
	if end == len(s) || s[end] == '{' || !f.parseName(s[:end]) {
		return f, 0, false
	}
	length = end + 1
	if s[end] != '}' {
		for depth := 1; depth > 0; length++ {
			if length == len(s) {
				return f, 0, false
			}
			switch s[length] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		f.rest = s[end : length-1]
	}
	return f, length, true
}

// parseName reads which argument a field is about, and what it reads of it.
func (f *formatField) parseName(s string) bool {
	first := strings.IndexAny(s, ".[")
	if first < 0 {
		first = len(s)
	}
	f.name, s = s[:first], s[first:]
	for s != "" {
		read := formatRead{element: s[0] == '['}
		switch {
		case read.element:
			read.name, s, _ = strings.Cut(s[1:], "]")
		case s[0] == '.':
			next := strings.IndexAny(s[1:], ".[")
			if next < 0 {
				next = len(s) - 1
			}
			read.name, s = s[1:1+next], s[1+next:]
		default:
			return false
		}
		f.reads = append(f.reads, read)
	}
	return true
}

// isNumber tells whether s is made of the ten digits.
func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func smallNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < 1000
}

// splitConstant folds the methods that take a string apart.
func splitConstant(a atom, name string, args []atom) ([]atom, bool) {
	sep := ""
	if len(args) > 0 && args[0].kind == a.kind {
		sep = args[0].text
	} else if len(args) > 0 && args[0].kind != atomNone {
		return nil, false
	}
	var parts []string
	switch {
	case len(args) > 1 || strings.HasSuffix(name, "partition") && sep == "" || sep == "" && !agreed(a.text):
		return nil, false
	case name == "partition":
		head, tail, found := strings.Cut(a.text, sep)
		if !found {
			sep = ""
		}
		parts = []string{head, sep, tail}
	case name == "rpartition":
		k := strings.LastIndex(a.text, sep)
		if k < 0 {
			parts = []string{"", "", a.text}
		} else {
			parts = []string{a.text[:k], sep, a.text[k+len(sep):]}
		}
	case name == "splitlines":
		parts = strings.Split(strings.TrimSuffix(a.text, "\n"), "\n")
	case sep == "":
		parts = strings.Fields(a.text)
	default:
		parts = strings.Split(a.text, sep)
	}
	out := make([]atom, len(parts))
	for k, part := range parts {
		out[k] = atom{kind: a.kind, text: part}
	}
	return out, len(out) <= maxElements
}

// foldMethod folds a method of a constant.
func foldMethod(a atom, name string, args []atom) (atom, bool) {
	switch a.kind {
	case atomString, atomBytes:
		return foldStringMethod(a, name, args)
	case atomInt, atomBig:
		n, _ := a.bigInt()
		if name == "to_bytes" && len(args) >= 1 && args[0].kind == atomInt && args[0].n >= 0 && args[0].n <= 4096 && n.Sign() >= 0 {
			if len(n.Bytes()) > int(args[0].n) {
				return atom{}, false
			}
			buf := n.FillBytes(make([]byte, args[0].n))
			if len(args) > 1 && args[1].text == "little" {
				for i, j := 0, len(buf)-1; i < j; i, j = i+1, j-1 {
					buf[i], buf[j] = buf[j], buf[i]
				}
			}
			return atom{kind: atomBytes, text: string(buf)}, true
		}
	}
	return atom{}, false
}

// agreed tells whether everybody means the same by a text's letters, blanks and lines.
func agreed(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\t' && r != '\n' })
}

func foldStringMethod(a atom, name string, args []atom) (atom, bool) {
	text := func(s string) (atom, bool) { return atom{kind: a.kind, text: s}, true }
	arg := func(n int) string {
		if n < len(args) && args[n].kind == a.kind {
			return args[n].text
		}
		return ""
	}
	const blanks = " \t\n\r\v\f"
	cutset := blanks
	if len(args) > 0 && args[0].kind != atomNone {
		cutset = arg(0)
	}
	switch name {
	case "lower", "casefold", "upper", "swapcase", "capitalize", "strip", "lstrip", "rstrip":
		if !agreed(a.text) || !agreed(cutset) && cutset != blanks {
			return atom{}, false
		}
	}
	switch name {
	case "encode", "decode":
		return foldCodec(a, name, args)
	case "lower", "casefold":
		return text(strings.ToLower(a.text))
	case "upper":
		return text(strings.ToUpper(a.text))
	case "swapcase":
		return text(strings.Map(swapCase, a.text))
	case "capitalize":
		if a.text == "" {
			return text("")
		}
		_, size := utf8.DecodeRuneInString(a.text)
		return text(strings.ToUpper(a.text[:size]) + strings.ToLower(a.text[size:]))
	case "strip":
		return text(strings.Trim(a.text, cutset))
	case "lstrip":
		return text(strings.TrimLeft(a.text, cutset))
	case "rstrip":
		return text(strings.TrimRight(a.text, cutset))
	case "removeprefix":
		return text(strings.TrimPrefix(a.text, arg(0)))
	case "removesuffix":
		return text(strings.TrimSuffix(a.text, arg(0)))
	case "replace":
		if len(args) < 2 || len(args) > 2 || len(arg(1)) > 64 || arg(0) == "" {
			return atom{}, false
		}
		return text(strings.ReplaceAll(a.text, arg(0), arg(1)))
	case "hex":
		return foldCodec(a, "encode", []atom{{kind: atomString, text: "hex"}})
	case "__str__":
		return a, true
	case "__add__":
		if len(args) == 1 && args[0].kind == a.kind {
			return text(a.text + args[0].text)
		}
	}
	return atom{}, false
}

func swapCase(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return r - 32
	case r >= 'A' && r <= 'Z':
		return r + 32
	}
	return r
}
