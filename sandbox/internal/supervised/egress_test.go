package supervised

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

type noBox struct{}

func (noBox) Kill(context.Context)             {}
func (noBox) OutOfMemory(context.Context) bool { return false }
func (noBox) Lost(context.Context) error       { return nil }

// TestTunnelHoldsNobodyUp: whatever comes in the frames of the tunnel, what is
// behind them is heard; and there is none where there is no way out.
func TestTunnelHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	open := bytes.Repeat([]byte{2, 0, 0, 0, 1, 0, 0, 0}, 3000) // smux: a stream begins
	for i := range 3000 {
		open[8*i+4], open[8*i+5] = byte(2*i+1), byte((2*i+1)>>8)
	}
	full := append([]byte{2, 0, 0, 0, 1, 0, 0, 0}, bytes.Repeat(append([]byte{2, 2, 0, 128, 1, 0, 0, 0}, make([]byte, 32<<10)...), 9)...)
	for name, tt := range map[string]struct {
		egress, heard bool
		sent          []byte
	}{
		"nothing":            {true, true, nil},
		"nonsense":           {true, true, []byte("GET / HTTP/1.1\r\n\r\n")},
		"another version":    {true, true, []byte{9, 0, 0, 0, 0, 0, 0, 0}},
		"half a frame":       {true, true, []byte{2, 2, 255}},
		"thousands":          {true, true, open},
		"more than a window": {true, true, full},
		"no way out":         {false, false, []byte("x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := net.Pipe()
			defer theirs.Close()
			c := Open(ours, noBox{}, Options{Egress: tt.egress})
			defer c.Close()
			if tt.egress {
				c.way.To(func(c net.Conn) {}) // nobody reads from them
			}
			go func() {
				for sent := tt.sent; len(sent) > 0; {
					n := min(len(sent), wire.MaxTunnel)
					_ = frame.Write(theirs, wire.Tunnel, sent[:n])
					sent = sent[n:]
				}
				_ = frame.Write(theirs, wire.End, []byte(`{"exit":3}`))
			}()
			select {
			case <-c.ended:
			case <-time.After(5 * time.Minute):
				t.Fatal("nothing more is heard")
			}
			if heard := c.final != nil; heard != tt.heard {
				t.Errorf("the end was heard: %t, %v", heard, c.err)
			}
		})
	}
	c := &Conversation{way: &wayOut{}}
	if err := c.take(wire.Tunnel, wire.MaxTunnel+1, bytes.NewReader(make([]byte, wire.MaxTunnel+1))); err == nil {
		t.Error("a frame without end was taken")
	}
}

// TestEndsWithoutAWord: a sandbox that goes away is named as what broke off.
func TestEndsWithoutAWord(t *testing.T) {
	t.Parallel()
	for name, said := range map[string][]byte{"at once": nil, "in the middle": {wire.End, 0, 0, 0, 9, '{'}} {
		ours, theirs := net.Pipe()
		c := Open(ours, noBox{}, Options{Complaint: &Complaint{}})
		_, _ = theirs.Write(said)
		theirs.Close()
		<-c.ended
		if _, err := c.result(t.Context(), sandbox.Spec{}, "", 0); err == nil || err.Error() != "the run broke off: the sandbox ended before it said how the program did" {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
	}
}
