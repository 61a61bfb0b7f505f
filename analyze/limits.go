package analyze

import "time"

// limits bound the work that one source can cause. They are fields so that
// tests can reach them; everything else uses defaultLimits.
type limits struct {
	nodes   int           // syntax tree nodes; a megabyte of ordinary code has 300,000
	depth   int           // nesting of the syntax tree; ordinary code stays below 100
	parse   time.Duration // wall time of one parse
	facts   int           // entries of Facts taken together
	strings int           // entries of Facts.Strings
	nested  int           // how often code in a string in a string … is followed
	fold    int           // bytes of one folded value
	steps   int           // folding and resolving steps for the whole source
}

func defaultLimits() limits {
	return limits{
		nodes:   1 << 20,
		depth:   500,
		parse:   2 * time.Second,
		facts:   100_000,
		strings: 10_000,
		nested:  3,
		fold:    64 << 10,
		steps:   2_000_000,
	}
}
