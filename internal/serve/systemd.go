package serve

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"sallyport/internal/hint"
)

// firstPassed is the first descriptor that systemd passes on (sd_listen_fds(3)).
const firstPassed = 3

// Listen opens the service's address, or takes the socket that systemd opened, as
// env says.
func (s *Service) Listen(ctx context.Context, env func(string) (string, bool)) (net.Listener, error) {
	given := map[string]string{} // in which systemd speaks to this process, and to none that it starts
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET"} {
		given[name], _ = env(name)
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	s.notify = given["NOTIFY_SOCKET"]
	if given["LISTEN_PID"] == strconv.Itoa(os.Getpid()) {
		return s.passed(given["LISTEN_FDS"])
	}
	address := s.cfg.Listen
	host, _, err := net.SplitHostPort(address)
	if err == nil && host == "localhost" {
		address = strings.Replace(address, "localhost", "127.0.0.1", 1)
	}
	var l net.Listener
	if err == nil {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", address)
	}
	if err != nil {
		return nil, hint.New(err, "serve.listen says where; is something else listening there?", "cannot listen")
	}
	return l, nil
}

// passed is the socket that was opened for the service. What the configuration
// refuses to open without TLS is refused here, too.
func (s *Service) passed(number string) (net.Listener, error) {
	if number != "1" {
		return nil, hint.New(nil, "one ListenStream= in the socket unit, or none", "%s sockets were passed, and the service listens on one", number)
	}
	syscall.CloseOnExec(firstPassed)
	f := os.NewFile(firstPassed, "socket")
	l, err := net.FileListener(f)
	if err != nil {
		_ = f.Close()
		return nil, hint.New(err, "the socket unit has ListenStream=ADDRESS:PORT", "what was passed is no socket to listen on")
	}
	_ = f.Close() // l has one of its own
	at, ok := l.Addr().(*net.TCPAddr)
	switch {
	case !ok:
		err = hint.New(nil, "the socket unit has ListenStream=ADDRESS:PORT", "what was passed listens at %s, which is no address and port", l.Addr())
	case s.cfg.TLS.Cert == "" && !at.IP.IsLoopback():
		err = hint.New(nil, "serve.tls names certificate and key; or ListenStream=127.0.0.1:PORT", "the socket that was passed, %s, can be reached by others than this machine, and so needs serve.tls", at)
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// tell says to systemd how the service stands (sd_notify(3)); who is not there to
// hear it misses nothing.
func (s *Service) tell(state string) {
	if s.notify == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.notify, Net: "unixgram"})
	if err == nil {
		_, err = c.Write([]byte(state))
		_ = c.Close()
	}
	if err != nil {
		s.opts.Log("systemd was not told %s: %v", state, err)
	}
}
