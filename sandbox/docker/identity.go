package docker

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"sallyport/sandbox"
	"sallyport/sandbox/docker/wire"
)

// maxIdentity bounds what an image may say about its interpreter.
const maxIdentity = 4 << 10

// identity is what is known of the interpreter that an image starts for a
// command, and whether it has to be asked for.
func (b *Backend) identity(image, command string) (known wire.Interpreter, ask bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.interpreters[image+" "+command]
	return known, !ok
}

// remember keeps what a session that is ready has learnt.
func (b *Backend) remember(c *session, command string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.interpreters[c.base+" "+command] = c.interpreter
}

// identified takes in what the supervisor says of the interpreter. That comes
// before the program, and only once.
func (c *session) identified(n int64, r io.Reader) error {
	body, err := wire.ReadPayload(r, n, maxIdentity)
	if err != nil {
		return err
	}
	if c.interpreter != (wire.Interpreter{}) {
		return errors.New("the interpreter is known already")
	}
	return json.Unmarshal(body, &c.interpreter)
}

// runtime identifies what executed the code, for the record.
func (c *session) runtime() sandbox.RuntimeUsed {
	return sandbox.RuntimeUsed{
		Interpreter: c.interpreter.Path,
		Version:     plainVersion(c.interpreter.Version),
		SHA256:      strings.TrimPrefix(c.base, "sha256:"),
	}
}

// plainVersion is the number in what Python ("Python 3.11.2") and Node
// ("v18.19.0") say.
func plainVersion(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(s, "Python "), "v")
}
