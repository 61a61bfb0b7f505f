package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sallyport/gate"
	"sallyport/policy"
)

const hold = `{"code":"# hold\nprint(1)"}`

// waitRunning waits until n runs are under way in the sandbox.
func (f *fixture) waitRunning(n int) {
	f.t.Helper()
	for until := time.Now().Add(hang); time.Now().Before(until); time.Sleep(time.Millisecond) {
		f.backend.mu.Lock()
		now := f.backend.running
		f.backend.mu.Unlock()
		if now == n {
			return
		}
	}
	f.t.Fatalf("not %d runs under way", n)
}

func TestBadMessages(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	for _, tt := range []struct {
		name, send, id string
		code           int
	}{
		{"not JSON", `{"jsonrpc":"2.0","id":1,`, "null", -32700},
		{"text", `hello`, "null", -32700},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", -32600},
		{"half a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"},`, "null", -32700},
		{"string", `"ping"`, "null", -32600},
		{"version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, "1", -32600},
		{"no version", `{"id":1,"method":"ping"}`, "1", -32600},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "1", -32600},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600},
		{"id that is no text", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", "null", -32600},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{"method type", `{"jsonrpc":"2.0","id":1,"method":7}`, "null", -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":"a","method":"tools/destroy"}`, `"a"`, -32601},
		{"unknown tool", call(`2`, "run_ruby_code", `{}`), "2", -32602},
		{"params type", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":"x"}`, "3", -32600},
		{"unknown resource", `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, "4", -32002},
		{"unknown prompt", `{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"x"}}`, "5", -32602},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.send(tt.send)
			m := f.next()
			if m.Error == nil || m.Error.Code != tt.code || string(m.ID) != tt.id {
				t.Errorf("answer: id %s, error %+v; want id %s, code %d", m.ID, m.Error, tt.id, tt.code)
			}
		})
	}
	// Blank lines and answers that nobody waits for are nothing.
	f.send("\n  \r\n")
	f.send(`{"jsonrpc":"2.0","id":"sallyport-1","result":{"action":"accept","content":{"approve":true}}}`)
	f.send(`{"jsonrpc":"2.0","method":"notifications/unheard_of"}`)
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`)
	f.send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if m := f.next(); string(m.ID) != `"alive"` || m.Error != nil {
		t.Errorf("answer = %+v", m)
	}
}

// An id comes back as it was sent: large numbers must not lose digits.
func TestIDsComeBackExactly(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	for _, id := range []string{`9007199254740993`, `-1`, `0`, `1.50`, `"a\u0041"`, `""`, `123456789012345678901234567890`} {
		f.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		if m := f.next(); string(m.ID) != id {
			t.Errorf("sent id %s, got %s", id, m.ID)
		}
	}
}

func TestIDInUseIsRefused(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	f.send(call("1", "run_python_code", hold))
	f.waitRunning(1)
	f.send(call("1", "run_python_code", `{"code":"print(1)"}`))
	if m := f.next(); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("answer = %+v", m)
	}
	close(f.backend.release)
	if r := f.result(f.answer("1")); r.IsError {
		t.Errorf("the first call: %+v", r)
	}
}

func TestTwoHundredCallsAtOnce(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	const calls = 200
	go func() {
		for i := range calls {
			io.WriteString(f.in, call(fmt.Sprint(i), "run_python_code", fmt.Sprintf(`{"code":"# print out-%d\nprint(1)"}`, i))+"\n")
		}
	}()
	seen := map[string]bool{}
	for range calls {
		m := f.next()
		r := f.result(m)
		if want := "out-" + string(m.ID); r.text() != want {
			t.Fatalf("call %s got the output %q", m.ID, r.text())
		}
		if seen[string(m.ID)] {
			t.Fatalf("call %s was answered twice", m.ID)
		}
		seen[string(m.ID)] = true
	}
	if f.backend.most > 4 {
		t.Errorf("%d runs at once, 4 are allowed", f.backend.most)
	}
}

