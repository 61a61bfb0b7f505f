package turns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/telemetry"
)

// crowd takes places in queues, one after the other, and notes in which order
// their turns come.
type crowd struct {
	t     *testing.T
	turns *Turns
	stops map[string]*Turnstile
	open  []place
	seen  map[*ticket]bool
}

type place struct {
	name   string
	ticket *ticket
}

func newCrowd(t *testing.T, parallel int) *crowd {
	return &crowd{t: t, turns: New(parallel), stops: map[string]*Turnstile{}, seen: map[*ticket]bool{}}
}

// stop is the turnstile of a tenant.
func (c *crowd) stop(tenant string) *Turnstile {
	if c.stops[tenant] == nil {
		c.stops[tenant] = NewTurnstile(Options{Turns: c.turns, Most: 1 << 20, Queue: 1 << 20})
	}
	return c.stops[tenant]
}

// come has a call TENANT/OWNER take its place, and returns whether it could.
func (c *crowd) come(who string) bool {
	c.t.Helper()
	tenant, owner, _ := strings.Cut(who, "/")
	k, err := c.stop(tenant).queue(owner)
	if err != nil {
		return false
	}
	c.open = append(c.open, place{who, k})
	return true
}

// begun are the calls whose turn has come since the last time.
func (c *crowd) begun() (names []string) {
	for _, p := range c.open {
		select {
		case <-p.ticket.turn:
			if !c.seen[p.ticket] {
				c.seen[p.ticket] = true
				names = append(names, p.name)
			}
		default:
		}
	}
	return names
}

// end ends the oldest call of who's that is being served.
func (c *crowd) end(who string) {
	c.t.Helper()
	_, owner, _ := strings.Cut(who, "/")
	i := slices.IndexFunc(c.open, func(p place) bool { return p.name == who && c.seen[p.ticket] })
	if i < 0 {
		c.t.Fatalf("no call of %s is being served", who)
	}
	k := c.open[i].ticket
	c.open = slices.Delete(c.open, i, i+1)
	k.at.leave(k.owner, owner)
}

// However many calls of one tenant wait, another's is next as soon as one that is
// served ends; and so it is with principals of one tenant. No clock has a part in
// it.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]string{"another tenant": "globex/ci", "another principal": "acme/ci", "both": "globex/flood"} {
		c := newCrowd(t, 4)
		for range 10_000 {
			c.come("acme/flood")
		}
		if got := c.begun(); len(got) != 4 {
			t.Fatalf("%s: %v are being served, want 4", name, got)
		}
		c.come(other)
		if got := c.begun(); len(got) > 0 {
			t.Fatalf("%s: %v began beside 4", name, got)
		}
		c.end("acme/flood")
		if got := c.begun(); !slices.Equal(got, []string{other}) {
			t.Errorf("%s: next is %v, want %s", name, got, other)
		}
		// A stream of calls has its part, and no more.
		for range 6 {
			c.come(other)
			c.come(other)
			c.come(other)
		}
		served, serving := map[string]int{}, []string{"acme/flood", "acme/flood", "acme/flood", other}
		for range 12 { // the one ends that was served first
			c.end(serving[0])
			began := c.begun()
			serving = append(serving[1:], began...)
			for _, who := range began {
				served[who]++
			}
		}
		if a, b := served["acme/flood"], served[other]; a < 5 || b < 5 {
			t.Errorf("%s: %d calls of one and %d of the other were served, want about as many", name, a, b)
		}
	}
}

// Calls of one principal are served as they came, whatever came between.
func TestTurnsKeepOrder(t *testing.T) {
	t.Parallel()
	turns := New(1)
	stops := []*Turnstile{NewTurnstile(Options{Turns: turns, Most: 1, Queue: 9}), NewTurnstile(Options{Turns: turns, Most: 1, Queue: 9})}
	var all []*ticket
	for i := range 6 {
		k, err := stops[i%2].queue("ci")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	for i, k := range all {
		select {
		case <-k.turn:
		default:
			t.Fatalf("call %d has no turn", i)
		}
		k.at.leave(k.owner, "ci")
	}
	if turns.busy != 0 || len(turns.waiting) != 0 || len(stops[0].owners)+len(stops[1].owners) != 0 {
		t.Errorf("left: %d busy, %d waiting, owners %v and %v", turns.busy, len(turns.waiting), stops[0].owners, stops[1].owners)
	}
}

// What a tenant, or one of its principals, may have at a time bounds it, and
// leaves the rest to others; a full queue is full for its tenant alone.
func TestTurnsAreBounded(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 8)
	acme := NewTurnstile(Options{Turns: c.turns, Most: 3, Queue: 2})
	acme.Each = 2
	c.stops["acme"] = acme
	for _, who := range []string{"acme/ada", "acme/ada", "acme/ada", "acme/bob", "acme/bob"} {
		if !c.come(who) {
			t.Fatalf("%s was refused", who)
		}
	}
	if got, want := c.begun(), []string{"acme/ada", "acme/ada", "acme/bob"}; !slices.Equal(got, want) {
		t.Errorf("%v are being served, want %v", got, want)
	}
	if c.come("acme/eve") {
		t.Error("a third call waits, two may")
	}
	if !c.come("globex/ci") || len(c.begun()) != 1 {
		t.Error("another tenant's call was not served")
	}
	c.end("acme/bob")
	if got := c.begun(); !slices.Equal(got, []string{"acme/bob"}) {
		t.Errorf("next is %v: ada has two", got)
	}
	if n := len(acme.owners); n != 2 {
		t.Errorf("%d owners are remembered", n)
	}
}

