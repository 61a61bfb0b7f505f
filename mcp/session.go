package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/answer"
)

// session is the client of one connection, as the library sees it. It is safe
// for concurrent use.
type session struct {
	*peer
	ctx  context.Context // of the connection: ends when nothing more is served
	conn *conn
	name string // no other connection has it

	notifications chan mcp.JSONRPCNotification
}

// peer is a client, as far as it is the same from one connection to the next:
// over STDIO there is one connection, over HTTP each message has its own.
type peer struct {
	id string // in records

	mu           sync.Mutex // guards the fields below
	room         *sync.Cond // signalled when a request is done
	serving      map[string]*request
	size         int // of the messages being served
	ready        bool
	level        mcp.LoggingLevel // "" until the client asks for logs
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	asked        int
	waiting      map[string]chan envelope // our own requests, by id
	cells        map[string]chan struct{} // by session: closed once its latest call has its place
}

var (
	_ server.SessionWithLogging         = (*session)(nil)
	_ server.SessionWithClientInfo      = (*session)(nil)
	_ server.SessionWithElicitation     = (*session)(nil)
	_ server.SessionWithProtocolVersion = (*session)(nil)
)

func newPeer() *peer {
	p := &peer{id: rand.Text(), serving: map[string]*request{}, waiting: map[string]chan envelope{}}
	p.room = sync.NewCond(&p.mu)
	return p
}

func newSession(ctx context.Context, c *conn) *session {
	s := &session{
		peer:          c.peer,
		ctx:           ctx,
		conn:          c,
		name:          rand.Text(),
		notifications: make(chan mcp.JSONRPCNotification, 16),
	}
	go s.forward()
	return s
}

// forward passes on what the library itself wants to tell the client.
func (s *session) forward() {
	for {
		select {
		case n := <-s.notifications:
			s.conn.try(n)
		case <-s.ctx.Done():
			return
		}
	}
}

// notify tells the client something that may be lost when it does not read.
func (s *session) notify(method string, params map[string]any) {
	s.conn.try(mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: method,
			Params: mcp.NotificationParams{AdditionalFields: params},
		},
	})
}

func (s *session) SessionID() string                                   { return s.name }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }
func (s *session) Initialize()                                         { s.locked(func() { s.ready = true }) }
func (s *session) Initialized() (ok bool)                              { s.locked(func() { ok = s.ready }); return ok }
func (s *session) SetLogLevel(l mcp.LoggingLevel)                      { s.locked(func() { s.level = l }) }
func (s *session) GetLogLevel() (l mcp.LoggingLevel)                   { s.locked(func() { l = s.level }); return l }
func (s *session) SetClientInfo(i mcp.Implementation)                  { s.locked(func() { s.client = i }) }
func (s *session) GetClientInfo() (i mcp.Implementation)               { s.locked(func() { i = s.client }); return i }
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.locked(func() { s.capabilities = c })
}
func (s *session) GetClientCapabilities() (c mcp.ClientCapabilities) {
	s.locked(func() { c = s.capabilities })
	return c
}
func (s *session) SetProtocolVersion(v string) { s.locked(func() { s.version = v }) }
func (s *session) ProtocolVersion() (v string) { s.locked(func() { v = s.version }); return v }

func (s *session) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// clientName is what the client says it is, fit for a record: a claim.
func (s *session) clientName() string {
	i := s.GetClientInfo()
	if i.Name == "" {
		return "unknown"
	}
	if i.Version == "" {
		return clean(i.Name)
	}
	return clean(i.Name) + "/" + clean(i.Version)
}

// clean makes what a client says of itself fit for a record.
func clean(t string) string {
	return answer.Clip(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != '/' {
			return r
		}
		return '_'
	}, t), 64)
}

// RequestElicitation asks the client's user and waits for the answer.
func (s *session) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	var r mcp.ElicitationResult
	if err := s.ask(ctx, mcp.MethodElicitationCreate, request.Params, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// ask makes a request of ours to the client and waits for its result.
func (s *session) ask(ctx context.Context, method mcp.MCPMethod, params, result any) error {
	answer := make(chan envelope, 1)
	var id string
	s.locked(func() {
		s.asked++
		id = fmt.Sprintf(`"sallyport-%d"`, s.asked)
		s.waiting[id] = answer
	})
	defer s.locked(func() { delete(s.waiting, id) })
	err := s.conn.send(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  any             `json:"params"`
	}{mcp.JSONRPC_VERSION, json.RawMessage(id), string(method), params})
	if err != nil {
		return fmt.Errorf("encoding the question: %w", err)
	}
	select {
	case <-ctx.Done():
		s.notify(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": json.RawMessage(id)})
		return context.Cause(ctx)
	case e := <-answer:
		if e.Error != nil {
			return errors.New("the client answered with an error")
		}
		if err := json.Unmarshal(e.Result, result); err != nil {
			return errors.New("the client's answer is malformed")
		}
		return nil
	}
}

// answered takes a client's answer to a request of ours; one that nobody waits
// for is dropped.
func (s *session) answered(id string, e envelope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to, ok := s.waiting[id]; ok {
		delete(s.waiting, id)
		to <- e
	}
}