func TestQueueIsFairAndBounded(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Parallel, o.Queue = 1, 3 })
	f.initialize()
	f.send(call("0", "run_python_code", hold))
	f.waitRunning(1)
	for i := 1; i <= 3; i++ {
		f.send(call(fmt.Sprint(i), "run_python_code", fmt.Sprintf(`{"code":"# print %d\nprint(1)"}`, i)))
		for f.waiting() != i {
			time.Sleep(time.Millisecond)
		}
	}
	f.send(call("4", "run_python_code", `{"code":"print(1)"}`))
	if r := f.result(f.answer("4")); r.Meta.Result.Reason != "busy" || !r.IsError {
		t.Errorf("beyond the queue: %+v", r)
	}
	// A call that is cancelled while it waits leaves the queue.
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	for f.waiting() != 2 {
		time.Sleep(time.Millisecond)
	}
	close(f.backend.release)
	// Answers are written beside each other; the runs are one by one.
	answered := map[string]bool{}
	for range 3 {
		answered[string(f.next().ID)] = true
	}
	if !answered["0"] || !answered["1"] || !answered["3"] {
		t.Errorf("answers to %v, want 0, 1 and 3", answered)
	}
	if len(f.backend.specs) != 3 {
		t.Fatalf("%d runs, want 3", len(f.backend.specs))
	}
	for i, want := range []string{"# print 1", "# print 3"} {
		if code := f.backend.specs[i+1].Code; !strings.HasPrefix(code, want) {
			t.Errorf("run %d is of %q, want %q: first come, first served", i+1, code, want)
		}
	}
}

func (f *fixture) waiting() int { return f.server.runs.Now().Waiting }

func TestCancelKillsAtOnce(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	f.send(call(`"slow"`, "run_python_code", hold))
	f.waitRunning(1)
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow","reason":"user"}}`)
	f.waitRunning(0)
	f.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if m := f.next(); string(m.ID) != "2" {
		t.Errorf("a cancelled call was answered: %+v", m)
	}
	f.in.Close()
	if rest, err := io.ReadAll(f.got); err != nil || len(rest) > 0 {
		t.Errorf("a cancelled call was answered late: %s, %v", rest, err)
	}
	f.ended()
	records := f.log.all()
	if last := records[len(records)-1]; last.Run == nil || last.Run.Reason != "cancelled" {
		t.Errorf("the record of the end: %+v", last)
	}
}

// The clock of these tests goes on where everything waits, and nowhere else.
func TestProgressAndHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.initialize()
		f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":` + hold + `,"_meta":{"progressToken":"tok"}}}`)
		last := 0.0
		for _, want := range []string{"judged by policy", "running in the sandbox", "running in the sandbox, 10s so far", "running in the sandbox, 20s so far"} {
			m := f.next()
			var p struct {
				Token    string  `json:"progressToken"`
				Progress float64 `json:"progress"`
				Message  string  `json:"message"`
			}
			if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/progress" || p.Token != "tok" || p.Progress <= last || p.Message != want {
				t.Fatalf("message = %+v %s, want %q", m, m.Params, want)
			}
			last = p.Progress
		}
		close(f.backend.release)
		f.answer("1")
		time.Sleep(defaultHeartbeat + time.Second) // another one, if there still were any
		f.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if m := f.next(); string(m.ID) != "2" {
			t.Errorf("progress after the answer: %+v", m)
		}
	})
}

func TestNoTokenNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.initialize()
		f.send(call("1", "run_python_code", hold))
		time.Sleep(defaultHeartbeat + time.Second)
		close(f.backend.release)
		if m := f.next(); string(m.ID) != "1" {
			t.Errorf("message = %+v", m)
		}
	})
}

func TestLiveOutputWhenAsked(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	f.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
	f.answer("1")
	f.send(call("2", "run_python_code", `{"code":"# print hello world\nprint(1)"}`))
	if m := f.next(); m.Method != "notifications/message" || !strings.Contains(string(m.Params), `"data":"hello world"`) {
		t.Errorf("message = %+v %s", m, m.Params)
	}
	f.answer("2")
	f.send(`{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}}`)
	f.answer("3")
	f.send(call("4", "run_python_code", `{"code":"# print hello world\nprint(1)"}`))
	if m := f.next(); m.Method != "" {
		t.Errorf("log although the level is error: %+v", m)
	}
}

func TestLargeMessage(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	code := quote("print(1)\n" + strings.Repeat("#", 10<<20))
	go io.WriteString(f.in, call("1", "run_python_code", `{"code":`+code+`}`)+"\n")
	if r := f.result(f.answer("1")); r.Meta.Result.Status != "denied" || r.Meta.Result.Reason != "source_refused" {
		t.Errorf("10 MiB of code: %+v", r)
	}
}

func TestHalfALineThenEnd(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	io.WriteString(f.in, `{"jsonrpc":"2.0","id":1,"method":"pi`)
	f.in.Close()
	if m := f.next(); m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("half a message: %+v", m)
	}
	f.ended()
}

