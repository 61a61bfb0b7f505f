package tunnel

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/xtaci/smux"
)

// hang is what nobody waits for but where something hangs.
const hang = 5 * time.Minute

func TestTunnel(t *testing.T) {
	ours, theirs, err := Pair()
	check(t, err)
	tunnel := Open(ours)
	defer tunnel.Close()
	box, err := smux.Client(theirs, Config())
	check(t, err)
	defer box.Close()
	if got := ask(t, box); got != "" {
		t.Errorf("before there is a way: %q", got)
	}
	for _, name := range []string{"first", "second"} {
		tunnel.To(func(c net.Conn) {
			go func() {
				_, _ = io.ReadFull(c, make([]byte, 6))
				_, _ = io.WriteString(c, name)
				c.Close()
			}()
		})
		if got := ask(t, box); got != name {
			t.Errorf("%q, want %q", got, name)
		}
	}
	tunnel.To(nil)
	if got := ask(t, box); got != "" {
		t.Errorf("after the way has ended: %q", got)
	}
}

// TestOtherEndIsTheEnemys: what is no frame ends the tunnel.
func TestOtherEndIsTheEnemys(t *testing.T) {
	for name, frame := range map[string][]byte{
		"wrong version":   {9, 0, 0, 0, 0, 0, 0, 0},
		"unknown command": {2, 77, 0, 0, 0, 0, 0, 0},
		"no protocol":     []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
	} {
		ours, theirs, err := Pair()
		check(t, err)
		tunnel := Open(ours)
		_, err = theirs.Write(frame)
		check(t, err)
		select {
		case <-tunnel.done:
		case <-time.After(hang):
			t.Errorf("%s: it goes on", name)
		}
		tunnel.Close()
		theirs.Close()
	}
}

// TestUnreadStopNobody: all connections but one carry what nobody reads, as much as
// they can.
func TestUnreadStopNobody(t *testing.T) {
	ours, theirs, err := Pair()
	check(t, err)
	tunnel := Open(ours)
	defer tunnel.Close()
	box, err := smux.Client(theirs, Config())
	check(t, err)
	defer box.Close()
	kept := make(chan net.Conn, MaxConns) // smux closes those that nobody knows any more
	tunnel.To(func(c net.Conn) {
		kept <- c
		go func() {
			var head [6]byte
			_, _ = io.ReadFull(c, head[:])
			if head[0] == 127 {
				_, _ = io.WriteString(c, "answer")
				c.Close()
			}
		}()
	})
	for range MaxConns - 1 {
		c, err := box.OpenStream()
		check(t, err)
		defer c.Close()
		check(t, c.SetDeadline(time.Now().Add(hang)))
		_, err = c.Write(make([]byte, Config().MaxStreamBuffer))
		check(t, err)
	}
	if got := ask(t, box); got != "answer" {
		t.Errorf("%q", got)
	}
	if len(kept) != MaxConns {
		t.Errorf("%d connections", len(kept))
	}
}

// ask returns what a connection brings.
func ask(t *testing.T, box *smux.Session) string {
	t.Helper()
	c, err := box.OpenStream()
	check(t, err)
	defer c.Close()
	check(t, c.SetDeadline(time.Now().Add(hang)))
	_, _ = c.Write([]byte{127, 53, 0, 1, 0, 80})
	got, _ := io.ReadAll(c)
	return string(got)
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
