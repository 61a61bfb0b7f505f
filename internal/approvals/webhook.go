package approvals

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/policy"
)

// A webhook's messages are those of Standard Webhooks (standardwebhooks.com):
// receivers verify them with libraries that are there.
const (
	headerID        = "Webhook-Id"
	headerTime      = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
	secretPrefix    = "whsec_"
	minSecret       = 24
	maxSecret       = 64
)

// Bounds of telling, whatever the receiver does.
const (
	maxTelling   = 2 * maxAll // messages under way, those included whose question is just over
	atOnce       = 4          // of them are being sent
	postTime     = 10 * time.Second
	firstRetry   = time.Second // each wait is twice the last one
	longestRetry = 5 * time.Minute
	maxHeard     = 4 << 10 // of an answer, which says nothing that counts
	maxSaid      = 256     // bytes of one text in a message
)

// WebhookOptions says who is told, and by whom.
type WebhookOptions struct {
	URL    string
	Secret string // whsec_ and base64
	Tenant string // "" for none
	Link   string // address of the approvals at the service; "" says none

	// Record puts on record whether people were told of a question, and how it went.
	Record Record
	Log    func(format string, args ...any) // for the operator
}

// Webhook tells a receiver of questions that wait, each until the receiver has
// taken it or the question is over. Nobody waits for it. A nil Webhook tells
// nobody.
type Webhook struct {
	opts   WebhookOptions
	key    []byte
	client *http.Client
	after  func(time.Duration) <-chan time.Time
	turns  chan struct{}

	ctx  context.Context // of all that is under way
	end  context.CancelFunc
	busy sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	open  int
	ended bool
}

// NewWebhook returns a Webhook, or says why its secret is none.
func NewWebhook(o WebhookOptions) (*Webhook, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(o.Secret, secretPrefix))
	if err != nil || len(key) < minSecret || len(key) > maxSecret { // the error could show what it read
		return nil, fmt.Errorf("the secret is not %s and %d to %d bytes in base64", secretPrefix, minSecret, maxSecret)
	}
	h := &Webhook{opts: o, key: key, after: time.After, turns: make(chan struct{}, atOnce)}
	h.client = &http.Client{
		Timeout: postTime,
		// Neither a proxy of the environment nor a redirection chooses who hears of it.
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, MaxIdleConns: atOnce, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	h.ctx, h.end = context.WithCancel(context.Background())
	return h, nil
}

// Close gives up what is under way, on record, and returns when it is.
func (h *Webhook) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	h.end()
	h.busy.Wait()
	h.client.CloseIdleConnections()
}

// Tell is the Tell of a Queue.
func (h *Webhook) Tell(v View, over <-chan struct{}) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended || h.open >= maxTelling {
		h.opts.Log("nobody is told of the question %s: too many are being told", v.ID)
		return
	}
	h.open++
	h.busy.Go(func() {
		tries, err := h.deliver(v, over)
		ap := gate.Approval{Answer: "told", ID: v.ID, Binding: v.Binding, Note: answer.Count(tries, "attempt")}
		if err != nil {
			ap.Answer = "untold"
			ap.Note += ": " + answer.Clip(answer.Visible(answer.OneLine(err.Error())), maxSaid)
			h.opts.Log("nobody was told of the question %s: %s", v.ID, ap.Note)
		}
		if _, err := h.opts.Record(h.ctx, v.Decision, ap); err != nil {
			h.opts.Log("whether people were told of the question %s could not be recorded: %v", v.ID, err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.open--
	})
}

var errOver = errors.New("the question, or the service, came to its end before")

// deliver sends until the receiver has taken it, or nobody has to know any more.
// What is being sent when an answer comes is not given up: that answer may be the
// receiver's.
func (h *Webhook) deliver(v View, over <-chan struct{}) (tries int, err error) {
	body, err := h.message(v)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithDeadline(h.ctx, v.Until)
	defer cancel()
	given := func(up error) (int, error) {
		if err != nil {
			up = fmt.Errorf("%w; the last attempt: %w", up, err)
		}
		return tries, up
	}
	for wait := firstRetry; ; wait = min(2*wait, longestRetry) {
		select {
		case <-over:
			return given(errOver)
		case <-ctx.Done():
			return given(errOver)
		case h.turns <- struct{}{}:
		}
		if h.ctx.Err() != nil { // which ctx may not know yet: the turn is free because of it
			<-h.turns
			return given(errOver)
		}
		tries++
		err = h.post(ctx, v.ID, body)
		<-h.turns
		if err == nil {
			return tries, nil
		}
		select {
		case <-over:
			return given(errOver)
		case <-ctx.Done():
			return given(errOver)
		case <-h.after(wait):
		}
	}
}

// message is what the receiver is told: who asks and by which rules, and nothing
// that the program says.
func (h *Webhook) message(v View) ([]byte, error) {
	type data struct {
		ID        string    `json:"id"`
		Tenant    string    `json:"tenant,omitempty"`
		Requester string    `json:"requester"`
		Name      string    `json:"name,omitempty"`
		Rules     []string  `json:"rules"` // that ask
		Asked     time.Time `json:"asked"`
		Until     time.Time `json:"until"`
		Link      string    `json:"link,omitempty"`
	}
	said := data{
		ID: v.ID, Tenant: h.opts.Tenant, Requester: answer.Clip(v.Requester.ID, maxSaid), Name: answer.Clip(v.Requester.Name, maxSaid),
		Rules: v.rules(func(f policy.Finding) bool { return f.Action == policy.ActionAsk }), Asked: v.Asked, Until: v.Until,
	}
	if h.opts.Link != "" {
		said.Link = h.opts.Link + "/" + v.ID
	}
	b, err := json.Marshal(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      data      `json:"data"`
	}{"approval.waiting", v.Asked, said})
	return []byte(ascii(string(b))), err
}

// post sends a message once.
func (h *Webhook) post(ctx context.Context, id string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.opts.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "sallyport")
	r.Header.Set(headerID, id)
	r.Header.Set(headerTime, at)
	r.Header.Set(headerSignature, "v1,"+base64.StdEncoding.EncodeToString(h.signature(id, at, body)))
	resp, err := h.client.Do(r)
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err // the path of an address can be a secret
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxHeard)) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %d", resp.StatusCode)
	}
	return nil
}

func (h *Webhook) signature(id, at string, body []byte) []byte {
	mac := hmac.New(sha256.New, h.key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	return mac.Sum(nil)
}
