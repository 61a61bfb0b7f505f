package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sallyport/gate"
)

// TestLabelsOfACall holds that a client's labels are in the record of each kind
// of call, and that those which cannot be taken are refused in words.
func TestLabelsOfACall(t *testing.T) {
	t.Parallel()
	f, _ := sessionFixture(t)
	send := func(tool, arguments, labels string) toolResult {
		f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%q:%s}}}`, tool, arguments, metaLabels, labels))
		return f.result(f.answer("1"))
	}
	for tool, arguments := range map[string]string{
		"run_python_code": `{"code":"print(1)"}`,
		"check_code":      `{"language":"python","code":"print(1)"}`,
	} {
		for _, arguments := range []string{arguments, strings.Replace(arguments, "{", `{"session":"s",`, 1)} {
			if tool == "check_code" && strings.Contains(arguments, "session") {
				continue
			}
			before := len(f.log.all())
			if r := send(tool, arguments, `{"ticket":"OPS-1"}`); r.IsError {
				t.Errorf("%s: %s", tool, r.Content[0].Text)
			}
			if got := f.log.all()[before].Caller.Labels; !maps.Equal(got, map[string]string{"ticket": "OPS-1"}) {
				t.Errorf("%s %s: on record are %v", tool, arguments, got)
			}
			before = len(f.log.all())
			for labels, want := range map[string]string{
				`7`:                         "object of strings",
				`null`:                      "object of strings",
				`{"a":1}`:                   `"a" is none`,
				`{"a b":"v"}`:               "no key",
				`{"a":"x\u001b"}`:           "do not show",
				`{"a":""}`:                  "no value",
				`{"a":"\u202e"}`:            "do not show",
				`{"\u202ea":["unprinted"]}`: "is none",
			} {
				r := send(tool, arguments, labels)
				if text := r.Content[0].Text; !r.IsError || !strings.Contains(text, want) || !strings.Contains(text, metaLabels) || strings.ContainsAny(text, "\u202e\x1b") {
					t.Errorf("%s with %s: %s", tool, labels, text)
				}
			}
			if n := len(f.log.all()); n != before {
				t.Errorf("%s: bad labels were judged: %d records more", tool, n-before)
			}
		}
	}
}

// TestLabelsOfThePlainAPI holds the same of the plain API, where they are an
// argument.
func TestLabelsOfThePlainAPI(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	api := NewAPI(f.server)
	for name, serve := range map[string]func(http.ResponseWriter, *http.Request, gate.Principal, []byte){"check": api.Check, "run": api.Run} {
		for labels, want := range map[string]int{`{"ticket":"OPS-1"}`: 200, `{"ticket":""}`: 400, `["ticket"]`: 400} {
			before := len(f.log.all())
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			serve(w, r, gate.Principal{How: "token", Subject: "ci"}, []byte(`{"language":"python","code":"print(1)","labels":`+labels+`}`))
			records := f.log.all()[before:]
			if w.Code != want || (want == 200) != (len(records) > 0) || want == 200 && records[0].Caller.Labels["ticket"] != "OPS-1" {
				t.Errorf("%s with %s: %d, %s, %d records", name, labels, w.Code, w.Body, len(records))
			}
		}
	}
}
