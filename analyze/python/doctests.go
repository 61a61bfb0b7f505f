package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// docExamples reads the examples in a text as code of the program where
// doctest may run them.
func (p *python) docExamples(i int, v value) {
	if !p.atHand("doctest") {
		return
	}
	for _, a := range v.atoms {
		if a.kind != atomString || !strings.Contains(a.text, ">>>") {
			continue
		}
		if code := examples(a.text); code != "" {
			p.runText(i, code, false)
		}
	}
}

// signs looks at text that documents a class. How the class is called may stand there, as in
// those of the interpreter: whoever asks inspect for it, as dataclasses do, gets what the names
// in it come to.
func (p *python) signs(i int, v value) {
	const end = ")\n--\n\n"
	if slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomString && strings.Contains(a.text, end) }) {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// documented follows what becomes the documentation of something: a text that
// is not constant could hold any example.
func (p *python) documented(i int, v value) {
	if !p.atHand("doctest") {
		return
	}
	v = v.join(p.elements(v)).join(p.values(v))
	p.docExamples(i, v)
	for _, a := range v.atoms {
		if a.kind == atomPrefix {
			v = v.with(open)
		}
	}
	if v.open() {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// examples returns the code of the examples in a docstring.
func examples(text string) string {
	var code strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t")
		rest, ok := strings.CutPrefix(line, ">>>")
		if !ok && inside {
			rest, ok = strings.CutPrefix(line, "...")
		}
		if inside = ok; !ok {
			continue
		}
		code.WriteString(strings.TrimPrefix(rest, " "))
		code.WriteByte('\n')
	}
	return code.String()
}
