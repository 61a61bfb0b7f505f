package python

import "sallyport/analyze"

// regroup mends what the grammar reads in another order than the interpreter: "a := b if c else d"
// names what the condition comes to, and what "b if c else d as e" and "lambda: b as e" bind is all
// that stands before the "as".
func regroup(t *analyze.Tree) {
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindConditionalExpression:
			if c := t.First(i); c != analyze.NoNode && t.Kind(c) == kindNamedExpression {
				t.RaiseFirst(i)
			}
		case kindAsPattern:
			for inner, up := i, t.Parent(i); up >= 0 && (t.Kind(up) == kindConditionalExpression || t.Kind(up) == kindLambda) && t.After(up) == t.After(inner); up = t.Parent(inner) {
				t.RaiseLast(up, inner)
				inner = up
			}
		}
	}
}
