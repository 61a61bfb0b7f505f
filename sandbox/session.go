package sandbox

import (
	"context"
	"fmt"
	"strings"
)

// Sessions is what a Backend implements that can keep an interpreter for
// several cells: programs of one conversation that build on each other. Only
// package gate may call it.
type Sessions interface {
	// Begin starts a sandbox for a session whose first cell is that of spec:
	// its language, runtime, grant, memory and disk are those of the session.
	// Nothing of the code runs yet. Errors are those of Backend.Run. The caller
	// closes the session.
	Begin(ctx context.Context, spec Spec) (Session, error)
}

// Session is a sandbox that runs one cell after the other in one interpreter.
// It is of one conversation and never serves another one.
//
// What runs inside can read and forge all that the interpreter is told and
// tells: the answer to a cell, its end, its output and its files are the
// program's word once a cell has run. What is not: which bytes a cell has, that
// the interpreter's own parser was asked about them in a sandbox of its own,
// every limit, and that the sandbox stands still between cells.
type Session interface {
	// Run runs the cell of spec, the part of Code behind Earlier. The rest of
	// Code must be exactly what this session was given before, and the Permit
	// for all of it. A cell that fails leaves what it did until then; one that
	// is stopped, for whatever reason, ends the session. A Mismatch ran nothing
	// and is not part of the session. Calls may not overlap.
	Run(ctx context.Context, spec Spec) (Result, error)

	// Ended reports whether the sandbox is gone, after which Run only fails.
	Ended() bool

	// Close kills the session and returns when nothing of it is left. It may be
	// called at any time, also while a cell runs, which then is cancelled.
	Close() error
}

// CheckCell refuses, with an error wrapping ErrRefused, a Spec that is not the
// next cell of a session that was given the code earlier. It is to a Session
// what Check is to a Backend.
func (s Spec) CheckCell(earlier string) error {
	if s.Earlier != len(earlier) || s.Earlier >= len(s.Code) || !strings.HasPrefix(s.Code, earlier) {
		return fmt.Errorf("%w: the code does not go on where the session is", ErrRefused)
	}
	if len(s.Args) > 0 || len(s.Stdin) > 0 {
		return fmt.Errorf("%w: a cell has no arguments and no standard input", ErrRefused)
	}
	return s.check()
}

// Cell is the part of the code that runs.
func (s Spec) Cell() string { return s.Code[s.Earlier:] }
