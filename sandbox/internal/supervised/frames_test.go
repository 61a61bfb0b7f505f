package supervised

import (
	"bytes"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

// FuzzFrames: whatever comes from a container, what is kept stays within the
// limits of the run and inside its directory.
func FuzzFrames(f *testing.F) {
	one := func(tag byte, payload string) string { return string(frame.Append(nil, tag, []byte(payload))) }
	for _, seed := range []string{
		"", "O", "O\xff\xff\xff\xff", "X\x00\x00\x00\x02{}", "Z\x00\x00\x00\x00",
		one(wire.Identity, `{"path":"/usr/bin/python3","version":"Python 3.11.2"}`) + one(wire.Report, "ready"),
		one(wire.Stdout, "hello") + one(wire.Stderr, "oh") + one(wire.End, `{"exit":3}`),
		one(wire.Stdout, string(make([]byte, 40))) + one(wire.Stdout, string(make([]byte, 40))),
		one(wire.Path, "a/b") + one(wire.Data, "data") + one(wire.Path, "../x") + one(wire.Data, "data"),
		one(wire.Path, "/etc/passwd") + one(wire.Data, "no path") + one(wire.Data, "again none"),
		one(wire.Path, "a") + one(wire.Data, "1") + one(wire.Path, "b") + one(wire.Data, "2") + one(wire.Path, "c") + one(wire.Data, "3"),
		one(wire.Report, "ok") + one(wire.Report, "ok"),
		one(wire.Tunnel, "no way out"), one(wire.End, `{"exit":`), one(wire.Setup, "{}"),
	} {
		f.Add([]byte(seed))
	}
	limits := sandbox.Limits{OutputBytes: 64, ArtifactBytes: 100, ArtifactCount: 2}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &Conversation{limits: limits, files: evidence.NewFiles(limits), answers: make(chan string, 8)}
		r := bytes.NewReader(data)
		for c.final == nil {
			tag, n, err := frame.Header(r)
			if err == nil {
				err = c.take(tag, n, r)
			}
			if err != nil {
				break
			}
		}
		if len(c.stdout) > 64 || len(c.stderr) > 64 {
			t.Errorf("%d and %d bytes of output", len(c.stdout), len(c.stderr))
		}
		total := 0
		for _, a := range c.files.Taken {
			total += len(a.Data)
			if err := sandbox.CheckPath(a.Path); err != nil {
				t.Errorf("artifact %q: %v", a.Path, err)
			}
		}
		if len(c.files.Taken) > 2 || total > 100 {
			t.Errorf("%d artifacts, %d bytes", len(c.files.Taken), total)
		}
	})
}
