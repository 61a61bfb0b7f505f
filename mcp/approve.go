package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/answer"
	"sallyport/gate"
)

const (
	approvalTime = 5 * time.Minute
	maxShownCode = 32 << 10
)

// Approve asks the user of the client that made the call: it is the Approve of
// a gate whose requests come from a Server. A client that cannot ask, an error,
// a refusal and too long a silence all mean no.
func Approve(ctx context.Context, q gate.Question) (gate.Approval, error) {
	a, source := q.Answer, q.Source
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	// Nobody can approve what they are not shown.
	if !ok || !canAsk(ctx, c) || len(source) > maxShownCode {
		return gate.Approval{Answer: "unsupported"}, nil
	}
	what, title := "Run this program once, in the sandbox.", "Run it"
	if a.Request != "" {
		what, title = "Send this request once.", "Send it"
	}
	ask := mcp.ElicitationParams{
		Message: question(a, source),
		RequestedSchema: object([]string{"approve"}, schema{
			"approve": describe("boolean", what, schema{"title": title, "default": false}),
		}),
	}
	if r, ok := ctx.Value(roundKey{}).(*round); ok {
		if a.Request != "" {
			return gate.Approval{Answer: "unsupported"}, nil // the program runs, and the call cannot be made again
		}
		return r.approve(ctx, c.conn.Server, a.Source.SHA256, ask), nil
	}
	ctx, cancel := context.WithTimeout(ctx, approvalTime)
	defer cancel()
	r, err := c.RequestElicitation(ctx, mcp.ElicitationRequest{Params: ask})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return gate.Approval{Answer: "timeout"}, nil
	case ctx.Err() != nil:
		return gate.Approval{Answer: "cancelled"}, nil
	case err != nil:
		return gate.Approval{}, err
	}
	return approval(r), nil
}

// approval reads an answer: anything but a clear yes is a no.
func approval(r *mcp.ElicitationResult) gate.Approval {
	switch r.Action {
	case mcp.ElicitationResponseActionAccept:
		if content, ok := r.Content.(map[string]any); ok && content["approve"] == true {
			return gate.Approval{Yes: true, Answer: "accepted"}
		}
		return gate.Approval{Answer: "declined"}
	case mcp.ElicitationResponseActionDecline:
		return gate.Approval{Answer: "declined"}
	default:
		return gate.Approval{Answer: "cancelled"}
	}
}

// canAsk says whether the client declared, for this request where the protocol
// wants that, that it can ask its user.
func canAsk(ctx context.Context, c *session) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && info.ClientCapabilities.Elicitation != nil
	}
	return c.GetClientCapabilities().Elicitation != nil
}

// question is what the user sees: why they are asked, and all of the code.
func question(a gate.Answer, source string) string {
	var b strings.Builder
	if a.Request != "" {
		fmt.Fprintf(&b, "Policy wants your approval before a %s program that runs sends this request.\n\n%s\n\n", a.Source.Language, answer.Visible(a.Request))
	} else {
		fmt.Fprintf(&b, "Policy wants your approval before this %s program runs.\n", a.Source.Language)
	}
	for _, s := range answer.Spots(a.Decision.Findings) {
		fmt.Fprintf(&b, "- %s\n", newFinding(s).sentence())
	}
	if a.Request != "" {
		return b.String()
	}
	b.WriteString("\n")
	for i, l := range strings.Split(strings.TrimRight(source, "\n"), "\n") {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, answer.Visible(l))
	}
	return b.String()
}
