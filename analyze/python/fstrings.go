package python

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sallyport/analyze"
)

// An f-string is each of a few texts where each of its expressions is one of a few, and
// what runs as code is judged for every one of them. A number that is one of many leaves
// a gap in the text: for most that is where knowledge ends, but in code any number is the
// same as a name that means nobody knows what.

// gap stands for a number in the text of a gapped atomPrefix. No code has it in it.
const gap = "\x00"

// formatted evaluates an f-string, whose expressions run.
func (p *python) formatted(i int, prefix string, kind atomKind) value {
	t := p.unit.tree
	texts, known, how := []string{""}, true, valueFlags(0)
	var waiting []atom
	var of []value
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		var next []string
		ok := true
		switch t.Kind(c) {
		case kindStringEnd:
			next = []string{p.beforeEnd(c)}
			next[0], ok = decodeLiteral(lines(next[0]), prefix)
		case kindStringContent:
			next = []string{""}
			next[0], ok = decodeLiteral(lines(t.Source(c)), prefix)
		case kindInterpolation:
			v, waits := p.settled(p.load(c))
			if waits {
				waiting = append(waiting, v.atoms...)
			}
			if next, ok = p.interpolated(c, v); known && ok && !exact(v) {
				how |= worked
			}
			of = append(of, v)
		default:
			continue
		}
		known = known && ok && len(texts)*len(next) <= maxStrings && len(texts[0]) <= p.Limits.Fold && p.step(len(texts)*len(texts[0])/64)
		if known {
			texts = product(texts, next)
		}
	}
	var out value
	for _, text := range texts {
		before, _, _ := strings.Cut(text, gap)
		for _, a := range waiting {
			n, _ := a.givenTo()
			out = out.join(one(atom{kind: atomPrefix, text: before, n: n | goesOn}).with(how))
		}
		switch {
		case len(waiting) > 0:
		case !known || strings.Contains(prefix, "t"):
			out = out.join(one(atom{kind: atomPrefix, text: before}).with(how))
		case before != text:
			out = out.join(one(p.withGap(text)).with(how))
		default:
			out = out.join(p.folded(atom{kind: kind, text: text}).with(how))
		}
	}
	return likePath(out, of...)
}

// product is each of the texts followed by each of next.
func product(texts, next []string) []string {
	out := make([]string, 0, len(texts)*len(next))
	for _, a := range texts {
		for _, b := range next {
			out = append(out, a+b)
		}
	}
	return out
}

// exact tells whether v is nothing but text and numbers of the program's own.
func exact(v value) bool {
	return v.flags&^manyNumbers == 0 && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return !a.isText() && a.kind != atomInt && a.kind != atomBig
	})
}

// interpolated returns each of the texts that {v} gives, when all are known.
func (p *python) interpolated(i int, v value) ([]string, bool) {
	t := p.unit.tree
	width, asText := "", false // a text is filled up otherwise
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch k := t.Kind(c); {
		case k == kindTypeConversion && t.Source(c) == "!s":
			asText = true
		case k == kindFormatSpecifier && width == "" && !asText:
			if width = strings.TrimSuffix(strings.TrimPrefix(t.Source(c), ":"), "d") + "d"; !isWidth(width) {
				return nil, false
			}
		case k == kindFormatSpecifier, k == kindTypeConversion, t.Source(c) == "=":
			return nil, false
		}
	}
	var out []string
	for _, a := range v.atoms {
		text, ok := p.gapText(a)
		if width != "" {
			text, ok = fmt.Sprintf("%"+width, a.n), a.kind == atomInt
		}
		if !ok {
			return nil, false
		}
		out = append(out, text)
	}
	switch v.flags &^ worked {
	case 0:
	case manyNumbers:
		out = append(out, gap)
	default:
		return nil, false
	}
	return out, len(out) > 0
}

// isWidth tells whether a format does no more than fill a number up to fewer than a hundred signs.
func isWidth(format string) bool {
	digits := strings.TrimSuffix(format, "d")
	return strings.Trim(digits, "0123456789") == "" && (len(digits) < 3 || len(digits) == 3 && digits[0] == '0')
}

// gapText is the text of a constant, with a gap wherever a number stands that is one of many.
func (p *python) gapText(a atom) (string, bool) {
	if a.gapped() {
		return p.gaps[a.n-1], true
	}
	return a.pythonStr()
}

// withGap is text in which there may be gaps.
func (p *python) withGap(text string) atom {
	before, _, gapped := strings.Cut(text, gap)
	if !gapped {
		return atom{kind: atomString, text: text}
	}
	return atom{kind: atomPrefix, text: before, n: p.withGaps(text)}
}

// gapped tells whether a is text with gaps.
func (a atom) gapped() bool { return a.kind == atomPrefix && a.n != 0 && a.n&goesOn == 0 }

// isText tells whether a is text that is known but for numbers.
func (a atom) isText() bool { return a.kind == atomString || a.gapped() }

// withGaps returns the number of a text with gaps, from one.
func (p *python) withGaps(text string) int64 {
	if n := slices.Index(p.gaps, text); n >= 0 {
		return int64(n) + 1
	}
	p.gaps = append(p.gaps, text)
	return int64(len(p.gaps))
}

// filled returns a text with gaps as code, with a name in each. It is false where a
// number would be part of something longer, and behind a quote: in a text of that code a
// number is not what a name is. No program can bind the name: it is made of the whole of
// the program.
func (p *python) filled(text string) (string, bool) {
	joins := func(r rune, size int) bool {
		return size > 0 && (r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
	}
	parts := strings.Split(text, gap)
	for k, part := range parts {
		if k > 0 && (part == "" && k < len(parts)-1 || joins(utf8.DecodeRuneInString(part))) ||
			k < len(parts)-1 && (strings.ContainsAny(part, `"'`) || joins(utf8.DecodeLastRuneInString(part))) {
			return "", false
		}
	}
	return strings.Join(parts, fmt.Sprintf("number_%x", sha256.Sum256([]byte(p.units[0].tree.Text)))), true
}
