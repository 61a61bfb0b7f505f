package runner

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sallyport/sandbox"
)

// What a session's interpreter reads from JobFD are cells, and what it writes
// to ReportFD is how each one ended. Both stay open while cells run, so the
// first cell can already forge what is said about it: see sandbox.Session.

// SessionArgv is the command of an interpreter that waits for cells.
func SessionArgv(executable string, s sandbox.Spec) []string {
	argv := Argv(executable, s)
	if s.Language == "javascript" {
		return append(argv[:len(argv)-3], Dir+"/session.cjs")
	}
	return append(argv[:len(argv)-1], Dir+"/session.py")
}

// SessionEnv is Env for an interpreter that waits for cells: it does not load
// the runner of single programs.
func SessionEnv(s sandbox.Spec) []string {
	return slices.DeleteFunc(Env(s), func(v string) bool { return v == "PYTHONPATH="+Dir })
}

// CellJob frames the cell of s for a session's interpreter.
func CellJob(s sandbox.Spec) []byte {
	s.Code = s.Cell()
	return Job(s)
}

// OpinionJob frames the cell of s for the runner of a fresh sandbox, which only
// asks the interpreter's parser about it and runs nothing.
func OpinionJob(s sandbox.Spec) []byte {
	s.Code, s.Files, s.References = s.Cell(), nil, nil
	return job(s, 'o')
}

// Opinion reads the answer to an OpinionJob: what Verdict says, and the error
// of a cell that is no program to the interpreter.
func Opinion(answer string) (mismatch bool, unknown []string, syntax string, err error) {
	if rest, ok := strings.CutPrefix(answer, "syntax\n"); ok {
		return false, nil, rest, nil
	}
	mismatch, unknown, err = Verdict(answer)
	return mismatch, unknown, "", err
}

// errNoEnd is about an answer that is not the end of a cell.
var errNoEnd = errors.New("the session's interpreter said something else than how the cell ended")

// CellEnd reads how a cell ended, by the word of the session's interpreter.
func CellEnd(answer string) (exit int, err error) {
	rest, ok := strings.CutPrefix(answer, "done ")
	if !ok {
		return 0, errNoEnd
	}
	if exit, err = strconv.Atoi(rest); err != nil || exit < 0 || exit > 255 {
		return 0, fmt.Errorf("%w: %.20q", errNoEnd, rest)
	}
	return exit, nil
}
