package sandboxtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Again runs tests of the caller's package once more as another user. They find
// copies of programs in a directory beside their own, each under the name that it
// is mapped to; env is what they are given besides a TMPDIR, which is dir/tmp.
func Again(t *testing.T, uid, gid int, tests string, programs map[string]string, env func(dir string) []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "again")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test, tmp := filepath.Join(dir, "test"), filepath.Join(dir, "tmp")
	CopyProgram(t, self, test)
	for from, to := range programs {
		CopyProgram(t, from, filepath.Join(dir, to))
	}
	if err := errors.Join(os.Mkdir(tmp, 0o700), os.Chown(tmp, uid, gid), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(test, fmt.Sprintf("-test.v=%t", testing.Verbose()), "-test.timeout=20m", "-test.run="+tests)
	cmd.Dir = tmp
	cmd.Env = append(env(dir), "TMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
