package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
)

func TestError(t *testing.T) {
	cause := errors.New("no route")
	for _, tt := range []struct {
		name, text, fix string
		err             error
	}{
		{"all three", "the engine does not answer: no route", "start it", New(cause, "start it", "the %s does not answer", "engine")},
		{"no cause", "no engine", "start it", New(nil, "start it", "no engine")},
		{"only a fix", "no route", "dig one", With(cause, "dig %s", "one")},
		{"wrapped", "sandbox: no route", "dig one", fmt.Errorf("sandbox: %w", With(cause, "dig one"))},
		{"the outer one wins", "no route", "walk", With(With(cause, "dig one"), "walk")},
		{"the inner one is found behind one that knows nothing", "run: no route", "dig one", New(With(cause, "dig one"), "", "run")},
		{"one of several", "a\nno route", "dig one", errors.Join(errors.New("a"), With(cause, "dig one"))},
		{"none", "no route", "", cause},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.text {
				t.Errorf("the text is %q, want %q", got, tt.text)
			}
			if got := Fix(tt.err); got != tt.fix {
				t.Errorf("the fix is %q, want %q", got, tt.fix)
			}
		})
	}
	if err := New(cause, "", "x"); !errors.Is(err, cause) {
		t.Error("an error hides its cause")
	}
	if err := With(Usage("no flag %w", cause), "x"); !errors.Is(err, ErrUsage) || !errors.Is(err, cause) || err.Error() != "no flag no route" {
		t.Errorf("%q is no error of the caller's", err)
	}
	if errors.Is(New(nil, "x", "y"), ErrUsage) {
		t.Error("any error is one of the caller's")
	}
	if got, want := Text(New(cause, "start it", "x")), "x: no route (start it)"; got != want {
		t.Errorf("in a log: %q, want %q", got, want)
	}
}

func TestSystem(t *testing.T) {
	dir := t.TempDir()
	_, gone := os.Stat(dir + "/gone")
	_, exists := os.OpenFile(dir, os.O_CREATE|os.O_EXCL, 0o600)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{gone, "cannot find " + dir + "/gone: no such file or directory"},
		{exists, "cannot open " + dir + ": it is there already"},
		{os.Rename(dir+"/a", dir+"/b"), "cannot rename " + dir + "/a to " + dir + "/b: no such file or directory"},
		{errors.New("other"), "other"},
	} {
		err := System(tt.err)
		if err.Error() != tt.want {
			t.Errorf("%q, want %q", err, tt.want)
		}
		if !errors.Is(err, tt.err) {
			t.Errorf("%q hides what the system said", err)
		}
	}
	if !errors.Is(System(gone), fs.ErrNotExist) {
		t.Error("a file that is not there is not known any more")
	}
	if System(nil) != nil {
		t.Error("no error became one")
	}
}

func TestNearest(t *testing.T) {
	words := []string{"network", "env", "process", "packs", "run"}
	for word, want := range map[string]string{"netwrk": "network", "pack": "packs", "proc": "process", "zzzz": "", "n": "", "rnu": "run"} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}
