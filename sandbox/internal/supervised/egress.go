package supervised

import (
	"errors"
	"io"
	"net"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
	"sallyport/sandbox/internal/tunnel"
)

// A program that may reach hosts still has no interface but loopback. There the
// supervisor listens, and its frames carry the connections: the program holds
// nothing that leads out.

// Egress is how sandbox.ControlEgress is enforced.
const Egress = "no interface but loopback, where the supervisor listens; seccomp refuses sockets but for TCP and UDP over IPv4"

// Sysctls let a supervisor without capabilities listen on the ports of hosts.
func Sysctls() map[string]string {
	return map[string]string{"net.ipv4.ip_unprivileged_port_start": "0"}
}

// wayOut is our end. A nil one lets nothing out.
type wayOut struct {
	*tunnel.Tunnel
	in *io.PipeWriter // what the supervisor sends
}

// carried is a tunnel in frames.
type carried struct {
	*io.PipeReader
	c *Conversation
}

func (t carried) Write(p []byte) (int, error) {
	if err := t.c.write(wire.Tunnel, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// LocalAddr and RemoteAddr are those of every connection: net/http serves no
// HTTP/2 to one without.
func (carried) LocalAddr() net.Addr  { return &net.UnixAddr{Net: "unix"} }
func (carried) RemoteAddr() net.Addr { return &net.UnixAddr{Net: "unix"} }

func (c *Conversation) openWay() *wayOut {
	r, w := io.Pipe()
	return &wayOut{tunnel.Open(carried{r, c}), w}
}

// take hands a frame on. The tunnel does not keep it waiting: it has room for
// all that the other end may send unasked, and one that has ended takes nothing.
func (w *wayOut) take(n int64, r io.Reader) error {
	if w == nil {
		return errors.New("a connection where there is no way out")
	}
	body, err := frame.Payload(r, n, wire.MaxTunnel)
	if err == nil {
		_, _ = w.in.Write(body)
	}
	return err
}

// letOut lets the program's connections out until the function that it returns
// is called.
func (w *wayOut) letOut(e *sandbox.Egress) (stop func()) {
	if w == nil || e == nil {
		return func() {}
	}
	w.To(e.Accept)
	return func() { w.To(nil) }
}

// Close ends all connections.
func (w *wayOut) Close() {
	if w != nil {
		w.Tunnel.Close()
	}
}
