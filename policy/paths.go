package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// OPA's type checker stops at objects whose keys the schema does not name, so
// that it does not see a misspelt field in input.source.uses["os.system"][0].
// Such a field would be undefined, and its rule would never fire. pathChecker
// follows these paths, also through local variables.
type pathChecker struct {
	schema   map[string]any
	compiler *ast.Compiler
	bound    map[ast.Var]ast.Ref // local variables that hold a part of the input
}

// checkPaths returns an error for the first field that the input cannot have.
func checkPaths(c *ast.Compiler, schema map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(c.Modules)) {
		p := pathChecker{schema: schema, compiler: c, bound: map[ast.Var]ast.Ref{}}
		m := c.Modules[name]
		ast.WalkExprs(m, func(e *ast.Expr) bool { p.bind(e); return false })
		var err error
		ast.WalkTerms(m, func(t *ast.Term) bool {
			if ref, ok := t.Value.(ast.Ref); ok && err == nil {
				err = p.check(t.Location, ref)
			}
			return false
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bind notes "x = input.…", in either order, and "every x in input.…".
func (p *pathChecker) bind(e *ast.Expr) {
	if every, ok := e.Terms.(*ast.Every); ok {
		if x, ok := every.Value.Value.(ast.Var); ok {
			if ref, ok := p.expand(every.Domain); ok {
				p.bound[x] = append(slices.Clone(ref), ast.VarTerm("_"))
			}
		}
		return
	}
	if !e.IsEquality() && !e.IsAssignment() {
		return
	}
	for _, pair := range [][2]*ast.Term{{e.Operand(0), e.Operand(1)}, {e.Operand(1), e.Operand(0)}} {
		if x, ok := pair[0].Value.(ast.Var); ok {
			if ref, ok := p.expand(pair[1]); ok {
				p.bound[x] = ref
			}
		}
	}
}

// expand returns the input path that a term stands for.
func (p *pathChecker) expand(t *ast.Term) (ast.Ref, bool) {
	var ref ast.Ref
	switch v := t.Value.(type) {
	case ast.Var:
		bound, ok := p.bound[v]
		return bound, ok
	case ast.Ref:
		ref = v
	default:
		return nil, false
	}
	if ref.HasPrefix(ast.InputRootRef) {
		return ref, true
	}
	head, ok := ref[0].Value.(ast.Var)
	if !ok {
		return nil, false
	}
	bound, ok := p.bound[head]
	if !ok {
		return nil, false
	}
	return append(slices.Clone(bound), ref[1:]...), true
}

// check walks the schema along a path.
func (p *pathChecker) check(loc *ast.Location, ref ast.Ref) error {
	path, ok := p.expand(ast.NewTerm(ref))
	if !ok {
		return nil
	}
	node := p.schema
	for i, key := range path[1:] {
		next, fields, known := p.step(node, key)
		if !known {
			return nil
		}
		if next == nil {
			values := make([]ast.Value, len(fields))
			for j, f := range fields {
				values[j] = ast.String(f)
			}
			path = p.readable(path)
			return issueAt(loc, fieldHint(path, i+1, values), "undefined ref: %s", path)
		}
		node = next
	}
	return nil
}

// step goes one key down. It returns nil and the fields that there are when
// the key cannot be, and known = false when the schema does not say.
func (p *pathChecker) step(node map[string]any, key *ast.Term) (next map[string]any, fields []string, known bool) {
	for {
		target, ok := node["$ref"].(string)
		if !ok {
			break
		}
		definitions, _ := p.schema["definitions"].(map[string]any)
		node, _ = definitions[strings.TrimPrefix(target, "#/definitions/")].(map[string]any)
	}
	name, isText := key.Value.(ast.String)
	switch node["type"] {
	case "object":
		properties, _ := node["properties"].(map[string]any)
		if rest, ok := node["additionalProperties"].(map[string]any); ok {
			return rest, nil, true
		}
		if !isText {
			return nil, nil, false
		}
		next, _ = properties[string(name)].(map[string]any)
		return next, slices.Sorted(maps.Keys(properties)), true
	case "array":
		if isText {
			return nil, nil, true
		}
		next, _ = node["items"].(map[string]any)
		return next, nil, next != nil
	case nil:
		return nil, nil, false
	}
	return nil, nil, true // text, number or boolean: nothing is below it
}

// readable is a path with the names that its author gave to variables.
func (p *pathChecker) readable(path ast.Ref) ast.Ref {
	out := slices.Clone(path)
	for i, t := range out {
		v, ok := t.Value.(ast.Var)
		if !ok || i == 0 {
			continue
		}
		if name, ok := p.compiler.RewrittenVars[v]; ok {
			v = name
		}
		if strings.HasPrefix(string(v), "__local") || strings.HasPrefix(string(v), "$") {
			v = "_"
		}
		out[i] = ast.NewTerm(v)
	}
	return out
}
