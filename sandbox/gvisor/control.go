package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/evidence"
)

// control is a connection to the control socket of a sandbox: runsc's own
// word on how the program ended, which the program cannot forge and whose
// exit status, unlike that of the runsc process, has one meaning.
type control struct {
	conn   net.Conn
	id     string
	answer chan parting // one, after ask
	asking sync.WaitGroup
}

// parting is the answer of the control socket.
type parting struct {
	status syscall.WaitStatus
	err    error
}

func socketPath(runscRoot, id string) string {
	return filepath.Join(runscRoot, "runsc-"+id+".sock")
}

func dialControl(ctx context.Context, runscRoot, id string) (*control, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socketPath(runscRoot, id))
	if err != nil {
		return nil, err
	}
	return &control{conn: conn, id: id, answer: make(chan parting, 1)}, nil
}

// ask has the control socket answer when the first process of the sandbox has
// ended. It is called once, and before there is a program: the sandbox has
// better things to do later.
func (ctl *control) ask() {
	answer := ctl.answer
	ctl.asking.Go(func() {
		var status uint32
		err := ctl.call("containerManager.Wait", ctl.id, &status)
		answer <- parting{syscall.WaitStatus(status), err}
	})
}

// wait blocks until the program has ended and returns how. The witness, if
// there is one, tells the moment the last thread goes; then the sandbox, in
// which nothing runs any more, is killed rather than left to take itself down.
func (c *box) wait(witness <-chan syscall.WaitStatus) (syscall.WaitStatus, error) {
	var w parting
	select {
	case status, ok := <-witness:
		if ok {
			_ = unix.PidfdSendSignal(c.sandbox.fd, unix.SIGKILL, nil, 0)
			return status, nil
		}
		w = <-c.ctl.answer
	case w = <-c.ctl.answer:
	}
	c.ctl.close() // the sandbox does not go while somebody may still ask
	if w.err != nil {
		return c.lastWord(w.err)
	}
	return w.status, nil
}

// call asks the sandbox something and waits for the answer.
func (ctl *control) call(method string, arg, result any) error {
	question := struct {
		Method string `json:"method"`
		Arg    any    `json:"arg"`
	}{method, arg}
	if err := json.NewEncoder(ctl.conn).Encode(question); err != nil {
		return err
	}
	answer := struct {
		Success bool   `json:"success"`
		Err     string `json:"err"`
		Result  any    `json:"result"`
	}{Result: result}
	if err := json.NewDecoder(ctl.conn).Decode(&answer); err != nil {
		return err
	}
	if !answer.Success {
		return fmt.Errorf("runsc: %s", answer.Err)
	}
	return nil
}

// killInit kills the first process of the sandbox, and with it all others.
// gVisor's kernel lives until it has brought out what they left.
func (c *box) killInit() error {
	ctx, cancel := context.WithTimeout(context.Background(), evidence.Grace)
	defer cancel()
	ctl, err := dialControl(ctx, c.b.runscRoot(), c.id)
	if err != nil {
		return err
	}
	defer ctl.close()
	if err := ctl.conn.SetDeadline(time.Now().Add(evidence.Grace)); err != nil {
		return err
	}
	signal := struct {
		CID   string
		Signo int32
		PID   int32
	}{CID: c.id, Signo: int32(syscall.SIGKILL)}
	return ctl.call("containerManager.Signal", signal, new(struct{}))
}

// lastWord is how the program ended when the sandbox went before it answered
// us: runsc itself was told first, and passes it on as its exit status. A
// failure of its own is 128; a signal is what a shell makes of it, so that here
// alone a program that exits with 137 is taken for a killed one.
func (c *box) lastWord(lost error) (syscall.WaitStatus, error) {
	select {
	case <-c.exited:
	case <-time.After(settleLimit):
		return 0, lost
	}
	var exit *exec.ExitError
	if c.exitErr != nil && !errors.As(c.exitErr, &exit) {
		return 0, lost
	}
	if exit == nil {
		return 0, nil
	}
	return fromShell(exit.ExitCode(), lost)
}

// fromShell turns the exit status of runsc into that of the program.
func fromShell(code int, lost error) (syscall.WaitStatus, error) {
	switch {
	case code >= 0 && code < 128:
		return syscall.WaitStatus(code << 8), nil
	case code > 128 && code <= 128+64:
		return syscall.WaitStatus(code - 128), nil
	default: // runsc was killed, or says that it failed
		return 0, lost
	}
}

func (ctl *control) close() {
	_ = ctl.conn.Close()
	ctl.asking.Wait()
}
