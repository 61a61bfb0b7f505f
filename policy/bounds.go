package policy

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
)

// A built-in of OPA's runs to its end, whatever the deadline says: only between
// two of them does an evaluation look at the clock. So what one of them may
// take and give is bounded, and so is what all of one evaluation give together.
// Rules mention the built-ins by their own names; the compiler puts the bounded
// ones in their place, in our engines alone.
const (
	maxOperands = 1 << 20  // weight of what one call takes
	maxResults  = 64 << 20 // weight of what all calls of one evaluation give
	maxDigits   = 4096     // of a number, or its exponent
	maxElements = 200_000  // that one call makes
	maxSteps    = 1 << 26  // of matching one text
	termWeight  = 16       // of anything, beside its text
)

var errTooMuch = fmt.Errorf("its arguments weigh more than %d bytes", maxOperands)

// weigh takes the weight of a value from left and stops when nothing is left:
// a value may be shared within itself, and then takes longer to walk through
// than anybody waits.
func weigh(v ast.Value, left int) int {
	left -= termWeight
	if left < 0 {
		return left
	}
	switch v := v.(type) {
	case ast.String:
		left -= len(v)
	case ast.Number:
		left -= digits(v)
	case *ast.Array:
		v.Until(func(t *ast.Term) bool { left = weigh(t.Value, left); return left < 0 })
	case ast.Set:
		v.Until(func(t *ast.Term) bool { left = weigh(t.Value, left); return left < 0 })
	case ast.Object:
		v.Until(func(k, t *ast.Term) bool {
			left = weigh(t.Value, weigh(k.Value, left))
			return left < 0
		})
	}
	return left
}

func weight(terms ...*ast.Term) (int, error) {
	left := maxOperands
	for _, t := range terms {
		if left = weigh(t.Value, left); left < 0 {
			return 0, errTooMuch
		}
	}
	return maxOperands - left, nil
}

// digits is how long a number is when it is written out.
func digits(n ast.Number) int {
	text := string(n)
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return len(text)
	}
	exponent, err := strconv.Atoi(strings.TrimPrefix(text[at+1:], "+"))
	if err != nil || exponent > maxOperands || exponent < -maxOperands {
		return maxOperands
	}
	return len(text) + max(exponent, -exponent)
}

// bound refuses the arguments of a call that could run away.
type bound func(args []*ast.Term) error

// The bounds. Each says what a call costs that is not within its arguments.

// all bounds what goes through all of its arguments.
func all(args []*ast.Term) error {
	_, err := weight(args...)
	return err
}

// numbers bounds what computes with numbers.
func numbers(args []*ast.Term) error {
	for _, a := range args {
		if n, ok := a.Value.(ast.Number); ok && digits(n) > maxDigits {
			return fmt.Errorf("a number has more than %d digits", maxDigits)
		}
	}
	return nil
}

// listed bounds what adds or multiplies all numbers of a collection.
func listed(args []*ast.Term) error {
	total, err := weight(args...)
	if err == nil && total > maxDigits*termWeight {
		err = fmt.Errorf("the numbers weigh more than %d bytes", maxDigits*termWeight)
	}
	return err
}

func shift(args []*ast.Term) error {
	if err := numbers(args); err != nil {
		return err
	}
	if n, ok := args[1].Value.(ast.Number); ok {
		if by, ok := n.Int(); !ok || by > maxDigits {
			return fmt.Errorf("it shifts by more than %d bits", maxDigits)
		}
	}
	return nil
}

func span(args []*ast.Term) error {
	if err := numbers(args); err != nil {
		return err
	}
	var n [3]int
	n[2] = 1
	for i, a := range args {
		number, ok := a.Value.(ast.Number)
		if !ok {
			return nil // OPA says so
		}
		if n[i], ok = number.Int(); !ok || n[i] > 1<<52 || n[i] < -1<<52 {
			return fmt.Errorf("it makes more than %d numbers", maxElements)
		}
	}
	if step := n[2]; step > 0 && max(n[1]-n[0], n[0]-n[1])/step > maxElements {
		return fmt.Errorf("it makes more than %d numbers", maxElements)
	}
	return nil
}

func text(t *ast.Term) string {
	s, _ := t.Value.(ast.String)
	return string(s)
}

// pieces bounds what takes a text apart: each piece weighs more than a letter.
func pieces(args []*ast.Term) error {
	if err := all(args); err != nil {
		return err
	}
	if n := strings.Count(text(args[0]), text(args[1])); n > maxElements {
		return fmt.Errorf("it makes more than %d pieces", maxElements)
	}
	return nil
}

