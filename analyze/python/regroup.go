package python

import "sallyport/analyze"

// regroup mends what the grammar reads in another order than the interpreter: "a := b if c else d"
// names what the condition comes to, and what "b if c else d as e" and "lambda: b as e" bind is all
// that stands before the "as". A star is of all of "f(x) or y" and not of the innermost operand.
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
		}
	}
}

// isOperation tells whether k is something that begins with its first operand.
func isOperation(k analyze.Kind) bool {
	switch k {
	case kindCall, kindAttribute, kindSubscript, kindBinaryOperator, kindBooleanOperator, kindComparisonOperator, kindConditionalExpression:
		return true
	}
	return false
}
