package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// requireStrace reports whether strace is there. Where it is not, its tests are
// left out, unless REQUIRE_STRACE says that this is a failure.
func requireStrace(t *testing.T) bool {
	t.Helper()
	_, err := exec.LookPath("strace")
	if err != nil && os.Getenv("REQUIRE_STRACE") != "" {
		t.Fatal("REQUIRE_STRACE is set and there is no strace: scripts/need test")
	}
	return err == nil
}

var (
	tracedWrite = regexp.MustCompile(`(?:write|writev|pwrite64|sendto|sendmsg)\((\d+)<([^>]*)>, (.*)`)
	tracedDup   = regexp.MustCompile(`dup[23]\((\d+)<([^>]*)>, 1<`)
)

// TestTracedStdout looks at the system calls of a serving process: from the
// moment on that descriptor 1 is moved away nothing is written to it but what
// goes to standard error, and what is written to the client's pipe is one
// JSON-RPC message after the other, all of which the client has read.
func TestTracedStdout(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	if !requireStrace(t) || !requireRoot(t) {
		t.Skip("requireStrace, requireRoot: only root can trace a process that keeps others out")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	// The processes of sandboxes are let go where they begin: gVisor traces its
	// own, and they do not have the pipe (TestStdoutIsTheProtocol).
	cmd := exec.Command("strace", "-f", "-b", "execve", "-y", "-s", "1000000", "-o", trace,
		"-e", "trace=write,writev,pwrite64,sendto,sendmsg,dup2,dup3", "sallyport", "mcp", "--sessions", "--warm", "0")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+sandboxtest.ShortDir(t))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	pipe, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", w.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	out := bufio.NewReader(io.TeeReader(r, io.Discard))
	var got bytes.Buffer
	for i, line := range []string{mcpInitialize, mcpHello, sessionCall(3, "javascript", "a", "console.log('hello')"),
		strings.Replace(mcpHello, "print('hello')", "import os; os.system('id')", 1), `{"jsonrpc":"2.0",`} {
		fmt.Fprintln(in, line)
		answer, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		got.WriteString(answer)
	}
	in.Close()
	rest, err := io.ReadAll(out)
	if err != nil || len(rest) > 0 {
		t.Errorf("after the last answer: %q %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	sent, moved := tracedWrites(t, trace, pipe)
	if !moved {
		t.Error("descriptor 1 was never moved away: the trace shows nothing")
	}
	if sent != got.String() {
		t.Errorf("written to the client's pipe:\n%s\nread by the client:\n%s", sent, &got)
	}
	for _, line := range strings.Split(strings.TrimSuffix(sent, "\n"), "\n") {
		var m struct{ JSONRPC string }
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("not a message: %q", line)
		}
	}
}

// tracedWrites returns what a trace says was written to a pipe, and whether
// descriptor 1 was made something else. Writes to descriptor 1 while it still
// is that pipe are errors.
func tracedWrites(t *testing.T, trace, pipe string) (sent string, moved bool) {
	t.Helper()
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if m := tracedDup.FindStringSubmatch(line); m != nil && m[2] != pipe {
			moved = true
		}
		if m := tracedWrite.FindStringSubmatch(line); m != nil {
			if m[1] == "1" {
				t.Errorf("a write to descriptor 1: %.200s", line)
			}
			if m[2] == pipe {
				text, uerr := strconv.QuotedPrefix(m[3])
				if uerr != nil {
					t.Fatalf("no text in %.200s", line)
				}
				text, _ = strconv.Unquote(text)
				sent += text
			}
		}
		if err != nil {
			return sent, moved
		}
	}
}

// processTicks is the processor time of a process, from its directory in /proc.
func processTicks(proc string) int {
	b, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return user + system
}