func product(factors ...int) error {
	n := 1
	for _, f := range factors {
		if f > 0 && n > maxOperands/f {
			return fmt.Errorf("it makes more than %d bytes", maxOperands)
		}
		n *= max(f, 1)
	}
	return nil
}

func replace(args []*ast.Term) error {
	if err := all(args); err != nil {
		return err
	}
	return product(strings.Count(text(args[0]), text(args[1])), len(text(args[2])))
}

// replaceAll is replace for many: replace_n({old: new}, text).
func replaceAll(args []*ast.Term) error {
	if err := all(args); err != nil {
		return err
	}
	longest := 0
	if pairs, ok := args[0].Value.(ast.Object); ok {
		pairs.Foreach(func(_, with *ast.Term) { longest = max(longest, len(text(with))) })
	}
	return product(len(text(args[1]))+1, longest)
}

func join(args []*ast.Term) error {
	if err := all(args); err != nil {
		return err
	}
	n := 0
	switch list := args[1].Value.(type) {
	case *ast.Array:
		n = list.Len()
	case ast.Set:
		n = list.Len()
	}
	return product(len(text(args[0])), n)
}

// formatted bounds sprintf: what is put in may be put in often, and padded.
func formatted(args []*ast.Term) error {
	total, err := weight(args...)
	if err != nil {
		return err
	}
	const widest = 1_000_000 // that package fmt pads to
	padded, verbs := 0, 0
	for part := range strings.SplitSeq(text(args[0]), "%") {
		verbs++
		directive := part[:len(part)-len(strings.TrimLeft(part, "+-# 0123456789.*[]"))]
		padded += strings.Count(directive, "*") * widest
		for number := range strings.FieldsFuncSeq(directive, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(number)
			if err != nil {
				n = widest
			}
			padded += min(n, widest)
		}
		if padded > maxOperands {
			return fmt.Errorf("it pads to more than %d bytes", maxOperands)
		}
	}
	return product(verbs, total)
}

// pattern bounds a regular expression on a text by the steps that it may take
// and the pieces that it may find. Which argument is which differs.
func pattern(expr, subject int, with ...int) bound {
	return func(args []*ast.Term) error {
		if err := all(args); err != nil {
			return err
		}
		re, size := text(args[expr]), 0
		if subject >= 0 {
			size = len(text(args[subject]))
		}
		steps, err := instructions(re)
		switch {
		case err != nil:
			return nil // OPA says what is wrong with it
		case steps > maxSteps/(size+1):
			return fmt.Errorf("matching takes more than %d steps: shorten the pattern, its repetitions or the text", maxSteps)
		case (strings.Count(re, "(") + 1) > 5*maxElements/(size+1):
			return fmt.Errorf("it finds more than %d pieces", 5*maxElements)
		}
		for _, i := range with {
			if err := product(size+1, len(text(args[i]))+1); err != nil {
				return err
			}
		}
		return nil
	}
}

// instructions is at least how many instructions a pattern compiles to.
func instructions(re string) (int, error) {
	if len(re) > 16<<10 {
		return 0, fmt.Errorf("the pattern is longer than %d bytes", 16<<10)
	}
	if !strings.Contains(re, "{") {
		return 2*len(re) + 2, nil
	}
	tree, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return 0, err
	}
	return repeated(tree), nil
}

