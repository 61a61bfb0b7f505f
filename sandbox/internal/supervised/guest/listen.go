package main

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/supervised/wire"
)

// maxViolations bounds how many different attempts are reported.
const maxViolations = 32

// notification and response are struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	ID    uint64
	PID   uint32
	Flags uint32
	NR    uint32
	Arch  uint32
	IP    uint64
	Args  [6]uint64
}

type response struct {
	ID    uint64
	Val   int64
	Error int32
	Flags uint32
}

// receiveListener takes the listener that the step between sent, or -1 when
// it had none or died.
func receiveListener(socket int) int {
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, buf, oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return -1
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return -1
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return -1
	}
	return fds[0]
}

// listen answers each refused call with EPERM and notes it. It never lets one of
// those through. It returns when the last filtered process is gone.
func (s *supervisor) listen(fd int) {
	defer unix.Close(fd)
	for {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents != 0 {
				return
			}
			continue
		}
		var n notification
		if ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != 0 {
			continue // the caller died meanwhile
		}
		r := response{ID: n.ID, Error: -int32(unix.EPERM)}
		if n.NR == unix.SYS_CONNECT && s.way != nil {
			r = s.connect(fd, n)
		} else {
			s.note(n)
		}
		ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
	}
}

func ioctl(fd int, request uintptr, p unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(p))
	return errno
}

func (s *supervisor) note(n notification) {
	capability, call, err := violation(n.NR)
	if err != nil {
		capability, call = "kernel", "another system call"
	}
	v := wire.Violation{Capability: capability, Detail: call}
	if name := family(n.Args[0]); name != "" && (call == "socket" || call == "socketpair") {
		v.Detail = fmt.Sprintf("%s(%s)", call, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seen := range s.violations {
		if seen == v {
			return
		}
	}
	if len(s.violations) < maxViolations {
		s.violations = append(s.violations, v)
	}
}

// family names a family of sockets, "" for one that nobody asks for by mistake.
func family(n uint64) string {
	switch n {
	case unix.AF_UNIX:
		return "AF_UNIX"
	case unix.AF_INET:
		return "AF_INET"
	case unix.AF_INET6:
		return "AF_INET6"
	case unix.AF_NETLINK:
		return "AF_NETLINK"
	case unix.AF_PACKET:
		return "AF_PACKET"
	}
	return ""
}