// What is piped in and ends is still answered, as long as somebody reads.
func TestEndOfInputDrains(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Drain = hang })
	f.initialize()
	f.send(call("1", "run_python_code", hold))
	io.WriteString(f.in, call("2", "run_python_code", `{"code":"print(1)"}`)) // no line end
	f.waitRunning(1)
	f.in.Close()
	f.answer("2")
	close(f.backend.release)
	if r := f.result(f.answer("1")); r.IsError {
		t.Errorf("result = %+v", r)
	}
	f.ended()
}

func TestEndOfInputDoesNotWaitForEver(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Drain = 50 * time.Millisecond })
	f.initialize()
	f.send(call("1", "run_python_code", hold))
	f.waitRunning(1)
	f.in.Close()
	f.ended()
	f.waitRunning(0)
}

func TestSignalStopsEverything(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	for i := range 10 { // 4 run, 6 wait
		f.send(call(fmt.Sprint(i), "run_python_code", hold))
	}
	f.waitRunning(4)
	f.stop()
	f.ended()
	f.waitRunning(0)
}

// A client that is gone: the next write fails, and every sandbox goes.
func TestBrokenOutputStopsEverything(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Heartbeat = 10 * time.Millisecond })
	f.initialize()
	f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":` + hold + `,"_meta":{"progressToken":1}}}`)
	f.waitRunning(1)
	f.out.Close()
	select {
	case err := <-f.done:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(hang):
		t.Fatal("the server goes on without a client")
	}
	f.waitRunning(0)
}

// A client that writes and never reads stops being served; it cannot make the
// server hold more and more, and the server still ends when it is told to.
func TestClientThatNeverReads(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const size = 64 << 10
	wrote := make(chan int, 1)
	go func() {
		n := 0
		for range 20_000 {
			if _, err := io.WriteString(f.in, `{"jsonrpc":"2.0","id":1,"method":"x","pad":"`+strings.Repeat("y", size)+"\"}\n"); err != nil {
				break
			}
			n++
		}
		wrote <- n
	}()
	time.Sleep(500 * time.Millisecond)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("the server holds %d MiB for a client that does not read", grown>>20)
	}
	f.stop()
	select {
	case <-f.done:
	case <-time.After(hang):
		t.Fatal("the server does not end while its client does not read")
	}
	f.in.Close()
	if n := <-wrote; n == 20_000 {
		t.Error("everything was taken in although nothing was read: the test shows nothing")
	}
}

func TestAskIsElicited(t *testing.T) {
	for _, tt := range []struct {
		name, capabilities, answer string
		ran                        bool
		recorded                   string
	}{
		{"yes", `{"elicitation":{}}`, `"result":{"action":"accept","content":{"approve":true}}`, true, "accepted"},
		{"accepted without a yes", `{"elicitation":{}}`, `"result":{"action":"accept","content":{"approve":false}}`, false, "declined"},
		{"accepted without content", `{"elicitation":{}}`, `"result":{"action":"accept"}`, false, "declined"},
		{"yes as text", `{"elicitation":{}}`, `"result":{"action":"accept","content":{"approve":"true"}}`, false, "declined"},
		{"no", `{"elicitation":{}}`, `"result":{"action":"decline"}`, false, "declined"},
		{"cancel", `{"elicitation":{}}`, `"result":{"action":"cancel"}`, false, "cancelled"},
		{"unknown action", `{"elicitation":{}}`, `"result":{"action":"sure"}`, false, "cancelled"},
		{"error", `{"elicitation":{}}`, `"error":{"code":-1,"message":"no"}`, false, "failed"},
		{"malformed", `{"elicitation":{}}`, `"result":"yes"`, false, "failed"},
		{"client cannot ask", `{}`, "", false, "unsupported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, askForRandom(t))
			f.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":` + tt.capabilities + `,` + clientName + `}}`)
			f.answer(`"init"`)
			f.send(call("1", "run_python_code", `{"code":"import random\nprint(1)"}`))
			if tt.answer != "" {
				m := f.next()
				if m.Method != "elicitation/create" || !strings.Contains(string(m.Params), `2  print(1)`) || !strings.Contains(string(m.Params), "test-ask") {
					t.Fatalf("message = %+v %s", m, m.Params)
				}
				f.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + tt.answer + `}`)
			}
			r := f.result(f.answer("1"))
			if ran := len(f.backend.specs) == 1; ran != tt.ran || r.IsError == tt.ran {
				t.Errorf("ran %v, want %v: %+v", ran, tt.ran, r)
			}
			if a := f.log.all()[1]; a.Answer != tt.recorded {
				t.Errorf("recorded answer %q, want %q", a.Answer, tt.recorded)
			}
		})
	}
}

