package python

import (
	"slices"

	"sallyport/analyze"
)

// lineage is what a class of the program comes from. Each class is asked for it dozens of
// times, mostly while no bases change.
type lineage struct {
	above   []int    // the class, and those of the program above it: where they are too many, all there are
	outside []string // the classes of others above these
	many    bool     // its bases are too many to be looked at
	asOf    int      // the state of all classes that this is true in
	grown   int      // the state of those above
}

// lineageOf returns what class n comes from.
func (p *python) lineageOf(n int) *lineage {
	asOf, l := p.basesGrown+len(p.classes), p.classes[n].lineage // both only grow
	if l == nil || l.asOf != asOf && l.grown != p.grownAbove(l) {
		l = &lineage{}
		l.above, l.outside, l.many = p.ancestry(n)
		l.grown = p.grownAbove(l)
		p.classes[n].lineage = l
	}
	l.asOf = asOf
	return l
}

// grownAbove is how often the classes above have got more bases, which changes when one of them does.
func (p *python) grownAbove(l *lineage) (grown int) {
	for _, n := range l.above {
		grown += p.classes[n].basesGrown
	}
	if l.many {
		grown += len(p.classes)
	}
	return grown
}

func (p *python) ancestry(n int) (above []int, outside []string, many bool) {
	const most = 64
	above = []int{n}
	seen := map[int]bool{n: true}
	for k := 0; k < len(above); k++ {
		if k == most {
			p.fromAny(n)
			return above, outside, true
		}
		bases := p.classes[above[k]].bases
		if bases.flags&manyAtoms != 0 {
			if !p.fromAny(n) {
				return above[:1], outside, true
			}
			for n := range p.classes {
				if !seen[n] {
					above = append(above, n)
				}
			}
			return above, outside, true
		}
		for _, a := range bases.atoms {
			switch n := int(a.n); {
			case a.kind == atomSymbol:
				outside = append(outside, a.text)
			case a.kind == atomClass && !seen[n]:
				above, seen[n] = append(above, n), true
			}
		}
	}
	return above, outside, false
}

// maxLineages bounds how many classes there are of which the bases are too many to be looked at, times all classes.
const maxLineages = 1 << 18

// fromAny notes that class n may come from any other, and tells whether so few do that all can be looked at for each.
// A program with more is not judged.
func (p *python) fromAny(n int) bool {
	if !p.classes[n].fromAny {
		p.classes[n].fromAny = true
		p.fromAnys++
	}
	few := p.fromAnys*len(p.classes) <= maxLineages
	if !few && !p.tangled {
		p.tangled = true
		p.Problem(analyze.ProblemSteps, "too many classes may come from any other", analyze.Span{})
	}
	return few
}

// chain returns class n and those of the program above it: where its bases are too many to
// be looked at, all there are.
func (p *python) chain(n int) []int { return p.lineageOf(n).above }

// isBelow tells whether class n of the program comes from an outside class that is one
// of those which are looked for.
func (p *python) isBelow(n int, one func(class string) bool) bool {
	l := p.lineageOf(n)
	return slices.ContainsFunc(l.outside, one) || l.many
}
