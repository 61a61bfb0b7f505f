package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxBatch bounds the messages in a batch, whose answers are held until the
// last one is there.
const maxBatch = 64

// batch collects the answers to the messages that came in one array. Protocol
// version 2025-03-26 wants servers to take batches; later ones have none.
type batch struct {
	conn *conn

	mu      sync.Mutex // guards the fields below
	left    int
	answers []json.RawMessage
}

// batch handles the messages of a batch, in their order and as if they had come
// one by one. A batch without an answer, of notifications alone, has none.
func (c *conn) batch(ctx context.Context, line []byte) {
	var messages []json.RawMessage
	err := json.Unmarshal(line, &messages)
	version := c.session.ProtocolVersion()
	switch {
	case version == "" || version > mcp.ProtocolVersion20250326:
		c.refuse(nil, mcp.INVALID_REQUEST, "a message must be one JSON-RPC object; this version of the protocol has no batches")
		return
	case err != nil || len(messages) == 0:
		c.refuse(nil, mcp.INVALID_REQUEST, "a batch must hold messages")
		return
	case len(messages) > maxBatch:
		c.refuse(nil, mcp.INVALID_REQUEST, fmt.Sprintf("a batch holds %d messages, at most %d are allowed", len(messages), maxBatch))
		return
	}
	b := &batch{conn: c, left: len(messages)}
	for _, m := range messages {
		c.message(ctx, m, b.take)
	}
}

// take is the sink of the messages of a batch.
func (b *batch) take(id json.RawMessage, response any) {
	encoded, err := json.Marshal(response)
	if err != nil {
		b.conn.opts.Log("encoding an answer: %v", err)
		encoded, err = json.Marshal(errorResponse(id, mcp.INTERNAL_ERROR, "internal error"))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if response != nil && err == nil {
		b.answers = append(b.answers, encoded)
	}
	if b.left--; b.left > 0 || len(b.answers) == 0 {
		return
	}
	if err := b.conn.send(b.answers); err != nil {
		b.conn.opts.Log("encoding the answers to a batch: %v", err)
	}
}
