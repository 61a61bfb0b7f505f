package policy

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// findingFields are those that a rule may give; the rest of a Finding comes
// from its METADATA.
var findingFields = []string{"rule", "message", "symbol", "span", "severity"}

const findingHint = `a finding is an object: {"rule": "the id", "message": "what was seen"}, with "symbol", "span" or "severity" besides`

// checkShape refuses a rule whose findings could not be decoded. What cannot
// be known before it runs is left to the decoder, which then denies.
func checkShape(c *ast.Compiler, r *ast.Rule, info RuleInfo) error {
	key := r.Head.Key
	object, ok := key.Value.(ast.Object)
	if !ok {
		if kind := notObject(c.TypeEnv.GetByRef(r.Ref())); kind != "" {
			hint := fmt.Sprintf(`write: %s contains {"rule": …, "message": …} if { … }`, info.Action)
			return issueAt(r.Loc(), hint, "%s must be a set of objects, not of %s", info.Action, kind)
		}
		return nil
	}
	for _, need := range findingFields[:2] {
		if object.Get(ast.StringTerm(need)) == nil {
			return issueAt(key.Location, findingHint, "the findings of rule %q have no %q", info.ID, need)
		}
	}
	for _, k := range object.Keys() {
		name, ok := k.Value.(ast.String)
		if ok && !slices.Contains(findingFields, string(name)) {
			return issueAt(k.Location, findingHint, "the findings of rule %q have an unknown field %q", info.ID, string(name))
		}
	}
	if id, ok := object.Get(ast.StringTerm("rule")).Value.(ast.String); ok && string(id) != info.ID {
		return issueAt(key.Location, fmt.Sprintf("write \"rule\": %q", info.ID), "the findings say rule %q, the METADATA says %q", string(id), info.ID)
	}
	return nil
}

// notObject names the type of a set's elements when they cannot be objects.
func notObject(t types.Type) string {
	set, ok := t.(*types.Set)
	if !ok || set.Of() == nil {
		return ""
	}
	of := []types.Type{set.Of()}
	if choice, ok := set.Of().(types.Any); ok {
		of = choice
	}
	for _, t := range of {
		switch t.(type) {
		case types.String:
			return "texts"
		case types.Number:
			return "numbers"
		case types.Boolean:
			return "booleans"
		case types.Null, *types.Array, *types.Set:
			return "other values"
		}
	}
	return ""
}

// checkVerb refuses what looks like a rule in a set that nobody reads, such as
// "denny contains …": it would never fire.
func checkVerb(r *ast.Rule) error {
	meant := false
	for _, a := range r.Annotations {
		if _, ok := a.Custom["id"]; ok {
			meant = true
		}
	}
	if r.Head.Key != nil {
		object, ok := r.Head.Key.Value.(ast.Object)
		meant = meant || ok && object.Get(ast.StringTerm("rule")) != nil && object.Get(ast.StringTerm("message")) != nil
	}
	if !meant {
		return nil
	}
	return issueAt(r.Loc(), "findings go into one of the sets deny, ask, warn and log", "%s is no set of findings", r.Head.Ref())
}
