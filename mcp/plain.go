package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/turns"
	"sallyport/sandbox"
)

// The plain API is for programs that are no agents: the same arguments as those
// of the tools, and the answers of the command line.

// API is a Server's plain API.
type API struct{ s *Server }

// NewAPI returns the plain API of a server.
func NewAPI(s *Server) API { return API{s} }

// plainArguments are those of a tool, the language that is its name, the labels of
// its call, and the goal that the name of a file says.
func plainArguments(known map[string]argument) map[string]argument {
	all := maps.Clone(known)
	all["language"] = (*arguments).readLanguage
	all["labels"] = (*arguments).readLabels
	all["goal"] = (*arguments).readGoal
	return all
}

// PlainSchemas are the JSON Schemas of what the plain API takes: the tools' own arguments,
// and what is the plain API's besides. What a tenant allows is not said in them.
func PlainSchemas() (check, run json.RawMessage) {
	const allowed = "At most what the operator allows, which is the default."
	files := filesArgument(nil)
	file := files["items"].(schema)
	file.property("from", describe("string", "Instead of content: DIRECTORY:PATH, a file in a directory that the operator named. Where there is no path it has its own name."))
	delete(file, "required")
	all := runProperties(describe("string", "The program."), allowed, allowed, files, describe("string", "Where to run, by the operator's name for it."))
	return plainSchema(checkProperties()), plainSchema(all)
}

func plainSchema(all schema) json.RawMessage {
	all["language"] = checkProperties()["language"]
	all["labels"] = describe("object", "What the request is for, by the caller's word. The operator says which labels there may be.", schema{"additionalProperties": schema{"type": "string"}})
	all["goal"] = describe("string", "How JavaScript is read; nothing leaves that to the program.", schema{"enum": []analyze.Goal{analyze.Script, analyze.Module}})
	s := object([]string{"language", "code"}, all)
	s["additionalProperties"] = false // what is not known is refused
	return s.raw()
}

// Check judges the program of a request, without running it.
func (a API) Check(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte) {
	args, err := readArguments(body, plainArguments(checkArguments()), "language", "code")
	if err != nil {
		plainProblem(w, http.StatusBadRequest, badCall(err))
		return
	}
	if p := a.s.wrongEnvironment(r.Context(), who, args); p != nil {
		plainProblem(w, http.StatusBadRequest, *p)
		return
	}
	answerPlain(w, a.served(r.Context(), who, args.code, a.s.checks, func(ctx context.Context, _ *turns.Turn) (gate.Answer, error) {
		return a.s.opts.Gate.Check(ctx, a.request(who, "check", args))
	}))
}

// Run judges the program of a request and, when policy allows it, runs it.
func (a API) Run(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte) {
	args, err := readArguments(body, plainArguments(runArguments("", false)), "language", "code")
	if err != nil {
		plainProblem(w, http.StatusBadRequest, badCall(err))
		return
	}
	if p := a.s.wrongEnvironment(r.Context(), who, args); p != nil {
		plainProblem(w, http.StatusBadRequest, *p)
		return
	}
	req := a.request(who, "run", args)
	run := func(ctx context.Context, at *turns.Turn) (gate.Answer, error) {
		req.Aside = at.Aside
		return a.s.opts.Gate.Run(ctx, req)
	}
	if !strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
		req.Patience = preferred(r, 0)
		answerPlain(w, a.served(r.Context(), who, args.code, a.s.runs, run))
		return
	}
	p := &printed{more: make(chan struct{}, 1)}
	req.Output, req.Patience = p.write, preferred(r, patient) // it hears that its call is alive
	a.stream(w, r, p, func(ctx context.Context) outcome { return a.served(ctx, who, args.code, a.s.runs, run) })
}

func (a API) request(who gate.Principal, tool string, args arguments) gate.Request {
	req := a.s.request(context.Background(), tool, args)
	req.Principal, req.Client = who, "api"
	if req.Language == analyze.Python { // is read in one way
		req.Goal = ""
	}
	return req
}

// readGoal reads how the interpreter is asked to read the program.
func (a *arguments) readGoal(v json.RawMessage) error {
	if err := text((*string)(&a.goal), v); err != nil {
		return err
	}
	if a.goal != analyze.Script && a.goal != analyze.Module {
		return fmt.Errorf("must be script or module, not %q", answer.Clip(string(a.goal), 64))
	}
	return nil
}

// stream tells what is printed in the course of a call, and then what came of it.
func (a API) stream(w http.ResponseWriter, r *http.Request, p *printed, call func(context.Context) outcome) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	e, done := newEvents(w), make(chan outcome, 1)
	go func() { done <- call(ctx) }()
	beat := time.NewTicker(a.s.opts.Heartbeat)
	defer beat.Stop()
	tell := func() {
		for _, part := range p.take() {
			b, _ := json.Marshal(part) // text and bytes can be
			e.write("output", b)
		}
	}
	for {
		select {
		case <-p.more:
			tell()
		case <-beat.C:
			e.beat()
		case o := <-done:
			tell()
			answerEvents(e, o)
			return
		}
		if e.err != nil { // the client is gone, and its call is cancelled with it
			cancel()
			<-done
			return
		}
	}
}

