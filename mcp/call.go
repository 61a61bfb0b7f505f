package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/turns"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// handleRun serves the tool that runs programs of a language.
func (s *Server) handleRun(language string) server.ToolHandlerFunc {
	return func(ctx context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := readArguments(call.Params.RawArguments, runArguments(language, s.sessions), "code")
		if err != nil {
			return badCall(err).run(), nil
		}
		args.language = language
		if args.labels, err = labelsOf(call); err != nil {
			return badCall(err).run(), nil
		}
		needs := []string{ScopeRun}
		if args.session != "" {
			needs = append(needs, ScopeSessions)
		}
		if p := may(ctx, needs...); p != nil {
			return p.run(), nil
		}
		if p := s.wrongEnvironment(ctx, principal(ctx), args); p != nil {
			return p.run(), nil
		}
		if args.roots, err = roots(ctx, args); err != nil {
			return badCall(err).run(), nil
		}
		if args.session != "" {
			return s.handleCell(ctx, call, args), nil
		}
		p := s.startProgress(ctx, call)
		defer p.stop()
		turn, err := s.runs.Take(ctx, owner(ctx))
		if err != nil {
			return s.notServed(ctx, s.runs, principal(ctx), err).run(), nil
		}
		req := s.request(ctx, call.Params.Name, args)
		req.Stage, req.Aside, req.Patience = p.stage, turn.Aside, p.patience()
		var flush func()
		req.Output, flush = s.liveOutput(ctx)
		ctx, rounds := withRound(ctx, call)
		answer, err := s.opts.Gate.Run(ctx, req)
		turn.Leave()
		flush()
		if err != nil {
			return s.failed(ctx, err).run(), nil
		}
		if q := rounds.question(); q != nil {
			return q, nil
		}
		return s.runResult(ctx, answer, args.code, s.notes(args)), nil
	}
}

// handleCheck serves check_code.
func (s *Server) handleCheck(ctx context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := readArguments(call.Params.RawArguments, checkArguments(), "language", "code")
	if err != nil {
		return badCall(err).check(), nil
	}
	if args.labels, err = labelsOf(call); err != nil {
		return badCall(err).check(), nil
	}
	if p := may(ctx, ScopeCheck); p != nil {
		return p.check(), nil
	}
	if p := s.wrongEnvironment(ctx, principal(ctx), args); p != nil {
		return p.check(), nil
	}
	leave, err := s.checks.Enter(ctx, owner(ctx))
	if err != nil {
		return s.notServed(ctx, s.checks, principal(ctx), err).check(), nil
	}
	defer leave()
	answer, err := s.opts.Gate.Check(ctx, s.request(ctx, call.Params.Name, args))
	if err != nil {
		return s.failed(ctx, err).check(), nil
	}
	return s.opts.checkResult(answer, args.code), nil
}

func (s *Server) request(ctx context.Context, tool string, args arguments) gate.Request {
	req := gate.Request{
		Language:    analyze.Language(args.language),
		Goal:        args.goal,
		Source:      []byte(args.code),
		Tool:        tool,
		Environment: args.environment,
		Args:        args.args,
		Stdin:       []byte(args.stdin),
		Files:       args.files,
		References:  args.references,
		Roots:       args.roots,
		Labels:      args.labels,
		Limits:      sandbox.Limits{Wall: args.timeout, Memory: args.memory},
	}
	if args.typescript {
		req.Language = analyze.TypeScript
	}
	if c, ok := server.ClientSessionFromContext(ctx).(*session); ok {
		req.Client, req.Session, req.Principal = c.clientName(), c.id, c.conn.who
		req.ClientVersion = clean(c.GetClientInfo().Version)
	}
	return req
}

// notes says what the caller asked for and does not get.
func (s *Server) notes(args arguments) []string {
	var out []string
	if most := s.opts.Limits.Wall; args.timeout > most {
		out = append(out, fmt.Sprintf("timeout_seconds was cut to %g, the most that is allowed here", most.Seconds()))
	}
	if most := s.opts.Limits.Memory; args.memory > most {
		out = append(out, fmt.Sprintf("memory_mb was cut to %d, the most that is allowed here", most>>20))
	}
	return out
}

// problem is why a call led to no judgement of code.
type problem struct {
	status, reason, text string
	wait                 time.Duration // until it is worth trying again; 0: nobody knows
}

func refusal(reason, text string) problem {
	return problem{status: "refused", reason: reason, text: text}
}

// seconds are the whole ones of wait, one at least, 0 for none.
func (p problem) seconds() int { return int((p.wait + time.Second - 1) / time.Second) }

// run and check are a problem as a result of either kind of tool.
func (p problem) run() *mcp.CallToolResult {
	return p.result(runOutput{Status: p.status, Reason: p.reason, RetryAfter: p.seconds()})
}

func (p problem) check() *mcp.CallToolResult {
	return p.result(checkOutput{Effect: "deny", Reason: p.reason, Findings: []findingOutput{}, RetryAfter: p.seconds()})
}

func (p problem) result(told any) *mcp.CallToolResult { return result(p.text, nil, told, true) }

func badCall(err error) problem {
	return refusal("arguments", "The call was refused: "+err.Error()+".")
}

