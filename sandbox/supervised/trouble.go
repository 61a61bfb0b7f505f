package supervised

import "fmt"

// Trouble is what keeps a backend from working, with what would mend it. The
// errors of backends carry one wherever somebody can do something.
type Trouble struct {
	What string // is wrong
	Fix  string // in the imperative
	Err  error  // that showed it, nil if there was none
}

// Error is what is wrong, what would mend it, and what showed it.
func (t *Trouble) Error() string {
	if t.Err == nil {
		return t.What + ": " + t.Fix
	}
	return t.What + ": " + t.Fix + ": " + t.Err.Error()
}

func (t *Trouble) Unwrap() error { return t.Err }

// Fault is a Trouble about what the arguments say.
func Fault(err error, fix, what string, args ...any) error {
	return &Trouble{What: fmt.Sprintf(what, args...), Fix: fix, Err: err}
}
