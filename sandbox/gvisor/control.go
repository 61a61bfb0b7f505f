package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// control is a connection to the control socket of a sandbox: runsc's own
// word on how the program ended, which the program cannot forge and whose
// exit status, unlike that of the runsc process, has one meaning.
type control struct {
	conn net.Conn
	id   string
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
	return &control{conn: conn, id: id}, nil
}

// wait blocks until the first process of the sandbox has ended. It is called
// once.
func (c *control) wait() (syscall.WaitStatus, error) {
	var status uint32
	err := c.call("containerManager.Wait", c.id, &status)
	return syscall.WaitStatus(status), err
}

// call asks the sandbox something and waits for the answer.
func (c *control) call(method string, arg, result any) error {
	question := struct {
		Method string `json:"method"`
		Arg    any    `json:"arg"`
	}{method, arg}
	if err := json.NewEncoder(c.conn).Encode(question); err != nil {
		return err
	}
	answer := struct {
		Success bool   `json:"success"`
		Err     string `json:"err"`
		Result  any    `json:"result"`
	}{Result: result}
	if err := json.NewDecoder(c.conn).Decode(&answer); err != nil {
		return err
	}
	if !answer.Success {
		return fmt.Errorf("runsc: %s", answer.Err)
	}
	return nil
}

// killInit kills the first process of the sandbox, and with it all others.
// gVisor's kernel lives until it has brought out what they left.
func (g *guest) killInit() error {
	ctx, cancel := context.WithTimeout(context.Background(), collectLimit)
	defer cancel()
	c, err := dialControl(ctx, g.b.runscRoot(), g.id)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.conn.SetDeadline(time.Now().Add(collectLimit)); err != nil {
		return err
	}
	signal := struct {
		CID   string
		Signo int32
		PID   int32
	}{CID: g.id, Signo: int32(syscall.SIGKILL)}
	return c.call("containerManager.Signal", signal, new(struct{}))
}

// lastWord is how the program ended when the sandbox went before it answered
// us: runsc itself was told first, and passes it on as its exit status. A
// failure of its own is 128; a signal is what a shell makes of it, so that here
// alone a program that exits with 137 is taken for a killed one.
func (g *guest) lastWord(lost error) (syscall.WaitStatus, error) {
	select {
	case <-g.exited:
	case <-time.After(settleLimit):
		return 0, lost
	}
	var exit *exec.ExitError
	if g.exitErr != nil && !errors.As(g.exitErr, &exit) {
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

func (c *control) close() { _ = c.conn.Close() }
