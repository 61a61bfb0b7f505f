package mcp

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/sandbox"
)

// progress tells a client that sent a token how its call gets on: each stage,
// and a sign of life in between, because clients give up on silent calls.
type progress struct {
	session *session
	token   mcp.ProgressToken
	end     func() // stops the signs of life and waits for the last one

	mu    sync.Mutex // guards the fields below
	count int
	last  string
}

// startProgress returns a progress that does nothing when no token was sent.
// The caller stops it before the call is answered.
func (s *Server) startProgress(ctx context.Context, call mcp.CallToolRequest) *progress {
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok || call.Params.Meta == nil || call.Params.Meta.ProgressToken == nil {
		return &progress{end: func() {}}
	}
	p := &progress{session: c, token: call.Params.Meta.ProgressToken, last: "waiting for a free sandbox"}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.beat(ctx, s.opts.Heartbeat)
	}()
	p.end = func() { cancel(); <-done }
	return p
}

// How long a call waits for another person's answer: one whose client hears of
// it until there is one, any other no longer than clients wait for a call.
const (
	patient   = 24 * time.Hour
	impatient = 30 * time.Second
)

func (p *progress) patience() time.Duration {
	if p.session == nil {
		return impatient
	}
	return patient
}

func (p *progress) beat(ctx context.Context, every time.Duration) {
	began := time.Now()
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			p.tell("", now.Sub(began))
		}
	}
}

// stage tells that a stage of the run has begun.
func (p *progress) stage(name string) {
	if p.session == nil {
		return
	}
	p.tell(map[string]string{
		"asked":   "waiting for a person's approval",
		"judged":  "judged by policy",
		"started": "running in the sandbox",
	}[name], 0)
}

func (p *progress) tell(stage string, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if stage != "" {
		p.last = stage
	}
	message := p.last
	if after > 0 {
		message = fmt.Sprintf("%s, %s so far", p.last, after.Round(time.Second))
	}
	p.session.notify("notifications/progress", map[string]any{
		"progressToken": p.token,
		"progress":      p.count,
		"message":       message,
	})
}

func (p *progress) stop() { p.end() }

// liveLog passes a program's output on as log messages of whole lines.
type liveLog struct {
	session *session

	mu   sync.Mutex // guards the fields below
	rest [3][]byte  // the beginning of a line, by stream
}

// maxLogLine bounds one log message.
const maxLogLine = 8 << 10

func (l *liveLog) write(stream sandbox.Stream, chunk []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := append(l.rest[stream], chunk...)
	end := bytes.LastIndexByte(rest, '\n') + 1
	if end == 0 && len(rest) > maxLogLine {
		end = len(rest)
	}
	for text := rest[:end]; len(text) > 0; {
		n := min(len(text), maxLogLine)
		l.emit(stream, text[:n])
		text = text[n:]
	}
	l.rest[stream] = bytes.Clone(rest[end:])
}

// flush passes on lines that have no end.
func (l *liveLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for stream, rest := range l.rest {
		if len(rest) > 0 {
			l.emit(sandbox.Stream(stream), rest)
		}
	}
}

func (l *liveLog) emit(stream sandbox.Stream, b []byte) {
	name := "stdout"
	if stream == sandbox.Stderr {
		name = "stderr"
	}
	l.session.notify("notifications/message", map[string]any{
		"level":  mcp.LoggingLevelInfo,
		"logger": name,
		"data":   string(bytes.ToValidUTF8(b, []byte("\uFFFD"))),
	})
}
