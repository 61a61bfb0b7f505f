package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/turns"
	"sallyport/sandbox"
)

// interpreter is a session of one interpreter that a model has named. The
// client's connection is another kind of session: type session.
type interpreter struct {
	owner                       string
	name, language, environment string
	memory                      int64
	session                     *gate.Session
	queue                       *turns.Turnstile // one cell at a time, in order
}

// interpreters are those of all clients, each found by its owner alone. One that
// has ended stays until the model has been told.
type interpreters struct {
	opts Options

	mu    sync.Mutex // guards the fields below
	named map[handle]*interpreter
	made  map[string]int // names that were chosen, by owner
}

// handle is what an interpreter is found by.
type handle struct{ owner, name string }

const (
	anyName         = "new" // in place of a name: one is chosen
	maxSessionName  = 32
	maxInterpreters = 64 // of one owner that are remembered, also such as have ended
)

// sessionOutput is the part of a result that is about the session.
type sessionOutput struct {
	Name  string `json:"name"`
	Cell  int    `json:"cell"`
	Ended string `json:"ended,omitempty"`
}

func (a *arguments) readSession(v json.RawMessage) error {
	if err := text(&a.session, v); err != nil {
		return err
	}
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_'
	}
	if a.session == "" || len(a.session) > maxSessionName || strings.ContainsFunc(a.session, func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("must be a name of 1 to %d letters, digits, - and _", maxSessionName)
	}
	return nil
}

// Names, when a server has them, say which replica of a service has the session that
// an owner gave a name: its state is nowhere else.
type Names interface {
	// Take has a name stand for a session here until then, or returns the replica that
	// has one of that name.
	Take(ctx context.Context, owner, name string, until time.Time) (elsewhere string, err error)
	// Drop lets a name that stands for one here stand for nothing.
	Drop(ctx context.Context, owner, name string) error
}

// interpreter returns the session that a call is for, which begins with it when
// there is none of that name. That one has ended is said once, so that no code runs
// on the belief that its state is there; the same name then begins anew.
func (s *Server) interpreter(ctx context.Context, tool string, args arguments) (*interpreter, *problem) {
	in, own := &s.interpreters, owner(ctx)
	if it := in.find(own, args.session); it != nil {
		if why := it.session.Ended(); why != "" {
			in.forget(ctx, it)
			return nil, new(sessionEnded(it.name, why))
		}
		return it, it.fits(args)
	}
	name, refused, err := in.take(ctx, own, args.session)
	if refused == nil && err == nil {
		start := s.request(ctx, tool, args)
		start.Name = name
		var it *interpreter
		if it, refused, err = in.begin(own, args, start); it != nil {
			return it, refused
		}
		in.drop(ctx, own, name)
	}
	if errors.Is(err, gate.ErrTooManySessions) {
		return nil, tooMany(in.names(own), in.opts.Gate.SessionLimits().Max)
	}
	if err != nil {
		return nil, new(s.failed(ctx, err))
	}
	return nil, refused
}

// take has a name stand for a session of this replica, one of our choice where the
// model leaves it to us.
func (in *interpreters) take(ctx context.Context, owner, asked string) (name string, refused *problem, err error) {
	for {
		name = asked
		if asked == anyName {
			name = in.choose(owner)
		}
		if in.opts.Names == nil {
			return name, nil, nil
		}
		elsewhere, err := in.opts.Names.Take(ctx, owner, name, time.Now().Add(in.opts.Gate.SessionLimits().Total))
		if err != nil || elsewhere == "" {
			return name, nil, err
		}
		if asked != anyName {
			return "", new(refusal("session_elsewhere", fmt.Sprintf(
				"Refused: session %q is of replica %s of this service, and the call came to another one; its state is not here. Nothing ran. Use another name, and define again what you need.", name, elsewhere))), nil
		}
	}
}

// drop lets a name stand for nothing, in spite of a call that was given up.
func (in *interpreters) drop(ctx context.Context, owner, name string) {
	if in.opts.Names == nil {
		return
	}
	if err := in.opts.Names.Drop(context.WithoutCancel(ctx), owner, name); err != nil {
		in.opts.Log("the name of session %s is not free elsewhere yet: %s", name, hint.Text(err))
	}
}

// begin has a session begin, unless another call was faster.
func (in *interpreters) begin(owner string, args arguments, start gate.Request) (*interpreter, *problem, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	it := &interpreter{owner: owner, name: start.Name, language: args.language, environment: args.environment, memory: args.memory}
	if faster := in.named[it.handle()]; faster != nil {
		return faster, faster.fits(args), nil
	}
	if open, most := in.open(owner), in.opts.SessionsEach; most > 0 && len(open) >= most {
		return nil, tooMany(open, most), nil
	}
	session, err := in.opts.Gate.Begin(start)
	if err != nil {
		return nil, nil, err
	}
	it.session, it.queue = session, turns.NewTurnstile(turns.Options{Name: "cells", Most: 1, Queue: in.opts.Queue})
	if in.count(owner) >= maxInterpreters {
		maps.DeleteFunc(in.named, func(h handle, it *interpreter) bool { return h.owner == owner && it.session.Ended() != "" })
	}
	in.named[it.handle()] = it
	return it, nil, nil
}

