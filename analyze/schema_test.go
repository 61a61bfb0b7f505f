package analyze_test

import (
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
	"sallyport/analyze/python"
)

// TestSchemaRefuses holds that the schema says no to what facts never are.
func TestSchemaRefuses(t *testing.T) {
	good := analyzetest.Encode(t, analyzetest.Facts(t, python.Reader(), "import os\nos.system('id')\n"))
	if err := analyzetest.Validate(t, good); err != nil {
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
		if err := analyzetest.Validate(t, bad); err == nil {
			t.Errorf("%s instead of %s passes", tt.new, tt.old)
		}
	}
}
