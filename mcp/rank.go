package mcp

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// rank is a call's among those that name the same session: they run in the order
// in which the client sent them, although each is served by itself. The nil rank
// is of a call that names none.
type rank struct {
	before <-chan struct{} // closed once the call before has its place in the session's queue, or needs none
	take   func()          // says so of this one
}

type rankKey struct{}

func rankOf(ctx context.Context) *rank {
	p, _ := ctx.Value(rankKey{}).(*rank)
	return p
}

// lineUp gives a call its place, when the message is one that names a session. It
// is called where messages come in, before the next one is read.
func (c *conn) lineUp(method string, message []byte) *rank {
	if !c.sessions || method != string(mcp.MethodToolsCall) {
		return nil
	}
	var call struct {
		Params struct {
			Arguments struct {
				Session string `json:"session"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(message, &call); err != nil {
		return nil // and is refused
	}
	name := call.Params.Arguments.Session
	if name == "" || name == anyName {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cells == nil {
		c.cells = map[string]chan struct{}{}
	}
	taken := make(chan struct{})
	p := &rank{before: c.cells[name]}
	p.take = sync.OnceFunc(func() {
		close(taken)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cells[name] == taken {
			delete(c.cells, name)
		}
	})
	c.cells[name] = taken
	return p
}

// wait returns when the calls before have their places, or with the cause of ctx's end.
func (p *rank) wait(ctx context.Context) error {
	if p == nil || p.before == nil {
		return nil
	}
	select {
	case <-p.before:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// taken says that the call has its place, or needs none, once that is so of all
// calls before: one that is refused at once does not let the next one past them.
func (p *rank) taken() {
	if p == nil {
		return
	}
	if p.before != nil {
		<-p.before
	}
	p.take()
}
