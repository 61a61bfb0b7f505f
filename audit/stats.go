package audit

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
)

// Stats counts records.
type Stats struct {
	Records   int       `json:"records"`
	Decisions int       `json:"decisions"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Effects   []Count   `json:"effects"` // of decisions
	Reasons   []Count   `json:"reasons"` // of decisions that do not allow
	Rules     []Count   `json:"rules"`   // of decisions that do not allow, once a decision
	Clients   []Count   `json:"clients"`
	Languages []Count   `json:"languages"`
	Answers   []Count   `json:"answers"`     // of approvals
	Access    []Count   `json:"access"`      // why somebody was refused before anything was judged
	InForce   []Count   `json:"in_force"`    // how what a service works by came into force, or did not
	Runs      []Count   `json:"runs"`        // how runs ended
	JudgeUS   Quantiles `json:"judge_us"`    // microseconds to judge
	RunUS     Quantiles `json:"run_us"`      // microseconds to run
	Blind     int       `json:"blind_spots"` // runs that tried what policy denies although it had allowed them
	Unended   int       `json:"unended"`     // allowed and not ended: still running, only checked, or killed
	Unread    int       `json:"unreadable"`  // lines that are no record
	Requests  Requests  `json:"requests"`
}

// Requests counts what programs asked of hosts.
type Requests struct {
	Sent          int     `json:"sent"`
	Refused       int     `json:"refused"`
	SentBytes     int64   `json:"sent_bytes"`
	ReceivedBytes int64   `json:"received_bytes"`
	Hosts         []Count `json:"hosts"` // those that were refused included
	Methods       []Count `json:"methods"`
	Reasons       []Count `json:"reasons"` // of refusals
}

// Count is how often something occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Quantiles of a measurement.
type Quantiles struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// Summarize counts the records of a sequence as Select yields it.
func Summarize(entries iter.Seq2[Entry, error]) Stats {
	var s Stats
	counts := map[string]map[string]int{}
	add := func(what, name string) {
		if counts[what] == nil {
			counts[what] = map[string]int{}
		}
		counts[what][cmp.Or(name, "unknown")]++
	}
	var judge, run []int64
	open := map[string]bool{}
	for e, err := range entries {
		if err != nil {
			s.Unread++
			continue
		}
		s.Records++
		if s.From.IsZero() || e.Time.Before(s.From) {
			s.From = e.Time
		}
		if e.Time.After(s.To) {
			s.To = e.Time
		}
		switch e.Event {
		case EventDecision:
			s.Decisions++
			countDecision(e, add)
			if e.Verdict != nil {
				judge = append(judge, e.Verdict.Micros)
				open[e.ID] = e.Verdict.Effect == "allow"
			}
		case EventEgress, EventEgressEnd:
			if e.Egress != nil {
				s.Requests.count(e.Event, *e.Egress, add)
			}
		case EventAccess:
			why, _, _ := strings.Cut(e.Note, ":")
			add("access", why)
		case EventConfig:
			if e.InForce != nil {
				add("in force", e.InForce.How)
			}
		case EventApproval:
			if e.Verdict != nil || e.Approval == nil { // else what came of it is on record, too
				add("answers", e.Answer)
			}
		case EventEnd:
			delete(open, e.Decision)
			if e.Run != nil {
				add("runs", e.Run.Reason)
				run = append(run, e.Run.WallMicros)
				if len(e.Run.Violations) > 0 {
					s.Blind++
				}
			}
		}
	}
	for _, allowed := range open {
		if allowed {
			s.Unended++
		}
	}
	s.Effects, s.Reasons, s.Rules = top(counts["effects"]), top(counts["reasons"]), top(counts["rules"])
	s.Clients, s.Languages = top(counts["clients"]), top(counts["languages"])
	s.Access, s.InForce = top(counts["access"]), top(counts["in force"])
	s.Answers, s.Runs = top(counts["answers"]), top(counts["runs"])
	s.Requests.Hosts, s.Requests.Methods, s.Requests.Reasons = top(counts["hosts"]), top(counts["methods"]), top(counts["refusals"])
	s.JudgeUS, s.RunUS = quantiles(judge), quantiles(run)
	return s
}

func (r *Requests) count(event Event, x Egress, add func(what, name string)) {
	if event == EventEgressEnd {
		r.SentBytes += x.SentBytes
		r.ReceivedBytes += x.ReceivedBytes
		return
	}
	if x.Host != "" {
		add("hosts", x.Host)
	}
	if x.Method != "" {
		add("methods", x.Method)
	}
	if x.Allowed {
		r.Sent++
		return
	}
	r.Refused++
	add("refusals", x.Reason)
}

func countDecision(e Entry, add func(what, name string)) {
	add("clients", e.Caller.Client)
	if e.Source != nil {
		add("languages", e.Source.Language)
	}
	if e.Verdict == nil {
		return
	}
	add("effects", e.Verdict.Effect)
	if e.Verdict.Effect == "allow" {
		return
	}
	add("reasons", e.Verdict.Reason)
	if e.Verdict.Reason == "syntax_error" {
		return // no rule denied it
	}
	seen := map[string]bool{}
	for _, f := range e.Verdict.Findings {
		if !seen[f.Rule] && (f.Action == "deny" || f.Action == "ask") {
			seen[f.Rule] = true
			add("rules", f.Rule)
		}
	}
}

// top orders counts, the largest first, equal ones by name.
func top(m map[string]int) []Count {
	list := make([]Count, 0, len(m))
	for name, n := range m {
		list = append(list, Count{name, n})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func quantiles(list []int64) Quantiles {
	if len(list) == 0 {
		return Quantiles{}
	}
	slices.Sort(list)
	at := func(p int) int64 { return list[(len(list)-1)*p/100] }
	return Quantiles{P50: at(50), P95: at(95), P99: at(99), Max: list[len(list)-1]}
}
