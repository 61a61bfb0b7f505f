package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/gate"
)

const (
	maxPeers    = 4096             // clients with a handshake that are remembered
	maxPeersOf  = 64               // of one principal
	peerIdle    = time.Hour        // without a message
	writeWait   = 30 * time.Second // for a client to take an event
	sessionName = mcp.HeaderSessionID
)

// HTTP answers one message of who's over Streamable HTTP. Each message is a
// connection of its own, whose only stream is its answer: a client that goes
// away cancels its call. Who it is from, and that the message is no larger than
// it may be, is the caller's business.
func (s *Server) HTTP(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte) {
	if r.Method == http.MethodDelete && r.Header.Get(sessionName) != "" {
		if id := r.Header.Get(sessionName); !s.peers.drop(key(who), id) {
			if where := s.opts.Handles.where("connection", key(who), id); where != "" {
				http.Error(w, where, http.StatusNotFound)
				return
			}
			s.opts.missing(r.Context(), who, r.URL.Path, "connection", id)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "a message is sent with POST, and answered there", http.StatusMethodNotAllowed)
		return
	}
	e, problem := readHeaders(r, body)
	if problem != nil {
		answerJSON(w, http.StatusBadRequest, problem)
		return
	}
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	p, id := newPeer(), r.Header.Get(sessionName)
	switch {
	case modern: // has neither handshake nor session
	case e.Method != nil && *e.Method == string(mcp.MethodInitialize):
		w.Header().Set(sessionName, s.peers.add(key(who), s.opts.Handles.name("connection", key(who), ""), p))
	case id == "":
		answerJSON(w, http.StatusBadRequest, errorResponse(e.ID, mcp.INVALID_REQUEST, "this version of the protocol begins with initialize, whose answer names a session"))
		return
	default:
		if p = s.peers.find(key(who), id); p == nil {
			where := s.opts.Handles.where("connection", key(who), id)
			if where == "" {
				s.opts.missing(r.Context(), who, r.URL.Path, "connection", id)
				where = "there is no such session"
			}
			answerJSON(w, http.StatusNotFound, errorResponse(e.ID, mcp.INVALID_REQUEST, where))
			return
		}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(errEnd)
	c := newConn(ctx, s, p, who)
	answered := make(chan any, 1)
	go c.message(ctx, body, func(_ json.RawMessage, response any) { answered <- response })
	c.stream(ctx, w, r, modern, len(e.ID) > 0, answered)
	cancel(errEnd)
	c.open.Wait()
}

// stream writes what is told on the way, and then the answer.
func (c *conn) stream(ctx context.Context, w http.ResponseWriter, r *http.Request, modern, asks bool, answered <-chan any) {
	e, events := newEvents(w), strings.Contains(r.Header.Get("Accept"), "text/event-stream")
	event := func(b []byte) {
		if events {
			e.write("message", b)
		}
	}
	for {
		select {
		case b := <-c.out:
			event(b)
		case <-ctx.Done(): // the client is gone, and its call is cancelled with it
			<-answered
			return
		case response := <-answered:
			for len(c.out) > 0 {
				event(<-c.out)
			}
			if response == nil {
				if !e.began {
					w.WriteHeader(http.StatusAccepted)
				}
				return
			}
			b, err := json.Marshal(response)
			if err != nil {
				c.opts.Log("encoding an answer: %v", err)
				b, _ = json.Marshal(errorResponse(nil, mcp.INTERNAL_ERROR, "internal error"))
			}
			if e.began {
				event(b)
				return
			}
			_ = e.control.SetWriteDeadline(time.Now().Add(writeWait))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status(response, modern, asks))
			_, _ = w.Write(b)
			return
		}
	}
}

// events is an answer that is a stream of events. It begins with the first one.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	began   bool
	err     error // of the first event that was not taken
}

func newEvents(w http.ResponseWriter) *events {
	return &events{w: w, control: http.NewResponseController(w)}
}

// write sends an event whose data is one line.
func (e *events) write(kind string, data []byte) {
	e.send("event: " + kind + "\ndata: " + string(bytes.TrimRight(data, "\n")) + "\n\n")
}

// beat says that the call goes on: clients and proxies give up on silent ones.
func (e *events) beat() { e.send(": still at it\n\n") }

func (e *events) send(text string) {
	if e.err != nil {
		return
	}
	if !e.began {
		e.began = true
		h := e.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		e.w.WriteHeader(http.StatusOK)
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(writeWait))
	if _, e.err = io.WriteString(e.w, text); e.err == nil {
		e.err = e.control.Flush()
	}
	_ = e.control.SetWriteDeadline(time.Time{}) // HTTP/2 would break off a stream that is silent for as long
}

