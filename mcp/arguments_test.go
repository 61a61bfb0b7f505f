package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Each case is a good call with one thing changed; the refusal names it.
func TestBadArguments(t *testing.T) {
	for _, tt := range []struct{ name, with, want string }{
		{"unknown", `"image":"x"`, `unknown argument "image"`},
		{"network", `"network":true`, `unknown argument "network"`},
		{"code type", `"code":1`, `argument "code" must be a string, not a number`},
		{"code null", `"code":null`, `argument "code" must be a string, not null`},
		{"stdin type", `"stdin":[]`, `argument "stdin" must be a string, not an array`},
		{"environment type", `"environment":{}`, `argument "environment" must be a string, not an object`},
		{"timeout type", `"timeout_seconds":"30"`, `argument "timeout_seconds" must be a number, not a string`},
		{"timeout zero", `"timeout_seconds":0`, `argument "timeout_seconds" must be more than 0`},
		{"timeout negative", `"timeout_seconds":-1`, `argument "timeout_seconds" must be more than 0`},
		{"timeout huge", `"timeout_seconds":1e999`, `argument "timeout_seconds" is not a number`},
		{"memory fraction", `"memory_mb":0.5`, `argument "memory_mb" must be a whole number`},
		{"memory boolean", `"memory_mb":true`, `argument "memory_mb" must be a number, not a boolean`},
		{"args type", `"args":"-v"`, `argument "args" must be an array, not a string`},
		{"args item", `"args":["a",1]`, `argument "args" item 1 must be a string`},
		{"args NUL", `"args":["a\u0000"]`, `argument "args" item 0 contains a NUL`},
		{"args many", `"args":[` + strings.Repeat(`"",`, maxArgs) + `""]`, `argument "args" has 65 items`},
		{"args long", `"args":[` + quote(strings.Repeat("x", maxArgBytes+1)) + `]`, `argument "args" is longer`},
		{"files type", `"files":{}`, `argument "files" must be an array, not an object`},
		{"file type", `"files":["a"]`, `argument "files" item 0: must be an object`},
		{"file field", `"files":[{"path":"a","content":"","mode":"0777"}]`, `unknown field "mode"`},
		{"file path missing", `"files":[{"content":""}]`, `path is missing`},
		{"file content missing", `"files":[{"path":"a"}]`, `content is missing`},
		{"file absolute", `"files":[{"path":"/etc/passwd","content":""}]`, `must be relative`},
		{"file above", `"files":[{"path":"../x","content":""}]`, `must be relative`},
		{"file dots inside", `"files":[{"path":"a/../../x","content":""}]`, `must be relative`},
		{"file empty", `"files":[{"path":"","content":""}]`, `path is empty`},
		{"file backslash", `"files":[{"path":"a\\b","content":""}]`, `not allowed`},
		{"file NUL", `"files":[{"path":"a\u0000","content":""}]`, `not allowed`},
		{"file twice", `"files":[{"path":"a","content":""},{"path":"a","content":""}]`, `already a file "a"`},
		{"file below a file", `"files":[{"path":"a","content":""},{"path":"a/b","content":""}]`, `"a/b" cannot be below the file "a"`},
		{"file in the place of a directory", `"files":[{"path":"a/b","content":""},{"path":"a","content":""}]`, `is a directory of another file`},
		{"half a pair", `"stdin":"a\ud800b"`, `argument "stdin" is no Unicode text`},
		{"the other half", `"args":["\udc00"]`, `is no Unicode text`},
		{"halves the wrong way round", `"stdin":"\udc00\ud800"`, `is no Unicode text`},
		{"half a pair and an escape", `"stdin":"\ud800\\udc00"`, `is no Unicode text`},
		{"bytes", "\"stdin\":\"a\xffb\"", `is no Unicode text`},
		{"half a pair in a name", `"files":[{"path":"a\ud800","content":""}]`, `is no Unicode text`},
		{"file base64", `"files":[{"path":"a","content":"%","encoding":"base64"}]`, `is not base64`},
		{"file encoding", `"files":[{"path":"a","content":"","encoding":"hex"}]`, `encoding must be`},
		{"file path long", `"files":[{"path":` + quote(strings.Repeat("x", 256)) + `,"content":""}]`, `longer than 255`},
		{"files large", `"files":[{"path":"a","content":` + quote(strings.Repeat("x", maxFileBytes+1)) + `}]`, `more than 16 MiB`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			good := `"code":"print(1)"`
			if _, err := readArguments(json.RawMessage("{"+good+"}"), runArguments("python", false), "code"); err != nil {
				t.Fatalf("the base is not valid: %v", err)
			}
			_, err := readArguments(json.RawMessage(fmt.Sprintf("{%s,%s}", good, tt.with)), runArguments("python", false), "code")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
		})
	}
	for in, want := range map[string]string{
		`{}`: `"code" is missing`, ``: `"code" is missing`, `null`: `"code" is missing`,
		`[]`: "must be an object, not an array", `"x"`: "must be an object, not a string",
	} {
		if _, err := readArguments(json.RawMessage(in), runArguments("python", false), "code"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error = %v, want %q in it", in, err, want)
		}
	}
	if _, err := readArguments(json.RawMessage(`{"language":"perl","code":"1"}`), checkArguments()); err == nil || !strings.Contains(err.Error(), `argument "language" must be python, javascript or typescript`) {
		t.Errorf("language: %v", err)
	}
}

// Whatever the arguments are, they are taken or refused, and what is taken is
// within bounds.
func FuzzArguments(f *testing.F) {
	f.Add(`{"code":"print(1)","files":[{"path":"a/b","content":"AA==","encoding":"base64"}],"args":["x"],"timeout_seconds":1.5,"memory_mb":64}`)
	f.Add(`{"code":"\ud800","stdin":"\u0000"}`)
	f.Add(`{"files":[{"path":"..","content":""}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		a, err := readArguments(json.RawMessage(in), runArguments("python", false), "code")
		if err != nil {
			return
		}
		if a.timeout < 0 || a.memory < 0 || len(a.files) > maxFiles || len(a.args) > maxArgs {
			t.Errorf("out of bounds: %+v", a)
		}
		for _, file := range a.files {
			if strings.HasPrefix(file.Path, "/") || strings.Contains("/"+file.Path+"/", "/../") {
				t.Errorf("a path that leads away: %q", file.Path)
			}
		}
	})
}

// Text is taken as it was sent, in whatever way it is escaped.
func TestUnicodeArguments(t *testing.T) {
	for _, tt := range []struct{ json, want string }{
		{`"\ud83d\ude00"`, "😀"}, {`"😀"`, "😀"}, {`"\\ud800"`, `\ud800`}, {`"\ufffd\u00e4\n"`, "\ufffdä\n"}, {`"\\\ud83d\ude00"`, `\😀`},
	} {
		var got string
		if err := text(&got, json.RawMessage(tt.json)); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v", tt.json, got, err)
		}
	}
}
