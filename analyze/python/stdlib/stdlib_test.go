package stdlib

import "testing"

func TestTable(t *testing.T) {
	s := Names()
	for _, tt := range []struct{ owner, attr, want string }{
		{"random", "_os", "os"},
		{"contextlib", "os", "os"},
		{"enum", "bltns", "builtins"},
		{"posix", "system", "os.system"},
		{"os", "path", "os.path"},
		{"os.path", "os", "os"},
		{"tokenize", "_builtin_open", "builtins.open"},
		{"time", "time", "time.time"},
		{"random", "random", "random.random"},
		{"datetime", "_sys", "sys"},
		{"numpy", "os", "os"},
		{"numpy", "random", "numpy.random"},
		{"xml", "dom", "xml.dom"},
		{"asyncio", "subprocess", "asyncio.subprocess"},
	} {
		if got := s.Member(tt.owner, tt.attr); got != tt.want {
			t.Errorf("%s.%s is %s, want %s", tt.owner, tt.attr, got, tt.want)
		}
	}
	if len(s.Modules) < 500 || len(s.Builtins) < 100 {
		t.Errorf("%d modules, %d builtins", len(s.Modules), len(s.Builtins))
	}
}
