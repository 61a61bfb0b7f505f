package oci

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestRootless runs tests of this package again as an ordinary user who has a
// subordinate user for programs.
func TestRootless(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Log("already an ordinary user")
		return
	}
	name, uid, gid := requireSubordinate(t)
	sandboxtest.Again(t, uid, gid, "^(TestHello|TestConformance|TestEgress|TestMode|TestReap|TestVictim)$", map[string]string{guest: "guest"}, func(dir string) []string {
		return []string{"PATH=/usr/bin:/bin", "USER=" + name, "HOME=" + filepath.Join(dir, "tmp"), "SALLYPORT_TEST_GUEST=" + filepath.Join(dir, "guest"), "REQUIRE_OCI=" + os.Getenv("REQUIRE_OCI"), "ROWS_ALL=" + os.Getenv("ROWS_ALL")}
	})
}

// requireSubordinate is a user of this machine to whom its administrator gave
// others, which .ci/services makes sure of.
func requireSubordinate(t *testing.T) (name string, uid, gid int) {
	t.Helper()
	data, _ := os.ReadFile("/etc/subuid")
	for line := range strings.Lines(string(data)) {
		name, _, _ := strings.Cut(line, ":")
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		if _, err := subordinate("/etc/subgid", u.Username, u.Uid); err != nil {
			continue
		}
		uid, uerr := strconv.Atoi(u.Uid)
		gid, gerr := strconv.Atoi(u.Gid)
		if errors.Join(uerr, gerr) == nil && uid != 0 {
			return u.Username, uid, gid
		}
	}
	if os.Getenv("REQUIRE_OCI") == "1" {
		t.Fatal("REQUIRE_OCI=1: no user has subordinate users: useradd --system --add-subids-for-system sallyport-test")
	}
	t.Skip("requires a user with subordinate users")
	return "", 0, 0
}

// TestMode: what is published fits who runs it.
func TestMode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		d := open(t, o).Describe()
		want := "rootless"
		if os.Geteuid() == 0 {
			want = "root"
		}
		if d.Mode != want || strings.Contains(d.Controls[sandbox.ControlUser], "user namespace") != (want == "rootless") {
			t.Errorf("mode %q, user %q, want %s", d.Mode, d.Controls[sandbox.ControlUser], want)
		}
		t.Log(d.Controls[sandbox.ControlMemory])
	})
}
