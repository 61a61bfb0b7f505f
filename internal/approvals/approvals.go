// Package approvals lets other people than the one who asks decide about what a
// rule asks: a question waits until one of them answers it, and a yes is one run
// of exactly what they were shown.
//
// What waits is in memory, and gone when the process ends, or is left where all
// replicas of a service see it. A yes is in the memory of the process that took it, in
// either case: it does not outlive that process, nor the rules and limits under which
// it was given. What was answered is on record.
package approvals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sallyport/config"
	"sallyport/gate"
)

// Bounds of what waits. What is shown of a question is kept until it is over.
const (
	maxShown  = 64 << 10 // of one: nobody can approve what they are not shown
	maxOf     = 16       // of one principal
	maxAll    = 256
	maxReason = 500
)

// Queue holds the questions of one tenant. It is safe for concurrent use. A nil
// one holds none, and nobody may answer there.
type Queue struct {
	opts  Options
	store store
	close func()

	mu    sync.Mutex // guards holds
	holds int        // calls that may wait
}

// state is how far a question is. The zero state lets nothing run.
type state int

const (
	waiting   state = iota
	answering       // its answer is being put on record
	approved
	declined
	claimed // the yes, by a call at another replica than that which has it
	granted // to that call
)

func answeredBy(ap gate.Approval) state {
	if ap.Yes {
		return approved
	}
	return declined
}

func (s state) String() string {
	switch s {
	case approved, claimed, granted:
		return "approved"
	case declined:
		return "declined"
	}
	return "waiting"
}

// Options is what a Queue is made of.
type Options struct {
	Ask config.Ask
	Now func() time.Time // nil means time.Now

	// Tell is told of each question that is new, and over is closed when it is
	// answered. It must not block. Nil tells nobody.
	Tell func(v View, over <-chan struct{})

	// Notes are where questions wait for all replicas of a service; nil means in this
	// process. Replica is the name of this one.
	Notes   *Notes
	Replica string
	Log     func(format string, args ...any) // for the operator; nil tells nobody
}

// New returns an empty Queue.
func New(o Options) *Queue {
	o.Ask = o.Ask.WithDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(View, <-chan struct{}) {}
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	b := &Queue{opts: o, holds: 1, close: func() {}}
	if o.Notes == nil {
		b.store = &memory{now: o.Now}
		return b
	}
	r := newReplicas(o)
	b.store, b.close = r, r.close
	return b
}

// Close ends what the Queue does for other replicas. Those who wait may go on.
func (b *Queue) Close() {
	if b != nil {
		b.close()
	}
}

// Hold lets a number of calls wait at a time. To the others is said at once that
// they have to ask again, so that those who answer get through.
func (b *Queue) Hold(calls int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds = calls
}

// Approve is the Approve of a gate. A yes is found by what it is about, and used
// up by being returned. A question that is new is put into the queue; a caller
// with patience waits for its answer.
func (b *Queue) Approve(ctx context.Context, q gate.Question) (gate.Approval, error) {
	if q.Answer.Request != "" || shown(q) > maxShown {
		return gate.Approval{Answer: "unsupported"}, nil
	}
	for came := b.opts.Now(); ; {
		ap, open, err := b.look(ctx, q)
		if err != nil || open == nil || !b.wait(ctx, q, open, came) {
			return ap, err
		}
		if !b.opts.Now().Before(open.View.Until) {
			ap.Answer = "timeout"
			return ap, nil
		}
	}
}

// shown is how much a question takes that people have to read.
func shown(q gate.Question) int {
	n := len(q.Source)
	for _, a := range q.Args {
		n += len(a)
	}
	for _, f := range q.Files {
		n += len(f.Path)
	}
	for _, f := range q.Answer.Decision.Findings {
		n += len(f.Message)
	}
	return n
}

// look is what there is to say now: the answer, or the question that is open.
func (b *Queue) look(ctx context.Context, q gate.Question) (gate.Approval, *open, error) {
	for range 3 {
		one, isNew, err := b.store.ask(ctx, question{View: b.view(q), Who: q.Principal})
		switch {
		case errors.Is(err, errMany):
			return gate.Approval{Answer: "too_many"}, nil, nil
		case err != nil:
			return gate.Approval{}, nil, err
		case isNew:
			b.opts.Tell(one.View, one.answered)
		}
		switch one.state {
		case approved:
			if ap, ok, err := b.store.use(ctx, one); ok || err != nil {
				return ap, nil, err
			} // else it is asked anew
		case declined:
			return one.answer, nil, nil
		default:
			return gate.Approval{Answer: "pending", ID: one.View.ID, Binding: one.View.Binding, Until: one.View.Until}, &one, nil
		}
	}
	return gate.Approval{}, nil, fmt.Errorf("%w: what is approved is used elsewhere, again and again", gate.ErrAway)
}

