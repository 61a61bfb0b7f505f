package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"sallyport/internal/hint"
)

// envelope is what tells the kinds of JSON-RPC messages apart.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// sink takes what a message is answered with. It is called once for every
// message; nil stands for no answer.
type sink func(id json.RawMessage, response any)

// receive handles one line. It returns at once for what may take long.
func (c *conn) receive(ctx context.Context, line []byte) {
	if !json.Valid(line) {
		c.refuse(nil, mcp.PARSE_ERROR, "the message is not valid JSON")
		return
	}
	if kindOf(line) == "an array" {
		c.batch(ctx, line)
		return
	}
	c.message(ctx, line, c.answer)
}

// message handles one JSON-RPC message.
func (c *conn) message(ctx context.Context, message []byte, to sink) {
	refuse := func(id json.RawMessage, text string) { to(id, errorResponse(id, mcp.INVALID_REQUEST, text)) }
	var e envelope
	if err := json.Unmarshal(message, &e); err != nil {
		refuse(nil, "a message must be a JSON-RPC object")
		return
	}
	id, ok := idOf(e.ID)
	switch {
	case !ok:
		refuse(nil, "an id must be a string of UTF-8 or a number")
	case e.Version != mcp.JSONRPC_VERSION:
		refuse(id, `"jsonrpc" must be "2.0"`)
	case e.Method == nil && (e.Result != nil || e.Error != nil):
		c.session.answered(string(id), e)
		to(nil, nil)
	case e.Method == nil:
		refuse(id, "the message has neither a method nor a result")
	case id == nil:
		c.notification(ctx, *e.Method, e.Params, message)
		to(nil, nil)
	default:
		c.request(ctx, id, *e.Method, message, to)
	}
}

// answer sends what a single message is answered with.
func (c *conn) answer(id json.RawMessage, response any) {
	if response == nil {
		return
	}
	if err := c.send(response); err != nil {
		c.opts.Log("encoding an answer: %v", err)
		c.refuse(id, mcp.INTERNAL_ERROR, "internal error")
	}
}

// idOf returns the id exactly as the client wrote it, nil for none, and false
// for one that JSON-RPC does not have, or that would make an answer no text.
func idOf(raw json.RawMessage) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, true
	}
	kind := kindOf(raw)
	return raw, kind == "a string" && utf8.Valid(raw) || kind == "a number"
}

func (c *conn) refuse(id json.RawMessage, code int, text string) {
	if err := c.send(errorResponse(id, code, text)); err != nil {
		c.opts.Log("encoding a refusal: %v", err)
	}
}

func errorResponse(id json.RawMessage, code int, text string) mcp.JSONRPCError {
	return mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      requestID(id),
		Error:   mcp.NewJSONRPCErrorDetails(code, text, nil),
	}
}

// requestID keeps the bytes of the client's id: a number of it may be larger
// than a float64 can hold.
func requestID(id json.RawMessage) mcp.RequestId {
	if id == nil {
		return mcp.NewRequestId(nil)
	}
	return mcp.NewRequestId(id)
}

func (c *conn) notification(ctx context.Context, method string, params json.RawMessage, message []byte) {
	if method != string(mcp.MethodNotificationCancelled) {
		c.mcp.HandleMessage(c.mcp.WithContext(ctx, c.session), message)
		return
	}
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.serving[string(bytes.TrimSpace(p.RequestID))]; ok {
		r.cancelled = true
		r.cancel(errCancelled)
	}
}

// request serves one request: calls and subscriptions beside each other, the
// rest, which is quick, in order.
func (c *conn) request(ctx context.Context, id json.RawMessage, method string, message []byte, to sink) {
	ctx, r, problem := c.admit(ctx, id, len(message))
	if problem != "" {
		to(id, errorResponse(id, mcp.INVALID_REQUEST, problem))
		return
	}
	if r == nil {
		to(id, nil) // shutting down
		return
	}
	p := c.lineUp(method, message)
	work := func() {
		defer c.open.Done()
		defer p.taken()
		response := c.handle(context.WithValue(ctx, rankKey{}, p), id, message)
		if !c.release(id, r) {
			response = nil
		}
		to(id, response)
	}
	switch method {
	case string(mcp.MethodToolsCall), string(mcp.MethodSubscriptionsListen):
		go work()
	default:
		work()
	}
	if method == string(mcp.MethodToolsList) {
		c.warmed.Do(func() { c.open.Go(func() { _ = warm(c.session.ctx, c.opts) }) })
	}
}

// Warm starts sandboxes before the first call needs one, and returns when they
// wait, or with why one does not. A server over STDIO does so by itself, when
// its client looks at the tools.
func (s *Server) Warm(ctx context.Context) error {
	s.warmed.Do(func() {})
	return warm(ctx, s.opts)
}

// warm starts sandboxes; over STDIO the context is the connection's, and ends
// when the client goes.
func warm(ctx context.Context, opts Options) (all error) {
	for _, language := range opts.Warm {
		if err := opts.Gate.Warm(ctx, language); err != nil {
			all = errors.Join(all, err)
			if ctx.Err() == nil {
				opts.Log("keeping sandboxes for %s warm: %s", language, hint.Text(err))
			}
		}
	}
	return all
}

// admit waits for room and enters the request among those being served. It
// returns no request when ctx has ended, and a problem for an id that is in use.
func (c *conn) admit(ctx context.Context, id json.RawMessage, size int) (context.Context, *request, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.serving) > 0 && (len(c.serving) >= maxOpen || c.size+size > maxOpenSize) {
		if ctx.Err() != nil {
			return ctx, nil, ""
		}
		c.room.Wait()
	}
	if _, ok := c.serving[string(id)]; ok {
		return ctx, nil, "a request with this id is still being served"
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r := &request{cancel: cancel, size: size}
	c.serving[string(id)] = r
	c.size += size
	c.open.Add(1)
	return ctx, r, ""
}

// release says whether the request still wants its answer.
func (c *conn) release(id json.RawMessage, r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.serving, string(id))
	c.size -= r.size
	c.room.Broadcast()
	r.cancel(nil)
	return !r.cancelled
}

// handle has the library serve a request and gives the answer the client's own
// id. A panic costs the request, not the server.
func (c *conn) handle(ctx context.Context, id json.RawMessage, message []byte) (response any) {
	defer func() {
		if p := recover(); p != nil {
			c.opts.Log("panic while serving a request: %v\n%s", p, debug.Stack())
			response = errorResponse(id, mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	notKept := false
	ctx = context.WithValue(ctx, notKeptKey{}, &notKept)
	switch r := c.mcp.HandleMessage(c.mcp.WithContext(ctx, c.session), message).(type) {
	case nil:
		return nil
	case mcp.JSONRPCResponse:
		r.ID = requestID(id)
		return r
	case mcp.JSONRPCError:
		r.ID = requestID(id)
		if notKept {
			r.Error.Code = mcp.RESOURCE_NOT_FOUND // the library knows only its own
		}
		return r
	default:
		return r
	}
}
