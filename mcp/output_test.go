package mcp

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestRoom(t *testing.T) {
	for _, tt := range []struct{ a, b, forA, forB int }{
		{10, 10, 10, 90}, {10, 500, 10, 90}, {500, 10, 90, 10}, {500, 500, 50, 50}, {0, 500, 0, 100}, {90, 20, 80, 20},
	} {
		if a, b := room(tt.a, tt.b, 100); a != tt.forA || b != tt.forB {
			t.Errorf("room(%d, %d) = %d, %d; want %d, %d", tt.a, tt.b, a, b, tt.forA, tt.forB)
		}
	}
}

// What is shown is cut in the middle, between characters, and says so.
func TestShorten(t *testing.T) {
	long := bytes.Repeat([]byte("ä"), 1000)
	got, cut := shorten(long, 301, false)
	if !cut || strings.ContainsRune(got, '\uFFFD') || len(got) > 301+40 || !strings.Contains(got, "bytes left out") {
		t.Errorf("%v, %d bytes: %s", cut, len(got), got)
	}
	if got, cut := shorten(long, 2000, false); cut || got != string(long) {
		t.Errorf("what fits is cut")
	}
	if got, cut := shorten([]byte("abc"), 0, false); !cut || strings.Contains(got, "abc") {
		t.Errorf("no room: %q, %v", got, cut)
	}
}

// Whatever a program printed and a rule said is in an answer once.
func TestNothingIsSaidTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withSessions)
	f.initialize()
	const mark = "xq7sVhA0marker"
	for _, tt := range []struct{ tool, arguments, once string }{
		{"run_python_code", `{"code":"# print ` + mark + `\nprint(1)"}`, mark},
		{"run_python_code", `{"code":"# print ` + mark + `\nprint(1)","session":"s"}`, mark},
		{"run_python_code", `{"code":"# fail\nprint(1)"}`, "Expecting property name"},
		{"run_python_code", `{"code":"import os\nos.system('id')"}`, "only the judged code may run"},
		{"check_code", `{"language":"python","code":"import os\nos.system('id')"}`, "only the judged code may run"},
		{"run_python_code", `{"code":"print(1)","timeout_seconds":100000}`, "timeout_seconds was cut"},
		{"run_python_code", `{"code":7}`, "must be a string"},
		{"end_session", `{"session":"none"}`, "There is no session"},
	} {
		f.send(call("1", tt.tool, tt.arguments))
		m := f.answer("1")
		if r := f.result(m); strings.Count(string(m.Result), tt.once) != 1 || strings.Count(r.text(), tt.once) != 1 {
			t.Errorf("%s %s: %q is not in the answer once: %s", tt.tool, tt.arguments, tt.once, m.Result)
		}
	}
}

// What programs find in a result is written down, field by field.
func TestResultIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, of := range []any{runOutput{}, checkOutput{}, endOutput{}, findingOutput{}, artifactOutput{}, sessionOutput{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/mcp.md does not have %T.%s as `%s`", of, field.Name, name)
			}
			seen++
		}
	}
	if seen < 30 {
		t.Errorf("only %d fields were looked at", seen)
	}
}
