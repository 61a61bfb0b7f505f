package sandbox

import "testing"

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
