package gvisor

import (
	"os"
	"sync"
	"syscall"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/frame"
)

// exchange gives a job to the interpreter and takes in all that comes of it:
// output, files, what was tried and which limits held. It returns when over has,
// after which nothing more comes; over hears of the program's end from the
// witness, if there is one.
func (c *box) exchange(w *watch, s sandbox.Spec, give func(), over func(ended <-chan syscall.WaitStatus)) (sandbox.Result, []sandbox.Reason) {
	defer c.letOut(s.Egress)()
	flood := func() { w.stop(sandbox.Output) }
	out := &output{stream: sandbox.Stdout, limit: w.limits.OutputBytes, emit: s.Output, flood: flood}
	errOut := &output{stream: sandbox.Stderr, limit: w.limits.OutputBytes, emit: s.Output, flood: flood}
	ended := make(chan syscall.WaitStatus, 1)
	var told, seen evidence.Told
	var streams sync.WaitGroup
	streams.Go(func() { out.copy(c.stdout) })
	streams.Go(func() { errOut.copy(c.stderr) })
	streams.Go(func() { told = c.collect(w.limits) })
	streams.Go(func() { seen = c.hear(ended, withInputs(w.limits, s)) })
	streams.Go(give)
	over(ended)
	for _, f := range []*os.File{c.stdout, c.stderr, c.artifacts, c.witness} {
		_ = f.SetReadDeadline(time.Now())
	}
	streams.Wait()
	left := together(told, seen, s, w.limits)
	return sandbox.Result{
		Stdout: out.data, StdoutTruncated: out.truncated,
		Stderr: errOut.data, StderrTruncated: errOut.truncated,
		Artifacts: left.Files, ArtifactsDropped: left.Dropped, ArtifactsLeft: left.Left, ArtifactsMissing: !left.Complete,
		Violations: evidence.Meant(left.Violations, s.Egress),
	}, left.Held
}

// collect takes in the files that the program leaves, of which after the end mark
// none counts, and what its hooks tell.
func (c *box) collect(l sandbox.Limits) evidence.Told {
	heard := &frame.Reports{Reader: &pipe{f: c.artifacts}, Key: c.key}
	left := evidence.Listen(heard, l)
	c.key = heard.Key
	return left
}

// endInput ends what is given to a program that has ended.
func (c *box) endInput() { closeAll(c.stdin, c.job) }

// give hands a job over, and the program's input.
func (c *box) give(job, input []byte) {
	var fed sync.WaitGroup
	fed.Go(func() { feed(c.stdin, input) })
	feed(c.job, job)
	fed.Wait()
}

// feed writes data to a program that may not want it, and closes.
func feed(f *os.File, data []byte) {
	_, _ = f.Write(data)
	_ = f.Close()
}
