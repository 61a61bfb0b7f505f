package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A program that reaches hosts has no interface but loopback, and nobody there
// listens on most ports. What it wants of an address outside, or of a name on a
// port of no rule, is to be told why it is refused, and to be on record, as
// everything is that it asks for by name. So the listener is shown every connect,
// and gives the program a connection to the supervisor in place of its socket.
//
// That is about records alone: nothing else is reached whatever comes of it. The
// kernel reads the address of a connect that goes on a second time, so a program
// that changes it meanwhile is refused by the kernel, unseen.

// addfd is struct seccomp_notif_addfd.
type addfd struct {
	ID                       uint64
	Flags, Source, FD, Wants uint32
}

// connects reports whether this kernel can replace a socket while its connect
// waits: Linux 5.9 and later.
func connects() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor); err != nil {
		return false
	}
	return major > 5 || major == 5 && minor >= 9
}

// connect answers one connect. What is not the way out's goes on.
func (s *supervisor) connect(listener int, n notification) response {
	goesOn := response{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	to, ok := target(n)
	if !ok || ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.ID)) != 0 || !s.way.missed(to) {
		return goesOn
	}
	flags, ok := streamFlags(n)
	if !ok {
		return goesOn
	}
	own, err := s.way.lead(to)
	if err != nil {
		return response{ID: n.ID, Error: -int32(unix.ECONNREFUSED)}
	}
	defer unix.Close(own)
	if unix.SetNonblock(own, flags&unix.O_NONBLOCK != 0) != nil {
		return goesOn
	}
	add := addfd{ID: n.ID, Flags: unix.SECCOMP_ADDFD_FLAG_SETFD, Source: uint32(own), FD: uint32(n.Args[0]), Wants: uint32(flags & unix.O_CLOEXEC)}
	if ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&add)) != 0 {
		return goesOn
	}
	return response{ID: n.ID}
}

// target is where a connect is meant to go, if that is an address of IPv4.
func target(n notification) (to net.TCPAddr, ok bool) {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.PID))
	if err != nil {
		return to, false
	}
	defer memory.Close()
	var a [8]byte // of struct sockaddr_in
	if n.Args[2] < uint64(len(a)) {
		return to, false
	}
	if _, err := memory.ReadAt(a[:], int64(n.Args[1])); err != nil || binary.NativeEndian.Uint16(a[:]) != unix.AF_INET {
		return to, false
	}
	return net.TCPAddr{IP: net.IP(a[4:8]), Port: int(binary.BigEndian.Uint16(a[2:]))}, true
}

// streamFlags are those of the program's descriptor, if it is one for TCP.
func streamFlags(n notification) (flags int, ok bool) {
	name := make([]byte, 16)
	l, err := unix.Getxattr(fmt.Sprintf("/proc/%d/fd/%d", n.PID, int32(n.Args[0])), "system.sockprotoname", name)
	if err != nil || unix.ByteSliceToString(name[:l]) != "TCP" {
		return 0, false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", n.PID, int32(n.Args[0])))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(text), "flags:")
	octal, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	all, err := strconv.ParseInt(octal, 8, 64)
	return int(all), err == nil
}

// missed reports whether nobody listens where a connection is meant to go. The
// rest of loopback is the program's own.
func (w *wayOut) missed(to net.TCPAddr) bool {
	if !to.IP.IsLoopback() {
		return !to.IP.IsUnspecified()
	}
	return to.IP.Equal(names[:]) && !slices.Contains(w.ports, to.Port)
}

// lead makes a connection to the supervisor, and remembers where it was meant to go.
func (w *wayOut) lead(to net.TCPAddr) (fd int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	// A queue that is full keeps the listener no longer than that.
	if err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return -1, err
	}
	if err = unix.Bind(fd, &unix.SockaddrInet4{Addr: names}); err != nil {
		return -1, err
	}
	from, err := unix.Getsockname(fd)
	if err != nil {
		return -1, err
	}
	port := from.(*unix.SockaddrInet4).Port
	w.mu.Lock()
	w.meant[port] = to
	w.mu.Unlock()
	if err = unix.Connect(fd, &unix.SockaddrInet4{Addr: names, Port: w.rest}); err != nil {
		w.target(port)
		return -1, err
	}
	return fd, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{})
}

// target is where a connection from this port was meant to go, if somebody led
// it to the supervisor.
func (w *wayOut) target(port int) (to net.TCPAddr, led bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	to, led = w.meant[port]
	delete(w.meant, port)
	return to, led
}
