package analyze

import _ "embed"

//go:embed schema/facts.v1.json
var factsSchema string

// Schema returns the JSON Schema (draft 2020-12) of Facts as JSON.
func Schema() []byte { return []byte(factsSchema) }
