package mcp

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/gate"
)

// Since protocol version 2026-07-28 a server does not ask a client in the
// middle of a call. The call is answered with a question, and the client makes
// the call again with the user's answer. The code is judged again then; what
// carries over is only that somebody was asked about exactly these bytes.

// round is what such a call brings along, and the question that it ends with.
type round struct {
	responses mcp.InputResponses
	state     string
	ask       *mcp.ElicitationParams
	next      string
}

type roundKey struct{}

// withRound notes what a call brings along, for Approve to find it. A call over
// a protocol with a handshake has no rounds.
func withRound(ctx context.Context, call mcp.CallToolRequest) (context.Context, *round) {
	r := &round{responses: call.Params.InputResponses, state: call.Params.RequestState}
	if !server.IsModernRequest(ctx) {
		return ctx, r
	}
	return context.WithValue(ctx, roundKey{}, r), r
}

const approveID = "approve"

// approve reads the user's answer to a question that was asked about the same
// source, or notes that the question has to be asked.
func (r *round) approve(s *Server, sha256 string, ask mcp.ElicitationParams) gate.Approval {
	if r.state != "" && s.questions.take(r.state) == sha256 {
		if answer := server.ElicitationResponse(r.responses, approveID); answer != nil {
			return approval(answer)
		}
		return gate.Approval{Answer: "failed"}
	}
	r.ask, r.next = &ask, s.questions.put(sha256)
	return gate.Approval{Answer: "pending"}
}

// question is the answer to a call that has to be made again, nil for none.
func (r *round) question() *mcp.CallToolResult {
	if r.ask == nil {
		return nil
	}
	result := server.NewInputRequestBuilder(r.next).Elicit(approveID, *r.ask).ToolResult()
	result.Content = []mcp.Content{}
	return result
}

// maxQuestions bounds the questions that wait for an answer.
const maxQuestions = 64

// questions remembers what was asked about. Each can be answered once.
type questions struct {
	mu   sync.Mutex // guards the fields below
	open map[string]string
	ids  []string
}

func (q *questions) put(sha256 string) string {
	id := rand.Text()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]string{}
	}
	if len(q.ids) >= maxQuestions {
		delete(q.open, q.ids[0])
		q.ids = q.ids[1:]
	}
	q.open[id] = sha256
	q.ids = append(q.ids, id)
	return id
}

// take returns what the question was about, "" for one that is not open.
func (q *questions) take(id string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	sha256 := q.open[id]
	delete(q.open, id)
	return sha256
}