// forget takes a session out whose end the model is told of now.
func (in *interpreters) forget(ctx context.Context, it *interpreter) {
	in.drop(ctx, it.owner, it.name) // first: until it is out, nothing of that name begins
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.named[it.handle()] == it {
		delete(in.named, it.handle())
	}
}

// find returns an owner's session, nil where none has that name.
func (in *interpreters) find(owner, name string) *interpreter {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.named[handle{owner, name}]
}

// choose returns a name that is new among an owner's.
func (in *interpreters) choose(owner string) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	for {
		in.made[owner]++
		name := fmt.Sprintf("s%d", in.made[owner])
		if in.named[handle{owner, name}] == nil {
			return name
		}
	}
}

// tooMany refuses a session beside those that are open.
func tooMany(names []string, open int) *problem {
	return new(refusal("too_many_sessions", fmt.Sprintf(
		"Refused: %d sessions are open, and no more may be%s. Nothing ran. Use one of them, or end one with end_session.",
		open, strings.TrimSuffix(": "+strings.Join(names, ", "), ": "))))
}

// fits refuses a call that the session it names cannot serve.
func (it *interpreter) fits(args arguments) *problem {
	refuse := func(format string, values ...any) *problem {
		return new(refusal("arguments", "The call was refused: "+fmt.Sprintf(format, values...)+". Nothing ran."))
	}
	switch {
	case it.language != args.language:
		return refuse("session %q is one of %s", it.name, it.language)
	case args.environment != "" && args.environment != it.environment:
		return refuse("the environment of session %q was chosen when it began", it.name)
	case args.memory != 0 && args.memory != it.memory:
		return refuse("the memory of session %q was chosen when it began", it.name)
	}
	return nil
}

func sessionEnded(name, why string) problem {
	return refusal("session_ended", fmt.Sprintf(
		"Refused: session %q has ended (%s) and its state is gone. Nothing ran. Call again with the same name to begin anew, and define again what you need.", name, endings(why)))
}

// endings says in words why a session has ended.
func endings(why string) string {
	switch why {
	case gate.EndClosed:
		return "it was ended"
	case gate.EndIdle:
		return "it was not used for too long"
	case gate.EndTotal:
		return "it was open for as long as it may"
	case gate.EndFailure:
		return "sallyport failed"
	case string(sandbox.Exited):
		return "its interpreter exited"
	case string(sandbox.Cancelled):
		return "a call in it was cancelled"
	}
	return "a call in it was stopped: " + why
}

func (it *interpreter) handle() handle { return handle{it.owner, it.name} }

// open names the owner's sessions that have not ended. The caller holds the lock.
func (in *interpreters) open(owner string) []string {
	var names []string
	for h, it := range in.named {
		if h.owner == owner && it.session.Ended() == "" {
			names = append(names, h.name)
		}
	}
	slices.Sort(names)
	return names
}

// names are those of open, for who does not hold the lock.
func (in *interpreters) names(owner string) []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.open(owner)
}

// count is how many of the owner's are remembered. The caller holds the lock.
func (in *interpreters) count(owner string) (n int) {
	for h := range in.named {
		if h.owner == owner {
			n++
		}
	}
	return n
}

// close ends every session and returns when all sandboxes are gone.
func (in *interpreters) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	var all sync.WaitGroup
	for _, it := range in.named {
		all.Go(func() {
			if err := it.session.Close(); err != nil {
				in.opts.Log("ending session %s: %v", it.name, err)
			}
		})
	}
	all.Wait()
	clear(in.named)
}

// handleCell serves a call that names a session.
func (s *Server) handleCell(ctx context.Context, call mcp.CallToolRequest, args arguments) *mcp.CallToolResult {
	if args.stdin != "" || len(args.args) > 0 {
		return badCall(errors.New("a session has no stdin and no args")).run()
	}
	p := s.startProgress(ctx, call)
	defer p.stop()
	rank := rankOf(ctx)
	if err := rank.wait(ctx); err != nil {
		return s.notServed(ctx, s.runs, principal(ctx), err).run()
	}
	it, refused := s.interpreter(ctx, call.Params.Name, args)
	if refused != nil {
		return refused.run()
	}
	leave, err := it.queue.Line(ctx, it.owner, rank.taken)
	if err != nil {
		return s.notServed(ctx, it.queue, principal(ctx), err).run()
	}
	defer leave()
	free, err := s.runs.Enter(ctx, it.owner)
	if err != nil {
		return s.notServed(ctx, s.runs, principal(ctx), err).run()
	}
	req := s.request(ctx, call.Params.Name, args)
	req.Stage = p.stage // and no patience for people: the session is held meanwhile
	var flush func()
	req.Output, flush = s.liveOutput(ctx)
	ctx, rounds := withRound(ctx, call)
	answer, err := it.session.Run(ctx, req)
	free()
	flush()
	defer s.tidy(ctx, it, answer)
	if errors.Is(err, gate.ErrSessionEnded) {
		return sessionEnded(it.name, it.session.Ended()).run()
	}
	if err != nil {
		return s.failed(ctx, err).run()
	}
	if q := rounds.question(); q != nil {
		return q
	}
	return s.cellResult(ctx, answer, args.code, s.notes(args))
}

