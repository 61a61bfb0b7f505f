package approvals

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/gate"
	"sallyport/policy"
)

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// hooked is a webhook whose waits take no time, and what it puts on record.
type hooked struct {
	*Webhook
	records chan gate.Approval
	waits   chan time.Duration // between attempts, so long as there is room

	mu   sync.Mutex // guards said
	said []string
}

func newHooked(t *testing.T, url string, edits ...func(*WebhookOptions)) *hooked {
	t.Helper()
	h := &hooked{records: make(chan gate.Approval, 2*maxTelling), waits: make(chan time.Duration, 100)}
	o := WebhookOptions{
		URL: url, Secret: hookSecret, Tenant: "acme", Link: "https://sandbox.example/v1/approvals",
		Record: func(_ context.Context, decision string, ap gate.Approval) (string, error) {
			if decision != "d" {
				return "", fmt.Errorf("it is of the decision %q", decision)
			}
			h.records <- ap
			return "", nil
		},
		Log: func(format string, args ...any) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.said = append(h.said, fmt.Sprintf(format, args...))
		},
	}
	for _, edit := range edits {
		edit(&o)
	}
	var err error
	if h.Webhook, err = NewWebhook(o); err != nil {
		t.Fatal(err)
	}
	h.after = func(d time.Duration) <-chan time.Time {
		select {
		case h.waits <- d:
		default:
		}
		now := make(chan time.Time, 1)
		now <- time.Now()
		return now
	}
	t.Cleanup(h.Close)
	return h
}

func (h *hooked) heard() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.said, "\n")
}

// waitingView is a question with something in every field that must not leave.
func waitingView() View {
	return View{
		Version: Version, ID: "Q1", Asked: time.Now(), Until: time.Now().Add(time.Hour), Decision: "d", Binding: "b", Client: "SECRET",
		Requester: Requester{ID: "https://login.example|7", Name: "Zoë\u202e", Groups: []string{"SECRET"}}, Language: "python", Code: "SECRET", Session: "SECRET",
		Findings: []policy.Finding{{Rule: "own/chance", Action: policy.ActionAsk, Message: "SECRET"}, {Rule: "own/chance", Action: policy.ActionAsk}, {Rule: "own/log", Action: policy.ActionLog}},
		Labels:   map[string]string{"SECRET": "SECRET"}, Args: []string{"SECRET"}, Files: []File{{Path: "SECRET"}}, Environment: "SECRET", Exceptions: []string{"SECRET"},
	}
}

// A message can be verified, is tried again until it is taken, and says no more
// than it may.
func TestWebhook(t *testing.T) {
	t.Parallel()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hookSecret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan int, 3)
	answers <- http.StatusInternalServerError
	answers <- http.StatusTooManyRequests
	answers <- http.StatusNoContent
	bodies := make(chan string, 3)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + at + "." + string(b)))
		if given, want := r.Header.Get("webhook-signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)); given != want || id != "Q1" {
			t.Errorf("%s is signed %s, want %s", id, given, want)
		}
		if seconds, err := strconv.ParseInt(at, 10, 64); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Hour {
			t.Errorf("it was sent at %q", at)
		}
		bodies <- string(b)
		w.WriteHeader(<-answers)
	}))
	defer receiver.Close()
	h := newHooked(t, receiver.URL)
	h.Tell(waitingView(), nil)
	if got := <-h.records; got.Answer != "told" || got.ID != "Q1" || got.Binding != "b" || got.Note != "3 attempts" || got.Yes {
		t.Errorf("on record is %+v", got)
	}
	if a, b := <-h.waits, <-h.waits; a != time.Second || b != 2*time.Second {
		t.Errorf("it waits %s and %s", a, b)
	}
	first := <-bodies
	for range 2 {
		if next := <-bodies; next != first {
			t.Errorf("a later attempt says %s, the first one %s", next, first)
		}
	}
	var m struct {
		Type string
		Data map[string]any
	}
	if err := json.Unmarshal([]byte(first), &m); err != nil {
		t.Fatal(err)
	}
	keys := slices.Sorted(maps.Keys(m.Data))
	if m.Type != "approval.waiting" || !slices.Equal(keys, []string{"asked", "id", "link", "name", "requester", "rules", "tenant", "until"}) ||
		fmt.Sprint(m.Data["rules"]) != "[own/chance]" || m.Data["tenant"] != "acme" || m.Data["link"] != "https://sandbox.example/v1/approvals/Q1" || m.Data["requester"] != "https://login.example|7" {
		t.Errorf("it says %s", first)
	}
	if strings.Contains(first, "SECRET") || strings.ContainsFunc(first, func(c rune) bool { return c < ' ' || c > '~' }) {
		t.Errorf("it says what it must not: %q", first)
	}
}

