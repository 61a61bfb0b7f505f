package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox/sandboxtest"
)

// sessionCall is a call of a run tool in a session.
func sessionCall(id int, language, session, code string) string {
	b, err := json.Marshal(map[string]any{"session": session, "code": code})
	if err != nil {
		panic(err) // of two texts
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run_%s_code","arguments":%s}}`, id, language, b)
}

// TestSessions goes through sessions in both languages over the real server,
// real sandboxes and a real log.
func TestSessions(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	state := sandboxtest.ShortDir(t)
	cmd, in, out := startServer(t, state, "--sessions")
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	for i, step := range []struct{ language, session, code, status, stdout, text string }{
		{"python", "calc", "import os as o\nx = 6", "ok", "", `session "calc"`},
		{"python", "calc", "def f(y):\n    return x * y\nf(7)", "ok", "42\n", ""},
		{"python", "calc", "run = o.system\nrun('id')", "denied", "", "line 1"},
		{"python", "calc", "f(1) + nowhere", "failed", "", "NameError"},
		{"javascript", "js", "const { add } = await Promise.resolve({ add: (a, b) => a + b })", "ok", "", `session "js"`},
		{"javascript", "js", "let total = add(1, 2); total", "ok", "3\n", ""},
		{"javascript", "js", "const p = this.process; p.binding('spawn_sync')", "denied", "", "native-code"},
		{"python", "calc", "open('a.txt', 'w').write(str(f(2)))", "ok", "2\n", "a.txt"},
		{"python", "calc", "while True: pass", "stopped", "", "has ended"},
		{"python", "calc", "x", "failed", "", "NameError"},
		{"javascript", "js", "total", "ok", "3\n", ""},
	} {
		call := sessionCall(i+1, step.language, step.session, step.code)
		if step.status == "stopped" {
			call = strings.Replace(call, `"arguments":{`, `"arguments":{"timeout_seconds":1,`, 1)
		}
		fmt.Fprintln(in, call)
		m := readJSON(t, out)
		result, _ := m["result"].(map[string]any)
		all := fmt.Sprint(result["content"])
		if told(result)["status"] != step.status || !strings.Contains(all, "text:"+strings.TrimSpace(step.stdout)) || !strings.Contains(all, step.text) {
			t.Errorf("%s: %v", step.code, m)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	if left := sandboxesOf(t, state); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	verify := exec.Command("sallyport", "audit", "verify")
	verify.Env = append(verify.Environ(), "XDG_STATE_HOME="+state)
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("audit verify: %v\n%s", err, out)
	}
	tail := exec.Command("sallyport", "audit", "tail", "-n", "100")
	tail.Env = verify.Env
	text, err := tail.CombinedOutput()
	if err != nil || strings.Count(string(text), "  session  ") != 3 || !strings.Contains(string(text), "timeout") {
		t.Errorf("the ends of three sessions: %v\n%s", err, text)
	}
}

// TestSessionsOfEngines holds that a backend without sessions is refused by its
// name, before anything is served.
func TestSessionsOfEngines(t *testing.T) {
	cmd := exec.Command("sallyport", "mcp", "--sessions", "--backend", "docker")
	cmd.Env = append(cmd.Environ(), "XDG_STATE_HOME="+sandboxtest.ShortDir(t), "DOCKER_HOST=unix:///nowhere.sock")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "docker") {
		t.Errorf("%v: %s", err, out)
	}
}

// sandboxTimes returns the processor time that all processes of sandboxes have
// used so far, in clock ticks.
func sandboxTimes(t *testing.T, state string) (ticks int) {
	t.Helper()
	for _, proc := range sandboxesOf(t, state) {
		ticks += processTicks(proc)
	}
	return ticks
}

// TestIdleSessionStandsStill leaves a busy thread in a session and looks at the
// processor time of its sandbox while no cell runs.
func TestIdleSessionStandsStill(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	state := sandboxtest.ShortDir(t)
	cmd, in, out := startServer(t, state, "--sessions", "--warm", "0")
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	fmt.Fprintln(in, sessionCall(1, "python", "a", "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()"))
	if m := readJSON(t, out); strings.Contains(fmt.Sprint(m), "isError") {
		t.Fatal(m)
	}
	waitFor(t, "the end of the parser's sandbox", func() bool { return sandboxesUp(t, state) == 1 })
	const second = 100 // ticks
	waitFor(t, "a second in which nothing runs", func() bool {
		before := sandboxTimes(t, state)
		time.Sleep(time.Second)
		return before > 0 && sandboxTimes(t, state)-before < second/10
	})
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
