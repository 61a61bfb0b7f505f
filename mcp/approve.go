package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/gate"
)

const (
	approvalTime = 5 * time.Minute
	maxShownCode = 32 << 10
)

// Approve asks the user of the client that made the call: it is the Approve of
// a gate whose requests come from a Server. A client that cannot ask, an error,
// a refusal and too long a silence all mean no.
func Approve(ctx context.Context, a gate.Answer, source string) (gate.Approval, error) {
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok || !canAsk(ctx, c) {
		return gate.Approval{Answer: "unsupported"}, nil
	}
	if len(source) > maxShownCode {
		// Nobody can approve what they are not shown.
		return gate.Approval{Answer: "unsupported"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, approvalTime)
	defer cancel()
	r, err := c.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
		Message: question(a, source),
		RequestedSchema: object([]string{"approve"}, schema{
			"approve": describe("boolean", "Run this program once, in the sandbox.", schema{"title": "Run it", "default": false}),
		}),
	}})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return gate.Approval{Answer: "timeout"}, nil
	case ctx.Err() != nil:
		return gate.Approval{Answer: "cancelled"}, nil
	case err != nil:
		return gate.Approval{}, err
	}
	switch r.Action {
	case mcp.ElicitationResponseActionAccept:
		if content, ok := r.Content.(map[string]any); ok && content["approve"] == true {
			return gate.Approval{Yes: true, Answer: "accepted"}, nil
		}
		return gate.Approval{Answer: "declined"}, nil
	case mcp.ElicitationResponseActionDecline:
		return gate.Approval{Answer: "declined"}, nil
	default:
		return gate.Approval{Answer: "cancelled"}, nil
	}
}

// canAsk says whether the client declared that it can ask its user. Clients of
// the protocol without a handshake are asked in another way, which is not
// spoken here: for them an ask is a no.
func canAsk(ctx context.Context, c *session) bool {
	return !server.IsModernRequest(ctx) && c.GetClientCapabilities().Elicitation != nil
}

// question is what the user sees: why they are asked, and all of the code.
func question(a gate.Answer, source string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Policy wants your approval before this %s program runs.\n", a.Source.Language)
	for _, f := range a.Decision.Findings {
		fmt.Fprintf(&b, "- %s\n", findingLine(f))
	}
	b.WriteString("\n")
	for i, l := range strings.Split(strings.TrimRight(source, "\n"), "\n") {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, visible(l))
	}
	return b.String()
}