// notServed is about a call of who's that never got its turn. Why is on record where
// somebody else asks than the user who runs this process.
func (s *Server) notServed(ctx context.Context, t *turns.Turnstile, who gate.Principal, err error) problem {
	var why string
	var said problem
	switch {
	case errors.Is(err, turns.ErrBusy):
		why = fmt.Sprintf("busy: %d calls wait in the queue of %s", t.Queue, t.Name)
		said = problem{"refused", "busy", fmt.Sprintf(
			"Busy: %d calls are waiting for their turn. Nothing ran. Wait for answers before you call again.", t.Queue), time.Second}
	case errors.Is(err, gate.ErrAway):
		why, said = "away: "+err.Error(), s.away()
	default:
		return problem{status: "stopped", reason: "cancelled", text: "The call was cancelled while it waited. Nothing ran."}
	}
	if who.How != "" {
		if err := s.opts.Gate.Refused(ctx, who, "", t.Name, why); err != nil {
			s.opts.Log("a refusal could not be recorded: %s", hint.Text(err))
		}
	}
	return said
}

// away is about a call that needs what replicas share.
func (s *Server) away() problem {
	s.turnedAway("runs", "away")
	return problem{"refused", "away", "The call was refused: " + gate.ErrAway.Error() + ". Nothing ran. Try again in a while.", AwayFor}
}

// AwayFor is when it is worth trying again to reach what replicas share.
const AwayFor = 5 * time.Second

// missing puts on record that who named something that is not there for them: it
// may be another's. Over STDIO there is nobody else.
func (o *Options) missing(ctx context.Context, who gate.Principal, asked, kind, name string) {
	if who.How == "" {
		return
	}
	why := fmt.Sprintf("%s refused: %q is none of theirs", kind, answer.Clip(answer.Visible(name), 128))
	if err := o.Gate.Refused(ctx, who, "", asked, why); err != nil {
		o.Log("a refusal could not be recorded: %s", hint.Text(err))
	}
}

// failed is what is said when sallyport could not do its work. What went wrong
// may name things of the host: it goes to the operator's log, and a fixed
// phrase to the client.
func (s *Server) failed(ctx context.Context, err error) problem {
	if errors.Is(err, gate.ErrEnvironment) {
		return refusal("environment", "The call was refused: there is no such environment. Nothing ran. Those that exist: "+strings.Join(namesOf(s.environments("")), ", ")+".")
	}
	if errors.Is(err, gate.ErrReference) || errors.Is(err, gate.ErrTooLarge) || errors.Is(err, gate.ErrFile) {
		return refusal("file", "The call was refused: "+answer.Visible(err.Error())+". Nothing ran.")
	}
	if quota, ok := errors.AsType[*gate.QuotaError](err); ok {
		s.turnedAway("runs", "quota")
		return problem{"refused", "quota", "The call was refused: " + quota.Error() + ". Nothing ran.", quota.Wait}
	}
	if errors.Is(err, gate.ErrAway) {
		return s.away()
	}
	if ctx.Err() != nil {
		return problem{status: "stopped", reason: "cancelled", text: "The call was cancelled."}
	}
	s.opts.Log("a call failed: %s", hint.Text(err))
	f := answer.FailureOf(err)
	return problem{status: "error", reason: f.Reason, text: f.Text}
}

// liveOutput returns where a program's output goes while it runs: to the client
// as log messages if it asked for them, else nowhere.
func (s *Server) liveOutput(ctx context.Context) (output func(sandbox.Stream, []byte), flush func()) {
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok || !wantsOutput(ctx, c) {
		return nil, func() {}
	}
	l := &liveLog{session: c}
	return l.write, l.flush
}

// wantsOutput says whether the client asked for log messages of level info.
func wantsOutput(ctx context.Context, c *session) bool {
	level := c.GetLogLevel()
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		level = info.LogLevel
	}
	return level == mcp.LoggingLevelDebug || level == mcp.LoggingLevelInfo
}

// denied says whether nothing ran because of the decision.
func denied(a gate.Answer) bool { return a.Decision.Effect != policy.Allow || a.Result == nil }

// owner names whoever a call is from. What is kept between calls is found by
// that name and another one, and by nobody else.
func owner(ctx context.Context) string { return key(principal(ctx)) }

// principal is whoever a call is from; over STDIO the zero one.
func principal(ctx context.Context) (who gate.Principal) {
	if c, ok := server.ClientSessionFromContext(ctx).(*session); ok {
		who = c.conn.who
	}
	return who
}

func key(p gate.Principal) string {
	return fmt.Sprintf("%q %q %q %q", p.How, p.Issuer, p.Tenant, p.Subject)
}

// turnedAway counts a call that was refused for what a queue, or a quota, holds.
func (s *Server) turnedAway(queue, why string) {
	if s.opts.ObserveQueue != nil {
		s.opts.ObserveQueue(telemetry.Queue{Name: queue, Refused: why})
	}
}

// TurnedAway puts on record, and counts, that a call of who's was refused before
// it came to this server: it came too often, or beside too many.
func (s *Server) TurnedAway(ctx context.Context, who gate.Principal, address, asked, why string) error {
	s.turnedAway("calls", "quota")
	return s.opts.Gate.Refused(ctx, who, address, asked, why)
}
