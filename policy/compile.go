package policy

import (
	_ "embed"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"

	"sallyport/policy/internal/bounded"
)

//go:embed schema/input.v1.json
var inputSchema []byte

// compile checks all modules against the input schema and the allowed
// built-ins. A path that the input does not have is an error here, not a rule
// that silently never fires.
func compile(about subject, modules map[string]*ast.Module) (*ast.Compiler, error) {
	schema, err := readSchema(about)
	if err != nil {
		return nil, err
	}
	c := newCompiler(schema)
	if c.Compile(modulesAbout(about, modules)); c.Failed() {
		return nil, opaError("", c.Errors)
	}
	return c, checkPaths(c, schema)
}

func readSchema(about subject) (map[string]any, error) {
	var schema map[string]any
	if err := util.UnmarshalJSON(inputSchema, &schema); err != nil {
		return nil, fmt.Errorf("reading the input schema: %v", err)
	}
	if about == aboutRequests {
		return withRequest(schema)
	}
	return schema, nil
}

// newCompiler is the one way to a compiler: the allowed built-ins, bounded, the
// input schema, strict mode.
func newCompiler(schema map[string]any) *ast.Compiler {
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, schema)
	caps := bounded.Capabilities()
	for _, b := range bounded.Builtins() {
		caps.Builtins = append(caps.Builtins, b.Decl)
	}
	return ast.NewCompiler().
		WithCapabilities(caps).
		WithSchemas(schemas).
		WithStrict(true).
		WithUseTypeCheckAnnotations(true).
		WithStageAfterID(ast.StageBuildRequiredCapabilities, ast.CompilerStageDefinition{
			Name: "BoundCalls", MetricName: "bound_calls", Stage: bounded.Calls,
		})
}
