//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/config"
)

func TestSearchPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"home/project/bin", "home/.local/bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "home/project/bin"), filepath.Join(dir, "tools")); err != nil {
		t.Fatal(err)
	}
	path := strings.NewReplacer("DIR", dir).Replace("/usr/bin:.::bin:./bin:DIR/home/project:DIR/home/project/bin:DIR/tools:DIR/home/.local/bin:DIR/nowhere:/bin/../bin")
	for _, tt := range []struct{ wd, want string }{
		{"home/project", "/usr/bin:DIR/home/.local/bin:/bin/../bin"},
		{"home", "/usr/bin:DIR/home/project:DIR/home/project/bin:DIR/tools:DIR/home/.local/bin:/bin/../bin"},
		{"home/project/bin", "/usr/bin:DIR/home/project:DIR/home/.local/bin:/bin/../bin"},
	} {
		t.Chdir(filepath.Join(dir, tt.wd))
		setup := With(config.Config{}, Options{Env: func(name string) (string, bool) {
			v, ok := map[string]string{"PATH": path, "HOME": filepath.Join(dir, "home")}[name]
			return v, ok
		}})
		if got, want := setup.SearchPath(), strings.ReplaceAll(tt.want, "DIR", dir); got != want {
			t.Errorf("in %s:\n%s\nwant\n%s", tt.wd, got, want)
		}
	}
}
