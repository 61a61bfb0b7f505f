package telemetry

import (
	"regexp"
	"strconv"
	"time"
)

// Step is a part of the way of a request.
type Step string

const (
	Judge   Step = "judge"   // canonicalise, parse, decide
	Record  Step = "record"  // the decision, on disk
	Approve Step = "approve" // a person is asked
	Run     Step = "run"     // the sandbox, from start to gone
	End     Step = "end"     // the record of the run's end, on disk
)

// Timing is when a step began and how long it took.
type Timing struct {
	Step  Step
	Start time.Time
	Took  time.Duration
}

// Request is what may be known elsewhere of one request. Every text in it is
// from a fixed set or is the id of a rule: it never holds what a program, a
// model or a client chose. A text of another form is exported as "other".
type Request struct {
	Decision string // id of the decision record
	Tool     string // as sallyport names it
	Language string
	Effect   string
	Reason   string   // of the decision
	Denied   []string // rules that denied
	Steps    []Timing

	Ran     bool // a sandbox was asked to run it
	Backend string
	Ended   string // why the run ended; "error" when sallyport failed
	Stopped Stop   // by what policy ended it, when it did
	Start   string // of the sandbox: "cold", "warm"; "" when it is not known

	Failed Step // at which sallyport itself failed; "" for none
}

// Stop is what a program did when policy ended its run.
type Stop struct {
	Capability string
	Event      string // of its interpreter
}

// Exchange is what may be known elsewhere of a request of a program to a host: not
// the host, and nothing else that the program chose.
type Exchange struct {
	Rule    string // of the operator, that lets it through; "" for none
	Outcome string // refused, failed, unseen, or what kind of status came, such as 2xx

	Sent, Received int64         // bytes
	Took           time.Duration // 0: it was not sent
}

// Queue is how a queue of calls stands.
type Queue struct {
	Name    string // as sallyport names it
	Waiting int
	Running int
	Waited  time.Duration // by the call that just got its turn; 0 for none
	Refused string        // why a call was refused: busy, quota, away; then nothing else is said but the name
}

// Observe takes in a request. It does not wait for anything.
func (t *Telemetry) Observe(r Request) {
	if t == nil {
		return
	}
	r = r.clean()
	t.metrics.request(r)
	if t.queue == nil {
		return
	}
	select {
	case t.queue <- r:
	default:
		t.dropped.Add(1)
		t.metrics.add(dropped, 1, label{"signal", "traces"})
	}
}

// ObserveExchange takes in a request to a host that has ended, or was refused. It
// does not wait for anything.
func (t *Telemetry) ObserveExchange(e Exchange) {
	if t == nil {
		return
	}
	rule := label{"rule", word(e.Rule)}
	t.metrics.add(exchanges, 1, rule, label{"outcome", word(e.Outcome)})
	if e.Took > 0 {
		t.metrics.add(exchanged, float64(e.Sent), rule, label{"direction", "sent"})
		t.metrics.add(exchanged, float64(e.Received), rule, label{"direction", "received"})
		t.metrics.observe(exchanging, e.Took.Seconds(), rule)
	}
}

// ObserveQueue takes in how a queue stands. It does not wait for anything.
func (t *Telemetry) ObserveQueue(q Queue) {
	if t == nil {
		return
	}
	name := label{"queue", word(q.Name)}
	if q.Refused != "" {
		t.metrics.add(queueRefused, 1, name, label{"reason", word(q.Refused)})
		return
	}
	t.metrics.set(queueWaiting, float64(q.Waiting), name)
	t.metrics.set(queueRunning, float64(q.Running), name)
	if q.Waited > 0 {
		t.metrics.observe(queueWait, q.Waited.Seconds(), name)
	}
}

// ObserveAnswer takes in that something was asked for over HTTP, such as /v1/run,
// and was answered. It does not wait for anything.
func (t *Telemetry) ObserveAnswer(asked string, status int) {
	if t != nil {
		t.metrics.add(answers, 1, label{"asked", word(asked)}, label{"status", strconv.Itoa(status)})
	}
}

func (m *registry) request(r Request) {
	lang := label{"language", r.Language}
	m.add(requests, 1, label{"tool", r.Tool}, lang, label{"effect", r.Effect}, label{"reason", r.Reason})
	for _, rule := range r.Denied {
		m.add(denials, 1, label{"rule", rule})
	}
	if r.Ran {
		m.add(runs, 1, label{"backend", r.Backend}, lang, label{"reason", r.Ended})
	}
	if r.Stopped.Capability != "" {
		m.add(stops, 1, lang, label{"capability", r.Stopped.Capability}, label{"event", r.Stopped.Event})
	}
	if r.Start != "" {
		m.add(starts, 1, label{"backend", r.Backend}, label{"start", r.Start})
	}
	if r.Failed != "" {
		m.add(failures, 1, label{"step", string(r.Failed)})
	}
	for _, s := range r.Steps {
		took := s.Took.Seconds()
		switch s.Step {
		case Judge:
			m.observe(judging, took, lang, label{"effect", r.Effect})
		case Record, End:
			m.observe(recording, took, label{"record", string(s.Step)})
		case Approve:
			m.observe(approving, took)
		case Run:
			m.observe(running, took, label{"backend", r.Backend}, lang, label{"start", r.Start})
		}
	}
}

// clean returns r with nothing in it but words.
func (r Request) clean() Request {
	r.Decision, r.Tool, r.Effect, r.Reason = word(r.Decision), word(r.Tool), word(r.Effect), word(r.Reason)
	r.Backend, r.Ended, r.Failed = word(r.Backend), word(r.Ended), Step(word(string(r.Failed)))
	if r.Stopped != (Stop{}) {
		r.Stopped = Stop{word(r.Stopped.Capability), word(r.Stopped.Event)}
	}
	if r.Language != "python" && r.Language != "javascript" {
		r.Language = "other" // what a caller calls a language is the caller's text
	}
	if r.Start != "cold" && r.Start != "warm" {
		r.Start = ""
	}
	rules := make([]string, len(r.Denied))
	for i, rule := range r.Denied {
		rules[i] = word(rule)
	}
	r.Denied = rules
	return r
}

// words are what ids of rules, reasons and tools look like.
var words = regexp.MustCompile(`^[A-Za-z0-9._/-]{0,80}$`)

func word(s string) string {
	if words.MatchString(s) {
		return s
	}
	return "other"
}
