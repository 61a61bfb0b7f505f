package approvals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/audit"
	"sallyport/gate"
	"sallyport/internal/shared"
	"sallyport/internal/shared/sharedtest"
)

// newReplica is one of those that have a database together, with a gate, a log and a
// sandbox of its own.
func newReplica(t *testing.T, db *sharedtest.Redis, edits ...func(*gate.Options)) *fixture {
	t.Helper()
	return newFixtureWith(t, Options{Notes: notes(t, db, "acme", "test", 1), Replica: t.Name()}, edits...)
}

// notes are those of a tenant of a service, sealed with a key.
func notes(t *testing.T, db *sharedtest.Redis, tenant, service string, key byte) *Notes {
	t.Helper()
	d, err := shared.Open(shared.Options{URL: db.URL, Service: service, Log: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	n, err := d.Notes(tenant, "approvals", [][]byte{bytes.Repeat([]byte{key}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// forget drops every question but one.
func (f *fixture) forget(but string) {
	switch s := f.queue.store.(type) {
	case *memory:
		s.kept = s.kept[:1]
	case *replicas:
		all, err := s.notes.IDs(f.t.Context(), s.now())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, id := range all {
			if id != but {
				if err := s.notes.Drop(f.t.Context(), id); err != nil {
					f.t.Fatal(err)
				}
			}
		}
	}
}

// wake has those who wait for the newest question look again.
func (f *fixture) wake() {
	switch s := f.queue.store.(type) {
	case *memory:
		s.mu.Lock()
		defer s.mu.Unlock()
		close(s.kept[len(s.kept)-1].answered)
	case *replicas:
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, w := range s.watched {
			close(w.answered)
		}
		clear(s.watched)
	}
}

// What is asked at one replica is answered at another, on record there, and runs once,
// at the first one or, when that is gone, at a third. Nobody is told of it twice.
func TestReplicas(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b, c := newReplica(t, db), newReplica(t, db), newReplica(t, db)
	for _, asker := range []*fixture{a, c} {
		id := a.pending(wanted())
		if again := c.pending(wanted()); again != id {
			t.Errorf("the same call at another replica is another question: %s, %s", id, again)
		}
		if asker == c {
			a.queue.Close() // and nobody calls there any more
		}
		list, err := b.queue.List(t.Context(), bob())
		if err != nil || len(list) != 1 || list[0].ID != id || list[0].State != "waiting" {
			t.Fatalf("bob's list at another replica: %+v, %v", list, err)
		}
		v, err := b.queue.Show(t.Context(), bob(), id)
		if err != nil || v.Code != "import random\nprint(1)\n" || v.Files[0].SHA256 == "" || strings.Join(v.Args, " ") != "a b" {
			t.Errorf("bob is shown %+v, %v", v, err)
		}
		if err := b.answer(principal("ada", func(p *gate.Principal) { p.Groups = []string{"approvers"} }), id, "approve"); !errors.Is(err, ErrOwn) {
			t.Errorf("ada approves her own at another replica: %v", err)
		}
		if err := b.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		if err := c.answer(bob(), id, "decline"); !errors.Is(err, ErrAnswered) {
			t.Errorf("a no after a yes: %v", err)
		}
		given := b.records[len(b.records)-1]
		if given.Event != audit.EventApproval || given.Answer != "accepted" || given.Decision != "" || given.Approval.Asked.Replica != t.Name() ||
			given.Approval.Asked.Record != v.Decision || given.Caller.Principal.Name != "bob" {
			t.Errorf("bob's answer is on record as %+v with %+v", given, given.Approval)
		}
		if got := asker.run(wanted()); got.Result == nil || got.Approval.By.Name != "bob" {
			t.Fatalf("approved at another replica, it does not run: %+v", got.Approval)
		}
		r := asker.records[len(asker.records)-2]
		if r.Answer != "accepted" || r.Approval.By.Name != "bob" || r.Approval.Reason != "because" || r.Approval.Asked != nil ||
			*r.Approval.Answered != (audit.Elsewhere{Replica: t.Name(), Record: given.ID}) {
			t.Errorf("what came of it is on record as %+v with %+v", r, r.Approval)
		}
		if n := len(db.Keys("*")); n != 0 {
			t.Errorf("%d keys are left of what was used", n)
		}
	}
	if n := len(a.told) + len(b.told) + len(c.told); n != 2 {
		t.Errorf("people were told %d times of two questions", n)
	}
	// A no holds everywhere.
	id := c.pending(wanted())
	if err := b.answer(bob(), id, "decline"); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*fixture{b, c} {
		if got := f.run(wanted()); got.Result != nil || got.Approval.Answer != "declined" || got.Approval.Reason != "because" || (got.Approval.Answered.Record == "") != (f == b) {
			t.Errorf("declined: %+v", got.Approval)
		}
	}
}

// Whoever waits at one replica runs when somebody says yes at another.
func TestReplicasWait(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b := newReplica(t, db), newReplica(t, db)
	waits, came := make(chan struct{}, 1), make(chan gate.Answer, 1)
	go func() {
		got, err := a.gate.Run(t.Context(), aside(wanted(), waits))
		if err != nil {
			t.Error(err)
		}
		came <- got
	}()
	<-waits
	if err := b.answer(bob(), (<-a.told).ID, "approve"); err != nil {
		t.Fatal(err)
	}
	if got := <-came; got.Result == nil || a.runs() != 1 {
		t.Errorf("approved: %+v", got.Approval)
	}
}

// One answer counts, and one run, however many come at once, wherever they do.
func TestReplicasAtOnce(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b, c := newReplica(t, db), newReplica(t, db), newReplica(t, db)
	for round := range 3 {
		id := a.pending(wanted())
		yes := each(a, b, c)(func(f *fixture) bool { return f.answer(bob(), id, "approve") == nil })
		if yes != 1 {
			t.Errorf("%d of several say yes first", yes)
		}
		ran := each(a, b, c)(func(f *fixture) bool {
			got, err := f.gate.Run(t.Context(), wanted())
			if err != nil {
				t.Error(err)
			}
			return got.Result != nil
		})
		if all := a.runs() + b.runs() + c.runs(); ran != 1 || all != round+1 {
			t.Errorf("round %d: one yes is used %d times, and %d programs ran", round, ran, all)
		}
		a.forget("")
	}
}

// each does a thing at replicas at once, twice at each, and says how often it did.
func each(all ...*fixture) func(do func(*fixture) bool) (n int) {
	return func(do func(*fixture) bool) (n int) {
		var mu sync.Mutex
		var busy sync.WaitGroup
		for _, f := range append(all, all...) {
			busy.Go(func() {
				if do(f) {
					mu.Lock()
					defer mu.Unlock()
					n++
				}
			})
		}
		busy.Wait()
		return n
	}
}

// A yes is gone with the replica at which it was given, and one who was about to answer
// keeps others from it for a while only.
func TestReplicaGone(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b := newReplica(t, db), newReplica(t, db)
	id := a.pending(wanted())
	if err := b.answer(bob(), id, "approve"); err != nil {
		t.Fatal(err)
	}
	b.queue.Close()
	a.queue.store.(*replicas).grants = time.Millisecond
	next := a.pending(wanted())
	if next == id {
		t.Error("what a replica approved that is gone is still open")
	}

	c := newReplica(t, db)
	one, err := c.queue.find(t.Context(), bob(), next)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.queue.store.take(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if err := a.answer(bob(), next, "approve"); !errors.Is(err, ErrAnswered) {
		t.Errorf("somebody else is answering: %v", err)
	}
	a.now.Add(int64(2 * clocksMay))
	if err := a.answer(bob(), next, "approve"); err != nil {
		t.Errorf("somebody else was answering, and is gone: %v", err)
	}
	if got := a.run(wanted()); got.Result == nil {
		t.Errorf("approved: %+v", got.Approval)
	}

	// Whoever claimed a yes has gone.
	id = a.pending(wanted())
	if err := c.answer(bob(), id, "approve"); err != nil {
		t.Fatal(err)
	}
	r := a.queue.store.(*replicas)
	if one, err = r.find(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.move(t.Context(), one, status{State: claimed, Process: one.at.(stands).Process, Claim: "a word", Since: r.now()}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if again := a.pending(wanted()); again != id {
		t.Errorf("what is claimed just now is asked anew: %s, %s", id, again)
	}
	a.now.Add(int64(2 * clocksMay))
	if again := a.pending(wanted()); again == id {
		t.Error("what was claimed, and not used, waits for good")
	}
}

// An answer that no other replica can be told of counts nowhere, and is on record as that.
func TestAnswerUntold(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b := newReplica(t, db), newReplica(t, db)
	id := a.pending(wanted())
	_, err := b.queue.Answer(t.Context(), bob(), id, Given{Answer: "approve"}, func(ctx context.Context, decision string, ap gate.Approval) (string, error) {
		db.Stop()
		return b.gate.Answered(ctx, decision, ap)
	})
	if !errors.Is(err, gate.ErrAway) || len(b.records) != 2 || b.records[1].Answer != "failed" {
		t.Errorf("an answer that nobody can be told of: %v, %+v", err, b.records)
	}
	if len(b.queue.store.(*replicas).yes) != 0 {
		t.Error("the yes is still there")
	}
}

// While the database is away, what needs an approval is refused, on record.
func TestReplicasAway(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a := newReplica(t, db)
	id := a.pending(wanted())
	if err := a.answer(bob(), id, "approve"); err != nil {
		t.Fatal(err)
	}
	db.Stop()
	got, err := a.gate.Run(t.Context(), wanted())
	if !errors.Is(err, gate.ErrAway) || got.Result != nil || a.runs() != 0 {
		t.Errorf("without the database: %+v, %v", got.Approval, err)
	}
	if last := a.records[len(a.records)-1]; last.Event != audit.EventApproval || last.Answer != "away" || last.Verdict.Effect != "deny" {
		t.Errorf("on record is %+v", last)
	}
	if _, err := a.queue.List(t.Context(), bob()); !errors.Is(err, gate.ErrAway) {
		t.Errorf("a list: %v", err)
	}
	if _, err := a.queue.Show(t.Context(), bob(), id); !errors.Is(err, gate.ErrAway) {
		t.Errorf("a question: %v", err)
	}
	if err := a.answer(bob(), id, "decline"); !errors.Is(err, gate.ErrAway) {
		t.Errorf("an answer: %v", err)
	}
	db.Again()
	if next := a.pending(wanted()); next == id {
		t.Error("a database that forgot everything knows the question")
	}
}

// copied is all that the database has, and put puts it back.
func copied(db *sharedtest.Redis) map[string]any {
	all := map[string]any{}
	for _, k := range db.Keys("*") {
		if strings.Contains(k, ":text:") || strings.Contains(k, ":state:") {
			all[k] = db.Do("GET", k)
		} else {
			all[k] = db.Do("ZRANGE", k, 0, -1)
		}
	}
	return all
}

func putBack(db *sharedtest.Redis, all map[string]any) {
	for k, v := range all {
		if members, ok := v.([]any); ok {
			for _, m := range members {
				db.Do("ZADD", k, 1<<52, m)
			}
		} else {
			db.Do("SET", k, v)
		}
	}
}

// stateOf is where the state of a question stands.
func stateOf(id string) string { return "sallyport:{test}:acme:approvals:state:" + id }

// Whoever has the database makes no yes: each row is tried at each replica, for a
// question that waits.
func TestForgedYes(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b := newReplica(t, db), newReplica(t, db)
	// Replicas of others that have the same question, and say yes to it.
	sealed := func(n *Notes, id string) {
		ap := gate.Approval{Yes: true, Answer: "accepted", ID: id, By: bob(), Until: time.Now().Add(time.Hour)}
		text, err := json.Marshal(status{State: declined, Answer: ap}) // which is taken as it is
		if err != nil {
			t.Fatal(err)
		}
		note := shared.Note{ID: id, Of: "x", About: "x", Until: time.Now().Add(time.Hour), Text: []byte("{}"), State: text}
		if _, err := n.Put(t.Context(), time.Now(), note, maxOf, maxAll); err != nil {
			t.Fatal(err)
		}
	}
	other := wanted()
	other.Args = nil
	approved := b.pending(other)
	if err := b.answer(bob(), approved, "decline"); err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(id string) any{
		"made up": func(string) any { return strings.Repeat("x", 100) },
		"plain":   func(string) any { return `{"State":3,"Answer":{"Yes":true,"Answer":"accepted"}}` },
		"nothing": func(string) any { return "" },
		"one bit changed": func(id string) any {
			v := []byte(db.Do("GET", stateOf(id)).(string))
			v[len(v)-1] ^= 1
			return string(v)
		},
		"of another question":       func(string) any { return db.Do("GET", stateOf(approved)) },
		"another key":               func(id string) any { return elsewhere(t, sealed, id, "acme", "test", 2) },
		"another tenant":            func(id string) any { return elsewhere(t, sealed, id, "globex", "test", 1) },
		"another service":           func(id string) any { return elsewhere(t, sealed, id, "acme", "other", 1) },
		"the question as its state": func(id string) any { return db.Do("GET", strings.Replace(stateOf(id), ":state:", ":text:", 1)) },
	} {
		id := a.pending(wanted())
		if db.Do("GET", stateOf(id)) == nil {
			t.Fatalf("%s: the state of a question is not at %s", name, stateOf(id))
		}
		forged := forge(id)
		db.Do("SET", stateOf(id), forged)
		for _, f := range []*fixture{a, b} {
			if got := f.run(wanted()); got.Result != nil || got.Approval.Answer != "pending" || got.Approval.ID == id {
				t.Errorf("%s: it is taken for what a replica says: %+v", name, got.Approval)
			}
		}
	}
	if a.runs()+b.runs() != 0 {
		t.Error("something ran")
	}
}

// elsewhere is a state that somebody else sealed for a question of that name.
func elsewhere(t *testing.T, sealed func(n *Notes, id string), id, tenant, service string, key byte) any {
	t.Helper()
	aside := sharedtest.Start(t)
	sealed(notes(t, aside, tenant, service, key), id)
	return aside.Do("GET", strings.NewReplacer("acme", tenant, "{test}", "{"+service+"}").Replace(stateOf(id)))
}

// A yes that was used is no other one, whatever the database says of it again, at any
// replica.
func TestReplayedYes(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b, c := newReplica(t, db), newReplica(t, db), newReplica(t, db)
	for name, user := range map[string]*fixture{"at the replica that has it": b, "at another one": c} {
		before := a.runs() + b.runs() + c.runs()
		id := a.pending(wanted())
		if err := b.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		held := copied(db)
		if got := user.run(wanted()); got.Result == nil {
			t.Fatalf("%s: approved: %+v", name, got.Approval)
		}
		for _, f := range []*fixture{a, b, c, newReplica(t, db)} {
			f.queue.store.(*replicas).grants = time.Second
			f.forget("")
			putBack(db, held)
			if db.Do("GET", stateOf(id)) == nil {
				t.Fatalf("%s: the yes is not back", name)
			}
			if got := f.run(wanted()); got.Result != nil || got.Approval.ID == id {
				t.Errorf("%s: used again: %+v", name, got.Approval)
			}
		}
		if n := a.runs() + b.runs() + c.runs() - before; n != 1 {
			t.Errorf("%s: %d ran", name, n)
		}
		a.forget("")
	}
}

// A grant is for who claimed, and nobody else.
func TestReplayedGrant(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b, c := newReplica(t, db), newReplica(t, db), newReplica(t, db)
	id := a.pending(wanted())
	if err := b.answer(bob(), id, "approve"); err != nil {
		t.Fatal(err)
	}
	approved := copied(db)

	// Somebody at A claims, and what B grants is kept.
	r := a.queue.store.(*replicas)
	one, err := r.find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.move(t.Context(), one, status{State: claimed, Process: one.at.(stands).Process, Claim: "a word", Since: r.now()}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var grant any
	for granting := true; granting; {
		notes, err := r.notes.States(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var s status
		if err := json.Unmarshal(notes[0].State, &s); err != nil {
			t.Fatal(err)
		}
		granting, grant = s.State != granted, db.Do("GET", stateOf(id))
	}

	// C claims the yes that is back, and is shown that grant.
	db.Do("DEL", stateOf(id))
	putBack(db, approved)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for db.Do("GET", stateOf(id)) == approved[stateOf(id)] {
			time.Sleep(time.Millisecond)
		}
		db.Do("SET", stateOf(id), grant)
	}()
	if got := c.run(wanted()); got.Result != nil || got.Approval.ID == id {
		t.Errorf("by another's grant it runs: %+v", got.Approval)
	}
	<-shown
	if a.runs()+b.runs()+c.runs() != 0 {
		t.Error("something ran")
	}
}

// The yes to one question is not that to another one, although the database says that
// it is about that.
func TestYesElsewhere(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	a, b := newReplica(t, db), newReplica(t, db)
	other := wanted()
	other.Source = []byte("import random, os\n")
	about, err := b.queue.Show(t.Context(), bob(), a.pending(other))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*fixture{a, b} {
		f.forget("")
		id := a.pending(wanted())
		if err := b.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		index := db.Keys("*:approvals")[0]
		for _, m := range db.Do("ZRANGE", index, 0, -1).([]any) {
			of, _, _ := strings.Cut(m.(string), ":")
			db.Do("ZREM", index, m)
			db.Do("ZADD", index, 1<<52, of+":"+shared.Tag(about.Binding)+":"+id)
		}
		if got := f.run(other); got.Result != nil || got.Approval.ID == id {
			t.Errorf("it runs by another's yes: %+v", got.Approval)
		}
	}
}
