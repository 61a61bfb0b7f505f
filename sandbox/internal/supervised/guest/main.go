//go:build linux && (amd64 || arm64)

// Command guest is the first process of a sallyport container: it starts the
// interpreter under a system call filter and limits, passes its output on in
// frames, and says how it ended. It is a static binary that needs nothing of
// the image. The host believes it because the program under test cannot reach
// it: it holds none of the program's descriptors, is not dumpable (no ptrace,
// no /proc/1/fd), is pid 1 of its namespace, which no kill there ends, and the
// filter lets the program send it no other signal either. The one that it minds
// is SIGTERM, by which who runs the container ends it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/supervised/wire"
)

// maxSetup bounds the JSON of a start frame.
const maxSetup = 4 << 20

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the supervisor, or the step between it and the interpreter when the
// arguments say so. Its exit code is 0 whenever the host got a final frame.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "exec" {
		err := stage(args[1])
		fmt.Fprintln(stderr, "sallyport:", err)
		return 127
	}
	if len(args) == 1 && args[0] == "probe" {
		if err := probe(stdin, stdout); err != nil {
			fmt.Fprintln(stderr, "sallyport:", err)
			return 1
		}
		return 0
	}
	if len(args) != 0 {
		fmt.Fprintln(stderr, "sallyport: this program is started by sallyport inside of a container only")
		return 2
	}
	if err := supervise(stdin, stdout); err != nil {
		fmt.Fprintln(stderr, "sallyport:", err)
		return 1
	}
	return 0
}

// supervise serves one run.
func supervise(stdin io.Reader, stdout io.Writer) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("dumpable: %v", err)
	}
	// Caught, not ignored: an ignored signal would stay ignored in the
	// interpreter.
	signal.Notify(make(chan os.Signal, 1))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM)
	debug.SetGCPercent(20) // its memory counts against the run's limit

	s := &supervisor{out: stdout, stop: stop, ended: make(chan struct{})}
	begun, err := s.serve(stdin)
	if !begun {
		if errors.Is(err, io.EOF) {
			return nil // the host went away before it asked for anything
		}
		if err == nil {
			err = errors.New("ended before the start")
		}
		return s.send(wire.Final{Error: err.Error()})
	}
	<-s.ended
	return s.sendErr
}

// serve reads frames until the host has nothing more to say, and ends the run
// then: a host that is gone wants no answer.
func (s *supervisor) serve(stdin io.Reader) (begun bool, err error) {
	for {
		tag, n, err := frame.Header(stdin)
		if err != nil {
			s.finish("")
			return begun, err
		}
		switch {
		case tag == wire.Setup && !begun:
			b, err := frame.Payload(stdin, n, maxSetup)
			if err != nil {
				return false, err
			}
			var start wire.Start
			if err := json.Unmarshal(b, &start); err != nil {
				return false, fmt.Errorf("start: %v", err)
			}
			if err := s.begin(start); err != nil {
				return false, err
			}
			begun = true
			go s.endWhenStopped()
		case tag == wire.Rules && begun:
			b, err := frame.Payload(stdin, n, maxSetup)
			if err == nil {
				err = json.Unmarshal(b, &s.rules)
			}
			if err != nil {
				s.finish("")
				return begun, err
			}
		case tag == wire.Job && begun:
			s.watchFromNow()
			if _, err := io.CopyN(s.job, stdin, n); err != nil {
				// The interpreter is gone; the rest is nobody's.
				io.CopyN(io.Discard, stdin, n)
			}
			s.job.Close()
		case tag == wire.Stdin && begun:
			b, err := frame.Payload(stdin, n, frame.Max)
			if err != nil {
				s.finish("")
				return begun, err
			}
			go s.feed(b)
		case tag == wire.Tunnel && s.way != nil:
			if err := s.way.take(stdin, n); err != nil {
				s.finish("")
				return begun, err
			}
		case tag == wire.Kill:
			s.finish("")
			return begun, nil
		default:
			s.finish("")
			return begun, fmt.Errorf("unexpected frame %q", tag)
		}
	}
}
