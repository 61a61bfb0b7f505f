//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/config"
)

// requireRoot reports whether the test runs as root.
func requireRoot(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("REQUIRE_ROOT") != "" {
		t.Fatal("REQUIRE_ROOT is set and this is not root")
	}
	return os.Geteuid() == 0
}

// A link is only as good as the directory it is in.
func TestTrustOfForeignLink(t *testing.T) {
	if !requireRoot(t) {
		t.Skip("only root can give files away")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	conf, shared := filepath.Join(dir, "conf"), filepath.Join(dir, "elsewhere")
	path := filepath.Join(shared, "l.yaml")
	must(os.Mkdir(conf, 0o755), os.WriteFile(filepath.Join(conf, "sallyport.yaml"), nil, 0o600),
		os.Mkdir(shared, 0o755), os.Chmod(shared, 0o777|os.ModeSticky), os.Symlink(filepath.Join(conf, "sallyport.yaml"), path))
	if err := trusted("configuration", path); err != nil {
		t.Errorf("our own link: %v", err)
	}
	const stranger = 61234 // a user and a group that no test runs as
	must(os.Lchown(path, stranger, stranger))
	if err := trusted("configuration", path); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("somebody else's link in a sticky directory: %v", err)
	}
	// What is opened is what was looked at: .. goes up from where a link leads.
	must(os.Chmod(conf, 0o777))
	if err := trusted("configuration", path+"/../x"); err == nil {
		t.Error("a path through somebody else's link is trusted")
	}
}

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
