package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func newKey(t testing.TB) (string, ed25519.PrivateKey, ed25519.PublicKey) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.key")
	pub, err := GenerateKey(path)
	check(t, err)
	key, err := LoadKey(path)
	check(t, err)
	return path, key, pub
}

func TestKeys(t *testing.T) {
	path, key, pub := newKey(t)
	if !pub.Equal(key.Public()) {
		t.Error("LoadKey() is not the key that GenerateKey made")
	}
	loaded, err := LoadPublicKey(path + ".pub")
	if err != nil || !pub.Equal(loaded) {
		t.Errorf("LoadPublicKey() = %v, %v", loaded, err)
	}
	if _, err := GenerateKey(path); err == nil {
		t.Error("GenerateKey() overwrites a key")
	}
	if _, err := LoadKey(path + ".pub"); err == nil {
		t.Error("LoadKey() takes a public key")
	}
	check(t, os.Chmod(path, 0o640))
	if _, err := LoadKey(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("LoadKey() = %v for a key that others can read", err)
	}
}

func loadCheckpoints(t testing.TB, path string) []Checkpoint {
	t.Helper()
	list, bad, err := LoadCheckpoints(path)
	if err != nil || bad != 0 {
		t.Fatalf("LoadCheckpoints() = %d bad, %v", bad, err)
	}
	return list
}

func TestCheckpoints(t *testing.T) {
	_, key, pub := newKey(t)
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, Key: key, CheckpointEvery: 10})
	appendN(t, l, 25)
	check(t, l.Close())
	list := loadCheckpoints(t, filepath.Join(dir, checkpointName))
	var seqs []uint64
	for _, c := range list {
		seqs = append(seqs, c.Seq)
	}
	if len(seqs) != 3 || seqs[0] != 10 || seqs[1] != 20 || seqs[2] != 25 {
		t.Errorf("checkpoints at %v, want 10, 20, 25", seqs)
	}
	r, err := VerifyAgainst(dir, Trust{Keys: []ed25519.PublicKey{pub}, Checkpoints: list})
	if err != nil || !r.OK() || r.Checkpoints != 6 || r.Signed != 25 {
		t.Errorf("VerifyAgainst() = %+v, %v", r, err)
	}
	if r := mustVerify(t, dir); !r.OK() || r.Signed != 0 || len(r.Warnings) != 1 {
		t.Errorf("Verify() = %+v, want no signature taken as checked", r)
	}
}

// A thief of the log rewrites it whole: the chain is in order, only the
// signatures tell.
func TestCheckpointsTellAForgedLog(t *testing.T) {
	_, key, pub := newKey(t)
	_, thief, _ := newKey(t)
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, Key: key, CheckpointEvery: 10})
	appendN(t, l, 30)
	check(t, l.Close())
	elsewhere := loadCheckpoints(t, filepath.Join(dir, checkpointName))
	names, err := segments(dir)
	check(t, err)
	segment := filepath.Join(dir, names[0])
	whole, err := os.ReadFile(segment)
	check(t, err)
	ownFile, err := os.ReadFile(filepath.Join(dir, checkpointName))
	check(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	trust := Trust{Keys: []ed25519.PublicKey{pub}}

	tests := map[string]struct {
		forge func(t *testing.T)
		trust Trust
		want  string
	}{
		"tail cut, own checkpoints there": {func(t *testing.T) {
			check(t, os.WriteFile(segment, []byte(strings.Join(lines[:25], "")), 0o600))
		}, trust, "its end was cut off"},
		"tail cut, own checkpoints deleted": {func(t *testing.T) {
			check(t, os.WriteFile(segment, []byte(strings.Join(lines[:25], "")), 0o600))
			check(t, os.Remove(filepath.Join(dir, checkpointName)))
		}, Trust{Keys: trust.Keys, Checkpoints: elsewhere}, "its end was cut off"},
		"rewritten": {func(t *testing.T) {
			check(t, os.RemoveAll(dir))
			l := openLog(t, Options{Dir: dir})
			appendN(t, l, 30)
			check(t, l.Close())
		}, Trust{Keys: trust.Keys, Checkpoints: elsewhere}, "is not the one that the checkpoint"},
		"rewritten and signed with another key": {func(t *testing.T) {
			check(t, os.RemoveAll(dir))
			l := openLog(t, Options{Dir: dir, Key: thief})
			appendN(t, l, 30)
			check(t, l.Close())
		}, trust, "unknown key"},
		"checkpoint changed": {func(t *testing.T) {
			changed := strings.Replace(string(ownFile), `"seq":10`, `"seq":11`, 1)
			check(t, os.WriteFile(filepath.Join(dir, checkpointName), []byte(changed), 0o600))
		}, trust, "is wrong"},
		"a record removed and all after it chained anew": {func(t *testing.T) {
			check(t, os.RemoveAll(dir))
			l := openLog(t, Options{Dir: dir})
			appendN(t, l, 29)
			check(t, l.Close())
			check(t, os.WriteFile(filepath.Join(dir, checkpointName), ownFile, 0o600))
		}, trust, "is not the one that the checkpoint"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			check(t, os.MkdirAll(dir, 0o700))
			check(t, os.WriteFile(segment, whole, 0o600))
			check(t, os.WriteFile(filepath.Join(dir, checkpointName), ownFile, 0o600))
			if r, err := VerifyAgainst(dir, trust); err != nil || !r.OK() {
				t.Fatalf("the log is not intact before: %v, %v", r.Problems, err)
			}
			tt.forge(t)
			r, err := VerifyAgainst(dir, tt.trust)
			check(t, err)
			for _, p := range r.Problems {
				if strings.Contains(p.Detail, tt.want) {
					return
				}
			}
			t.Errorf("problems %v, want one with %q", r.Problems, tt.want)
		})
	}
}

