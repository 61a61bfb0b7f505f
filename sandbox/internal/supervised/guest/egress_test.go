//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/supervised/wire"
)

// TestHostsPortFirst: the port that the kernel chooses for what goes to no host is
// never one of a host, even where there are only two to choose from.
func TestHostsPortFirst(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("REQUIRE_ROOT") == "1" {
			t.Fatal("REQUIRE_ROOT=1: this test needs root")
		}
		t.Skip("this test requires root")
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its network
		done <- twoPorts(40000, func(host int) error {
			w, err := (&supervisor{out: io.Discard}).openWay(wire.Egress{Ports: []int{host}})
			if err != nil {
				return fmt.Errorf("port %d: %v", host, err)
			}
			defer w.close()
			if w.rest == host || w.rest == 0 {
				return fmt.Errorf("port %d of a host is the one for the rest, %d", host, w.rest)
			}
			return nil
		})
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// twoPorts calls do several times for each of two ports, in a network that has no
// others to choose from.
func twoPorts(first int, do func(port int) error) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return err
	}
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo); err != nil {
		return err
	}
	// The kernel shows there what holds in the network of the thread that asks.
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", fmt.Appendf(nil, "%d %d", first, first+1), 0); err != nil {
		return err
	}
	for n := range 32 {
		if err := do(first + n%2); err != nil {
			return err
		}
	}
	return nil
}
