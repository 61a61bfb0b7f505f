package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/sandbox"
)

// program is a request to judge a program, or to run it.
type program struct {
	Language    string            `json:"language"`
	Goal        string            `json:"goal,omitempty"`
	Code        string            `json:"code"`
	Labels      map[string]string `json:"labels,omitempty"`
	Environment string            `json:"environment,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Stdin       string            `json:"stdin,omitempty"`
	Files       []file            `json:"files,omitempty"`
	Timeout     float64           `json:"timeout_seconds,omitempty"`
	MemoryMB    int64             `json:"memory_mb,omitempty"`
}

type file struct {
	Path     string `json:"path"`
	Content  []byte `json:"content"` // which JSON has in base64
	Encoding string `json:"encoding"`
}

// patience is how long a check waits, all in all, where a service says how long:
// the programs of a directory are more than one may ask for at once.
const patience = 5 * time.Minute

// Check has a program judged, as gate.Check does here.
func (c *Client) Check(ctx context.Context, req gate.Request) (a answer.Answer, err error) {
	p, err := newProgram(req)
	if err != nil {
		return a, err
	}
	for waited := time.Duration(0); ; {
		err = c.Do(ctx, http.MethodPost, "/v1/check", p, &a)
		r, ok := errors.AsType[*Refused](err)
		if !ok || r.Wait == 0 || waited+r.Wait > patience {
			return c.judged(a, req, err)
		}
		waited += r.Wait
		select {
		case <-ctx.Done():
			return c.judged(a, req, ctx.Err())
		case <-c.after(r.Wait):
		}
	}
}

// Run has a program run, as gate.Run does here. When ctx ends the service ends
// the run.
func (c *Client) Run(ctx context.Context, req gate.Request) (a answer.Answer, err error) {
	p, err := newProgram(req)
	if err != nil {
		return a, err
	}
	answered := false
	err = c.Events(ctx, "/v1/run", p, func(kind string, data []byte) error {
		switch kind {
		case "output":
			if err := printed(req.Output, data); err != nil {
				return c.unreadable(err)
			}
		case "error":
			return c.refusedLate(data)
		case "answer":
			if err := json.Unmarshal(data, &a); err != nil {
				return c.unreadable(err)
			}
			answered = true
		}
		return nil // a kind that a newer service has
	})
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && !answered:
		err = c.unreadable(errors.New("it ended before the answer"))
	}
	return c.judged(a, req, err)
}

// newProgram puts a request into words that a service takes.
func newProgram(req gate.Request) (program, error) {
	p := program{Language: string(req.Language), Goal: string(req.Goal), Code: string(req.Source), Labels: req.Labels, Environment: req.Environment, Args: req.Args,
		Stdin: string(req.Stdin), Timeout: req.Limits.Wall.Seconds(), MemoryMB: req.Limits.Memory >> 20}
	if len(req.References) > 0 {
		return p, hint.With(hint.Usage("--server: %s is read where it is, and a service is elsewhere", req.References[0].Path), "send what it needs of it by --file, in files of up to 16 MiB")
	}
	for what, text := range map[string]string{req.Name: p.Code, "--stdin": p.Stdin} {
		if !utf8.ValidString(text) {
			return p, hint.With(hint.Usage("--server: %s is no UTF-8, which is what a service takes", what), "--file sends any bytes, as a file of the program's")
		}
	}
	for _, f := range req.Files {
		p.Files = append(p.Files, file{f.Path, append([]byte{}, f.Data...), "base64"})
	}
	return p, nil
}

// judged is the answer by the name that the caller has for the program.
func (c *Client) judged(a answer.Answer, req gate.Request, err error) (answer.Answer, error) {
	if err != nil {
		return answer.New(gate.Answer{Name: req.Name}, err), err
	}
	a.Name = req.Name
	switch {
	case a.Version != answer.Version:
		return a, hint.New(nil, "is it the address of a sallyport serve, and as new as this program?", "%s answers in a form that is not known here", c.base)
	case a.Error != "":
		return a, hint.New(shown(a.Error), "its operator's log says more", "%s", c.base)
	}
	return a, nil
}

// printed hands on what a program printed.
func printed(output func(sandbox.Stream, []byte), data []byte) error {
	var said struct {
		Stream string
		answer.Output
	}
	if err := json.Unmarshal(data, &said); err != nil || output == nil {
		return err
	}
	stream := sandbox.Stdout
	if said.Stream == "stderr" {
		stream = sandbox.Stderr
	}
	output(stream, said.Bytes())
	return nil
}

// refusedLate is a refusal that came when the answer had begun.
func (c *Client) refusedLate(data []byte) error {
	var said struct {
		Status int
		Retry  int `json:"retry_after_seconds"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return fmt.Errorf("a refusal: %w", err)
	}
	r := &Refused{Status: said.Status, Wait: time.Duration(said.Retry) * time.Second}
	r.read(data)
	return c.refusal(r)
}
