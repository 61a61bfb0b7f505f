package supervised

import (
	"bytes"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/supervised/wire"
)

// FuzzFrames: whatever comes from a container, what is kept stays within the
// limits of the run and inside its directory.
func FuzzFrames(f *testing.F) {
	frame := func(k wire.Kind, payload string) string {
		var b bytes.Buffer
		if err := wire.Write(&b, k, []byte(payload)); err != nil {
			f.Fatal(err)
		}
		return b.String()
	}
	for _, seed := range []string{
		"", "O", "O\xff\xff\xff\xff", "X\x00\x00\x00\x02{}", "Z\x00\x00\x00\x00",
		frame(wire.Identity, `{"path":"/usr/bin/python3","version":"Python 3.11.2"}`) + frame(wire.Report, "ready"),
		frame(wire.Stdout, "hello") + frame(wire.Stderr, "oh") + frame(wire.End, `{"exit":3}`),
		frame(wire.Stdout, string(make([]byte, 40))) + frame(wire.Stdout, string(make([]byte, 40))),
		frame(wire.Artifact, "a/b\x00data") + frame(wire.Artifact, "../x\x00data"),
		frame(wire.Artifact, "/etc/passwd\x00") + frame(wire.Artifact, "no end"),
		frame(wire.Artifact, "a\x001") + frame(wire.Artifact, "b\x002") + frame(wire.Artifact, "c\x003"),
		frame(wire.Report, "ok") + frame(wire.Report, "ok"),
		frame(wire.End, `{"exit":`), frame(wire.Setup, "{}"),
	} {
		f.Add([]byte(seed))
	}
	limits := sandbox.Limits{OutputBytes: 64, ArtifactBytes: 100, ArtifactCount: 2}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &Conversation{limits: limits, answers: make(chan string, 8)}
		r := bytes.NewReader(data)
		for c.final == nil {
			kind, n, err := wire.ReadHeader(r)
			if err == nil {
				err = c.take(kind, n, r)
			}
			if err != nil {
				break
			}
		}
		if len(c.stdout) > 64 || len(c.stderr) > 64 {
			t.Errorf("%d and %d bytes of output", len(c.stdout), len(c.stderr))
		}
		total := 0
		for _, a := range c.artifacts {
			total += len(a.Data)
			if err := sandbox.CheckPath(a.Path); err != nil {
				t.Errorf("artifact %q: %v", a.Path, err)
			}
		}
		if len(c.artifacts) > 2 || total > 100 {
			t.Errorf("%d artifacts, %d bytes", len(c.artifacts), total)
		}
	})
}
