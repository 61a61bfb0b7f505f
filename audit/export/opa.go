package export

import (
	"cmp"
	"time"

	"sallyport/audit"
)

// opaRecord has the fields of an event of OPA's decision log that mean
// something here.
type opaRecord struct {
	Labels      map[string]string    `json:"labels"`
	DecisionID  string               `json:"decision_id"`
	Bundles     map[string]opaBundle `json:"bundles,omitempty"`
	Path        string               `json:"path"`
	Input       opaInput             `json:"input"`
	Result      *audit.Verdict       `json:"result"`
	Masked      []string             `json:"masked,omitempty"`
	RequestedBy string               `json:"requested_by,omitempty"`
	Timestamp   string               `json:"timestamp"`
	Metrics     map[string]int64     `json:"metrics,omitempty"`
}

type opaBundle struct {
	Revision string `json:"revision"`
}

type opaInput struct {
	Source  *audit.Source     `json:"source,omitempty"`
	Request map[string]string `json:"request"`
}

// opaEvent returns the event of a decision, and nil for any other record.
func opaEvent(rec audit.Record) any {
	if rec.Event != audit.EventDecision || rec.Verdict == nil {
		return nil
	}
	c := rec.Caller
	e := opaRecord{
		Labels:      map[string]string{"app": "sallyport", "version": version(rec)},
		DecisionID:  rec.ID,
		Bundles:     map[string]opaBundle{},
		Path:        "sallyport/decision",
		Input:       opaInput{Source: rec.Source, Request: map[string]string{"tool": c.Tool, "client": c.Client, "session": c.Session, "user": c.User}},
		Result:      rec.Verdict,
		Masked:      rec.Masked,
		RequestedBy: cmp.Or(c.Client, c.User),
		Timestamp:   rec.Time.Format(time.RFC3339Nano),
		Metrics:     map[string]int64{"timer_sallyport_judge_ns": rec.Verdict.Micros * 1000},
	}
	for _, p := range rec.Verdict.Packs {
		e.Bundles[p] = opaBundle{Revision: cmp.Or(rec.Verdict.Revision, rec.Verdict.PolicyDigest)}
	}
	return e
}
