// Package approvals lets other people than the one who asks decide about what a
// rule asks: a question waits until one of them answers it, and a yes is one run
// of exactly what they were shown.
//
// What waits is in memory, and gone when the process ends: no yes outlives those
// rules and limits under which it was given. What was answered is on record.
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
	opts Options

	mu    sync.Mutex // guards the fields below
	all   []*question
	holds int // calls that may wait
}

// question waits for an answer, or for its use.
type question struct {
	about    View // without its state
	who      gate.Principal
	state    state
	answered chan struct{} // closed when it is
	answer   gate.Approval
}

// state is how far a question is. The zero state lets nothing run.
type state int

const (
	waiting   state = iota
	answering       // its answer is being put on record
	approved
	declined
)

func (s state) String() string {
	switch s {
	case approved:
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
	return &Queue{opts: o, holds: 1}
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
		ap, open := b.settle(q)
		if open == nil || !b.wait(ctx, q, open, came) {
			return ap, nil
		}
		if !b.opts.Now().Before(open.about.Until) {
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

// settle is what there is to say now: the answer, or the question that is open.
func (b *Queue) settle(q gate.Question) (gate.Approval, *question) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	i := slices.IndexFunc(b.all, func(one *question) bool { return one.about.Binding == q.Binding })
	if i < 0 {
		own := 0
		for _, one := range b.all {
			if one.who.ID() == q.Principal.ID() {
				own++
			}
		}
		if own >= maxOf || len(b.all) >= maxAll {
			return gate.Approval{Answer: "too_many"}, nil
		}
		i = len(b.all)
		b.all = append(b.all, &question{about: b.view(q), who: q.Principal, answered: make(chan struct{})})
		b.opts.Tell(b.all[i].about, b.all[i].answered)
	}
	switch one := b.all[i]; one.state {
	case approved:
		b.all = slices.Delete(b.all, i, i+1)
		return one.answer, nil
	case declined:
		return one.answer, nil
	default:
		return gate.Approval{Answer: "pending", ID: one.about.ID, Binding: one.about.Binding, Until: one.about.Until}, one
	}
}

// expire forgets what is over. The caller holds the lock.
func (b *Queue) expire() {
	now := b.opts.Now()
	b.all = slices.DeleteFunc(b.all, func(one *question) bool { return !now.Before(one.about.Until) })
}

// wait returns when a question may have been answered, and true when there is
// sense in looking.
func (b *Queue) wait(ctx context.Context, q gate.Question, open *question, came time.Time) (again bool) {
	now := b.opts.Now()
	patience := min(came.Add(q.Patience).Sub(now), open.about.Until.Sub(now))
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
			again = !b.opts.Now().Before(open.about.Until)
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
func (b *Queue) List(who gate.Principal) ([]View, error) {
	if err := b.may(who); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	list := []View{}
	for _, one := range b.all {
		if one.who.Tenant == who.Tenant {
			list = append(list, one.brief(who))
		}
	}
	return list, nil
}

// Show is all of one question.
func (b *Queue) Show(who gate.Principal, id string) (View, error) {
	if err := b.may(who); err != nil {
		return View{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	one, err := b.find(who, id)
	if err != nil {
		return View{}, err
	}
	return one.seen(who), nil
}

// find is the question of a name in who's tenant. The caller holds the lock.
func (b *Queue) find(who gate.Principal, id string) (*question, error) {
	b.expire()
	i := slices.IndexFunc(b.all, func(one *question) bool { return one.about.ID == id && one.who.Tenant == who.Tenant })
	if i < 0 {
		return nil, ErrNone
	}
	return b.all[i], nil
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

// Answer is who's answer to a question, which is returned without what List leaves
// out. It counts once record has returned, which puts it on record.
func (b *Queue) Answer(ctx context.Context, who gate.Principal, id string, given Given, record func(ctx context.Context, decision string, ap gate.Approval) error) (View, error) {
	if err := b.may(who); err != nil {
		return View{}, err
	}
	one, err := b.take(who, id)
	if err != nil {
		return View{}, err
	}
	yes := given.Answer == "approve"
	ap := gate.Approval{Yes: yes, Answer: "declined", ID: one.about.ID, Binding: one.about.Binding, By: who, Reason: given.Reason, Until: one.about.Until}
	if yes {
		ap.Answer = "accepted"
	}
	err = record(ctx, one.about.Decision, ap)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		one.state = waiting
		return View{}, err
	case yes:
		one.state = approved
	default:
		one.state = declined
	}
	one.answer = ap
	close(one.answered)
	return one.brief(who), nil
}

// take marks a question as one that who is answering.
func (b *Queue) take(who gate.Principal, id string) (*question, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, err := b.find(who, id)
	switch {
	case err != nil:
		return nil, err
	case samePerson(who, one.who):
		return nil, ErrOwn
	case one.state != waiting:
		return nil, ErrAnswered
	}
	one.state = answering
	return one, nil
}
