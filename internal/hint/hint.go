// Package hint makes errors that say what to do about them. Such an error is a
// value: what is wrong, what mends it, and what showed it. Nobody reads the text
// of an error to find out; whoever prints one asks for Fix.
package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Error is something wrong that somebody can mend. Its text is what is wrong,
// and the text of what showed it; the fix is not part of it.
type Error struct {
	What  string // is wrong, and why; "" where the cause says so itself
	Fix   string // what to do, in the imperative
	Cause error  // what showed it, nil if there was none

	usage bool // it is about what the caller wrote
}

// ErrUsage is what errors are that Usage makes.
var ErrUsage = errors.New("usage")

func (e *Error) Error() string {
	switch {
	case e.Cause == nil:
		return e.What
	case e.What == "":
		return e.Cause.Error()
	}
	return e.What + ": " + e.Cause.Error()
}

func (e *Error) Unwrap() error { return e.Cause }

// Is says whether the error is one of the caller's.
func (e *Error) Is(target error) bool { return target == ErrUsage && e.usage }

// Hint is the fix, for programs that embed sallyport and cannot name this type.
func (e *Error) Hint() string { return e.Fix }

// New is an error about what the arguments say, which cause showed.
func New(cause error, fix, what string, args ...any) error {
	return &Error{What: fmt.Sprintf(what, args...), Fix: fix, Cause: cause}
}

// With says what to do about an error.
func With(err error, fix string, args ...any) error {
	return &Error{Fix: fmt.Sprintf(fix, args...), Cause: System(err)}
}

// Usage is an error of who called: a flag, an argument, a file that was named.
func Usage(format string, args ...any) error {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = System(err)
		}
	}
	return &Error{Cause: fmt.Errorf(format, args...), usage: true}
}

// While says what was being done when an error showed itself.
func While(err error, doing string, args ...any) error {
	return &Error{What: fmt.Sprintf(doing, args...), Cause: System(err)}
}

// Fix is what to do about an error, "" where nothing says so. Who wrapped it
// last knows best.
func Fix(err error) string {
	for e := (*Error)(nil); errors.As(err, &e); err = e.Cause {
		if e.Fix != "" {
			return e.Fix
		}
	}
	return ""
}

// Text is an error with its fix, for logs, where both stand in one line.
func Text(err error) string {
	if fix := Fix(err); fix != "" {
		return err.Error() + " (" + fix + ")"
	}
	return err.Error()
}

// System puts what the system refused in words: "cannot open FILE: permission
// denied" and not "open FILE: …". An error of another kind stays as it is.
func System(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return &Error{What: fmt.Sprintf("cannot %s %s", deed(e.Op), e.Path), Cause: reason{e}}
	case *os.LinkError:
		return &Error{What: fmt.Sprintf("cannot %s %s to %s", deed(e.Op), e.Old, e.New), Cause: reason{e}}
	}
	return err
}

// reason is an error of the system, of which only why is said.
type reason struct{ error }

func (r reason) Error() string { return Reason(r.error) }
func (r reason) Unwrap() error { return r.error }

// deed names a call of the system by what it does.
func deed(call string) string {
	switch call = strings.TrimSuffix(call, "at"); call {
	case "mkdir", "mkdtemp", "createtemp":
		return "make"
	case "st", "lst", "readlink": // stat, lstat
		return "find"
	case "unlink", "rmdir":
		return "remove"
	}
	return call
}

// Reason is what the system says is wrong, without the call that said it and
// without the path, which stands beside it.
func Reason(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrExist):
		return "it is there already"
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	case errors.As(err, &call):
		return call.Err.Error()
	}
	return err.Error()
}

// Nearest returns the candidate that a misspelt word was meant to be, or "".
func Nearest(word string, candidates []string) string {
	best, distance, own := "", len(word)/3+2, letters(word)
	for _, c := range candidates {
		if len(word) > 1 && strings.HasPrefix(c, word) {
			return c
		}
		d := levenshtein.ComputeDistance(word, c)
		if letters(c) == own { // in another order: the commonest slip
			d = min(d, 1)
		}
		if d < distance {
			best, distance = c, d
		}
	}
	return best
}

// letters are those of a word, in order.
func letters(word string) string {
	all := []byte(word)
	slices.Sort(all)
	return string(all)
}

// DidYouMean is the hint about a misspelt word, or else the other one.
func DidYouMean(word string, candidates []string, otherwise string) string {
	if best := Nearest(word, candidates); best != "" {
		return "did you mean " + best + "?"
	}
	return otherwise
}