// The published vector of Standard Webhooks.
func TestWebhookSignature(t *testing.T) {
	t.Parallel()
	h := newHooked(t, "http://127.0.0.1:1")
	const want = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := base64.StdEncoding.EncodeToString(h.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, secret := range []string{"", "whsec_", "whsec_c2hvcnQ=", "no base64 at all, but long enough to be one", strings.Repeat("AAAA", 30)} {
		if _, err := NewWebhook(WebhookOptions{Secret: secret}); err == nil || len(secret) > 8 && strings.Contains(err.Error(), secret[6:]) {
			t.Errorf("%q is a secret: %v", secret, err)
		}
	}
}

// Where nobody takes it, it is tried until the question is over, and that nobody was
// told is on record, without the address.
func TestWebhookUntold(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it went on to %s", r.URL) }))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, row := range map[string]struct{ url, why string }{
		"redirection": {redirecting.URL, "the receiver answered 307"}, "no host": {gone.URL + "/SECRET", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			h, over := newHooked(t, row.url), make(chan struct{})
			h.Tell(waitingView(), over)
			want := time.Second
			for range 12 {
				if got := <-h.waits; got != want {
					t.Errorf("it waits %s, want %s", got, want)
				}
				want = min(2*want, 5*time.Minute)
			}
			close(over)
			got := <-h.records
			if got.Answer != "untold" || !strings.Contains(got.Note, " attempts: the question, or the service, came to its end before; the last attempt: ") || !strings.Contains(got.Note, row.why) {
				t.Errorf("on record is %+v", got)
			}
			if said := got.Note + h.heard(); strings.Contains(said, "SECRET") || !strings.Contains(said, "nobody was told of the question Q1") {
				t.Errorf("the operator hears %s", said)
			}
		})
	}
}

// A receiver that does not answer keeps nobody waiting, and the number of those it
// keeps is bounded. What is under way ends with the service, on record.
func TestWebhookStuck(t *testing.T) {
	t.Parallel()
	came, leave := make(chan struct{}, maxTelling), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-leave:
		}
	}))
	defer receiver.Close()
	defer close(leave)
	h := newHooked(t, receiver.URL)
	h.client.Timeout = 0 // only the end of the service ends it
	for range maxTelling + 3 {
		h.Tell(waitingView(), nil)
	}
	if n := strings.Count(h.heard(), "too many are being told"); n != 3 {
		t.Errorf("%d were too many, want 3:\n%s", n, h.heard())
	}
	for range atOnce {
		<-came
	}
	h.Close()
	if len(came) > 0 {
		t.Errorf("%d more than %d were sent at once", len(came), atOnce)
	}
	if len(h.records) != maxTelling {
		t.Errorf("%d are on record, want %d", len(h.records), maxTelling)
	}
	for range len(h.records) {
		if got := <-h.records; got.Answer != "untold" {
			t.Fatalf("on record is %+v", got)
		}
	}
	h.Tell(waitingView(), nil) // too late, and no harm
}

// An answer that comes while a message is under way does not make it untold; one
// that came before has it not sent again.
func TestWebhookAnswered(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(over) }))
	defer receiver.Close()
	h := newHooked(t, receiver.URL)
	h.Tell(waitingView(), over)
	if got := <-h.records; got.Answer != "told" || got.Note != "1 attempt" {
		t.Errorf("on record is %+v", got)
	}
	expired := waitingView()
	expired.Until = time.Now().Add(-time.Second)
	h.after = func(time.Duration) <-chan time.Time { return nil }
	h.Tell(expired, nil)
	if got := <-h.records; got.Answer != "untold" {
		t.Errorf("of one that has expired is on record %+v", got)
	}
}

// What a queue tells reaches the receiver, and a receiver that never answers keeps
// no call from its answer.
func TestQueueTellsWebhook(t *testing.T) {
	t.Parallel()
	came, leave := make(chan string, 1), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- r.Header.Get("webhook-id")
		<-leave
	}))
	defer receiver.Close()
	f := newFixture(t)
	h := newHooked(t, receiver.URL, func(o *WebhookOptions) {
		o.Record = f.gate.Answered
	})
	f.queue.opts.Tell = h.Tell
	id := f.pending(wanted())
	if got := <-came; got != id {
		t.Errorf("the receiver hears of %s, and %s waits", got, id)
	}
	f.pending(wanted()) // the same one, of which nobody is told again
	close(leave)
	h.busy.Wait()
	last := f.records[len(f.records)-1]
	if last.Answer != "told" || last.Approval.ID != id || last.Note != "1 attempt" || last.Decision == "" || last.Caller.Principal != nil {
		t.Errorf("on record is %+v", last)
	}
	f.full = true
	h.Tell(View{ID: "Q2", Until: time.Now().Add(time.Hour)}, nil)
	<-came
	h.busy.Wait()
	if !strings.Contains(h.heard(), "could not be recorded") {
		t.Errorf("the operator hears %s", h.heard())
	}
	if _, err := f.gate.Answered(t.Context(), "d", gate.Approval{}); !errors.Is(err, gate.ErrNotRecorded) {
		t.Error("a full log takes records")
	}
}