// outcome is what came of a call: an answer, or why there is none.
type outcome struct {
	answer answer.Answer
	code   int // of what is no answer
	problem
}

// served waits for a turn and does the work of a call.
func (a API) served(ctx context.Context, who gate.Principal, code string, at *turns.Turnstile, work func(context.Context, *turns.Turn) (gate.Answer, error)) outcome {
	turn, err := at.Take(ctx, key(who))
	if err != nil {
		return outcome{code: http.StatusServiceUnavailable, problem: a.s.notServed(ctx, at, who, err)}
	}
	done, err := work(ctx, turn)
	turn.Leave()
	if err != nil && done.ID == "" {
		o := outcome{code: http.StatusInternalServerError, problem: a.s.failed(ctx, err)}
		switch o.reason {
		case "file", "environment":
			o.code = http.StatusBadRequest
		case "quota":
			o.code = http.StatusTooManyRequests
		case "away":
			o.code = http.StatusServiceUnavailable
		}
		return o
	}
	out := answer.New(done, nil)
	out.Advise(a.s.opts.known, code)
	if err != nil { // what went wrong may name things of the host
		a.s.opts.Log("a call failed: %s", hint.Text(err))
		out.Error = answer.FailureOf(err).Text
	}
	out.Decision.Detail = detail(out.Decision)
	return outcome{answer: out}
}

func answerPlain(w http.ResponseWriter, o outcome) {
	if o.code != 0 {
		plainProblem(w, o.code, o.problem)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWait))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if ap := o.answer.Approval; ap != nil && ap.Answer == "pending" {
		w.Header().Set("Retry-After", strconv.Itoa(problem{wait: askAgain}.seconds()))
		w.WriteHeader(http.StatusAccepted)
	}
	_ = answer.WriteJSON(w, o.answer) // whoever does not read it does not know it
}

// answerEvents ends a stream. What is refused before it began is answered like
// any refusal.
func answerEvents(e *events, o outcome) {
	switch {
	case o.code != 0 && !e.began:
		plainProblem(e.w, o.code, o.problem)
	case o.code != 0:
		b, _ := json.Marshal(StreamProblem{Problem{o.reason, o.text}, o.code, o.seconds()})
		e.write("error", b)
	default:
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(o.answer) // which is made to be
		e.write("answer", []byte(b.String()))
	}
}

// Problem is the JSON of why there is no answer.
type Problem struct {
	Error  string `json:"error" jsonschema:"a word for programs"`
	Detail string `json:"detail" jsonschema:"a sentence for people"`
}

// StreamProblem is a Problem that ends a stream, with what the status of an answer
// says besides.
type StreamProblem struct {
	Problem
	Status     int `json:"status" jsonschema:"that the call would have had before the stream began"`
	RetryAfter int `json:"retry_after_seconds,omitempty"`
}

// Printed is the JSON of a part of what a program printed.
type Printed struct {
	Stream string `json:"stream" jsonschema:"stdout or stderr"`
	answer.Output
}

// printed is what a program has printed and nobody was told of. It is no longer
// than the sandbox lets a program print: writing never waits for a reader.
type printed struct {
	more chan struct{} // has one when there is something

	mu    sync.Mutex // guards parts
	parts []chunk
}

// chunk is a part of what a program printed.
type chunk struct {
	stream sandbox.Stream
	data   []byte
}

// maxChunk is how much one event tells, about.
const maxChunk = 32 << 10

func (p *printed) write(stream sandbox.Stream, data []byte) {
	p.mu.Lock()
	if n := len(p.parts) - 1; n >= 0 && p.parts[n].stream == stream && len(p.parts[n].data) < maxChunk {
		p.parts[n].data = append(p.parts[n].data, data...)
	} else {
		p.parts = append(p.parts, chunk{stream, append([]byte(nil), data...)})
	}
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

func (p *printed) take() []chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.parts
	p.parts = nil
	return all
}

// MarshalJSON is the event: text, or in base64 what is not UTF-8.
func (c chunk) MarshalJSON() ([]byte, error) {
	out := Printed{Stream: "stdout"}
	if c.stream == sandbox.Stderr {
		out.Stream = "stderr"
	}
	if utf8.Valid(c.data) {
		out.Text = string(c.data)
	} else {
		out.Base64 = c.data
	}
	return json.Marshal(out)
}

// preferred is how long a caller wants to wait for another person's answer, by the
// header Prefer: wait=SECONDS (RFC 7240), or where it does not say.
func preferred(r *http.Request, unsaid time.Duration) time.Duration {
	for _, header := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(header, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			if n, err := strconv.ParseUint(value, 10, 16); strings.EqualFold(name, "wait") && err == nil {
				return min(time.Duration(n)*time.Second, patient)
			}
		}
	}
	return unsaid
}

func plainProblem(w http.ResponseWriter, code int, p problem) {
	if n := p.seconds(); n > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(n))
	}
	w.Header().Set("Cache-Control", "no-store")
	answerJSON(w, code, Problem{p.reason, p.text})
}
