package config

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// Ask says who answers what a rule asks, where that is other people than the
// user of the client. The zero Ask is that user.
type Ask struct {
	By     []string `yaml:"by"`     // group:NAME, principal:ID or scope:NAME; any of them
	Not    string   `yaml:"not"`    // requester, who never may in any case
	Within Duration `yaml:"within"` // an answer comes, and is used; 0: 15m

	Webhook Webhook `yaml:"webhook"` // hears of each question that waits
}

// Webhook is somebody's service that tells people what waits. The zero Webhook
// tells nobody.
type Webhook struct {
	URL        string `yaml:"url"`
	SecretFile string `yaml:"secret_file"` // with what its messages are signed
}

// maxAskWithin keeps a yes from being used when nobody remembers it.
const maxAskWithin = 24 * time.Hour

// Others reports whether other people are asked.
func (a Ask) Others() bool { return len(a.By) > 0 }

// WithDefaults fills in what the operator left open.
func (a Ask) WithDefaults() Ask {
	if a.Within == 0 {
		a.Within = Duration(15 * time.Minute)
	}
	return a
}

func (a Ask) validate() error {
	if !a.Others() && !reflect.DeepEqual(a, Ask{}) {
		return bad("ask.by", "is missing: it says who may approve, such as [group:approvers]")
	}
	for _, by := range a.By {
		kind, name, _ := strings.Cut(by, ":")
		if !slices.Contains([]string{"group", "principal", "scope"}, kind) || name == "" {
			return bad("ask.by", "%q is not group:NAME, principal:ID or scope:NAME", by)
		}
	}
	if a.Not != "" && a.Not != "requester" {
		return bad("ask.not", "%q is not requester", a.Not)
	}
	if time.Duration(a.Within) > maxAskWithin {
		return bad("ask.within", "is more than %s", maxAskWithin)
	}
	if a.Webhook == (Webhook{}) {
		return nil
	}
	if a.Webhook.SecretFile == "" {
		return bad("ask.webhook.secret_file", "is missing: messages are signed, so that nobody else can send them")
	}
	if err := plainURL(a.Webhook.URL); err != nil {
		return bad("ask.webhook.url", "%w", err)
	}
	return nil
}
