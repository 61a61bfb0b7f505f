//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if err := Path("configuration", path); err != nil {
		t.Errorf("our own link: %v", err)
	}
	const stranger = 61234 // a user and a group that no test runs as
	must(os.Lchown(path, stranger, stranger))
	if err := Path("configuration", path); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("somebody else's link in a sticky directory: %v", err)
	}
	// What is opened is what was looked at: .. goes up from where a link leads.
	must(os.Chmod(conf, 0o777))
	if err := Path("configuration", path+"/../x"); err == nil {
		t.Error("a path through somebody else's link is trusted")
	}
}
