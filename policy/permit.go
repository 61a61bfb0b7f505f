package policy

import (
	"errors"
	"fmt"
)

// ErrDenied is wrapped by every error that means "this code may not run".
var ErrDenied = errors.New("denied by policy")

// Permit says that the policy allowed exactly one source. Only a Decision of
// an Engine makes one; the zero Permit permits nothing.
type Permit struct {
	sha256 string
}

// Permit returns the permit of a decision that allows. It wraps ErrDenied for
// any other decision, also for one that asks: see Approve.
func (d Decision) Permit() (Permit, error) {
	if d.judged.effect != Allow || d.judged.sha256 == "" {
		return Permit{}, fmt.Errorf("%w: effect %q", ErrDenied, d.judged.effect)
	}
	return Permit{sha256: d.judged.sha256}, nil
}

// Approve returns the decision that follows when a person answers one that
// asks. Yes allows; no denies. Any other decision is returned as it is: nobody
// can approve what the policy denied.
func (d Decision) Approve(yes bool) Decision {
	if d.judged.effect != Ask {
		return d
	}
	if yes {
		d.judged.effect, d.Effect, d.Reason = Allow, Allow, ReasonApproved
	} else {
		d.judged.effect, d.Effect, d.Reason = Deny, Deny, ReasonRefused
	}
	return d
}

// Permits returns nil for the one source that was allowed, by the lower-case
// hex SHA-256 of its bytes, and an error wrapping ErrDenied for any other.
func (p Permit) Permits(sha256 string) error {
	if p.sha256 == "" || p.sha256 != sha256 {
		return fmt.Errorf("%w: these are not the bytes that were judged", ErrDenied)
	}
	return nil
}
