package gate

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/policy"
	"sallyport/sandbox"
)

// SessionLimits bounds interpreter sessions. Zero fields mean the defaults.
type SessionLimits struct {
	Idle  time.Duration // without a cell; 0 means 10 minutes
	Total time.Duration // from the beginning; 0 means an hour
	Max   int           // at a time; 0 means 4
}

func (l SessionLimits) check(b sandbox.Backend) (SessionLimits, error) {
	if l.Idle < 0 || l.Total < 0 || l.Max < 0 {
		return l, fmt.Errorf("gate: a limit of sessions is negative: idle %s, total %s, max %d", l.Idle, l.Total, l.Max)
	}
	if _, ok := b.(sandbox.Sessions); !ok {
		name := "none"
		if b != nil {
			name = b.Describe().Name
		}
		return l, fmt.Errorf("gate: the backend %s keeps no sessions", name)
	}
	return l.WithDefaults(), nil
}

// WithDefaults fills in what is zero.
func (l SessionLimits) WithDefaults() SessionLimits {
	return SessionLimits{
		Idle:  cmp.Or(l.Idle, 10*time.Minute),
		Total: cmp.Or(l.Total, time.Hour),
		Max:   cmp.Or(l.Max, 4),
	}
}

// SessionLimits returns the limits in force, nil when there are no sessions.
func (g *Gate) SessionLimits() *SessionLimits {
	if g.opts.Sessions == nil {
		return nil
	}
	l := *g.opts.Sessions
	return &l
}

var (
	// ErrNoSessions is returned by Begin of a Gate that does not let programs
	// build on each other.
	ErrNoSessions = errors.New("sessions are not enabled")

	// ErrTooManySessions is wrapped by the error of a Begin beyond the limit.
	ErrTooManySessions = errors.New("too many sessions are open")

	// ErrSessionEnded is wrapped by the error of a cell for a session that is
	// over; nothing of the cell was judged.
	ErrSessionEnded = errors.New("the session has ended")
)

// Why a session ended, besides the sandbox.Reason of the cell that ended it.
const (
	EndClosed  = "closed" // by whoever began it
	EndIdle    = "idle"
	EndTotal   = "total"
	EndFailure = "error" // of sallyport
)

// Session is one interpreter for the cells of one conversation. It is safe for
// concurrent use; cells run one after the other, in the order of their calls.
// Whoever begins one closes it.
type Session struct {
	g       *Gate
	start   Request // what is the same for every cell
	env     Environment
	id      string
	ctx     context.Context // of everything that runs in it
	cancel  context.CancelFunc
	turn    chan struct{} // held while a cell is served
	over    chan struct{} // closed once the session has ended and its sandbox is gone
	endless func() bool   // stops the timer of the total time

	// Held by turn.
	joined analyze.Source
	number int
	files  []string
	brings sandbox.Seen // what the cells so far reach, with their files
	box    sandbox.Session

	mu    sync.Mutex // guards what follows
	ended string     // why, "" while it is not
	idle  *time.Timer
}

