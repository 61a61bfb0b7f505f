// Package bounded says which of OPA's built-ins rules may call, and bounds what
// each call may take and give.
//
// A built-in runs to its end, whatever the deadline says: only between two of
// them does an evaluation look at the clock. So what one of them may take and
// give is bounded, and so is what all of one evaluation give together. Rules
// mention the built-ins by their own names; the compiler puts the bounded ones in
// their place, in our engines alone.
package bounded

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
)

// Name is under which name a bounded built-in is called.
const Name = "bounded"

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

// builtin is one of OPA's with its bound, for an engine of ours.
func builtin(b *ast.Builtin, check bound) *tester.Builtin {
	name, original := Name+"."+b.Name, topdown.GetBuiltin(b.Name)
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

// Result is the built-in that a decision passes on its way out.
const Result = Name + ".result"

// result passes a decision on that is of a size to be read: a value that
// is shared within itself is not when it is written out.
func result() *tester.Builtin {
	decl := types.NewFunction(types.Args(types.A), types.A)
	return &tester.Builtin{
		Decl: &ast.Builtin{Name: Result, Decl: decl},
		Func: rego.FunctionDyn(&rego.Function{Name: Result, Decl: decl}, func(_ topdown.BuiltinContext, args []*ast.Term) (*ast.Term, error) {
			if weigh(args[0].Value, maxResults) < 0 {
				return nil, fmt.Errorf("the decision weighs more than %d bytes", maxResults)
			}
			return args[0], nil
		}),
	}
}

// Calls puts the bounded built-ins in the place of the others, in modules
// that have passed all checks.
func Calls(c *ast.Compiler) *ast.Error {
	bounds := byName()
	swap := func(t *ast.Term) {
		ref, ok := t.Value.(ast.Ref)
		if !ok || bounds[ref.String()] == nil {
			return
		}
		*t = *ast.NewTerm(append(ast.Ref{ast.VarTerm(Name)}, toStrings(ref)...)).SetLocation(t.Location)
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