// status is what revision 2026-07-28 maps an error to; before it an error that
// answers a request is an answer like any other.
func status(response any, modern, asks bool) int {
	e, ok := response.(mcp.JSONRPCError)
	if !ok || !modern && asks {
		return http.StatusOK
	}
	if e.Error.Code == mcp.METHOD_NOT_FOUND {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func answerJSON(w http.ResponseWriter, code int, response any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(response) // whoever does not read it does not know it
}

// readHeaders reads the message as far as it takes to hold its headers against
// it, and says what is wrong with them.
func readHeaders(r *http.Request, body []byte) (e envelope, problem any) {
	if !json.Valid(body) {
		return e, errorResponse(nil, mcp.PARSE_ERROR, "the message is not valid JSON")
	}
	if json.Unmarshal(body, &e) != nil {
		return e, errorResponse(nil, mcp.INVALID_REQUEST, "a message must be one JSON-RPC object; there are no batches over HTTP")
	}
	id, ok := idOf(e.ID)
	if !ok {
		return e, errorResponse(nil, mcp.INVALID_REQUEST, "an id must be a string of UTF-8 or a number")
	}
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	_ = json.Unmarshal(e.Params, &p) // of another shape, it names no version
	version, header := p.Meta.ProtocolVersion(), r.Header.Get(mcp.HeaderProtocolVersion)
	method := ""
	if e.Method != nil {
		method = *e.Method
	}
	switch {
	case header != "" && !mcp.IsValidProtocolVersion(header):
		return e, errorResponse(id, mcp.UNSUPPORTED_PROTOCOL_VERSION, "this version of the protocol is not supported")
	case !mcp.IsModernProtocol(version) && !mcp.IsModernProtocol(header):
		return e, nil
	case version != header && (version != "" || id != nil):
		return e, errorResponse(id, mcp.HEADER_MISMATCH, "the protocol version of the header is not that of the message")
	}
	if err := mcp.ValidateStandardHeaders(r.Header.Get, header, mcp.MCPMethod(method), e.Params); err != nil {
		return e, errorResponse(id, mcp.HEADER_MISMATCH, err.Error())
	}
	return e, nil
}

// Scopes of a principal.
const (
	ScopeCheck    = "check"
	ScopeRun      = "run"
	ScopeSessions = "sessions"
	ScopeApprove  = "approve"
)

// Needs names the scopes that a message wants of whoever sends it. The tools
// ask again when they are called: what a message means is theirs to say.
func Needs(body []byte) []string {
	var m struct {
		Method string
		Params struct {
			Name      string
			Arguments struct{ Session json.RawMessage }
		}
	}
	_ = json.Unmarshal(body, &m) // what cannot be read is refused where it is served
	if m.Method != string(mcp.MethodToolsCall) {
		return nil
	}
	switch m.Params.Name {
	case "check_code":
		return []string{ScopeCheck}
	case "end_session":
		return []string{ScopeSessions}
	}
	if len(m.Params.Arguments.Session) > 0 {
		return []string{ScopeRun, ScopeSessions}
	}
	return []string{ScopeRun}
}

// may refuses a call that its principal has no scope for.
func may(ctx context.Context, scopes ...string) *problem {
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok {
		return new(refusal("scope", "The call was refused: nobody knows whose it is. Nothing ran."))
	}
	for _, scope := range scopes {
		if c.conn.who.How != "" && !c.conn.who.May(scope) {
			return new(refusal("scope", "The call was refused: it needs the scope "+scope+". Nothing ran."))
		}
	}
	return nil
}

// peers are the clients of the versions with a handshake, each found by its
// principal alone.
type peers struct {
	mu   sync.Mutex // guards the fields below
	open []*knownPeer
}

type knownPeer struct {
	*peer
	owner, session string
	used           time.Time
}

// add remembers a client by the name of its session. Of too many the one goes
// that was silent for longest.
func (p *peers) add(owner, session string, one *peer) string {
	known := &knownPeer{one, owner, session, time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	oldest := func(of func(*knownPeer) bool, most int) {
		n, at := 0, -1
		for i, k := range p.open {
			if of(k) {
				if n++; at < 0 || k.used.Before(p.open[at].used) {
					at = i
				}
			}
		}
		if n >= most {
			p.open = append(p.open[:at], p.open[at+1:]...)
		}
	}
	oldest(func(k *knownPeer) bool { return k.owner == owner }, maxPeersOf)
	oldest(func(*knownPeer) bool { return true }, maxPeers)
	p.open = append(p.open, known)
	return known.session
}

// find returns an owner's client, nil for none.
func (p *peers) find(owner, session string) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.open {
		if k.session == session && k.owner == owner && time.Since(k.used) < peerIdle {
			k.used = time.Now()
			return k.peer
		}
	}
	return nil
}

// drop forgets an owner's client; false for none.
func (p *peers) drop(owner, session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range p.open {
		if k.session == session && k.owner == owner {
			p.open = append(p.open[:i], p.open[i+1:]...)
			return true
		}
	}
	return false
}
