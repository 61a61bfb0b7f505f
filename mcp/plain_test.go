package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/gate"
	"sallyport/sandbox"
)

var aProgram = gate.Principal{How: "token", Subject: "ci"}

// plainRun is the body of a call that runs a program.
func plainRun(code string) string {
	b, _ := json.Marshal(map[string]string{"language": "python", "code": code})
	return string(b)
}

// streamed asks a server that f is for events, and returns them.
func streamed(t *testing.T, ctx context.Context, f *fixture, code string) *bufio.Scanner {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		NewAPI(f.server).Run(w, r, aProgram, body)
	}))
	t.Cleanup(s.Close)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(plainRun(code)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if got := resp.Header.Get("Content-Type") + " " + resp.Header.Get("X-Accel-Buffering"); got != "text/event-stream no" {
		t.Errorf("the answer is %s", got)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// next is the next event, "" at the end.
func next(lines *bufio.Scanner) (kind, data string) {
	for lines.Scan() {
		if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kind = k
		}
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return kind, d
		}
	}
	return kind, ""
}

// What a program prints is told while it runs; the answer is the last event, and
// is what a call gets that wants no events.
func TestPlainStream(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *Options) { o.Heartbeat = time.Millisecond })
	lines := streamed(t, t.Context(), f, "# say hello\nprint('<&>')")
	if kind, data := next(lines); kind != "output" || data != `{"stream":"stdout","text":"hello"}` {
		t.Fatalf("while it runs: %s %s", kind, data)
	}
	close(f.backend.release)
	kind, data := next(lines)
	var streamed, plain map[string]any
	if err := json.Unmarshal([]byte(data), &streamed); err != nil || kind != "answer" {
		t.Fatalf("the end: %s %s, %v", kind, data, err)
	}
	if kind, data := next(lines); kind+data != "" {
		t.Errorf("behind the answer: %s %s", kind, data)
	}
	w := httptest.NewRecorder()
	NewAPI(f.server).Run(w, httptest.NewRequest(http.MethodPost, "/", nil), aProgram, []byte(plainRun("# hold\nprint('<&>')")))
	if err := json.Unmarshal(w.Body.Bytes(), &plain); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s, %v", w.Code, w.Body, err)
	}
	for key := range plain {
		if _, ok := streamed[key]; !ok {
			t.Errorf("the answer as an event lacks %s", key)
		}
	}
}

// A client that goes away ends its program.
func TestPlainStreamCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	next(streamed(t, ctx, f, "# say hello\n1"))
	cancel()
	for began := time.Now(); f.backend.runs() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > hang {
			t.Fatal("its program still runs")
		}
	}
}

func (b *fakeBackend) runs() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running
}

// stuck is a client that takes nothing until it is let.
type stuck struct {
	*httptest.ResponseRecorder
	asked chan struct{}
	let   chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-s.let
	return s.ResponseRecorder.Write(b)
}

func (s *stuck) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// A client that does not read what comes holds neither its program nor a turn.
func TestPlainStreamUnread(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := &stuck{httptest.NewRecorder(), make(chan struct{}, 1), make(chan struct{})}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Accept", "text/event-stream")
	done := make(chan struct{})
	go func() {
		defer close(done)
		NewAPI(f.server).Run(w, r, aProgram, []byte(plainRun("# print "+strings.Repeat("x", 1<<16)+"\n1")))
	}()
	<-w.asked
	for began := time.Now(); len(f.log.all()) < 2; time.Sleep(time.Millisecond) { // the end of the run is on record
		if time.Since(began) > hang {
			t.Fatal("the program waits for its client")
		}
	}
	close(w.let)
	<-done
	if text := w.Body.String(); strings.Count(text, "event: output\n") == 0 || strings.Count(text, "event: answer\n") != 1 {
		t.Errorf("the client got %.200s", text)
	}
}

// deaf is a client that is gone, as writing alone finds out.
type deaf struct{ *httptest.ResponseRecorder }

