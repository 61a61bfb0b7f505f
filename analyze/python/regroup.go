package python

import (
	"strings"

	"sallyport/analyze"
)

// regroup mends what the grammar reads in another order than the interpreter: "a := b if c else d"
// names what the condition comes to, and what "b if c else d as e" and "lambda: b as e" bind is all
// that stands before the "as". A star is of all of "f(x) or y" and not of the innermost operand. "(a) = b"
// binds a to b, where "(a,) = b" takes b apart.
func regroup(t *analyze.Tree) {
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindConditionalExpression:
			if c := t.First(i); c != analyze.NoNode && t.Kind(c) == kindNamedExpression {
				t.RaiseFirst(i)
			}
		case kindListSplat:
			for inner, up := i, t.Parent(i); up >= 0 && t.First(up) == inner && isOperation(t.Kind(up)); up = t.Parent(inner) {
				t.RaiseFirst(up)
				inner = up
			}
		case kindAsPattern:
			for inner, up := i, t.Parent(i); up >= 0 && (t.Kind(up) == kindConditionalExpression || t.Kind(up) == kindLambda) && t.After(up) == t.After(inner); up = t.Parent(inner) {
				t.RaiseLast(up, inner)
				inner = up
			}
		case kindTuplePattern:
			if isBracketed(t, i) {
				t.Turn(i, kindParenthesizedExpression)
			}
		}
	}
}

// isBracketed tells whether the target at i is a single one in brackets.
func isBracketed(t *analyze.Tree, i int) bool {
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if k := t.Kind(c); k == kindCasePattern || k == kindListSplatPattern || t.Source(c) == "," {
			return false
		}
	}
	return t.FirstNamed(i) != analyze.NoNode
}

// misread returns the "=" of each "a := b" between the braces of an f-string that has no brackets around
// it: to the interpreter a format begins at the colon, which the grammar reads so before any other sign.
func misread(t *analyze.Tree) []int {
	var signs []int
	for i := range t.Len() {
		if k := t.Kind(i); k == kindInterpolation || k == kindFormatExpression {
			signs = append(signs, bareNames(t, i)...)
		}
	}
	return signs
}

func bareNames(t *analyze.Tree, i int) []int {
	var signs []int
	depth := 0
	for c := i + 1; c < t.After(i); c++ {
		switch k := t.Kind(c); {
		case k == kindString || k == kindFormatSpecifier:
			c = t.After(c) - 1
		case t.Named(c):
		case t.Source(c) == ":=" && depth == 1:
			signs = append(signs, t.End(c)-1)
		case strings.Contains("([{", t.Source(c)):
			depth++
		case strings.Contains(")]}", t.Source(c)):
			depth--
		}
	}
	return signs
}

// isOperation tells whether k is something that begins with its first operand.
func isOperation(k analyze.Kind) bool {
	switch k {
	case kindCall, kindAttribute, kindSubscript, kindBinaryOperator, kindBooleanOperator, kindComparisonOperator, kindConditionalExpression:
		return true
	}
	return false
}
