//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"slices"
	"testing"

	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

// TestProbe: who listens is found, and so is who refuses, over TCP and UDP; what
// leads nowhere is not.
func TestProbe(t *testing.T) {
	t.Parallel()
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for b := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(b[:n], from)
		}
	}()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := closed.Addr().String()
	closed.Close()
	body, err := json.Marshal(wire.Probe{
		TCP: []string{open.Addr().String(), refusing, "255.255.255.255:1"}, DNS: []string{server.LocalAddr().String(), "255.255.255.255:53"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := probe(bytes.NewReader(frame.Append(nil, wire.Try, body)), &out); err != nil {
		t.Fatal(err)
	}
	_, n, err := frame.Header(&out)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.Reached
	if b, err := io.ReadAll(io.LimitReader(&out, n)); err != nil || json.Unmarshal(b, &got) != nil {
		t.Fatal(err, string(b))
	}
	want := []string{"tcp " + open.Addr().String(), "tcp " + refusing, "udp " + server.LocalAddr().String()}
	slices.Sort(want)
	if !slices.Equal(got.Reached, want) || got.Port == 0 || got.Error != "" {
		t.Errorf("%+v; want %q", got, want)
	}
}
