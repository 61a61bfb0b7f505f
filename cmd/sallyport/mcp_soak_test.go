package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sallyport/sandbox/sandboxtest"
)

// soakKind is one way in which clients use, or misuse, a server.
type soakKind struct {
	name string
	tool string         // "" for a line that is no call
	args map[string]any // of the call
	line string         // sent as it is, answered without an id
	want string         // "status reason", others after bars, or the error code of a line
	drop bool           // cancelled by the client, which gets no answer
}

// soakKinds are what a model does on good and bad days. The client's programs
// bring their own limits, so that the endless ones end soon. The files are many
// enough to fill what a session keeps of them in the first stage of a soak.
func soakKinds() []soakKind {
	huge := "x = 0\n" + strings.Repeat("x = x + 1  # a long program\n", 20_000)
	run := func(name, code, want string, more ...any) soakKind {
		k := soakKind{name: name, tool: "run_python_code", args: map[string]any{"code": code}, want: want}
		for i := 0; i+1 < len(more); i += 2 {
			k.args[more[i].(string)] = more[i+1]
		}
		return k
	}
	js := func(name, code, want string) soakKind {
		return soakKind{name: name, tool: "run_javascript_code", args: map[string]any{"code": code}, want: want}
	}
	return []soakKind{
		run("good", "print(sum(range(100)))", "ok exited"),
		js("good JavaScript", "console.log([1,2,3].map(x => x * 2))", "ok exited"),
		run("denied", "import subprocess\nsubprocess.run(['id'])", "denied policy"),
		run("endless", "while True: pass", "stopped timeout", "timeout_seconds", 0.5),
		run("huge", huge+"print(x)", "ok exited|denied analysis_incomplete|denied policy_timeout"), // as busy as the machine is
		run("too huge", strings.Repeat(huge, 3), "denied source_refused"),
		run("not understood", "def (:\n", "denied syntax_error"),
		// Where the machine is busy, its time to be read may be over first.
		run("nested", strings.Repeat("[", 50_000), "denied syntax_error|denied analysis_incomplete"),
		run("talks", "print('x' * 200_000)", "ok exited"),
		run("fails", "raise SystemExit(3)", "failed exited"),
		js("denied JavaScript", "require('child_process').execSync('id')", "denied policy"),
		run("eats memory", "a = []\nwhile True: a.append(bytes(10_000_000))", "", "memory_mb", 128),
		run("leaves files", "for i in range(5): open(f'f{i}.txt', 'w').write('x' * 1_500_000)", "ok exited"),
		run("brings files", "print(open('in.txt').read())", "ok exited", "files", []any{map[string]any{"path": "in.txt", "content": strings.Repeat("y", 100_000)}}),
		{name: "check", tool: "check_code", args: map[string]any{"language": "javascript", "code": "eval(process.argv[2])"}, want: "deny policy"},
		run("unknown argument", "print(1)", "refused arguments", "network", true),
		run("cancelled", "while True: pass", "", "timeout_seconds", 20),
		{name: "no JSON", line: `{"jsonrpc":"2.0","id":`, want: "-32700"},
		{name: "a batch", line: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, want: "-32600"},
	}
}

// soakClient speaks to one server and matches its answers to its calls.
type soakClient struct {
	t  *testing.T
	in io.Writer

	mu      sync.Mutex // guards the fields below, and writing to in
	waiting map[int]chan map[string]any
	lines   chan map[string]any // answers without an id
	next    int

	slow atomic.Int64 // calls whose sandbox did not come up in time
}

// listen takes the server's messages until they end.
func (c *soakClient) listen(out *bufio.Reader) {
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return
		}
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("not a message: %.200q", line)
			return
		}
		id, ok := m["id"].(float64)
		if !ok {
			if m["error"] != nil {
				c.lines <- m
			}
			continue
		}
		c.mu.Lock()
		to := c.waiting[int(id)]
		delete(c.waiting, int(id))
		c.mu.Unlock()
		if to == nil {
			c.t.Errorf("an answer to nothing that was asked: %.300s", line)
			continue
		}
		to <- m
	}
}

func (c *soakClient) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.in.Write(append(b, '\n')); err != nil {
		c.t.Errorf("the server no longer reads: %v", err)
	}
}

// call makes one call and returns what became of it.
func (c *soakClient) call(k soakKind) string {
	c.mu.Lock()
	c.next++
	id, answer := c.next, make(chan map[string]any, 1)
	if !k.drop {
		c.waiting[id] = answer
	}
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": k.tool, "arguments": k.args}})
	if k.drop {
		time.Sleep(time.Duration(id%7) * 50 * time.Millisecond)
		c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
		return ""
	}
	select {
	case m := <-answer:
		result, _ := m["result"].(map[string]any)
		s := told(result)
		return fmt.Sprint(cmp.Or(s["status"], s["effect"]), " ", s["reason"])
	case <-time.After(10 * time.Minute):
		return "no answer"
	}
}

