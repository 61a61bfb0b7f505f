package gvisor

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"syscall"
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
	call := struct {
		Method string `json:"method"`
		Arg    string `json:"arg"`
	}{"containerManager.Wait", c.id}
	if err := json.NewEncoder(c.conn).Encode(call); err != nil {
		return 0, err
	}
	var answer struct {
		Success bool   `json:"success"`
		Err     string `json:"err"`
		Result  uint32 `json:"result"`
	}
	if err := json.NewDecoder(c.conn).Decode(&answer); err != nil {
		return 0, err
	}
	if !answer.Success {
		return 0, fmt.Errorf("runsc: %s", answer.Err)
	}
	return syscall.WaitStatus(answer.Result), nil
}

func (c *control) close() { _ = c.conn.Close() }
