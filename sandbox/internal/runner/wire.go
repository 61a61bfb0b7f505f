package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
)

// The runner inside reads one job from JobFD and writes one answer to
// ReportFD; both are closed before the program runs, so that nothing the
// program does can be taken for the runner's word. What comes over ArtifactFD
// the program may forge, for it could have written the same files, but for what
// the hooks tell: see frame.Reports.
const (
	jobTag    byte = 'j'
	answerTag byte = 'a'

	// MaxAnswer is the length of the longest answer.
	MaxAnswer = 1 << 20
)

// Job is a frame for the runner; in it are frames, too, one for each thing that
// it has to know. The files that the program leaves are brought out by somebody
// else, who sees them last.
func Job(s sandbox.Spec) []byte { return job(s) }

// SendingJob is a Job whose runner sends the files of the program itself, over
// ArtifactFD. It does so before the interpreter takes itself down, so that what
// the program has written and neither flushed nor closed is not in them yet.
func SendingJob(s sandbox.Spec) []byte { return job(s, 'f') }

// job adds fields without a value to a job.
func job(s sandbox.Spec, marks ...byte) []byte {
	var b []byte
	field := func(tag byte, value string) { b = frame.Append(b, tag, []byte(value)) }
	field('m', sandbox.MainName(s.Language, s.Goal))
	field('g', s.Goal)
	for _, m := range marks {
		field(m, "")
	}
	if s.Observe {
		field('w', "")
	}
	if slices.Contains(s.Require, sandbox.ControlHook) {
		field('h', "")
	}
	field('i', strings.Join(s.Identifiers, "\n"))
	var named []string // first what it writes: where there are more than the hooks have room for, the last are not kept
	for _, name := range append(drawn(), s.Seen.Writes...) {
		named = append(named, ">"+name)
	}
	field('s', strings.Join(append(named, s.Seen.Paths...), "\x00"))
	if s.Language == "javascript" { // Python's hook has them from its facts
		field('q', strings.Join(strings.Fields(harmless), "\x00"))
	}
	if len(s.Seen.Modules) > 0 {
		field('b', strings.Join(s.Seen.Modules, "\n"))
	}
	var denied []string
	watched := s.Grant.Denied()
	if s.Observe {
		watched = sandbox.Capabilities()
		if s.Egress != nil { // what is asked of hosts is on record as requests
			watched = slices.DeleteFunc(watched, func(c sandbox.Capability) bool { return c == sandbox.CapabilityNetwork })
		}
	}
	for _, c := range watched {
		denied = append(denied, string(c))
	}
	var lifted []string
	for c, events := range s.Narrowed() {
		if !s.Observe {
			denied = append(denied, string(c))
		}
		lifted = append(lifted, events...)
	}
	field('n', strings.Join(denied, ","))
	if len(lifted) > 0 {
		slices.Sort(lifted)
		field('y', strings.Join(lifted, ","))
	}
	l := s.Limits.WithDefaults()
	field('l', fmt.Sprint(l.ArtifactCount, " ", l.ArtifactBytes))
	for _, a := range s.Args {
		field('a', a)
	}
	for _, f := range s.Files {
		field('p', f.Path)
		if f.Judged {
			field('e', string(f.Data)) // may be executed
		} else {
			field('d', string(f.Data))
		}
	}
	for _, r := range s.References {
		field('p', r.Path)
		field('r', "") // put in its place from below
	}
	field('c', s.Code)
	return frame.Append(nil, jobTag, b)
}

// drawn is how the files begin that the runner itself leaves for a program: figures that
// it shows, and what a cell comes to.
func drawn() []string {
	return []string{sandbox.WorkDir + "/figure-", sandbox.WorkDir + "/picture-", sandbox.WorkDir + "/plotly-"}
}

// ReadAnswer reads one message of the runner: "ready" once the interpreter is
// up, then its answer to the job, see Verdict.
func ReadAnswer(r io.Reader) (string, error) {
	tag, n, err := frame.Header(r)
	if err != nil {
		return "", err
	}
	if tag != answerTag {
		return "", fmt.Errorf("a frame %q is no answer", tag)
	}
	body, err := frame.Payload(r, n, MaxAnswer)
	return string(body), err
}

// Hooked reads in the answer to a job what ends a program that does what policy
// denied; "" is nothing.
func Hooked(answer string) string {
	kind, how, _ := strings.Cut(answer, "\n")
	if kind != "ok" {
		return ""
	}
	return map[string]string{
		"c":          "audit hook in C",
		"python":     "audit hook in Python",
		"javascript": "hooks in JavaScript",
	}[how]
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
	case "unhooked":
		return false, nil, fmt.Errorf("%w: this interpreter cannot load the hook in C, which is required", sandbox.ErrRefused)
	default:
		return false, nil, fmt.Errorf("the runner failed: %.200q", answer)
	}
}
