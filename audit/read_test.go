package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// history is a log of 12 decisions an hour apart, each third denied by one of
// two rules; what is allowed runs.
func history(t *testing.T, dir string) time.Time {
	t.Helper()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	now := start
	l := openLog(t, Options{Dir: dir, MaxAge: 4 * time.Hour, Now: func() time.Time { return now }})
	for i := range 12 {
		rec := allowed(i)
		if i%3 == 0 {
			rec = decision(i)
			rec.Verdict.Findings[0].Rule = []string{"py.process", "py.network"}[i/3%2]
		}
		rec.Caller.Client = []string{"claude-code/2.1", "gemini/1.0"}[i%2]
		rec.Caller.User = []string{"https://idp|u-1", "https://idp|u-2"}[i%2]
		rec.Caller.Principal = &Principal{Issuer: "https://idp", Subject: []string{"u-1", "u-2"}[i%2], Name: "Ada", Tenant: []string{"acme", "other"}[i/6]}
		rec.Caller.Environment = []string{"", "", "data"}[i%3]
		if i%4 == 1 {
			rec.Caller.Labels = map[string]string{"ticket": fmt.Sprintf("OPS-%d", i), "team": "data"}
		}
		rec.Source.Name = fmt.Sprintf("Prüfung-%d.py", i)
		rec.Verdict.Micros = int64(100 * i)
		rec, err := l.Append(t.Context(), rec)
		check(t, err)
		if rec.Verdict.Effect == "allow" && i != 11 {
			_, err := l.Append(t.Context(), Record{Event: EventEnd, Decision: rec.ID, Run: &Run{Reason: "exited", WallMicros: 5000}})
			check(t, err)
		}
		now = now.Add(time.Hour)
	}
	return start
}

func collect(t *testing.T, dir string, f Filter) (list []string) {
	t.Helper()
	for e, err := range Select(dir, f) {
		check(t, err)
		name := string(e.Event)
		if e.Source != nil {
			name = strings.TrimSuffix(strings.TrimPrefix(e.Source.Name, "Prüfung-"), ".py")
		}
		list = append(list, name)
	}
	return list
}