// tidy forgets a session that has ended with this call, if there is somebody who
// reads so in its answer: a client that has given up is told by its next call. It
// ends one in which nothing has run yet: a first cell that is denied leaves
// nothing to go on with.
func (s *Server) tidy(ctx context.Context, it *interpreter, a gate.Answer) {
	if a.Cell != nil && a.Cell.Number == 1 && !waits(a) && (denied(a) || a.Result.Reason == sandbox.Mismatch) {
		if err := it.session.Close(); err != nil {
			s.opts.Log("ending session %s: %s", it.name, hint.Text(err))
		}
	}
	if it.session.Ended() != "" && ctx.Err() == nil {
		s.interpreters.forget(ctx, it)
	}
}

// cellResult is runResult for a cell of a session.
func (s *Server) cellResult(ctx context.Context, a gate.Answer, code string, notes []string) *mcp.CallToolResult {
	c := a.Cell
	if c.Number == 1 && c.Ended == "" && !denied(a) {
		notes = append(notes, fmt.Sprintf("this began session %q: name it in later calls to go on", c.Session))
	}
	switch {
	case c.Ended != "":
		notes = append(notes, fmt.Sprintf("session %q has ended with this call and its state is gone: %s", c.Session, endings(c.Ended)))
	case !denied(a) && a.Result.Reason == sandbox.Exited && a.Result.Exit != 0:
		notes = append(notes, fmt.Sprintf("what the code did before it failed is kept in session %q", c.Session))
	}
	return s.runResult(ctx, a, code, notes)
}

// sessionArgument is the schema of the argument that names a session.
func (s *Server) sessionArgument(language analyze.Language) schema {
	l := s.opts.Gate.SessionLimits()
	text := fmt.Sprintf("Keep variables, functions, imports and files for later calls that name the same session: a name of your choice, or %q to get one. "+
		"Leave it out for a fresh sandbox. It ends after %s without a call, after %s in all, when a call in it is cancelled or hits a limit, and with end_session. "+
		"All code of a session is judged together.", anyName, answer.Duration(l.Idle), answer.Duration(l.Total))
	if language == analyze.JavaScript {
		text += " In a session, load modules with require: import does not work."
	}
	return describe("string", text, schema{"pattern": fmt.Sprintf("^[A-Za-z0-9_-]{1,%d}$", maxSessionName)})
}

func endTool() mcp.Tool {
	in := object([]string{"session"}, schema{"session": describe("string", "The session's name.")})
	return newTool("end_session", "End a session and free what it holds. Sessions also end by themselves when they are not used.",
		closedWorld("End a session", true), in)
}

// endOutput is what programs are told of end_session.
type endOutput struct {
	Ended bool   `json:"ended"`
	Why   string `json:"why,omitempty"`
}

// handleEnd serves end_session.
func (s *Server) handleEnd(ctx context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := readArguments(call.Params.RawArguments, map[string]argument{
		"session": (*arguments).readSession,
	}, "session")
	if err != nil {
		return badCall(err).result(endOutput{}), nil
	}
	if p := may(ctx, ScopeSessions); p != nil {
		return p.result(endOutput{}), nil
	}
	own := owner(ctx)
	it := s.interpreters.find(own, args.session)
	if it == nil {
		names := s.interpreters.names(own)
		s.opts.missing(ctx, principal(ctx), call.Params.Name, "session", args.session)
		text := fmt.Sprintf("There is no session %q. Open: %s.", args.session, cmp.Or(strings.Join(names, ", "), "none"))
		return refusal("arguments", text).result(endOutput{}), nil
	}
	out := endOutput{Ended: true}
	text := fmt.Sprintf("Session %q has ended.", it.name)
	if why := it.session.Ended(); why != "" {
		out.Why = endings(why)
		text = fmt.Sprintf("Session %q had ended before: %s.", it.name, out.Why)
	}
	if err := it.session.Close(); err != nil {
		s.opts.Log("ending session %s: %s", it.name, hint.Text(err))
	}
	s.interpreters.forget(ctx, it)
	return result(text, nil, out, false), nil
}
