// Package sallyport opens what judges programs and runs those that policy
// allows: the command line's own, for programs that embed it. The parts, and
// how to put them together in another way, are in package gate.
package sallyport

import (
	"context"
	"errors"
	"os"

	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/install"
)

// Gate is a gate with everything that it is made of. It is safe for concurrent
// use.
type Gate struct {
	*gate.Gate
	opened *install.Opened
}

// Open makes the gate that a configuration describes. The zero Config is the
// safest one: programs are judged by the pack baseline, run in gVisor with no
// network and no files of this machine but the interpreter, and are recorded in
// the log of this user. The runsc helper is looked for as the command does.
// Nothing falls back: what cannot be had is an error. Whoever opens a gate
// closes it, after its last call.
func Open(ctx context.Context, cfg config.Config) (*Gate, error) {
	o, err := install.With(cfg, install.Options{Version: "embedded", Env: os.LookupEnv}).Run()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return &Gate{o.Gate, o}, nil
}

// Close ends sandboxes that wait, and the log.
func (g *Gate) Close() error { return g.opened.Close() }
