package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/typescript"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/gate"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

// fakeBackend stands in for a sandbox where the logic above it is tested: the
// first line of a program, a comment, says how its run ends. Programs are
// judged by the real analysis and policy before they come here.
type fakeBackend struct {
	mu      sync.Mutex
	running int
	most    int
	specs   []sandbox.Spec
	release chan struct{} // "# hold" waits for it
}

// hang is what nobody waits for but where something hangs.
const hang = 5 * time.Minute

func (b *fakeBackend) Describe() sandbox.Description { return sandbox.Description{Name: "fake"} }

func (b *fakeBackend) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := s.Check(); err != nil {
		return sandbox.Result{}, err
	}
	b.mu.Lock()
	b.specs = append(b.specs, s)
	b.running++
	b.most = max(b.most, b.running)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.running--
		b.mu.Unlock()
	}()
	first, _, _ := strings.Cut(s.Code, "\n")
	how, arg, _ := strings.Cut(strings.TrimLeft(first, "#/ "), " ")
	return b.end(ctx, s, how, arg)
}

func (b *fakeBackend) end(ctx context.Context, s sandbox.Spec, how, arg string) (sandbox.Result, error) {
	r := sandbox.Result{Reason: sandbox.Exited, Stdout: []byte("1\n")}
	switch how {
	case "hold":
		select {
		case <-ctx.Done():
			return sandbox.Result{Reason: sandbox.Cancelled}, nil
		case <-b.release:
		}
	case "say": // and hold
		s.Output(sandbox.Stdout, []byte(arg))
		return b.end(ctx, s, "hold", "")
	case "fail":
		r.Exit, r.Stdout, r.Stderr = 1, nil, []byte(traceback)
	case "complain":
		r.Exit, r.Stdout, r.Stderr = 1, nil, []byte(arg+"\n")
	case "reason":
		r.Reason = sandbox.Reason(arg)
		r.UnknownIdentifiers = []string{"eval\u202e"}
	case "half":
		r.Reason, r.Artifacts = sandbox.Disk, []sandbox.File{{Path: "half.csv", Data: []byte("a,"), MediaType: "text/csv"}}
	case "files":
		r.Stdout = nil
		r.Artifacts = []sandbox.File{
			{Path: "plot.png", Data: []byte("\x89PNG fake"), MediaType: "image/png"},
			{Path: "out/table.csv", Data: []byte("a,b\n1,2\n"), MediaType: "text/csv"},
			{Path: "big file.bin", Data: bytes.Repeat([]byte{0xff}, maxEmbedded+1), MediaType: "application/octet-stream"},
		}
		r.ArtifactsDropped = 2
	case "print":
		r.Stdout = []byte(arg)
		if s.Output != nil {
			s.Output(sandbox.Stdout, r.Stdout[:len(r.Stdout)/2])
			s.Output(sandbox.Stdout, r.Stdout[len(r.Stdout)/2:])
		}
	case "repeat":
		r.Stdout = bytes.Repeat([]byte("0123456789abcde\n"), 1<<14)
	case "env":
		r.Stdout = []byte(strings.Join(s.Runtime.Env, "\n"))
	case "broken":
		return r, errors.New("runsc at /root/secret/place: exit status 128")
	}
	return r, nil
}

const traceback = `Traceback (most recent call last):
  File "/workspace/main.py", line 3, in <module>
    json.loads("{")
  File "/opt/python/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/opt/python/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s, idx=_w(s, 0).end())
json.decoder.JSONDecodeError: Expecting property name
`

// memoryLog is an audit log for tests: it keeps the records in their order.
type memoryLog struct {
	mu      sync.Mutex
	records []audit.Record
}

func (l *memoryLog) Append(_ context.Context, r audit.Record) (audit.Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.ID = fmt.Sprintf("decision-%d", len(l.records)+1)
	l.records = append(l.records, r)
	return r, nil
}

func (l *memoryLog) all() []audit.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]audit.Record(nil), l.records...)
}

