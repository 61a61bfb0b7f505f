package analyze

import "time"

// Limits bound the work that one source can cause.
type Limits struct {
	Nodes   int           // syntax tree nodes; a megabyte of ordinary code has 300,000
	Depth   int           // nesting of the syntax tree; ordinary code stays below 100
	Parse   time.Duration // wall time of one parse: forty times what a megabyte takes, because the machine may be busy
	Read    time.Duration // wall time of all that is done to read a source: many times what Steps take
	Facts   int           // entries of Facts taken together
	Strings int           // entries of Facts.Strings
	Nested  int           // how often code in a string in a string … is followed
	Fold    int           // bytes of one folded value
	Steps   int           // folding and resolving steps for the whole source
}

// DefaultLimits are wide for ordinary code, and bound the worst all the same.
func DefaultLimits() Limits {
	return Limits{
		Nodes:   1 << 20,
		Depth:   500,
		Parse:   10 * time.Second,
		Read:    5 * time.Minute,
		Facts:   100_000,
		Strings: 10_000,
		Nested:  3,
		Fold:    64 << 10,
		Steps:   2_000_000,
	}
}
