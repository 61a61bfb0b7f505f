// Package runner is what every backend puts into a sandbox beside the
// interpreter, and how they talk to it: a script that the interpreter loads
// before the program. It waits for one job, prepares the work directory,
// answers, and gets out of the way.
package runner

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"sallyport/sandbox"
)

// The runner inside reads one job from JobFD and writes its answers to
// ReportFD; both are closed before the program runs, so that nothing the
// program does can be taken for the runner's word.
const (
	JobFD    = 100
	ReportFD = 101

	maxAnswer = 1 << 20 // bytes of an answer; more is an error
)

// Where things are inside.
const (
	WorkDir = "/work"       // the program's; writable
	Dir     = "/.sallyport" // the runner's; read-only
)

//go:embed sitecustomize.py
var pythonRunner string

//go:embed hook.cjs
var nodeRunner string

// Files returns the files of Dir by their names.
func Files() map[string]string {
	return map[string]string{"sitecustomize.py": pythonRunner, "hook.cjs": nodeRunner}
}

// MainName is the file name of the program inside the work directory.
func MainName(language, goal string) string {
	switch {
	case language == "python":
		return "main.py"
	case goal == "module":
		return "main.mjs"
	default:
		return "main.js"
	}
}

// Job frames spec for the runner: a length, then fields of one tag
// byte, a length and the value, all lengths 32 bit big-endian.
func Job(s sandbox.Spec) []byte {
	b := make([]byte, 4, 64+len(s.Code))
	field := func(tag byte, value string) {
		b = append(b, tag)
		b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
		b = append(b, value...)
	}
	field('m', MainName(s.Language, s.Goal))
	for _, a := range s.Args {
		field('a', a)
	}
	for _, f := range s.Files {
		field('p', f.Path)
		field('d', string(f.Data))
	}
	field('c', s.Code)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// ReadAnswer reads the runner's one answer: nil for "the program starts now".
func ReadAnswer(r io.Reader) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxAnswer {
		return "", fmt.Errorf("answer of %d bytes", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return "", err
	}
	return string(body), nil
}

// CheckFiles refuses input files whose place is not plainly inside the work
// directory, or that would replace the program.
func CheckFiles(s sandbox.Spec) error {
	seen := map[string]bool{MainName(s.Language, s.Goal): true}
	for _, f := range s.Files {
		if err := checkPath(f.Path); err != nil {
			return fmt.Errorf("%w: file %q: %v", sandbox.ErrRefused, f.Path, err)
		}
		if seen[f.Path] {
			return fmt.Errorf("%w: file %q: the name is taken", sandbox.ErrRefused, f.Path)
		}
		seen[f.Path] = true
	}
	return nil
}

func checkPath(p string) error {
	switch {
	case p == "" || p == ".":
		return errors.New("no name")
	case len(p) > 255:
		return errors.New("longer than 255 bytes")
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return errors.New("not a clean path below the work directory")
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }):
		return errors.New("unprintable characters")
	}
	return nil
}

// Argv is the command of an interpreter that waits for a job.
func Argv(executable string, s sandbox.Spec) []string {
	if s.Language == "javascript" {
		heap := strconv.FormatInt(max(s.Limits.WithDefaults().Memory>>20*3/4, 16), 10)
		return []string{executable, "--max-old-space-size=" + heap, "-r", Dir + "/hook.cjs", "main.js"}
	}
	// Not -I: the program's own directory must be importable, as it is for
	// everybody who types `python3 main.py`; the work directory holds nothing
	// but the program and its files. -s leaves out a home's packages, the
	// interpreter's own site-packages stay.
	return []string{executable, "-B", "-s", "-X", "utf8", "main.py"}
}

// Env is the environment inside: fixed but for what the operator adds; nothing of the host's
// is ever in it.
func Env(s sandbox.Spec) []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"HOME=/tmp",
		"LANG=C.UTF-8",
	}
	if s.Language == "python" {
		env = append(env, "PYTHONPATH="+Dir, "MPLBACKEND=Agg", "MPLCONFIGDIR=/tmp")
	}
	return append(env, s.Runtime.Env...)
}