// A call that is given up while it waits, or just when its turn comes, leaves
// its place to the next one.
func TestTurnsGivenUp(t *testing.T) {
	t.Parallel()
	s := NewTurnstile(Options{Most: 1, Queue: 9})
	first, _ := s.queue("a")
	waits, _ := s.queue("b")
	last, _ := s.queue("c")
	s.giveUp(waits, "b")
	s.giveUp(first, "a") // it had its turn already
	select {
	case <-last.turn:
	default:
		t.Error("the last one has no turn")
	}
	s.leave(last.owner, "c")
	if s.busy != 0 || s.waiting != 0 || len(s.owners) != 0 {
		t.Errorf("left: %+v", s)
	}
}

func TestTurnstileTellsWhyNot(t *testing.T) {
	t.Parallel()
	var told []telemetry.Queue
	s := NewTurnstile(Options{Name: "runs", Most: 1, Observe: func(q telemetry.Queue) { told = append(told, q) }})
	if _, err := s.Enter(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enter(context.Background(), "b"); err == nil {
		t.Fatal("entered a full queue")
	}
	if last := told[len(told)-1]; fmt.Sprint(last) != fmt.Sprint(telemetry.Queue{Name: "runs", Refused: "busy"}) {
		t.Errorf("told %+v", last)
	}
}

var errAway = errors.New("away")

// A call that has its turn and finds that as many run elsewhere as may waits in its
// place, without the turn, which others have meanwhile; it is let in when there is
// room, and never where that cannot be known.
func TestTurnsOfLease(t *testing.T) {
	t.Parallel()
	turns := New(1)
	var mu sync.Mutex
	let, asked, ended := map[string]bool{}, map[string]int{}, 0
	held := NewTurnstile(Options{Turns: turns, Most: 9, Queue: 9})
	held.Lease = func(_ context.Context, owner string) (func(), bool, error) {
		mu.Lock()
		defer mu.Unlock()
		asked[owner]++
		switch {
		case owner == "unknown":
			return nil, false, errAway
		case let[owner] || let["all"]:
			return func() { mu.Lock(); ended++; mu.Unlock() }, false, nil
		}
		return nil, owner == "each", nil
	}
	free := NewTurnstile(Options{Turns: turns, Most: 9, Queue: 9})
	came := map[string]chan func(){}
	enter := func(owner string) {
		came[owner] = make(chan func(), 1)
		go func() {
			leave, err := held.Enter(t.Context(), owner)
			if err != nil {
				t.Errorf("%s: %v", owner, err)
			}
			came[owner] <- leave
		}()
	}
	wait := func(what string, ok func() bool) {
		t.Helper()
		for range 30_000 {
			mu.Lock()
			done := ok()
			mu.Unlock()
			if done {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal(what)
	}
	enter("each")
	wait("each is never asked for twice", func() bool { return asked["each"] >= 2 })
	// Another tenant's have the turn, and so have other owners.
	leave, err := free.Enter(t.Context(), "other tenant")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	let["ada"] = true
	leave, err = held.Enter(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := held.Enter(t.Context(), "unknown"); !errors.Is(err, errAway) {
		t.Errorf("where nobody knows how many run: %v", err)
	}
	gone, giveUp := context.WithCancel(t.Context())
	giveUp()
	if _, err := held.Enter(gone, "gone"); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone: %v", err)
	}
	mu.Lock()
	let["all"] = true
	mu.Unlock()
	(<-came["each"])()
	turns.mu.Lock()
	defer turns.mu.Unlock()
	if turns.busy != 0 || len(turns.waiting) != 0 || held.waiting != 0 || held.busy != 0 || len(held.owners) != 0 {
		t.Errorf("left: busy %d, waiting %d, %d of the tenant, %d owners", turns.busy, len(turns.waiting), held.waiting, len(held.owners))
	}
	if ended != 2 {
		t.Errorf("%d leases of 2 have ended", ended)
	}
}

func TestTurnstileGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	s := NewTurnstile(Options{Most: 1, Queue: 1})
	leave, err := s.Enter(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Enter(ctx, ""); err == nil {
		t.Error("entered a full turnstile")
	}
	leave()
	if _, err := s.Enter(context.Background(), ""); err != nil {
		t.Errorf("the place was not given back: %v", err)
	}
}
