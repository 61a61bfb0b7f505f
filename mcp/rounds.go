package mcp

import (
	"context"
	"slices"
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
func (r *round) approve(ctx context.Context, s *Server, sha256 string, ask mcp.ElicitationParams) gate.Approval {
	owner, about := owner(ctx), ""
	if r.state != "" {
		if about = s.questions.take(owner, r.state); about == "" {
			about = s.opts.Handles.answered(owner, r.state)
		}
		if about == "" {
			s.opts.missing(ctx, principal(ctx), "tools/call", "question", r.state)
		}
	}
	if about != "" && about == sha256 {
		if answer := server.ElicitationResponse(r.responses, approveID); answer != nil {
			return approval(answer)
		}
		return gate.Approval{Answer: "failed"}
	}
	r.ask, r.next = &ask, s.questions.put(owner, sha256, s.opts.Handles.name("question", owner, sha256))
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

// How many questions wait for an answer.
const (
	maxQuestions    = 64 // of one principal
	maxQuestionsAll = 64 * maxQuestions
)

// questions remembers what was asked about, and whom. Each can be answered once,
// by whoever was asked.
type questions struct {
	mu   sync.Mutex // guards the fields below
	open []asked    // the oldest first
}

type asked struct{ id, owner, sha256 string }

func (q *questions) put(owner, sha256, id string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	own, first := 0, -1
	for i, a := range q.open {
		if a.owner == owner {
			if own++; first < 0 {
				first = i
			}
		}
	}
	switch {
	case own >= maxQuestions:
		q.open = slices.Delete(q.open, first, first+1)
	case len(q.open) >= maxQuestionsAll:
		q.open = slices.Delete(q.open, 0, 1)
	}
	q.open = append(q.open, asked{id, owner, sha256})
	return id
}

// take returns what the question was about, "" for one that is not open for the
// owner.
func (q *questions) take(owner, id string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.open, func(a asked) bool { return a.id == id && a.owner == owner })
	if i < 0 {
		return ""
	}
	sha256 := q.open[i].sha256
	q.open = slices.Delete(q.open, i, i+1)
	return sha256
}
