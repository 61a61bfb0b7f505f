package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"sallyport/internal/golden"
)

func TestMain(m *testing.M) {
	os.Unsetenv("GOGC") // of scripts/gotest: what is started here is as its users have it
	testscript.Main(m, map[string]func(){
		"sallyport": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
		},
		"mcpclient": clientProcess,
	})
}

// TestScript runs every command line under testdata/script with the real
// program: the state directory is the script's own, runsc the one on PATH.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		WorkdirRoot:         scriptDir(t),
		Dir:                 "../../testdata/script",
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Not below the script's directory, whose name is too long for the
			// sockets of a sandbox.
			state, err := os.MkdirTemp("/tmp", "sp")
			if err != nil {
				return err
			}
			env.Defer(func() {
				if err := os.RemoveAll(state); err != nil {
					t.Errorf("removing the state of a script: %v", err)
				}
			})
			env.Setenv("XDG_STATE_HOME", state)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("DEMO", mustAbs(t, "../../testdata/demo"))
			env.Setenv("GUEST", requireOCI(t))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			// Scripts that run programs stand behind [runsc]; where it is
			// missing they say so, and fail when it is required.
			switch cond {
			case "runsc":
				return requireRunsc(t), nil
			case "oci":
				return requireOCI(t) != "", nil
			}
			return false, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode":    exitcode,
			"noleft":      noleft,
			"genkey":      genkey,
			"waitsandbox": waitsandbox,
			"waittext":    waittext,
			"pick":        pick,
		},
	})
}

// scriptDir returns the directory of all scripts. Testscript's own stays behind
// when only some of the scripts run.
func scriptDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "script")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// What a script made read-only can go, too.
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, 0o700)
			}
			return err
		})
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// exitcode N CMD ARGS... runs a command and wants exactly exit code N; its
// output is compared by the stdout and stderr commands as after exec. The word
// "<FILE" at the end names the standard input.
func exitcode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N cmd [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var exit *exec.ExitError
		if !asExit(err, &exit) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if want := args[0]; want != itoa(got) {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// noleft DIR wants nothing left of the sandboxes whose state is under DIR: no
// process, no mount, no directory of an instance.
func noleft(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: noleft dir")
	}
	dir := ts.MkAbs(args[0])
	if p := processOf(ts, dir); p != "" {
		ts.Fatalf("left running: %s", p)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	ts.Check(err)
	if strings.Contains(string(mounts), dir) {
		ts.Fatalf("left mounted below %s", dir)
	}
	live, err := filepath.Glob(filepath.Join(dir, "sallyport/sandbox/live-*"))
	ts.Check(err)
	if len(live) > 0 {
		ts.Fatalf("left on disk: %v", live)
	}
}

// waitsandbox DIR waits until a sandbox runs whose state is under DIR.
func waitsandbox(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitsandbox dir")
	}
	dir := ts.MkAbs(args[0])
	for range 6000 {
		if processOf(ts, dir) != "" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("no sandbox came up under %s", dir)
}

// waittext FILE TEXT waits until a file that is being written has a text in it.
func waittext(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waittext file text")
	}
	for range 6000 {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(data), args[1]) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s never had %q", args[0], args[1])
}

// pick VAR FILE TEXT sets a variable to the word behind a text in a file.
func pick(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: pick var file text")
	}
	_, rest, found := strings.Cut(ts.ReadFile(args[1]), args[2])
	words := strings.Fields(rest)
	if !found || len(words) == 0 {
		ts.Fatalf("%s has nothing behind %q", args[1], args[2])
	}
	ts.Setenv(args[0], words[0])
}

// processOf returns the command line of a process that names dir, or "".
func processOf(ts *testscript.TestScript, dir string) string {
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, p := range procs {
		if b, err := os.ReadFile(p); err == nil && strings.Contains(string(b), dir) {
			return strings.ReplaceAll(string(b), "\x00", " ")
		}
	}
	return ""
}

// genkey NAME writes the two halves of a new key pair, NAME.key and NAME.pem.
func genkey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: genkey name")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	private, err := x509.MarshalECPrivateKey(key)
	ts.Check(err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	ts.Check(err)
	for _, f := range []struct {
		name, kind string
		der        []byte
	}{{args[0] + ".key", "EC PRIVATE KEY", private}, {args[0] + ".pem", "PUBLIC KEY", public}} {
		ts.Check(os.WriteFile(ts.MkAbs(f.name), pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.der}), 0o600))
	}
}
