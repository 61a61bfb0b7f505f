package analyzetest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Node returns the path of Node, or skips; with REQUIRE_NODE=1 there is no skipping.
func Node(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("REQUIRE_NODE") == "1" {
			t.Fatal("no node")
		}
		t.Skip("no node")
	}
	return node
}

// A Script runs in Node and answers each line with a line.
type Script struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// StartScript starts a script, which ends with the test.
func StartScript(t *testing.T, script string) *Script {
	t.Helper()
	cmd := exec.Command(Node(t), "--expose-internals", "--no-warnings", "-e", script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &Script{in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// Tell sends a line and returns the answer's.
func (s *Script) Tell(t *testing.T, line []byte) []byte {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.in.Write(append(line, '\n'))
		done <- err
	}()
	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return answer
}
