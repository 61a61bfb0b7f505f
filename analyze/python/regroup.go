package python

import (
	"strings"

	"sallyport/analyze"
)

// regroup mends what the grammar reads in another order than the interpreter: "a := b if c else d"
// names what the condition comes to, and what "b if c else d as e" and "lambda: b as e" bind is all
// that stands before the "as". A star is of all of "f(x) or y" and not of the innermost operand. "{a:=5}" in
// an f-string names nothing: its format is "=5". "(a) = b" binds a to b, where "(a,) = b" takes b apart.
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
		case kindInterpolation, kindFormatExpression:
			bareNames(t, i, func(c int) {
				if t.Parent(c) == i && standsNumber(t, t.Child(c, valueField)) {
					t.Turn(c, kindFormatSpecifier)
				}
			})
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

// bareNames calls f of each "a := b" between the braces at i that has no brackets around it: the interpreter
// reads what stands behind the colon as a format.
func bareNames(t *analyze.Tree, i int, f func(c int)) {
	depth := 0
	for c := i + 1; c < t.After(i); c++ {
		switch k := t.Kind(c); {
		case k == kindString || k == kindFormatSpecifier:
			c = t.After(c) - 1
		case k == kindNamedExpression && depth == 1:
			f(c)
		case t.Named(c):
		case strings.Contains("([{", t.Source(c)):
			depth++
		case strings.Contains(")]}", t.Source(c)):
			depth--
		}
	}
}

// standsNumber tells whether a number stands at i, or one with a sign.
func standsNumber(t *analyze.Tree, i int) bool {
	if i != analyze.NoNode && t.Kind(i) == kindUnaryOperator {
		i = t.FirstNamed(i)
	}
	return i != analyze.NoNode && (t.Kind(i) == kindInteger || t.Kind(i) == kindFloat)
}

// isOperation tells whether k is something that begins with its first operand.
func isOperation(k analyze.Kind) bool {
	switch k {
	case kindCall, kindAttribute, kindSubscript, kindBinaryOperator, kindBooleanOperator, kindComparisonOperator, kindConditionalExpression:
		return true
	}
	return false
}
