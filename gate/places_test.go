package gate

import (
	"bytes"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/sandbox"
)

// places are texts of programs, and what is told of them.
func places() map[string]string {
	return map[string]string{
		`File "/root/.pyenv/versions/3.11.7/lib/python3.11/site-packages/pandas/io/common.py", line 1`: `File "<packages>/pandas/io/common.py", line 1`,
		"/srv/env/data-python-1/lib/python3.12/site-packages/a.py:12: UserWarning":                     "<packages>/a.py:12: UserWarning",
		`File "/usr/lib/python3/dist-packages/numpy/__init__.py"`:                                      `File "<packages>/numpy/__init__.py"`,
		`File "/usr/local/lib/python3.11/json/decoder.py", line 3`:                                     `File "<python>/json/decoder.py", line 3`,
		`['/opt/lib/python3.13t/a.py', '/x/site-packages/b.py']`:                                       `['<python>/a.py', '<packages>/b.py']`,
		`File "/workspace/main.py", line 3`:                                                            `File "/workspace/main.py", line 3`,
		"/workspace/lib/x.py":                                                                          "/workspace/lib/x.py",
		"/workspace/lib/python3.11/site-packages/mine.py":                                              "/workspace/lib/python3.11/site-packages/mine.py",
		"at / and 1/2 of /tmp/":                                                                        "at / and 1/2 of /tmp/",
		strings.Repeat("a/", maxPlace) + " done":                                                       strings.Repeat("a/", maxPlace) + " done",
	}
}

// No place of the host's is told; what is in the sandbox's own is. However the
// output is cut into chunks, the same is told while the program runs.
func TestPlaces(t *testing.T) {
	for in, want := range places() {
		if got := string(withoutPlaces([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		for _, size := range []int{1, 2, 3, 7, 31, len(in)} {
			var got bytes.Buffer
			emit, flush := live(func(_ sandbox.Stream, b []byte) { got.Write(b) }, nil, analyze.Python)
			for at := 0; at < len(in); at += size {
				emit(sandbox.Stderr, []byte(in[at:min(len(in), at+size)]))
			}
			flush()
			if got.String() != want {
				t.Fatalf("%s in chunks of %d: %s, want %s", in, size, got.String(), want)
			}
		}
	}
}

// What cannot be a part of a place does not wait.
func TestPlacesDoNotWait(t *testing.T) {
	var got bytes.Buffer
	emit, _ := live(func(_ sandbox.Stream, b []byte) { got.Write(b) }, nil, analyze.Python)
	for _, text := range []string{"50 %\r", "no line end", strings.Repeat("/", maxPlace+1)} {
		got.Reset()
		if emit(sandbox.Stdout, []byte(text)); got.String() != text {
			t.Errorf("%.20q: told %.20q at once", text, got.String())
		}
	}
}

// Nothing that a run says names a place of the host: neither its answer, which
// is that of every door, nor what is told while it runs, nor the record.
func TestNoPlaceOfTheHost(t *testing.T) {
	const said = `File "/srv/env/lib/python3.12/site-packages/a.py", line 1`
	f := newFixture(t)
	f.backend.res = sandbox.Result{Reason: sandbox.Exited, Exit: 1, Stdout: []byte(said), Stderr: []byte(said), Violations: []sandbox.Violation{{Capability: "filesystem.read", Detail: said}}}
	var live bytes.Buffer
	req := py("print(1)\n")
	req.Output = func(_ sandbox.Stream, b []byte) { live.Write(b) }
	ans, err := f.gate.Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	const want = `File "<packages>/a.py", line 1`
	for at, got := range map[string]string{
		"stdout": string(ans.Result.Stdout), "stderr": string(ans.Result.Stderr), "a violation": ans.Result.Violations[0].Detail, "the live output": live.String(),
	} {
		if got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	run := f.log.records[1].Run
	if run.StderrSHA256 != digest([]byte(want)) || !strings.Contains(run.Violations[0], want) {
		t.Errorf("the record: %+v", run)
	}
}

// A file that has met its limit is marked, whatever its program says of its end.
func TestAtLimit(t *testing.T) {
	f := newFixture(t)
	f.gate.opts.Ceilings.FileBytes = 4
	f.backend.res.Artifacts = []sandbox.File{{Path: "cut", Data: []byte("abcd")}, {Path: "whole", Data: []byte("abc")}}
	ans, err := f.gate.Run(t.Context(), py("print(1)\n"))
	if err != nil || !ans.Result.Artifacts[0].AtLimit || ans.Result.Artifacts[1].AtLimit {
		t.Errorf("%+v, %v", ans.Result, err)
	}
	if f.backend.res.Artifacts[0].AtLimit {
		t.Error("the backend's own files were changed")
	}
}
