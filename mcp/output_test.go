package mcp

import (
	"bytes"
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

// No place of the host's is told; what is in the sandbox's own is.
func TestWithoutPlaces(t *testing.T) {
	for in, want := range map[string]string{
		`File "/root/.pyenv/versions/3.11.7/lib/python3.11/site-packages/pandas/io/common.py", line 1`: `File "<packages>/pandas/io/common.py", line 1`,
		"/srv/env/data-python-1/lib/python3.12/site-packages/a.py:12: UserWarning":                     "<packages>/a.py:12: UserWarning",
		`File "/usr/lib/python3/dist-packages/numpy/__init__.py"`:                                      `File "<packages>/numpy/__init__.py"`,
		`File "/usr/local/lib/python3.11/json/decoder.py", line 3`:                                     `File "<python>/json/decoder.py", line 3`,
		`File "/workspace/main.py", line 3`:                                                            `File "/workspace/main.py", line 3`,
		"/workspace/lib/x.py":                                                                          "/workspace/lib/x.py",
	} {
		if got := string(withoutPlaces("python", []byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
