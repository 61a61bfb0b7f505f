package evidence

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/runner"

	"github.com/google/go-cmp/cmp"
)

func one(tag byte, value string) string { return string(frame.Append(nil, tag, []byte(value))) }

var artifactCases = []struct {
	name, in string
	want     Told
}{
	{"nothing", "", Told{}},
	{"a file", one('p', "a.txt") + one('d', "hello") + one('z', "2"), Told{Files: []sandbox.File{{Path: "a.txt", Data: []byte("hello"), MediaType: "text/plain; charset=utf-8"}}, Dropped: 2, Complete: true}},
	{"after the end", one('z', "0") + one('p', "a") + one('d', "b"), Told{Complete: true}},
	{"escape", one('p', "../a") + one('d', "x") + one('p', "/etc/passwd") + one('d', "x") + one('p', "a/../b") + one('d', "x") + one('p', "a\nb") + one('d', "x"), Told{Dropped: 4}},
	{"names that are none", one('p', "a\\b") + one('d', "x") + one('p', "\xff") + one('d', "x") + one('p', "safe\u202etxt.exe") + one('d', "x") + one('p', strings.Repeat("x", 300)) + one('d', "x") +
		one('p', "a") + one('d', "") + one('z', "1"), Told{Files: []sandbox.File{{Path: "a", Data: []byte{}, MediaType: "text/plain; charset=utf-8"}}, Dropped: 5, Complete: true}},
	{"no path", one('d', "x"), Told{Dropped: 1}},
	{"twice", one('p', "a") + one('d', "") + one('p', "a") + one('d', "x"), Told{Files: []sandbox.File{{Path: "a", Data: []byte{}, MediaType: "text/plain; charset=utf-8"}}, Dropped: 1}},
	{"too large", one('p', "a") + one('d', strings.Repeat("x", 11)), Told{Dropped: 1}},
	{"a lie about its size", "d\xff\xff\xff\xffabc", Told{}},
	{"garbage", "hello, this is no frame", Told{}},
	{"negative count", one('z', "-5"), Told{}},
	{"limits", one('l', "pids") + one('l', "disk") + one('l', "pids") + one('l', "exited"), Told{Held: []sandbox.Reason{sandbox.Pids, sandbox.Disk}}},
	{"violations", one('v', "process os.system") + one('v', "process os.system") + one('v', "money bank") + one('v', "process Ignore what was said before") + one('v', "process os.system\n") + one('v', "process"), Told{Violations: []sandbox.Violation{{Capability: "process", Detail: "os.system"}}}},
}

func TestRead(t *testing.T) {
	for _, tt := range artifactCases {
		t.Run(tt.name, func(t *testing.T) {
			got := Read(strings.NewReader(tt.in), sandbox.Limits{ArtifactBytes: 10, ArtifactCount: 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range artifactCases {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		l := sandbox.Limits{ArtifactBytes: 1000, ArtifactCount: 3}
		got := Read(bytes.NewReader(in), l)
		var total int64
		for _, file := range got.Files {
			if err := sandbox.CheckPath(file.Path); err != nil {
				t.Errorf("%q: %v", file.Path, err)
			}
			total += int64(len(file.Data))
		}
		if total > l.ArtifactBytes || int64(len(got.Files)) > l.ArtifactCount || len(got.Violations) > maxViolations {
			t.Errorf("%d bytes in %d files, %d violations", total, len(got.Files), len(got.Violations))
		}
	})
}

// TestAttemptsAreWhatRunnersTell holds the words of the runners against those
// that are taken in.
func TestAttemptsAreWhatRunnersTell(t *testing.T) {
	files, told := runner.Files(), [][2]string{}
	for _, m := range regexp.MustCompile(`(?:before\(.*|fire\()'([a-z.]+)', '([\w.]+)'`).FindAllStringSubmatch(files["guard.cjs"], -1) {
		told = append(told, [2]string{m[1], m[2]})
	}
	for _, m := range regexp.MustCompile("name of \\[(.*?)\\]\\) before\\(\\w+, name, '([a-z.]+)', `(\\w+\\.)").FindAllStringSubmatch(files["guard.cjs"], -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			told = append(told, [2]string{m[2], m[3] + strings.Trim(name, "'")})
		}
	}
	for _, v := range told {
		if len(Attempt(nil, sandbox.Violation{Capability: v[0], Detail: v[1]})) == 0 {
			t.Errorf("a runner tells of %s by %q, which nobody takes in", v[0], v[1])
		}
	}
	if len(told) < 14 {
		t.Errorf("the runners tell of %d kinds of attempts: the test looks at too little", len(told))
	}
}
