package bounded

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// How much a call, and all of an evaluation, may take and give.
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