// repeated is about the size of a pattern whose repetitions are written out.
func repeated(re *syntax.Regexp) int {
	n := 2 + len(re.Rune)
	for _, sub := range re.Sub {
		n += repeated(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// wildcards bounds a glob, whose matching goes back and tries again: a star
// more multiplies what it takes.
func wildcards(args []*ast.Term) error {
	if err := all(args); err != nil {
		return err
	}
	glob, subject := text(args[0]), text(args[2])
	if len(glob) > 1024 {
		return errors.New("the pattern is longer than 1024 bytes")
	}
	steps := len(subject) + 1
	for stars := strings.Count(strings.ReplaceAll(glob, "**", "*"), "*") - 2; stars > 0; stars-- {
		steps *= len(subject) + 1
		if steps > maxSteps {
			return fmt.Errorf("matching may take more than %d steps: use fewer stars or a shorter text", maxSteps)
		}
	}
	return nil
}

// patch bounds what a copy within a document makes of it: twice as much, each time.
func patch(args []*ast.Term) error {
	total, err := weight(args...)
	if err != nil {
		return err
	}
	list, _ := args[1].Value.(*ast.Array)
	if list == nil {
		return nil // OPA says so
	}
	if list.Len() > 1000 {
		return errors.New("it has more than 1000 operations")
	}
	list.Until(func(op *ast.Term) bool {
		if o, ok := op.Value.(ast.Object); ok {
			if name := o.Get(ast.InternedTerm("op")); name != nil && text(name) == "copy" {
				total *= 2
			}
		}
		return total > maxOperands
	})
	if total > maxOperands {
		return fmt.Errorf("it makes more than %d bytes", maxOperands)
	}
	return nil
}

// pairs bounds what compares each of one collection with each of another.
func pairs(args []*ast.Term) error {
	if err := all(args); err != nil {
		return err
	}
	n := 1
	for _, a := range args {
		switch v := a.Value.(type) {
		case *ast.Array:
			n *= v.Len() + 1
		case ast.Set:
			n *= v.Len() + 1
		case ast.Object:
			n *= v.Len() + 1
		}
	}
	if n > 5*maxElements {
		return fmt.Errorf("it makes more than %d comparisons", 5*maxElements)
	}
	return nil
}

// boundedName is under which name a bounded built-in is called.
const boundedName = "bounded"

// budgetKey is where one evaluation keeps what it may still give.
type budgetKey struct{}

// charge takes a result from what one evaluation may give.
func charge(bctx topdown.BuiltinContext, result *ast.Term) error {
	left, ok := bctx.Cache.Get(budgetKey{})
	budget, _ := left.(*int)
	if !ok || budget == nil {
		budget = new(int)
		*budget = maxResults
		bctx.Cache.Put(budgetKey{}, budget)
	}
	if *budget = weigh(result.Value, *budget); *budget < 0 {
		return fmt.Errorf("what the rules have computed weighs more than %d bytes together", maxResults)
	}
	return nil
}

// boundedBuiltin is one of OPA's with its bound, for an engine of ours.
func boundedBuiltin(b *ast.Builtin, check bound) *tester.Builtin {
	name, original := boundedName+"."+b.Name, topdown.GetBuiltin(b.Name)
	call := func(bctx topdown.BuiltinContext, args []*ast.Term) (result *ast.Term, err error) {
		args = args[:min(len(args), b.Decl.Arity())] // behind them, where the result goes
		// What is refused ends the evaluation: other errors of built-ins wait
		// until it is over.
		if err := check(args); err != nil {
			return nil, rego.NewHaltError(err)
		}
		err = original(bctx, args, func(t *ast.Term) error { result = t; return nil })
		if err != nil || result == nil {
			return nil, err
		}
		if err := charge(bctx, result); err != nil {
			return nil, rego.NewHaltError(err)
		}
		return result, nil
	}
	return &tester.Builtin{
		Decl: &ast.Builtin{Name: name, Decl: b.Decl},
		Func: rego.FunctionDyn(&rego.Function{Name: name, Decl: b.Decl}, call),
	}
}

// resultName is the built-in that a decision passes on its way out.
const resultName = boundedName + ".result"

// boundedResult passes a decision on that is of a size to be read: a value that
// is shared within itself is not when it is written out.
func boundedResult() *tester.Builtin {
	decl := types.NewFunction(types.Args(types.A), types.A)
	return &tester.Builtin{
		Decl: &ast.Builtin{Name: resultName, Decl: decl},
		Func: rego.FunctionDyn(&rego.Function{Name: resultName, Decl: decl}, func(_ topdown.BuiltinContext, args []*ast.Term) (*ast.Term, error) {
			if weigh(args[0].Value, maxResults) < 0 {
				return nil, fmt.Errorf("the decision weighs more than %d bytes", maxResults)
			}
			return args[0], nil
		}),
	}
}

// boundCalls puts the bounded built-ins in the place of the others, in modules
// that have passed all checks.
func boundCalls(c *ast.Compiler) *ast.Error {
	bounds := builtinBounds()
	swap := func(t *ast.Term) {
		ref, ok := t.Value.(ast.Ref)
		if !ok || bounds[ref.String()] == nil {
			return
		}
		*t = *ast.NewTerm(append(ast.Ref{ast.VarTerm(boundedName)}, toStrings(ref)...)).SetLocation(t.Location)
	}
	for _, m := range c.Modules {
		ast.WalkExprs(m, func(e *ast.Expr) bool {
			if terms, ok := e.Terms.([]*ast.Term); ok && len(terms) > 0 {
				swap(terms[0])
			}
			for _, w := range e.With {
				swap(w.Target)
				swap(w.Value)
			}
			return false
		})
		ast.WalkTerms(m, func(t *ast.Term) bool {
			if call, ok := t.Value.(ast.Call); ok && len(call) > 0 {
				swap(call[0])
			}
			return false
		})
	}
	return nil
}

// toStrings is a ref as what stands behind its first part.
func toStrings(ref ast.Ref) ast.Ref {
	out := ref.Copy()
	if v, ok := out[0].Value.(ast.Var); ok {
		out[0] = ast.StringTerm(string(v))
	}
	return out
}
