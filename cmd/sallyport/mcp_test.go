package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sallyport/sandbox/sandboxtest"
)

const (
	mcpInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`
	mcpForever    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"timeout_seconds":600,"code":"import time; time.sleep(900)"}}}`
	mcpHello      = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"print('hello')"}}}`
)

// clientProcess is an MCP client that can be killed: it starts the server,
// begins endless runs, says the server's process id, and reads on. With
// "hold" another process keeps the server's input open; with "sessions" two of
// the sandboxes are of sessions that wait for the next cell.
func clientProcess() {
	mode := strings.Join(os.Args[1:], "")
	server := exec.Command("sallyport", "mcp", "--sessions")
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := server.Start(); err != nil {
		panic(err)
	}
	if mode == "hold" {
		holder := exec.Command("sleep", "600")
		holder.ExtraFiles = []*os.File{in.(*os.File)}
		if err := holder.Start(); err != nil {
			panic(err)
		}
		// Whoever kills this process looks after that one.
		fmt.Println(holder.Process.Pid)
	}
	fmt.Fprintln(in, mcpInitialize)
	runs := 3
	if mode == "sessions" {
		fmt.Fprintln(in, sessionCall(1, "python", "a", "x = 1"))
		fmt.Fprintln(in, sessionCall(2, "javascript", "b", "let x = 1"))
		for answers := bufio.NewReader(out); runs > 0; runs-- { // that of initialize, too
			if _, err := answers.ReadString('\n'); err != nil {
				panic(err)
			}
		}
		runs = 1
	}
	for i := range runs {
		fmt.Fprintln(in, strings.Replace(mcpForever, `"id":1`, `"id":`+strconv.Itoa(10+i), 1))
	}
	fmt.Println(server.Process.Pid)
	io.Copy(io.Discard, out)
}

// TestKilledClient: nothing of a server is left when its client was killed, also
// when somebody else holds its input open.
func TestKilledClient(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	for _, mode := range []string{"", "hold", "sessions"} {
		t.Run("mode="+mode, func(t *testing.T) {
			t.Parallel()
			state := sandboxtest.ShortDir(t)
			client := exec.Command("mcpclient", mode)
			write(t, filepath.Join(state, "config", "sallyport", "sallyport.yaml"), "limits: {timeout: 10m}\n")
			client.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+filepath.Join(state, "config"))
			client.Stderr = os.Stderr
			out, err := client.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Start(); err != nil {
				t.Fatal(err)
			}
			said := bufio.NewReader(out)
			if mode == "hold" {
				line, err := said.ReadString('\n')
				holder, aerr := strconv.Atoi(strings.TrimSpace(line))
				if err := errors.Join(err, aerr); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = syscall.Kill(holder, syscall.SIGKILL) })
			}
			line, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			server, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			running(t, state, 3)
			client.Process.Kill()
			client.Wait()
			killed := time.Now()
			// Their programs go on for ten minutes by themselves.
			waitFor(t, "server and sandboxes gone", func() bool {
				return !alive(server) && len(sandboxesOf(t, state)) == 0
			})
			t.Logf("all gone %s after the client was killed", time.Since(killed).Round(time.Millisecond))
		})
	}
}

// waitFor waits for what must come; how long that takes is not the question.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	const hang = 5 * time.Minute
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > hang {
			t.Fatalf("not within %s: %s", hang, what)
		}
	}
}

// alive says whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// running waits until n sandboxes are up, not only being prepared.
func running(t *testing.T, state string, n int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("%d sandboxes run", n), func() bool { return sandboxesUp(t, state) >= n })
}

// sandboxesUp counts the sandboxes that are up.
func sandboxesUp(t *testing.T, state string) (up int) {
	t.Helper()
	for _, proc := range sandboxesOf(t, state) {
		if b, err := os.ReadFile(proc + "/cmdline"); err == nil && strings.Contains(string(b), "\x00boot\x00") {
			up++
		}
	}
	return up
}

// peakMemory is the most memory that a process has had, in KiB.
func peakMemory(t *testing.T, pid int) (kib int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// sandboxesOf returns the processes of sandboxes whose state is under dir.
func sandboxesOf(t *testing.T, dir string) []string {
	t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range procs {
		if b, err := os.ReadFile(p); err == nil && strings.Contains(string(b), dir) {
			out = append(out, filepath.Dir(p))
		}
	}
	return out
}

// startServer starts the real server for a test that speaks to it itself.
func startServer(t testing.TB, state string, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sallyport", append([]string{"mcp"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewReader(out)
}

// TestStdoutIsTheProtocol looks at the descriptors of a serving process: its
// descriptor 1 is standard error, the protocol is on another one, and no
// process of a sandbox has that one.
func TestStdoutIsTheProtocol(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	if !requireRoot(t) {
		t.Skip("only root can look into a process that keeps others out")
	}
	state := sandboxtest.ShortDir(t)
	cmd, in, out := startServer(t, state)
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	fmt.Fprintln(in, mcpForever)
	running(t, state, 1)

	fd := func(proc, n string) string {
		s, _ := os.Readlink(filepath.Join(proc, "fd", n))
		return s
	}
	self := fmt.Sprintf("/proc/%d", cmd.Process.Pid)
	if fd(self, "1") == "" || fd(self, "1") != fd(self, "2") {
		t.Errorf("descriptor 1 is %s, standard error is %s", fd(self, "1"), fd(self, "2"))
	}
	protocol := protocolPipe(t, self)
	for _, proc := range sandboxesOf(t, state) {
		fds, _ := filepath.Glob(proc + "/fd/*")
		for _, f := range fds {
			if s, _ := os.Readlink(f); s == protocol {
				t.Errorf("%s has the protocol's descriptor", proc)
			}
		}
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	fmt.Fprintln(in, mcpHello)
	if m := readJSON(t, out); m["id"] != 2.0 {
		t.Errorf("answer = %v", m)
	}
	in.Close()
	if rest, _ := io.ReadAll(out); len(rest) > 0 {
		t.Errorf("after the last answer: %q", rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
}

// protocolPipe returns the pipe that a serving process has open for writing
// besides standard output and error and what its own runtime uses.
func protocolPipe(t *testing.T, proc string) string {
	t.Helper()
	fds, err := filepath.Glob(proc + "/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{}
	mine, _ := filepath.Glob("/proc/self/fd/*")
	for _, f := range mine {
		s, _ := os.Readlink(f)
		ours[s] = true
	}
	for _, f := range fds {
		s, _ := os.Readlink(f)
		info, _ := os.ReadFile(proc + "/fdinfo/" + filepath.Base(f))
		n, _ := strconv.Atoi(filepath.Base(f))
		// O_WRONLY and O_CLOEXEC: opened by takeStdout. We read from it.
		if n > 2 && strings.HasPrefix(s, "pipe:") && strings.Contains(string(info), "flags:\t02000001") && ours[s] {
			return s
		}
	}
	t.Fatal("no pipe for the protocol among the descriptors")
	return ""
}

func readJSON(t testing.TB, r *bufio.Reader) map[string]any {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("not a message: %q", line)
	}
	return m
}

// TestTakeStdout prints to standard output after it was taken away.
func TestTakeStdout(t *testing.T) {
	r, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := takeStdout(&outWriter{w: stdout})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(stdout, "(a library prints)")
	fmt.Fprint(protocol, "{}")
	protocol.(*os.File).Close()
	stdout.Close()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "{}" {
		t.Errorf("on the protocol's pipe: %q", got)
	}
}

// TestServerJSON holds what the registry of MCP servers wants of server.json.
func TestServerJSON(t *testing.T) {
	b, err := os.ReadFile("../../server.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Name, Description, Version string }
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	if s.Version != version() {
		t.Errorf("server.json says version %s, this is %s", s.Version, version())
	}
	if strings.Count(s.Name, "/") != 1 || len(s.Description) == 0 || len(s.Description) > 100 {
		t.Errorf("name %q, description of %d bytes", s.Name, len(s.Description))
	}
}

// TestManyRealCalls sends 200 calls to real sandboxes all at once: each is
// answered under its own id with its own output, the server takes no more
// memory and no more sandboxes for it than it may, and nothing is left.
func TestManyRealCalls(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	state := sandboxtest.ShortDir(t)
	const calls, parallel, warm = 32, 4, 1
	cmd, in, out := startServer(t, state, "--parallel", strconv.Itoa(parallel), "--warm", strconv.Itoa(warm), "--warm-mb", "0") // no more than warm ever wait
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	most := 0
	go func() {
		for i := range calls {
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"print(%d * 7)"}}}`+"\n", 100+i, i)
		}
	}()
	seen := map[float64]bool{}
	for range calls {
		m := readJSON(t, out)
		most = max(most, sandboxesUp(t, state))
		id, _ := m["id"].(float64)
		result, _ := m["result"].(map[string]any)
		if want := fmt.Sprintf("text:%.0f type", (id-100)*7); !strings.Contains(fmt.Sprint(result["content"]), want) {
			t.Fatalf("call %v: %v, want the output %q", id, m, want)
		}
		seen[id] = true
	}
	if len(seen) != calls {
		t.Errorf("%d different calls were answered, want %d", len(seen), calls)
	}
	// One waits, one more is being started, and as many as run may be going.
	if most > 2*parallel+warm+1 {
		t.Errorf("%d sandboxes at once", most)
	}
	peak := peakMemory(t, cmd.Process.Pid)
	if peak > 256<<10 {
		t.Errorf("the server took %d KiB", peak)
	}
	t.Logf("at most %d sandboxes, %d KiB of memory", most, peak)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	if left := sandboxesOf(t, state); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// told is what a result tells programs.
func told(result map[string]any) map[string]any {
	meta, _ := result["_meta"].(map[string]any)
	t, _ := meta["sallyport/result"].(map[string]any)
	return t
}
