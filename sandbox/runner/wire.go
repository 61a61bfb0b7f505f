package runner

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"sallyport/sandbox"
)

// The runner inside reads one job from JobFD and writes one answer to
// ReportFD; both are closed before the program runs, so that nothing the
// program does can be taken for the runner's word. What comes over ArtifactFD
// the program may forge: it could have written the same files.
const (
	JobFD      = 100
	ReportFD   = 101
	ArtifactFD = 102

	maxAnswer = 1 << 20 // bytes of an answer; more is an error
)

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
// byte, a length and the value, all lengths 32 bit big-endian. The files that
// the program leaves are brought out by somebody else, who sees them last.
func Job(s sandbox.Spec) []byte { return job(s) }

// SendingJob is a Job whose runner sends the files of the program itself, over
// ArtifactFD. It does so before the interpreter takes itself down, so that what
// the program has written and neither flushed nor closed is not in them yet.
func SendingJob(s sandbox.Spec) []byte { return job(s, 'f') }

// job adds fields without a value to a job.
func job(s sandbox.Spec, marks ...byte) []byte {
	b := make([]byte, 4, 64+len(s.Code))
	field := func(tag byte, value string) {
		b = append(b, tag)
		b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
		b = append(b, value...)
	}
	field('m', MainName(s.Language, s.Goal))
	field('g', s.Goal)
	for _, m := range marks {
		field(m, "")
	}
	field('i', strings.Join(s.Identifiers, "\n"))
	denied := []string{"network"}
	if DeniesProcess(s) {
		denied = append(denied, "process")
	}
	field('n', strings.Join(denied, ","))
	l := s.Limits.WithDefaults()
	field('l', fmt.Sprint(l.ArtifactCount, " ", l.ArtifactBytes))
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

// ReadAnswer reads one message of the runner: "ready" once the interpreter is
// up, then its answer to the job, see Verdict.
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

// Verdict reads the answer to a job: nothing unknown, and the program starts
// now; or the identifiers that the interpreter's own parser found and the
// analysis did not, and nothing has run.
func Verdict(answer string) (mismatch bool, unknown []string, err error) {
	kind, rest, _ := strings.Cut(answer, "\n")
	switch kind {
	case "ok":
		return false, nil, nil
	case "mismatch":
		if rest == "" {
			return true, nil, nil
		}
		return true, strings.Split(rest, "\n"), nil
	default:
		return false, nil, fmt.Errorf("the runner failed: %.200q", answer)
	}
}

// CheckFiles refuses input files whose place is not plainly inside the work
// directory, or that would replace the program.
func CheckFiles(s sandbox.Spec) error {
	seen := map[string]bool{MainName(s.Language, s.Goal): true}
	for _, f := range s.Files {
		if err := sandbox.CheckPath(f.Path); err != nil {
			return fmt.Errorf("%w: file %q: %v", sandbox.ErrRefused, f.Path, err)
		}
		if seen[f.Path] {
			return fmt.Errorf("%w: file %q: the name is taken", sandbox.ErrRefused, f.Path)
		}
		seen[f.Path] = true
	}
	return nil
}
