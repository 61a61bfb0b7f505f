package analyze

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func encode(t testing.TB, f Facts) string {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// validate holds facts against the published schema.
func validate(t testing.TB, name string, f Facts) {
	t.Helper()
	if err := validateJSON(t, encode(t, f)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func validateJSON(t testing.TB, raw string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("facts.v1.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("facts.v1.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// TestSchemaRefuses holds that the schema says no to what facts never are.
func TestSchemaRefuses(t *testing.T) {
	good := encode(t, facts(t, Python, "import os\nos.system('id')\n"))
	if err := validateJSON(t, good); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new string }{
		{`"facts/v1"`, `"facts/v2"`},
		{`"complete":true`, `"complete":null`},
		{`"names":[`, `"nmaes":[`},
		{`"how":"call"`, `"how":"shout"`},
		{`"strings":["id"]`, `"strings":null`},
		{`"dynamic":{}`, `"dynamic":{"unheard-of":[]}`},
	} {
		bad := strings.Replace(good, tt.old, tt.new, 1)
		if bad == good {
			t.Errorf("%s is not in the facts", tt.old)
		}
		if err := validateJSON(t, bad); err == nil {
			t.Errorf("%s instead of %s passes", tt.new, tt.old)
		}
	}
}
