package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/xtaci/smux"
	"golang.org/x/net/dns/dnsmessage"

	"sallyport/sandbox/internal/supervised/wire"
	"sallyport/sandbox/internal/tunnel"
)

// names is the address that every name leads to. It is the sandbox's own, as all
// of 127/8 is, and there is no other interface.
var names = [4]byte{127, 53, 0, 1}

// wayOut takes the program's connections on loopback and carries them to the
// host in frames. Only the supervisor has an end of what carries them.
type wayOut struct {
	listening []io.Closer
	in        *io.PipeWriter // what the host sends
	mux       *smux.Session
	room      chan struct{} // holds one for each connection
	ports     []int         // of hosts
	rest      int           // the port for connections that nobody listens for

	mu    sync.Mutex          // guards what follows
	meant map[int]net.TCPAddr // where those are meant to go, by the port that they come from
}

// link is the way out in frames.
type link struct {
	*io.PipeReader
	s *supervisor
}

func (l link) Write(p []byte) (int, error) {
	if err := l.s.frame(wire.Tunnel, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *supervisor) openWay(e wire.Egress) (*wayOut, error) {
	if e.CAFile != "" {
		if err := os.WriteFile(e.CAFile, e.CA, 0o444); err != nil {
			return nil, err
		}
	}
	w := &wayOut{room: make(chan struct{}, tunnel.MaxConns), ports: e.Ports, meant: map[int]net.TCPAddr{}}
	asked, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53})
	if err != nil {
		return nil, err
	}
	w.listening = append(w.listening, asked)
	var taken []*net.TCPListener
	// The port for the rest comes last: the kernel chooses it, and could choose one of a host.
	for _, port := range append(slices.Clone(e.Ports), 0) {
		l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: names[:], Port: port})
		if err != nil {
			w.close()
			return nil, err
		}
		w.listening, taken = append(w.listening, l), append(taken, l)
	}
	w.rest = taken[len(e.Ports)].Addr().(*net.TCPAddr).Port
	r, in := io.Pipe()
	w.in = in
	if w.mux, err = smux.Client(link{r, s}, tunnel.Config()); err != nil {
		w.close()
		return nil, err
	}
	go answerNames(asked)
	for _, l := range taken {
		go w.accept(l)
	}
	return w, nil
}

// close ends all connections. A nil way has none.
func (w *wayOut) close() {
	if w == nil {
		return
	}
	for _, l := range w.listening {
		l.Close()
	}
	if w.mux != nil {
		w.mux.Close()
	}
}

// take hands on what the host sends. It does not keep the frames behind it
// waiting: there is room for all that the host may send unasked.
func (w *wayOut) take(from io.Reader, n int64) error {
	body := make([]byte, min(n, wire.MaxTunnel))
	if _, err := io.ReadFull(from, body); err != nil {
		return err
	}
	if n > int64(len(body)) {
		return errors.New("a frame is too long")
	}
	w.in.Write(body) // one that has ended takes nothing
	return nil
}

func (w *wayOut) accept(l *net.TCPListener) {
	for {
		c, err := l.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // that one is gone, and the next may come
		}
		w.room <- struct{}{}
		go func() {
			defer func() { <-w.room }()
			w.carry(c)
		}()
	}
}

// carry passes one connection on, behind where it was meant to go.
func (w *wayOut) carry(c *net.TCPConn) {
	defer c.Close()
	s, err := w.mux.OpenStream()
	if err != nil {
		return
	}
	defer s.Close()
	to, led := w.target(c.RemoteAddr().(*net.TCPAddr).Port)
	if !led {
		to = *c.LocalAddr().(*net.TCPAddr)
	}
	if _, err := s.Write(binary.BigEndian.AppendUint16(to.IP.To4(), uint16(to.Port))); err != nil {
		return
	}
	var sending sync.WaitGroup
	sending.Go(func() {
		pass(s, c)
		// A program that says no more is taken for one that hears no more: smux
		// drops what has come in when a half-closed stream is closed behind it.
		s.Close()
		io.Copy(io.Discard, c)
	})
	pass(c, s)
	// What is left unread when a connection is closed takes the answer with it.
	c.CloseWrite()
	c.SetReadDeadline(time.Now().Add(linger))
	s.Close()
	sending.Wait()
}

// linger is how long a program may go on to send when it has its answer.
const linger = 2 * time.Second

// pass copies in pieces of one size: neither end may choose a way of its own,
// which would keep buffers.
func pass(to io.Writer, from io.Reader) {
	io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, chunk))
}

// answerNames answers each question for an IPv4 address, and says of every
// other one that there is nothing. Whether a name is allowed is judged with the
// request; no name leaves the sandbox before.
func answerNames(from *net.UDPConn) {
	packet := make([]byte, 1500)
	for {
		n, who, err := from.ReadFrom(packet)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an answer that nobody took
		}
		if answer, err := answerName(packet[:n]); err == nil {
			from.WriteTo(answer, who)
		}
	}
}

func answerName(packet []byte) ([]byte, error) {
	var p dnsmessage.Parser
	h, err := p.Start(packet)
	if err != nil {
		return nil, err
	}
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: h.ID, Response: true, RecursionDesired: h.RecursionDesired, RecursionAvailable: true})
	err = errors.Join(b.StartQuestions(), b.Question(q), b.StartAnswers())
	if q.Type == dnsmessage.TypeA && q.Class == dnsmessage.ClassINET {
		err = errors.Join(err, b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}, dnsmessage.AResource{A: names}))
	}
	answer, ferr := b.Finish()
	return answer, errors.Join(err, ferr)
}
