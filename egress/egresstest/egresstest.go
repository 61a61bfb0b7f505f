// Package egresstest has what programs may send that want more than they are
// allowed.
package egresstest

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Attack is what a program sends over a connection of its own, and what must
// come of it.
type Attack struct {
	Name string
	TLS  bool
	SNI  string // "-": none
	ALPN string
	Lone bool // trusts nobody

	Send   []byte
	Want   string // codes of the answers, or "closed"; several with | between
	Hits   int64  // requests that may arrive
	Reason string // begins the one on record; "": any
}

//go:embed attacks.json
var list []byte

// Attacks are those on a host of that name, which serves /v1/.
func Attacks(host string) ([]Attack, error) {
	const placeholder = "api.test.example"
	text := strings.NewReplacer(placeholder, host, strings.ToUpper(placeholder), strings.ToUpper(host)).Replace(string(list))
	var written []struct {
		Name, SNI, ALPN, Send, Hex, Want, Reason string
		TLS, Lone                                bool
		Hits                                     int64
	}
	if err := json.Unmarshal([]byte(text), &written); err != nil {
		return nil, err
	}
	var all []Attack
	for _, w := range written {
		a := Attack{w.Name, w.TLS, w.SNI, w.ALPN, w.Lone, []byte(strings.ReplaceAll(w.Send, "LONG", strings.Repeat("a", 40<<10))), w.Want, w.Hits, w.Reason}
		if w.Hex != "" {
			data, err := hex.DecodeString(w.Hex)
			if err != nil {
				return nil, err
			}
			a.Send = data
		}
		all = append(all, a)
	}
	return all, nil
}
