// Embed runs a program through sallyport from Go: judged by policy, recorded,
// and run in a gVisor sandbox.
//
//	embed RUNSC FILE.py
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/gate"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/sandbox/gvisor"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: embed RUNSC FILE.py")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, runsc, file string, out io.Writer) (err error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// Everything that is written goes here: the log, and sandboxes while they run.
	state, err := os.MkdirTemp("", "embed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)

	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		return err
	}
	records, err := audit.Open(audit.Options{Dir: filepath.Join(state, "audit")})
	if err != nil {
		return err
	}
	defer records.Close()
	backend, err := gvisor.New(gvisor.Options{Runsc: runsc, StateDir: filepath.Join(state, "sandbox"), Path: os.Getenv("PATH")})
	if err != nil {
		return err
	}
	defer backend.Close()

	g, err := gate.New(gate.Options{
		Analyzer: analyze.New(python.Reader()),
		Policy:   engine,
		Log:      records,
		Backend:  backend,
		Ceilings: sandbox.Limits{Wall: 5 * time.Second, Memory: 256 << 20},
		Program:  "embed",
	})
	if err != nil {
		return err
	}
	answer, err := g.Run(ctx, gate.Request{Name: file, Language: analyze.Python, Source: source})
	if err != nil {
		return err // nothing can be said about the program
	}
	if answer.Result == nil {
		for _, f := range answer.Decision.Findings {
			fmt.Fprintf(out, "line %d: %s\n", f.Span.Line, f.Message)
		}
		fmt.Fprintln(out, "denied:", answer.Decision.Reason)
		return nil
	}
	fmt.Fprintf(out, "%s%s with %d\n", answer.Result.Stdout, answer.Result.Reason, answer.Result.Exit)
	return nil
}
