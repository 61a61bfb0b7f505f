package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

// tryLimit is how long silence has to last to be called silence: the kernel has
// asked three times by then.
const tryLimit = 4 * time.Second

// probe tries, where a sandbox would be and as who it would be, what its network
// lets through, and can itself be tried. No program is there.
func probe(stdin io.Reader, stdout io.Writer) error {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return fmt.Errorf("listening: %v", err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	own := fmt.Sprintf("127.0.0.1:%d", port)
	for {
		tag, n, err := frame.Header(stdin)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := frame.Payload(stdin, n, maxSetup)
		if err != nil {
			return err
		}
		var p wire.Probe
		if err := json.Unmarshal(body, &p); err != nil || tag != wire.Try {
			return fmt.Errorf("unexpected frame %q: %v", tag, err)
		}
		p.TCP = append(p.TCP, service(os.Getenv)...)
		found := wire.Reached{Port: port, Reached: tryAll(p)}
		// Silence of others means something only where one's own words are heard.
		if !answers("tcp", own) {
			found.Error = "it cannot reach itself on loopback"
		}
		if body, err = json.Marshal(found); err == nil {
			err = frame.Write(stdout, wire.Try, body)
		}
		if err != nil {
			return err
		}
	}
}

// service is the API server's address for pods, as a cluster tells each of them.
// Who is outside knows another one, or a way of their own to it.
func service(env func(string) string) []string {
	host, port := env("KUBERNETES_SERVICE_HOST"), env("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil
	}
	return []string{net.JoinHostPort(host, port)}
}

func tryAll(p wire.Probe) (reached []string) {
	var mu sync.Mutex
	var trying sync.WaitGroup
	for network, addresses := range map[string][]string{"tcp": p.TCP, "udp": p.DNS} {
		for _, address := range addresses {
			trying.Go(func() {
				if answers(network, address) {
					mu.Lock()
					defer mu.Unlock()
					reached = append(reached, network+" "+address)
				}
			})
		}
	}
	trying.Wait()
	slices.Sort(reached)
	return reached
}

// answers reports whether anything comes back from an address: a refusal has come
// from there, too.
func answers(network, address string) bool {
	c, err := net.DialTimeout(network, address, tryLimit)
	if err != nil {
		return heard(err)
	}
	defer c.Close()
	if network == "tcp" {
		return true
	}
	ask := dnsmessage.Message{Header: dnsmessage.Header{ID: 1, RecursionDesired: true}, Questions: []dnsmessage.Question{
		{Name: dnsmessage.MustNewName("."), Type: dnsmessage.TypeNS, Class: dnsmessage.ClassINET}}}
	packet, err := ask.Pack()
	if err != nil {
		return false
	}
	// A packet may be lost once.
	for range 2 {
		if _, err := c.Write(packet); err != nil {
			return heard(err)
		}
		if err := c.SetReadDeadline(time.Now().Add(tryLimit / 2)); err != nil {
			return false
		}
		_, err := c.Read(make([]byte, 512))
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return err == nil || heard(err)
		}
	}
	return false
}

// heard reports whether an error is somebody's answer. That there is no way, and
// silence, are nobody's.
func heard(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET)
}
