package sandbox

import (
	"strings"
	"testing"
)

// An input file is in no place where the program itself or another file is.
func TestCheckFiles(t *testing.T) {
	for _, tt := range []struct {
		language, goal, name string
		good                 bool
	}{
		{"python", "script", "in.csv", true},
		{"python", "script", "main.py", false},
		{"python", "script", "main.py/x", false},
		{"python", "script", "main.js", true},
		{"python", "script", "lib/main.py", true},
		{"python", "script", "../x", false},
		{"python", "script", "taken", false},
		{"javascript", "script", "main.js", false},
		{"javascript", "script", "main.mjs", true},
		{"javascript", "module", "main.mjs", false},
		{"javascript", "module", "main.js", true},
	} {
		taken := File{Path: "taken"}
		for how, s := range map[string]Spec{
			"sent":      {Language: tt.language, Goal: tt.goal, Files: []File{taken, {Path: tt.name}}},
			"reference": {Language: tt.language, Goal: tt.goal, Files: []File{taken}, References: []Reference{{Path: tt.name}}},
		} {
			if err := s.CheckFiles(); (err == nil) != tt.good || err != nil && !strings.Contains(err.Error(), tt.name) {
				t.Errorf("%s, %s, %q %s: %v", tt.language, tt.goal, tt.name, how, err)
			}
		}
	}
}

// Files that no directory can hold at once are known before there is one.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		names []string
		good  bool
	}{
		{[]string{"a", "b", "c/d", "c/e", "c/f/g", "ab/c"}, true},
		{[]string{"a", "a"}, false},
		{[]string{"a", "a/b"}, false},
		{[]string{"a/b", "a"}, false},
		{[]string{"a/b/c/d", "a/b"}, false},
		{[]string{"a/b", "a/b/c/d"}, false},
	} {
		names, err := Names{}, error(nil)
		for _, name := range tt.names {
			if err == nil {
				err = names.Add(name)
			}
		}
		if (err == nil) != tt.good {
			t.Errorf("%q: %v", tt.names, err)
		}
	}
}