// line sends one that is no call and returns the code of the error.
func (c *soakClient) line(text string) string {
	c.mu.Lock()
	_, err := fmt.Fprintln(c.in, text)
	c.mu.Unlock()
	if err != nil {
		return err.Error()
	}
	select {
	case m := <-c.lines:
		e, _ := m["error"].(map[string]any)
		return fmt.Sprint(e["code"])
	case <-time.After(10 * time.Minute):
		return "no answer"
	}
}

// footprint is what a server takes of the machine.
type footprint struct{ rss, descriptors, threads, processes int }

var statusLine = regexp.MustCompile(`(?m)^(VmRSS|Threads):\s+(\d+)`)

// footprintOf looks at a server at rest: the smallest of some samples, because
// sandboxes are being started and cleared away beside it.
func footprintOf(t *testing.T, pid int, state string) footprint {
	t.Helper()
	var best footprint
	for i := range 10 {
		time.Sleep(200 * time.Millisecond)
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatalf("the server is gone: %v", err)
		}
		var f footprint
		for _, m := range statusLine.FindAllSubmatch(b, -1) {
			n, err := strconv.Atoi(string(m[2]))
			if err != nil {
				t.Fatal(err)
			}
			if string(m[1]) == "VmRSS" {
				f.rss = n
			} else {
				f.threads = n
			}
		}
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil && requireRoot(t) {
			t.Fatal(err)
		}
		f.descriptors, f.processes = len(fds), wantNoCores(t, sandboxesOf(t, state))
		if i == 0 {
			best = f
		}
		best.rss, best.threads = min(best.rss, f.rss), min(best.threads, f.threads)
		best.descriptors, best.processes = min(best.descriptors, f.descriptors), min(best.processes, f.processes)
	}
	return best
}

// wantNoCores holds that no process of a sandbox, whose memory holds programs
// and secrets, can dump core, and returns how many there are.
func wantNoCores(t *testing.T, procs []string) int {
	t.Helper()
	for _, p := range procs {
		b, err := os.ReadFile(filepath.Join(p, "limits"))
		if err == nil && len(b) > 0 && !coreLimit.Match(b) { // it may be gone
			t.Errorf("%s can dump core:\n%s", p, b)
		}
	}
	return len(procs)
}

var coreLimit = regexp.MustCompile(`(?m)^Max core file size +0 +0 `)

func (f footprint) String() string {
	return fmt.Sprintf("%d MiB, %d descriptors, %d threads, %d processes", f.rss>>10, f.descriptors, f.threads, f.processes)
}

// soakServer starts a server that warms sandboxes, rotates its log, and sends
// telemetry to a collector that mostly misbehaves.
func soakServer(t *testing.T, state string) (*exec.Cmd, io.WriteCloser, *bufio.Reader, *bytes.Buffer) {
	t.Helper()
	var asked atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the client is not noticed
		switch asked.Add(1) % 3 {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 1:
			<-r.Context().Done()
		}
	}))
	t.Cleanup(collector.Close)
	config := filepath.Join(t.TempDir(), "sallyport.yaml")
	text := fmt.Sprintf("audit: {rotate_mb: 1, keep_code: denied}\ntelemetry: {otlp: {endpoint: %q, interval: 1s, timeout: 2s}, prometheus: {listen: '127.0.0.1:0'}}\n", collector.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sallyport", "--config", config, "mcp", "--parallel", "4", "--warm", "2", "--warm-mb", "0") // as many wait at the end as at the start
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	var stderr bytes.Buffer // read after Wait
	cmd.Stderr = &stderr
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
	return cmd, in, bufio.NewReaderSize(out, 1<<20), &stderr
}

// TestSoakMCP is a busy agent's day with one server process, over its real
// STDIO: good, bad, endless and huge programs, cancelled calls, lines that are
// none. Each call is answered as it should be, and afterwards the server is as
// large as it was when warm, and nothing is left. SOAK_MCP is the number of
// calls: an agent that makes one every 3.6 seconds makes 1,000 an hour.
func TestSoakMCP(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	calls := 76
	if n, err := strconv.Atoi(os.Getenv("SOAK_MCP")); err == nil {
		calls = n
	}
	state := sandboxtest.ShortDir(t)
	cmd, in, out, stderr := soakServer(t, state)
	c := &soakClient{t: t, in: in, waiting: map[int]chan map[string]any{}, lines: make(chan map[string]any, 1)}
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	go c.listen(out)

	kinds := soakKinds()
	for i := range kinds {
		kinds[i].drop = kinds[i].name == "cancelled"
	}
	const stages = 8
	var prints []footprint
	for stage := range stages {
		c.stage(kinds, calls*stage/stages, calls*(stage+1)/stages)
		if t.Failed() {
			break
		}
		prints = append(prints, footprintOf(t, cmd.Process.Pid, state))
		t.Logf("after %d calls: %v", calls*(stage+1)/stages, prints[stage])
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server: %v\n%s", err, stderr)
	}
	if t.Failed() {
		t.Logf("the server said:\n%s", stderr)
		return
	}
	if slow := c.slow.Load(); slow > 0 {
		t.Logf("%d calls were answered with an error of ours:\n%s", slow, stderr)
		if slow > int64(calls/200) {
			t.Error("those are too many")
		}
	}
	wantFlat(t, prints, calls)
	if left := sandboxesOf(t, state); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
	wantEmpty(t, filepath.Join(state, "sallyport", "sandbox", "live-*"))
	verifySoak(t, state, kinds, calls)
}

