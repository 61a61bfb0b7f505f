package policy

import (
	_ "embed"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"
)

//go:embed schema/input.v1.json
var inputSchema []byte

// compile checks all modules against the input schema and the allowed
// built-ins. A path that the input does not have is an error here, not a rule
// that silently never fires.
func compile(modules map[string]*ast.Module) (*ast.Compiler, error) {
	schema, err := readSchema()
	if err != nil {
		return nil, err
	}
	c := newCompiler(schema)
	if c.Compile(modules); c.Failed() {
		return nil, opaError("", c.Errors)
	}
	return c, checkPaths(c, schema)
}

func readSchema() (map[string]any, error) {
	var schema map[string]any
	if err := util.UnmarshalJSON(inputSchema, &schema); err != nil {
		return nil, fmt.Errorf("reading the input schema: %v", err)
	}
	return schema, nil
}

// newCompiler is the one way to a compiler: the allowed built-ins, the input
// schema, strict mode.
func newCompiler(schema map[string]any) *ast.Compiler {
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, schema)
	return ast.NewCompiler().
		WithCapabilities(capabilities()).
		WithSchemas(schemas).
		WithStrict(true).
		WithUseTypeCheckAnnotations(true)
}
