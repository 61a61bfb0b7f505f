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
	"time"

	"sallyport"
	"sallyport/analyze"
	"sallyport/config"
	"sallyport/gate"
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

func run(ctx context.Context, runsc, file string, out io.Writer) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s, err := sallyport.Open(ctx, config.Config{
		Sandbox: config.Sandbox{Runsc: runsc},
		Limits:  config.Limits{Timeout: config.Duration(5 * time.Second), MemoryMB: 256},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	answer, err := s.Run(ctx, gate.Request{Name: file, Language: analyze.Python, Source: source})
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
