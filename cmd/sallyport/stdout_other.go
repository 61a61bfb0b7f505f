//go:build !unix

package main

import (
	"context"
	"io"
	"os"
)

// takeStdout keeps standard output for the protocol and lets what prints to
// os.Stdout from now on go to standard error.
func takeStdout(w io.Writer) (io.Writer, error) {
	if f, ok := fileOf[*os.File](w); ok {
		os.Stdout = os.Stderr
		return f, nil
	}
	return w, nil
}

// whileRead has no way here to see that nobody reads any more: a write that
// fails, or the end of input, tells.
func whileRead(ctx context.Context, _ io.Writer) (context.Context, func()) {
	return context.WithCancel(ctx)
}