// wait returns when a question may have been answered, and true when there is
// sense in looking.
func (b *Queue) wait(ctx context.Context, q gate.Question, open *open, came time.Time) (again bool) {
	now := b.opts.Now()
	patience := min(came.Add(q.Patience).Sub(now), open.View.Until.Sub(now))
	if patience <= 0 || q.Aside == nil || !b.hold() {
		return false
	}
	defer b.release()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := q.Aside(func() {
		select {
		case <-open.answered:
			again = true
		case <-ctx.Done():
			again = !b.opts.Now().Before(open.View.Until)
		}
	})
	return again && err == nil
}

func (b *Queue) hold() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holds <= 0 {
		return false
	}
	b.holds--
	return true
}

func (b *Queue) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds++
}

// Why an answer does not count.
var (
	ErrNone     = errors.New("nothing waits by this name: it was used, has expired, or never was")
	ErrNotBy    = errors.New("who may approve is what ask.by in the configuration says, and that does not name you")
	ErrOwn      = errors.New("who asks cannot approve, also not by another login")
	ErrAnswered = errors.New("it has been answered")
)

// may says why somebody may not answer, or see, what waits here.
func (b *Queue) may(who gate.Principal) error {
	if b == nil {
		return ErrNotBy
	}
	for _, by := range b.opts.Ask.By {
		kind, name, _ := strings.Cut(by, ":")
		if kind == "group" && slices.Contains(who.Groups, name) || kind == "principal" && who.ID() == name || kind == "scope" && who.May(name) {
			return nil
		}
	}
	return ErrNotBy
}

// samePerson reports whether two principals can be known to be one person: by
// being the same, or by a name that either way to log in gives them.
func samePerson(p, q gate.Principal) bool {
	for _, a := range []string{p.Name, p.Subject} {
		for _, b := range []string{q.Name, q.Subject} {
			if a != "" && strings.EqualFold(a, b) {
				return true
			}
		}
	}
	return false
}

// List is what waits, or was approved and not used, the oldest first.
func (b *Queue) List(ctx context.Context, who gate.Principal) ([]View, error) {
	if err := b.may(who); err != nil {
		return nil, err
	}
	all, err := b.store.all(ctx)
	if err != nil {
		return nil, err
	}
	list := []View{}
	for _, one := range all {
		if one.Who.Tenant == who.Tenant {
			list = append(list, one.brief(who))
		}
	}
	return list, nil
}

// Show is all of one question.
func (b *Queue) Show(ctx context.Context, who gate.Principal, id string) (View, error) {
	one, err := b.find(ctx, who, id)
	if err != nil {
		return View{}, err
	}
	return one.seen(who), nil
}

// find is the question of a name in who's tenant, if who may answer there.
func (b *Queue) find(ctx context.Context, who gate.Principal, id string) (open, error) {
	if err := b.may(who); err != nil {
		return open{}, err
	}
	one, err := b.store.find(ctx, id)
	if err == nil && one.Who.Tenant != who.Tenant {
		return open{}, ErrNone
	}
	return one, err
}

// Given is an answer as an approver gives it.
type Given struct {
	Answer string `json:"answer"` // approve or decline
	Reason string `json:"reason"`
}

// ReadAnswer reads an answer strictly: what is not clear is none.
func ReadAnswer(b []byte) (Given, error) {
	var g Given
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil || d.More() {
		return g, errors.New(`an answer is {"answer": "approve" or "decline", "reason": "…"}`)
	}
	if g.Answer != "approve" && g.Answer != "decline" {
		return g, errors.New(`"answer" is neither "approve" nor "decline"`)
	}
	if len(g.Reason) > maxReason {
		return g, fmt.Errorf("a reason has at most %d bytes", maxReason)
	}
	return g, nil
}

// Record puts an answer to a decision's question on record, and returns the record's ID.
type Record = func(ctx context.Context, decision string, ap gate.Approval) (id string, err error)

// Answer is who's answer to a question, which is returned without what List leaves
// out. It counts once record has returned, which puts it on record.
func (b *Queue) Answer(ctx context.Context, who gate.Principal, id string, given Given, record Record) (View, error) {
	one, err := b.find(ctx, who, id)
	if err != nil {
		return View{}, err
	}
	if samePerson(who, one.Who) {
		return View{}, ErrOwn
	}
	if one, err = b.store.take(ctx, one); err != nil {
		return View{}, err
	}
	ap := gate.Approval{Answer: "declined", ID: one.View.ID, Binding: one.View.Binding, By: who, Reason: given.Reason, Until: one.View.Until, Asked: one.asked}
	if given.Answer == "approve" {
		ap.Yes, ap.Answer = true, "accepted"
	}
	decision := one.View.Decision
	if one.asked != (gate.Elsewhere{}) {
		decision = ""
	}
	at, err := record(ctx, decision, ap)
	if err != nil {
		b.store.giveBack(ctx, one)
		return View{}, err
	}
	said := ap
	said.Asked = gate.Elsewhere{}                              // of the record of the answer alone
	if err := b.store.settle(ctx, one, said, at); err != nil { // it does not count, which has to be on record, too
		ap.Yes, ap.Answer = false, "failed"
		_, unrecorded := record(ctx, decision, ap)
		return View{}, errors.Join(err, unrecorded)
	}
	one.state = answeredBy(ap)
	return one.brief(who), nil
}
