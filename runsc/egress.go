package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xtaci/smux"
	"golang.org/x/net/dns/dnsmessage"
	"gvisor.dev/gvisor/pkg/context"
	"gvisor.dev/gvisor/pkg/fd"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/seccheck"
	pb "gvisor.dev/gvisor/pkg/sentry/seccheck/points/points_go_proto"
	"gvisor.dev/gvisor/pkg/sentry/socket/netstack"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// forwarder takes, in the kernel below a program, every TCP connection that
// leaves its loopback, and carries it over one socket of the host's, of which
// the program knows nothing. Every name is answered with one address, so that
// what a program asks for by name arrives, too. There is no other way out: the
// sandbox has no interface but loopback.
type forwarder struct {
	seccheck.SinkDefaults
	socket *fd.FD
	begun  atomic.Bool
}

// names is the address that every name leads to.
var names = [4]byte{127, 53, 0, 1}

// maxHandshakes bounds the connections that are being made, and wait for room.
const maxHandshakes = 64

// What package tunnel has, which this module cannot import: whoever leaves all
// connections unread stops no other one.
const (
	maxConns  = 128
	maxStream = 256 << 10
)

// newForwarder runs in the sandbox process.
func newForwarder(_ map[string]any, socket *fd.FD) (seccheck.Sink, error) {
	if socket == nil {
		return nil, errors.New("no socket")
	}
	return &forwarder{socket: socket}, nil
}

func (*forwarder) Name() string                { return "sallyport-egress" }
func (*forwarder) Status() seccheck.SinkStatus { return seccheck.SinkStatus{} }
func (*forwarder) Stop()                       {}

// RawSyscall gets to know the kernel from the system call that every process
// begins with.
func (f *forwarder) RawSyscall(ctx context.Context, _ seccheck.FieldSet, _ *pb.Syscall) error {
	k := kernel.KernelFromContext(ctx)
	if k == nil || !f.begun.CompareAndSwap(false, true) {
		return nil
	}
	if err := f.start(k); err != nil {
		log.Warningf("egress: %v", err) // the program finds no network
	}
	return nil
}

func (f *forwarder) start(k *kernel.Kernel) error {
	ns, ok := k.RootNetworkNamespace().Stack().(*netstack.Stack)
	if !ok {
		return errors.New("there is no network stack")
	}
	mux := smux.DefaultConfig()
	mux.Version, mux.KeepAliveDisabled = 2, true
	mux.MaxStreamBuffer, mux.MaxReceiveBuffer = maxStream, maxConns*maxStream
	out, err := smux.Client(f.socket, mux)
	if err != nil {
		return err
	}
	dns, err := gonet.DialUDP(ns.Stack, &tcpip.FullAddress{Addr: tcpip.AddrFrom4([4]byte{127, 0, 0, 1}), Port: 53}, nil, ipv4.ProtocolNumber)
	if err != nil {
		return err
	}
	go answerNames(dns)
	return takeAll(ns.Stack, out)
}

// takeAll leads every route back to loopback and takes the connections that
// nobody inside listens for.
func takeAll(st *stack.Stack, out *smux.Session) error {
	for id, info := range st.NICInfo() {
		if !info.Flags.Loopback {
			continue
		}
		if err := st.SetPromiscuousMode(id, true); err != nil {
			return errors.New(err.String())
		}
		if err := st.SetSpoofing(id, true); err != nil {
			return errors.New(err.String())
		}
		st.AddRoute(tcpip.Route{Destination: header.IPv4EmptySubnet, NIC: id})
	}
	// An end that waits for late segments, which loopback has none of, drops a new
	// connection from the same port: there is no listener to take it over.
	var wait tcpip.TCPTimeWaitTimeoutOption
	if err := st.SetTransportProtocolOption(tcp.ProtocolNumber, &wait); err != nil {
		return errors.New(err.String())
	}
	room := make(chan struct{}, maxConns)                                           // holds one for each connection
	taken := tcp.NewForwarder(st, 0, maxHandshakes, func(r *tcp.ForwarderRequest) { // each in a goroutine of its own
		room <- struct{}{}
		defer func() { <-room }()
		to := r.ID()
		var queue waiter.Queue
		ep, err := r.CreateEndpoint(&queue)
		if err != nil {
			r.Complete(true)
			return
		}
		r.Complete(false)
		carry(out, gonet.NewTCPConn(&queue, ep), to.LocalAddress.As4(), to.LocalPort)
	})
	st.SetTransportProtocolHandler(tcp.ProtocolNumber, func(id stack.TransportEndpointID, pkt *stack.PacketBuffer) bool {
		a := id.LocalAddress
		if a.Len() != 4 || a.As4()[0] == 127 && a.As4() != names {
			return false // the sandbox's own, and nobody listens
		}
		return taken.HandlePacket(id, pkt)
	})
	return nil
}

// carry passes one connection on, behind where it was meant to go.
func carry(out *smux.Session, c *gonet.TCPConn, address [4]byte, port uint16) {
	defer c.Close()
	s, err := out.OpenStream()
	if err != nil {
		return
	}
	defer s.Close()
	if _, err := s.Write(binary.BigEndian.AppendUint16(address[:], port)); err != nil {
		return
	}
	var sending sync.WaitGroup
	sending.Go(func() {
		pass(s, c)
		// A program that says no more is taken for one that hears no more: smux
		// drops what has come in when a half-closed stream is closed behind it.
		_ = s.Close()
		_, _ = io.Copy(io.Discard, c)
	})
	pass(c, s)
	// What is left unread when a connection is closed takes the answer with it.
	_ = c.CloseWrite()
	_ = c.SetReadDeadline(time.Now().Add(linger))
	_ = s.Close()
	sending.Wait()
}

// linger is how long a program may go on to send when it has its answer.
const linger = 2 * time.Second

var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

func pass(to io.Writer, from io.Reader) {
	b := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(b)
	// Neither end may choose a way of its own to copy: they would keep buffers.
	_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, b[:])
}

// answerNames answers each question for an IPv4 address, and says of every
// other one that there is nothing. Whether a name is allowed is judged with the
// request; no name leaves the sandbox before.
func answerNames(from net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		n, who, err := from.ReadFrom(packet)
		if err != nil {
			return
		}
		if answer, err := answerName(packet[:n]); err == nil {
			_, _ = from.WriteTo(answer, who)
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
