package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// A rule that nothing stops costs a server its life and nobody an answer: the
// call is denied, and the process ends although its client goes on speaking.
func TestHungPolicyEndsTheServer(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	dir := filepath.Join(t.TempDir(), "hanging")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	rule := "package sallyport.rules.acme\n\n# METADATA\n# title: Hangs\n# custom: {id: acme/hangs}\ndeny contains {\"rule\": \"acme/hangs\", \"message\": \"m\"} if {\n\tx0 := [1]\n"
	for i := range 60 { // a list that is shared within itself
		rule += fmt.Sprintf("\tx%d := [x%d, x%d]\n", i+1, i, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.rego"), []byte(rule+"\tcount(x60) == 3\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, in, out := startServer(t, sandboxtest.ShortDir(t), "--policy", dir, "--warm", "0")
	defer in.Close()
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"check_code","arguments":{"language":"python","code":"print(1)"}}}`)
	if answer := fmt.Sprint(readJSON(t, out)); !strings.Contains(answer, "policy_timeout") {
		t.Errorf("answer: %s", answer)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the server ended with %v", err)
	}
}