func TestCheckpointFailureStopsTheLog(t *testing.T) {
	_, key, _ := newKey(t)
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, Key: key, CheckpointEvery: 2, Checkpoints: filepath.Join(dir, "gone", "checkpoints")})
	appendN(t, l, 1)
	for range 2 {
		if _, err := l.Append(t.Context(), decision(1)); err == nil || !strings.Contains(err.Error(), "writing the checkpoint") {
			t.Fatalf("Append() = %v, want the checkpoint's failure", err)
		}
	}
	check(t, os.Mkdir(filepath.Join(dir, "gone"), 0o700))
	appendN(t, l, 1)
}

func TestCheckpointLineCutShort(t *testing.T) {
	_, key, pub := newKey(t)
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, Key: key})
	appendN(t, l, 1)
	path := filepath.Join(dir, checkpointName)
	check(t, os.WriteFile(path, []byte(`{"version":"checkpo`), 0o600))
	if _, err := l.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := VerifyAgainst(dir, Trust{Keys: []ed25519.PublicKey{pub}})
	if err != nil || !r.OK() || r.Signed != 1 || len(r.Warnings) != 1 {
		t.Errorf("VerifyAgainst() = %+v, %v", r, err)
	}
}

// An auditor needs no program of ours to check a signature.
func TestOpenSSLVerifiesCheckpoint(t *testing.T) {
	requireTool(t, "openssl")
	path, key, _ := newKey(t)
	c := sign(key, link{seq: 7, hash: strings.Repeat("ab", 32)}, time.Now())
	sig, err := base64.StdEncoding.DecodeString(c.Signature)
	check(t, err)
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "sig"), sig, 0o600))
	verify := func(text string) ([]byte, error) {
		check(t, os.WriteFile(filepath.Join(dir, "text"), []byte(text), 0o600))
		return exec.Command("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", path+".pub", "-rawin",
			"-in", filepath.Join(dir, "text"), "-sigfile", filepath.Join(dir, "sig")).CombinedOutput()
	}
	if out, err := verify(c.Text()); err != nil {
		t.Errorf("openssl refuses the signature: %v\n%s", err, out)
	}
	if out, err := verify(c.Text() + " "); err == nil {
		t.Errorf("openssl accepts another text:\n%s", out)
	}
}

// requireTool skips a test that needs a program, or fails it when
// REQUIRE_<NAME>=1 says that the program must be there.
func requireTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("REQUIRE_"+strings.ToUpper(name)) == "1" {
		t.Fatalf("%s is not installed and REQUIRE_%s is set", name, strings.ToUpper(name))
	}
	t.Skipf("%s is not installed", name)
}

// Keys say nothing of a log that they signed nothing of, and its reader has to know.
func TestVerifyWithoutACheckpoint(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	_, err := l.Append(t.Context(), decision(1))
	check(t, err)
	check(t, l.Close())
	public, _, err := ed25519.GenerateKey(nil)
	check(t, err)
	r, err := VerifyAgainst(dir, Trust{Keys: []ed25519.PublicKey{public}})
	check(t, err)
	if !r.OK() || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "no checkpoint") {
		t.Errorf("%+v", r)
	}
}
