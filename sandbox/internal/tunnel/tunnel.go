// Package tunnel carries the connections of a program over the one connection
// that its sandbox has to us. Who holds the other end is the run: there is no
// name, port or token with which another one could get in.
package tunnel

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/xtaci/smux"
)

// MaxConns is how many connections the inside of a sandbox may have open. Nobody
// who leaves all of them unread stops what else comes the same way.
const MaxConns = 128

// Config is how connections are carried. Both ends have to use the same version;
// the one in gVisor's kernel is a module of its own and repeats it.
func Config() *smux.Config {
	c := smux.DefaultConfig()
	c.Version = 2 // a connection that nobody reads does not stop the others
	c.KeepAliveDisabled = true
	c.MaxStreamBuffer = 256 << 10
	c.MaxReceiveBuffer = MaxConns * c.MaxStreamBuffer
	return c
}

// Tunnel is our end. It refuses every connection until To says where they go.
type Tunnel struct {
	mux  *smux.Session
	done chan struct{}

	mu sync.Mutex // guards what follows
	to func(net.Conn)
}

// Open takes what comes over a connection, which it closes in the end.
func Open(from io.ReadWriteCloser) *Tunnel {
	mux, err := smux.Server(from, Config())
	if err != nil {
		panic(err) // about the configuration
	}
	t := &Tunnel{mux: mux, done: make(chan struct{})}
	go t.serve()
	return t
}

func (t *Tunnel) serve() {
	defer close(t.done)
	defer t.mux.Close()
	for {
		c, err := t.mux.AcceptStream()
		if err != nil {
			return
		}
		if !t.hand(c) {
			refuse(c)
		}
	}
}

func (t *Tunnel) hand(c net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.to == nil {
		return false
	}
	t.to(c)
	return true
}

// firstWord is how long a connection may take to say where it goes.
const firstWord = 10 * time.Second

// refuse closes a connection once it has said something: smux announces one
// before it knows it, and an end that comes in between is lost, so that the
// program would wait.
func refuse(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(firstWord))
	_, _ = c.Read(make([]byte, 1))
	_ = c.Close()
}

// To hands every connection from now on to accept, which must not wait, hears
// what a connection says before it answers, and closes them. Nil refuses them again. When To returns, nothing is handed to
// the one before any more.
func (t *Tunnel) To(accept func(net.Conn)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to = accept
}

// Close ends all connections.
func (t *Tunnel) Close() {
	_ = t.mux.Close()
	<-t.done
}