// Begin opens a session. What start says of language, environment, limits and
// caller holds for every cell; its Name is the session's. Nothing starts before
// the first cell that policy allows.
func (g *Gate) Begin(start Request) (*Session, error) {
	if g.opts.Sessions == nil {
		return nil, ErrNoSessions
	}
	start, err := g.identified(start)
	if err != nil {
		return nil, err
	}
	env, err := g.environment(start.Environment, start.Language)
	if err != nil {
		return nil, err
	}
	limits := g.opts.Sessions
	if g.sessions.Add(1) > int64(limits.Max) {
		g.sessions.Add(-1)
		return nil, fmt.Errorf("%w: %d", ErrTooManySessions, limits.Max)
	}
	s := &Session{
		g: g, start: start, env: env, id: rand.Text(), turn: make(chan struct{}, 1), over: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.endless = time.AfterFunc(limits.Total, func() { _ = s.end(EndTotal) }).Stop
	s.idle = time.AfterFunc(limits.Idle, func() { _ = s.end(EndIdle) })
	return s, nil
}

// Ended says why the session is over, "" while it is not.
func (s *Session) Ended() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// Close ends the session and returns when its sandbox is gone. A cell that runs
// is cancelled.
func (s *Session) Close() error { return s.end(EndClosed) }

// Run judges a cell together with those before and, when policy allows all of
// them as one program, records that and runs the cell. Of req it takes the
// source, the files, the labels, the wall and processor limits, and where output
// and stages are told. Cancelling ctx while the cell runs ends the session, and so does
// every limit that is hit. The error and the Answer are those of Gate.Run, or
// the error wraps ErrSessionEnded.
func (s *Session) Run(ctx context.Context, req Request) (Answer, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	answer, err := s.run(ctx, req)
	<-s.turn
	if answer.Cell != nil && answer.Cell.Ended != "" {
		err = errors.Join(err, s.end(answer.Cell.Ended))
		answer.Cell.Ended = s.Ended()
	}
	return answer, err
}

func (s *Session) run(ctx context.Context, req Request) (Answer, error) {
	req, err := s.g.identified(req)
	if err != nil {
		return Answer{}, err
	}
	if !req.Principal.same(s.start.Principal) {
		return Answer{}, fmt.Errorf("%w to be the session's", ErrNobody)
	}
	if err := s.g.afford(ctx, req); err != nil {
		return Answer{}, err
	}
	if !s.busy() {
		return Answer{}, fmt.Errorf("%w: %s", ErrSessionEnded, s.Ended())
	}
	defer s.rest()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if err := s.g.fits(req); err != nil {
		return Answer{}, err
	}
	req.Principal = s.start.Principal
	opened, err := s.g.open(ctx, req)
	defer opened.close()
	if err != nil {
		return Answer{}, err
	}
	req = s.request(req)
	req.opened = opened
	j := s.g.judge(ctx, req, s.decide, s.files)
	j.reaches = join(j.reaches, s.brings)
	answer, admitted, err := s.g.admit(ctx, req, &j, s.env, s.hand)
	if admitted {
		s.note(&answer, j, opened, err)
	}
	return answer, err
}

// request is a cell's with what is the same for every cell.
func (s *Session) request(req Request) Request {
	out := s.start
	out.Goal, out.Args, out.Stdin = "", nil, nil
	out.Source, out.Files, out.Output, out.Stage = req.Source, req.Files, req.Output, req.Stage
	out.Tool, out.Labels = cmp.Or(req.Tool, out.Tool), req.Labels
	if req.Language.Runs() == out.Language.Runs() {
		out.Language = req.Language // a cell may be TypeScript
	}
	out.Limits.Wall, out.Limits.CPU = req.Limits.Wall, req.Limits.CPU
	return out
}

// hand gives a cell to the session's sandbox, which the first one starts.
func (s *Session) hand(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if s.box == nil {
		backend, ok := s.g.opts.Backend.(sandbox.Sessions)
		if !ok {
			return sandbox.Result{}, ErrNoSessions // New has seen to it that it is
		}
		box, err := backend.Begin(ctx, spec)
		if err != nil {
			if ctx.Err() != nil {
				return sandbox.Result{Reason: sandbox.Cancelled}, nil
			}
			return sandbox.Result{}, err
		}
		s.box = box
	}
	return s.box.Run(ctx, spec)
}

// note takes over what the cell has become, and whether it was the last one.
func (s *Session) note(answer *Answer, j judgement, opened references, err error) {
	res := answer.Result
	switch {
	case err != nil:
		answer.Cell.Ended = EndFailure
		return
	case res.Reason == sandbox.Mismatch:
		return
	case s.box == nil:
		answer.Cell.Ended = string(res.Reason)
		return
	}
	s.joined = j.source
	s.number++
	s.brings = j.reaches
	for _, f := range j.files {
		s.files = append(s.files, f.Path)
	}
	for _, o := range opened {
		s.files = append(s.files, o.Path)
	}
	if s.box.Ended() {
		answer.Cell.Ended = string(res.Reason)
	}
}

// decide judges a cell, by itself for what it is and together with those before
// for what it does.
func (s *Session) decide(ctx context.Context, req Request) (j judgement) {
	place := &Cell{Session: s.start.Name, ID: s.id, Number: s.number + 1}
	err := guard("the analysis", func() (err error) {
		j, err = s.decideCell(ctx, req, place)
		return err
	})
	if err != nil {
		j = refused(req, err)
	}
	j.answer.Cell = place
	return j
}

func (s *Session) decideCell(ctx context.Context, req Request, place *Cell) (judgement, error) {
	a := s.g.opts.Analyzer
	cell, joined, err := a.Cell(s.joined, req.Language, req.Source)
	if err != nil {
		return judgement{}, err
	}
	place.SHA256, place.Bytes = cell.SHA256(), len(cell.Text())
	alone, err := a.Facts(ctx, cell)
	if err != nil {
		return judgement{}, err
	}
	if !alone.Complete {
		return s.g.decideFacts(ctx, req, cell, alone), nil // which denies
	}
	facts, err := a.Facts(ctx, joined)
	if err != nil {
		return judgement{}, err
	}
	j := s.g.decideFacts(ctx, req, joined, facts)
	// The parser that is asked about the cell must find nothing that only an
	// earlier one has mentioned.
	j.identifiers, j.earlier = known(alone), len(s.joined.Text())
	j.answer.Decision.Findings = findings(j)
	return j, nil
}

// findings places what was found in the joined source: in the cell by its own
// lines, in an earlier one in words. What an earlier cell was warned of and may
// do is not said again.
func findings(j judgement) []policy.Finding {
	starts, text := j.source.Cells(), j.source.Text()
	lines := make([]int, len(starts)) // before each cell
	for i, at := range starts {
		lines[i] = strings.Count(text[:at], "\n")
	}
	var out []policy.Finding
	for _, f := range j.answer.Decision.Findings {
		n := sort.SearchInts(lines, f.Span.Line) - 1
		if f.Span.Line == 0 || n < 0 {
			out = append(out, f)
			continue
		}
		f.Span.Line -= lines[n]
		f.Span.EndLine -= lines[n]
		if n < len(starts)-1 {
			if f.Action != policy.ActionDeny && f.Action != policy.ActionAsk {
				continue
			}
			f.Message = fmt.Sprintf("together with this cell, line %d of cell %d: %s", f.Span.Line, n+1, f.Message)
			f.Span = policy.Span{}
		}
		out = append(out, f)
	}
	return out
}

// busy notes that a cell is served; false when the session is over.
func (s *Session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle.Stop()
	return s.ended == ""
}

// rest notes that no cell is served.
func (s *Session) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == "" {
		s.idle.Reset(s.g.opts.Sessions.Idle)
	}
}

// end kills the session, unless that has been done, records its end and returns
// when its sandbox is gone.
func (s *Session) end(why string) error {
	s.mu.Lock()
	if s.ended != "" {
		s.mu.Unlock()
		<-s.over
		return nil
	}
	s.ended = why
	s.idle.Stop()
	s.mu.Unlock()
	defer close(s.over)
	defer s.g.sessions.Add(-1)
	s.endless()
	s.cancel()
	s.turn <- struct{}{} // a cell that was running is gone now
	defer func() { <-s.turn }()
	var err error
	if s.box != nil {
		err = s.box.Close()
	}
	return errors.Join(err, s.recordEnd(why))
}

// recordEnd records the end of the session, which no caller waits for.
func (s *Session) recordEnd(why string) error {
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	_, err := s.g.opts.Log.Append(ctx, audit.Record{
		Event:  audit.EventSession,
		Time:   s.g.opts.Now().UTC(),
		Caller: s.g.caller(s.start),
		Source: &audit.Source{Language: string(s.start.Language.Runs()), SHA256: s.joined.SHA256(), Bytes: len(s.joined.Text())},
		Cell:   &audit.Cell{Session: s.id, Name: s.start.Name, Number: s.number},
		Note:   why,
	})
	return err
}