func (deaf) Write([]byte) (int, error)       { return 0, io.ErrClosedPipe }
func (deaf) WriteString(string) (int, error) { return 0, io.ErrClosedPipe }

// A client that takes nothing ends its program.
func TestPlainStreamDeaf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Accept", "text/event-stream")
	NewAPI(f.server).Run(deaf{httptest.NewRecorder()}, r, aProgram, []byte(plainRun("# say hello\n1")))
	if n := f.backend.runs(); n != 0 {
		t.Errorf("%d programs run", n)
	}
}

// A refusal has its status, and where the answer has begun it says it in an event.
func TestPlainStreamRefused(t *testing.T) {
	t.Parallel()
	busy := outcome{code: 503, problem: problem{"refused", "busy", "Busy.", time.Second}}
	early := httptest.NewRecorder()
	answerEvents(newEvents(early), busy)
	if early.Code != 503 || early.Header().Get("Retry-After") != "1" || !strings.Contains(early.Body.String(), `"error":"busy"`) {
		t.Errorf("before the answer began: %d %s", early.Code, early.Body)
	}
	late := httptest.NewRecorder()
	e := newEvents(late)
	e.beat()
	answerEvents(e, busy)
	if want := ": still at it\n\nevent: error\ndata: " + `{"error":"busy","detail":"Busy.","status":503,"retry_after_seconds":1}` + "\n\n"; late.Body.String() != want {
		t.Errorf("when it had begun: %s, want %s", late.Body, want)
	}
}

// What is printed is told in the order in which it came, text as text.
func TestPrinted(t *testing.T) {
	t.Parallel()
	p := &printed{more: make(chan struct{}, 1)}
	p.write(sandbox.Stdout, []byte("a"))
	p.write(sandbox.Stdout, []byte("b"))
	p.write(sandbox.Stderr, []byte("\xff"))
	p.write(sandbox.Stdout, []byte("c"))
	b, err := json.Marshal(p.take())
	if want := `[{"stream":"stdout","text":"ab"},{"stream":"stderr","text":"","base64":"/w=="},{"stream":"stdout","text":"c"}]`; err != nil || string(b) != want {
		t.Errorf("%s, %v, want %s", b, err, want)
	}
}

// What the plain API says that it takes is what it reads.
func TestPlainSchemas(t *testing.T) {
	t.Parallel()
	check, run := PlainSchemas()
	for what, row := range map[string]struct {
		said json.RawMessage
		read map[string]argument
	}{"check": {check, plainArguments(checkArguments())}, "run": {run, plainArguments(runArguments("", false))}} {
		var s struct{ Properties map[string]any }
		if err := json.Unmarshal(row.said, &s); err != nil {
			t.Fatal(err)
		}
		said, read := slices.Sorted(maps.Keys(s.Properties)), slices.Sorted(maps.Keys(row.read))
		if !slices.Equal(said, read) {
			t.Errorf("%s says that it takes %v, and reads %v", what, said, read)
		}
	}
}

// A file with the name of the program itself is refused by that name at each door.
func TestFileNamedAsTheProgram(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.initialize()
	const wanted = `"main.py": the program itself has the name main.py; call the file something else`
	arguments := `{"code":"print(1)","files":[{"path":"main.py","content":"x"}]}`
	f.send(call("1", "run_python_code", arguments))
	if r := f.result(f.answer("1")); r.Meta.Result.Reason != "file" || !strings.Contains(r.text(), wanted) {
		t.Errorf("over MCP: %+v", r)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/run", nil)
	NewAPI(f.server).Run(w, r, aProgram, []byte(`{"language":"python",`+arguments[1:]))
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusBadRequest || p.Error != "file" || !strings.Contains(p.Detail, wanted) {
		t.Errorf("over HTTP: %d %s, %v", w.Code, w.Body, err)
	}
	if n := len(f.backend.specs); n > 0 {
		t.Errorf("%d runs", n)
	}
}