// Without a handshake the question is the answer, and the call is made again.
func TestAskInRounds(t *testing.T) {
	meta := func(capabilities string) string {
		return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
	}
	f := newFixture(t, askForRandom(t))
	again := func(capabilities, code, more string) message {
		t.Helper()
		f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":` + quote(code) + `}` + more + `,` + meta(capabilities) + `}}`)
		return f.answer("1")
	}
	ask := func(code string) string {
		t.Helper()
		var r struct {
			Type     string                     `json:"resultType"`
			State    string                     `json:"requestState"`
			Requests map[string]json.RawMessage `json:"inputRequests"`
		}
		m := again(`{"elicitation":{}}`, code, "")
		if err := json.Unmarshal(m.Result, &r); err != nil || r.Type != "input_required" || r.State == "" || !strings.Contains(string(r.Requests["approve"]), "elicitation/create") {
			t.Fatalf("answer = %+v %s", m.Error, m.Result)
		}
		return r.State
	}
	const code, other = "import random\nprint(1)", "import random\nprint(2)"
	yes := func(state string) string {
		return `,"requestState":` + quote(state) + `,"inputResponses":{"approve":{"action":"accept","content":{"approve":true}}}`
	}
	if r := f.result(again(`{}`, code, "")); r.Meta.Result.Reason != "refused" {
		t.Errorf("a client that cannot ask: %+v", r)
	}
	for _, tt := range []struct{ name, more string }{
		{"no", `,"requestState":` + quote(ask(code)) + `,"inputResponses":{"approve":{"action":"decline"}}`},
		{"no answer", `,"requestState":` + quote(ask(code))},
	} {
		if r := f.result(again(`{"elicitation":{}}`, code, tt.more)); r.Meta.Result.Reason != "refused" {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	state := ask(other)
	for name, m := range map[string]message{
		"a yes for other code":           again(`{"elicitation":{}}`, code, yes(state)),
		"a yes that nobody asked for":    again(`{"elicitation":{}}`, code, yes("made up")),
		"a yes without its question":     again(`{"elicitation":{}}`, code, `,"inputResponses":{"approve":{"action":"accept","content":{"approve":true}}}`),
		"a yes to what was taken before": again(`{"elicitation":{}}`, other, yes(state)),
	} {
		if !strings.Contains(string(m.Result), "input_required") {
			t.Errorf("%s: %s", name, m.Result)
		}
	}
	if n := len(f.backend.specs); n != 0 {
		t.Fatalf("%d runs without a yes", n)
	}
	state = ask(code)
	if r := f.result(again(`{"elicitation":{}}`, code, yes(state))); r.IsError || len(f.backend.specs) != 1 {
		t.Errorf("a yes: %+v", r)
	}
	if m := again(`{"elicitation":{}}`, code, yes(state)); !strings.Contains(string(m.Result), "input_required") || len(f.backend.specs) != 1 {
		t.Errorf("the same yes again: %s", m.Result)
	}
}

// A cancelled call takes its question back, and a later yes changes nothing.
func TestCancelledAskIsDenied(t *testing.T) {
	f := newFixture(t, askForRandom(t))
	f.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},` + clientName + `}}`)
	f.answer(`"init"`)
	f.send(call("1", "run_python_code", `{"code":"import random\nprint(1)"}`))
	ask := f.next()
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if m := f.next(); m.Method != "notifications/cancelled" || !strings.Contains(string(m.Params), string(ask.ID)) {
		t.Errorf("message = %+v %s", m, m.Params)
	}
	f.send(`{"jsonrpc":"2.0","id":` + string(ask.ID) + `,"result":{"action":"accept","content":{"approve":true}}}`)
	f.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	f.answer("2")
	if len(f.backend.specs) != 0 {
		t.Error("it ran")
	}
}

// askForRandom makes the policy of a gate ask about the module random.
func askForRandom(t *testing.T) func(*gate.Options) {
	t.Helper()
	engine, err := policy.New(policy.Options{FS: askPack(), Packs: []string{"asking"}})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *gate.Options) { o.Policy = engine }
}

func TestNewRefusesWhatIsMissing(t *testing.T) {
	if _, err := New(Options{}); err == nil || !strings.Contains(err.Error(), "no gate") {
		t.Errorf("New without a gate: %v", err)
	}
	f := newFixture(t)
	for _, o := range []Options{{Parallel: -1}, {Queue: -1}, {Heartbeat: -1}, {Drain: -1}} {
		o.Gate = f.server.opts.Gate
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "negative") {
			t.Errorf("New(%+v): %v", o, err)
		}
	}
}
