package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/gate"
)

// A client that works in a part of a directory refers to nothing else in it, and
// one that does not say where it works to nothing at all.
func TestRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"mine", "theirs"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "in.csv"), []byte("a,b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	many := strings.Repeat(`{"uri":"file:///tmp"},`, maxRoots) + `{"uri":"file:///tmp"}`
	for name, tt := range map[string]struct {
		capabilities, answer, from, status string
	}{
		"its own":         {`{"roots":{}}`, `"result":{"roots":[{"uri":"file://` + dir + `/mine"}]}`, "data:mine/in.csv", "ok"},
		"another's":       {`{"roots":{}}`, `"result":{"roots":[{"uri":"file://` + dir + `/mine"}]}`, "data:theirs/in.csv", "refused"},
		"elsewhere":       {`{"roots":{"listChanged":true}}`, `"result":{"roots":[{"uri":"file:///elsewhere"}]}`, "data:theirs/in.csv", "ok"},
		"not added":       {`{"roots":{}}`, `"result":{"roots":[{"uri":"file:///etc"}]}`, "etc:passwd", "refused"},
		"no file":         {`{"roots":{}}`, `"result":{"roots":[{"uri":"https://example.com` + dir + `/mine"}]}`, "data:theirs/in.csv", "ok"},
		"no roots":        {`{"roots":{}}`, `"result":{"roots":[]}`, "data:theirs/in.csv", "ok"},
		"an error":        {`{"roots":{}}`, `"error":{"code":-1,"message":"no"}`, "data:mine/in.csv", "refused"},
		"malformed":       {`{"roots":{}}`, `"result":"all"`, "data:mine/in.csv", "refused"},
		"no URI":          {`{"roots":{}}`, `"result":{"roots":[{"uri":"%zz:"}]}`, "data:mine/in.csv", "refused"},
		"too many":        {`{"roots":{}}`, `"result":{"roots":[` + many + `]}`, "data:mine/in.csv", "refused"},
		"it has no roots": {`{}`, "", "data:theirs/in.csv", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t,
				func(o *gate.Options) { o.Directories = map[string]string{"data": dir} },
				func(o *Options) { o.Directories = []string{"data"} })
			f.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":` + tt.capabilities + `,` + clientName + `}}`)
			f.answer(`"init"`)
			f.send(call("1", "run_python_code", `{"code":"print(1)","files":[{"from":"`+tt.from+`"}]}`))
			if tt.answer != "" {
				m := f.next()
				if m.Method != "roots/list" {
					t.Fatalf("message = %+v %s", m, m.Params)
				}
				f.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + tt.answer + `}`)
			}
			r := f.result(f.answer("1"))
			if ran := len(f.backend.specs) == 1; r.Meta.Result.Status != tt.status || ran != (tt.status == "ok") || strings.Contains(r.Content[0].Text, dir) {
				t.Errorf("%+v, ran %v; want %s", r, ran, tt.status)
			}
		})
	}
}
