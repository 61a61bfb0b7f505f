package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sallyport": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
		},
	})
}

// TestScript runs every command line under testdata/script with the real
// program: the state directory is the script's own, runsc the one on PATH.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("DEMO", mustAbs(t, "../../testdata/demo"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			// Scripts that run programs stand behind [runsc]; where it is
			// missing they say so, and fail when it is required.
			if cond != "runsc" {
				return false, nil
			}
			return requireRunsc(t), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitcode,
			"noleft":   noleft,
		},
	})
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

// noleft DIR wants no process of a sandbox whose state is under DIR.
func noleft(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: noleft dir")
	}
	dir := ts.MkAbs(args[0])
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, p := range procs {
		if b, err := os.ReadFile(p); err == nil && strings.Contains(string(b), dir) {
			ts.Fatalf("left running: %s", strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	ts.Check(err)
	if strings.Contains(string(mounts), dir) {
		ts.Fatalf("left mounted below %s", dir)
	}
}