// fixture is a server with a fake sandbox and a client that speaks JSON lines.
type fixture struct {
	t       testing.TB
	server  *Server
	backend *fakeBackend
	log     *memoryLog

	in   *io.PipeWriter
	out  *io.PipeReader
	got  *bufio.Reader
	done chan error
	stop context.CancelFunc
	logs *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(&l.b, format+"\n", args...)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newFixture starts a server. Edits change its options, or those of its gate.
func newFixture(t testing.TB, edits ...any) *fixture {
	t.Helper()
	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, backend: &fakeBackend{release: make(chan struct{})}, log: &memoryLog{}, logs: &lockedBuffer{}, done: make(chan error, 1)}
	gateOpts := gate.Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), typescript.Reader()), Policy: engine, Log: f.log, Backend: f.backend, Approve: Approve}
	opts := Options{Version: "test", Rules: engine.Rules(), Parallel: 4, Log: f.logs.printf}
	for _, e := range edits {
		switch edit := e.(type) {
		case func(*gate.Options):
			edit(&gateOpts)
		case func(*Options):
			edit(&opts)
		default:
			t.Fatalf("edit of type %T", e)
		}
	}
	if opts.Gate, err = gate.New(gateOpts); err != nil {
		t.Fatal(err)
	}
	if f.server, err = New(opts); err != nil {
		t.Fatal(err)
	}
	f.start()
	return f
}

func (f *fixture) start() {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	f.in, f.out, f.got = inW, outR, bufio.NewReader(outR)
	ctx, cancel := context.WithCancel(context.Background())
	f.stop = cancel
	go func() {
		err := f.server.Serve(ctx, inR, outW)
		outW.Close()
		inR.Close()
		f.done <- err
	}()
	f.t.Cleanup(func() {
		cancel()
		inW.Close()
		outR.Close()
	})
}

func (f *fixture) send(line string) {
	f.t.Helper()
	if _, err := io.WriteString(f.in, line+"\n"); err != nil {
		f.t.Fatalf("sending: %v", err)
	}
}

// message is what comes from the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// line returns the next line, or fails when none comes in time.
func (f *fixture) line() string {
	f.t.Helper()
	type result struct {
		s   string
		err error
	}
	c := make(chan result, 1)
	go func() {
		s, err := f.got.ReadString('\n')
		c <- result{s, err}
	}()
	select {
	case r := <-c:
		if r.err != nil {
			f.t.Fatalf("reading: %v; the server's log:\n%s", r.err, f.logs)
		}
		return strings.TrimSuffix(r.s, "\n")
	case <-time.After(hang):
		f.t.Fatalf("nothing came; the server's log:\n%s", f.logs)
		return ""
	}
}

func (f *fixture) next() message {
	f.t.Helper()
	var m message
	if err := json.Unmarshal([]byte(f.line()), &m); err != nil {
		f.t.Fatal(err)
	}
	return m
}

// answer returns the answer with this id and drops what comes before.
func (f *fixture) answer(id string) message {
	f.t.Helper()
	for {
		if m := f.next(); string(m.ID) == id && m.Method == "" {
			return m
		}
	}
}

const clientName = `"clientInfo":{"name":"tester","version":"1.0"}`

func (f *fixture) initialize() {
	f.t.Helper()
	f.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` + clientName + `}}`)
	f.answer(`"init"`)
	f.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// toolResult is the part of a result that tests look at.
type toolResult struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
		Resource struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"resource"`
	} `json:"content"`
	Meta struct {
		Result struct {
			Status    string           `json:"status"`
			Reason    string           `json:"reason"`
			Findings  []findingOutput  `json:"findings"`
			Artifacts []artifactOutput `json:"artifacts"`
			Allowed   bool             `json:"allowed"`
			Effect    string           `json:"effect"`
			Truncated bool             `json:"stdout_truncated"`
		} `json:"sallyport/result"`
	} `json:"_meta"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// text is what a model reads first.
func (r toolResult) text() string { return r.Content[0].Text }

func call(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func (f *fixture) call(tool string, arguments map[string]any) toolResult {
	f.t.Helper()
	b, err := json.Marshal(arguments)
	if err != nil {
		f.t.Fatal(err)
	}
	f.send(call("1", tool, string(b)))
	return f.result(f.answer("1"))
}

func (f *fixture) result(m message) toolResult {
	f.t.Helper()
	if m.Error != nil {
		f.t.Fatalf("protocol error %d: %s", m.Error.Code, m.Error.Message)
	}
	var r toolResult
	if err := json.Unmarshal(m.Result, &r); err != nil {
		f.t.Fatal(err)
	}
	if len(r.Content) == 0 || r.Structured != nil {
		f.t.Fatalf("a result without content, or with more than that: %s", m.Result)
	}
	return r
}

func (f *fixture) python(code string) toolResult {
	f.t.Helper()
	return f.call("run_python_code", map[string]any{"code": code})
}

// ended wants the server to end by itself.
func (f *fixture) ended() {
	f.t.Helper()
	go io.Copy(io.Discard, f.got)
	select {
	case err := <-f.done:
		if err != nil {
			f.t.Fatalf("Serve: %v", err)
		}
	case <-time.After(hang):
		f.t.Fatal("the server does not end")
	}
}