// stage makes the calls of these numbers, six clients' worth at a time, and
// returns when the server has nothing to do any more.
func (c *soakClient) stage(kinds []soakKind, from, to int) {
	var next atomic.Int64
	next.Store(int64(from))
	var wg sync.WaitGroup
	var lines sync.Mutex // answers without an id come in order
	for range 6 {
		wg.Go(func() {
			for n := int(next.Add(1)) - 1; n < to && !c.t.Failed(); n = int(next.Add(1)) - 1 {
				k := kinds[n%len(kinds)]
				var got string
				if k.line != "" {
					lines.Lock()
					got = c.line(k.line)
					lines.Unlock()
				} else {
					got = c.call(k)
				}
				if got == "error sandbox_failed" { // as busy as the machine is; the server says why
					c.slow.Add(1)
					continue
				}
				if got == "no answer" || k.want != "" && !slices.Contains(strings.Split(k.want, "|"), got) {
					c.t.Errorf("call %d, %s: %q, want %q", n, k.name, got, k.want)
				}
			}
		})
	}
	wg.Wait()
	// Cancelled calls end without an answer; one that comes after them says
	// that there is room again.
	if got := c.call(kinds[0]); got != kinds[0].want {
		c.t.Errorf("after calls %d to %d: %q", from, to, got)
	}
}

// wantFlat compares the second half of a soak with the first: what grows with
// the number of calls grows on. The first stage is warm-up; a few calls are all
// of them warm-up, as far as memory goes and sandboxes that begin to wait.
func wantFlat(t *testing.T, prints []footprint, calls int) {
	t.Helper()
	slack, waiting := 32<<10, 0
	if calls < 1000 {
		slack, waiting = 256<<10, 3
	}
	half := len(prints) / 2
	most := func(all []footprint, what func(footprint) int) int {
		m := 0
		for _, f := range all {
			m = max(m, what(f))
		}
		return m
	}
	for _, w := range []struct {
		name  string
		of    func(footprint) int
		slack int
	}{
		{"KiB resident", func(f footprint) int { return f.rss }, slack},
		{"descriptors", func(f footprint) int { return f.descriptors }, 8 + 8*waiting},
		{"threads", func(f footprint) int { return f.threads }, 16},
		{"processes", func(f footprint) int { return f.processes }, 4 + 2*waiting},
	} {
		early, late := most(prints[1:half], w.of), most(prints[half:], w.of)
		if late > early+early/10+w.slack {
			t.Errorf("%s: %d in the first half, %d in the second", w.name, early, late)
		}
	}
}

func wantEmpty(t *testing.T, pattern string) {
	t.Helper()
	if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// verifySoak holds that the log of a soak is intact and has a decision for each
// call that got as far as the policy, and an end for each run.
func verifySoak(t *testing.T, state string, kinds []soakKind, calls int) {
	t.Helper()
	read := func(args ...string) string {
		cmd := exec.Command("sallyport", append([]string{"audit"}, args...)...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+state)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("audit %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := read("verify"); !strings.Contains(out, "intact") {
		t.Errorf("verify: %s", out)
	}
	var stats struct {
		Records   int `json:"records"`
		Decisions int `json:"decisions"`
		Unended   int `json:"unended"`
	}
	if err := json.Unmarshal([]byte(read("stats", "--format", "json")), &stats); err != nil {
		t.Fatal(err)
	}
	judged := 0
	for n := range calls {
		if k := kinds[n%len(kinds)]; k.line == "" && !k.drop && !strings.HasPrefix(k.want, "refused") {
			judged++
		}
	}
	if stats.Decisions < judged || stats.Unended != 0 {
		t.Errorf("%d decisions on record, %d of which have no end; at least %d calls were judged", stats.Decisions, stats.Unended, judged)
	}
	t.Logf("%d calls, %d decisions, %d records", calls, stats.Decisions, stats.Records)
}