func TestSelect(t *testing.T) {
	dir := t.TempDir()
	start := history(t, dir)
	hour := func(n int) time.Time { return start.Add(time.Duration(n) * time.Hour) }
	tests := []struct {
		name   string
		filter Filter
		want   []string
	}{
		{"denied", Filter{Effects: []string{"deny"}}, []string{"0", "3", "6", "9"}},
		{"by a rule", Filter{Rules: []string{"py.network"}}, []string{"3", "9"}},
		{"by rules", Filter{Rules: []string{"py.net*", "py.process"}}, []string{"0", "3", "6", "9"}},
		{"allowed, with their ends", Filter{Effects: []string{"allow"}, Since: hour(9)}, []string{"10", "end", "11"}},
		{"by a client", Filter{Clients: []string{"gemini"}, Until: hour(4)}, []string{"1", "end", "3"}},
		{"by a client's version", Filter{Clients: []string{"gemini/2.0"}}, nil},
		{"by a principal", Filter{Principals: []string{"u-2"}, Until: hour(4)}, []string{"1", "end", "3"}},
		{"by a principal in one word, and tenant", Filter{Principals: []string{"https://idp|u-1"}, Tenants: []string{"other"}}, []string{"6", "8", "end", "10", "end"}},
		{"by an environment", Filter{Environments: []string{"data"}, Since: hour(4)}, []string{"5", "end", "8", "end", "11"}},
		{"by the environment of those who choose none", Filter{Environments: []string{"default"}, Until: hour(2)}, []string{"0", "1", "end"}},
		{"by how a run ended", Filter{Reasons: []string{"exited"}, Until: hour(3)}, []string{"end", "end"}},
		{"by why it was decided so", Filter{Reasons: []string{"policy"}, Effects: []string{"deny"}, Until: hour(4)}, []string{"0", "3"}},
		{"by no reason that there is", Filter{Reasons: []string{"nowhere"}}, nil},
		{"by a label", Filter{Labels: map[string]string{"team": "data"}, Until: hour(6)}, []string{"1", "end", "5", "end"}},
		{"by labels", Filter{Labels: map[string]string{"team": "data", "ticket": "OPS-5"}}, []string{"5", "end"}},
		{"by labels of different decisions", Filter{Labels: map[string]string{"team": "other", "ticket": "OPS-5"}}, nil},
		{"by a label that none has", Filter{Labels: map[string]string{"none": ""}}, nil},
		{"by nobody", Filter{Principals: []string{""}}, nil},
		{"from and until", Filter{Since: hour(2), Until: hour(3)}, []string{"2", "end"}},
		{"text, not regarding case", Filter{Text: "PRÜFUNG-7"}, []string{"7", "end"}},
		{"text as code would have it", Filter{Text: `"effect":"deny"`}, nil},
		{"all of them", Filter{Effects: []string{"deny"}, Rules: []string{"py.process"}, Clients: []string{"claude-code"}, Since: hour(1)}, []string{"6"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, collect(t, dir, tt.filter)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if all := collect(t, dir, Filter{}); len(all) != 12+7+2 {
		t.Errorf("the zero filter gives %d records: %v", len(all), all)
	}
}

func TestSelectGoesOnBehindDamage(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	appendN(t, l, 1)
	names, err := segments(dir)
	check(t, err)
	appendTo(t, filepath.Join(dir, names[0]), "no record\n")
	appendTo(t, filepath.Join(dir, names[0]), `{"version":"record/v1","seq":9}`+"\n")
	var errs, records int
	for _, err := range Select(dir, Filter{}) {
		if err != nil {
			errs++
		} else {
			records++
		}
	}
	if errs != 1 || records != 2 {
		t.Errorf("%d errors, %d records", errs, records)
	}
}

func TestLast(t *testing.T) {
	dir := t.TempDir()
	history(t, dir)
	for _, n := range []int{1, 5, 100} {
		got, err := Last(dir, Filter{Effects: []string{"deny"}}, n)
		check(t, err)
		var names []string
		for _, e := range got {
			names = append(names, e.Source.Name)
		}
		want := []string{"Prüfung-0.py", "Prüfung-3.py", "Prüfung-6.py", "Prüfung-9.py"}
		if diff := cmp.Diff(want[max(0, 4-n):], names); diff != "" {
			t.Errorf("Last(%d):\n%s", n, diff)
		}
	}
}

// TestNewest looks for what is in force through a log of many segments, in which
// others speak of such records and one is damaged.
func TestNewest(t *testing.T) {
	dir := t.TempDir()
	if _, found, err := Newest(dir, EventConfig); err != nil || found {
		t.Errorf("an empty log: found %v, %v", found, err)
	}
	l := openLog(t, Options{Dir: dir, MaxBytes: 4 << 10})
	for i := range 3 {
		_, err := l.Append(t.Context(), Record{Event: EventConfig, InForce: &InForce{How: InForceStart, SHA256: map[string]string{"policy": fmt.Sprint(i)}}})
		check(t, err)
	}
	for i := range 20 {
		rec := decision(i)
		rec.Source.Name = `"event":"config"`
		_, err := l.Append(t.Context(), rec)
		check(t, err)
	}
	check(t, l.Close())
	names, err := segments(dir)
	check(t, err)
	if len(names) < 3 {
		t.Fatalf("%d segments are too few", len(names))
	}
	damaged := filepath.Join(dir, names[len(names)-1])
	data, err := os.ReadFile(damaged)
	check(t, err)
	check(t, os.WriteFile(damaged, append([]byte("damage\n"), data...), 0o600))
	e, found, err := Newest(dir, EventConfig)
	if err != nil || !found || e.InForce == nil || e.InForce.SHA256["policy"] != "2" {
		t.Errorf("Newest = %+v, %v, %v", e.InForce, found, err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	rec, err := l.Append(t.Context(), allowed(1))
	check(t, err)
	end, err := l.Append(t.Context(), Record{Event: EventEnd, Decision: rec.ID, Run: &Run{Reason: "exited"}})
	check(t, err)
	appendN(t, l, 2)
	for _, id := range []string{rec.ID, end.ID, rec.ID[len(rec.ID)-8:]} {
		got, err := Find(dir, id)
		if err != nil || len(got) != 2 || got[0].ID != rec.ID || got[1].ID != end.ID {
			t.Errorf("Find(%s) = %d records, %v", id, len(got), err)
		}
	}
	if got, err := Find(dir, "nothing-like-it"); err != nil || got != nil {
		t.Errorf("Find() = %v, %v, want nothing", got, err)
	}
	for _, id := range []string{"01", rec.ID[:6]} {
		if _, err := Find(dir, id); err == nil {
			t.Errorf("Find(%q) takes what fits many", id)
		}
	}
}

func TestFollow(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir, MaxBytes: 2 << 10})
	old := appendN(t, l, 5)
	got := make(chan string, 100)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- Follow(ctx, dir, old[len(old)-2].Seq, Filter{Effects: []string{"deny"}}, func(e Entry) error {
			got <- e.ID
			return nil
		})
	}()
	want := []string{old[len(old)-1].ID}
	for range 3 { // over more than one segment
		for _, rec := range appendN(t, l, 3) {
			want = append(want, rec.ID)
		}
		time.Sleep(followEvery / 2)
	}
	for _, id := range want {
		select {
		case g := <-got:
			if g != id {
				t.Fatalf("followed %s, want %s", g, id)
			}
		case <-ctx.Done():
			t.Fatal("Follow does not show what was written")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Follow() = %v", err)
	}
}

func TestSummarize(t *testing.T) {
	dir := t.TempDir()
	start := history(t, dir)
	s := Summarize(Select(dir, Filter{}))
	want := Stats{
		Records: 21, Decisions: 12, From: start, To: start.Add(11 * time.Hour),
		Effects: []Count{{"allow", 8}, {"deny", 4}}, Reasons: []Count{{"policy", 4}},
		Rules:   []Count{{"py.network", 2}, {"py.process", 2}},
		Clients: []Count{{"claude-code/2.1", 6}, {"gemini/1.0", 6}}, Languages: []Count{{"python", 12}},
		Answers: []Count{}, Access: []Count{}, InForce: []Count{}, Runs: []Count{{"exited", 7}},
		JudgeUS: Quantiles{500, 1000, 1000, 1100}, RunUS: Quantiles{5000, 5000, 5000, 5000},
		Unended:  1,
		Requests: Requests{Hosts: []Count{}, Methods: []Count{}, Reasons: []Count{}},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	requests := func(yield func(Entry, error) bool) {
		for _, r := range []Record{
			{Event: EventEgress, Egress: &Egress{Method: "GET", Host: "a.example", Allowed: true}},
			{Event: EventEgressEnd, Egress: &Egress{Method: "GET", Host: "a.example", Allowed: true, Status: 200, SentBytes: 2, ReceivedBytes: 3}},
			{Event: EventEgress, Egress: &Egress{Method: "PUT", Host: "b.example", Reason: "host is not allowed"}},
			{Event: EventEgress, Egress: &Egress{Reason: "TLS handshake failed"}},
			{Event: EventEgress}, // masked
		} {
			yield(Entry{Record: r}, nil)
		}
	}
	counted := Requests{
		Sent: 1, Refused: 2, SentBytes: 2, ReceivedBytes: 3, Hosts: []Count{{"a.example", 1}, {"b.example", 1}},
		Methods: []Count{{"GET", 1}, {"PUT", 1}}, Reasons: []Count{{"TLS handshake failed", 1}, {"host is not allowed", 1}},
	}
	if diff := cmp.Diff(counted, Summarize(requests).Requests); diff != "" {
		t.Error(diff)
	}
	broken := func(yield func(Entry, error) bool) { yield(Entry{}, errors.New("x")) }
	if s := Summarize(broken); s.Unread != 1 || s.Records != 0 {
		t.Errorf("Summarize() = %+v", s)
	}
	if !slices.IsSortedFunc(s.Rules, func(a, b Count) int { return b.Count - a.Count }) {
		t.Error("rules are not ordered")
	}
}

// Records are found by what they are about, the ends of decisions that fit included.
func TestEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, r := range []Record{
		{ID: "one", Event: EventDecision, Verdict: &Verdict{Effect: "allow"}},
		{Event: EventConfig, Note: "start: nothing has changed", InForce: &InForce{How: InForceStart, SHA256: map[string]string{"policy": "1"}}},
		{Event: EventEnd, Decision: "one", Run: &Run{Reason: "exited"}},
		{Event: EventAccess, Note: "login refused: the token is not known"},
	} {
		if _, err := l.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	found := func(f Filter) (out string) {
		for e, err := range Select(dir, f) {
			if err != nil {
				t.Fatal(err)
			}
			out += string(e.Event) + " "
		}
		return out
	}
	for _, row := range []struct {
		filter Filter
		want   string
	}{
		{Filter{Events: []string{"config", "access"}}, "config access "},
		{Filter{Events: []string{"end"}, Effects: []string{"allow"}}, "end "},
		{Filter{Events: []string{"end"}, Effects: []string{"deny"}}, ""},
	} {
		if got := found(row.filter); got != row.want {
			t.Errorf("%+v finds %q, want %q", row.filter, got, row.want)
		}
	}
	s := Summarize(Select(dir, Filter{}))
	if len(s.InForce) != 1 || s.InForce[0] != (Count{Name: "start", Count: 1}) || len(s.Access) != 1 || s.Access[0].Name != "login refused" {
		t.Errorf("counted are %v and %v", s.InForce, s.Access)
	}
}
