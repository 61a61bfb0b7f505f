// Package telemetry counts and times what sallyport does, for operators who
// want that: traces and metrics over OTLP, metrics for Prometheus on a
// loopback port.
//
// What it takes in has no field for code, arguments, output or names of files,
// so none of it can get out. It never delays its callers: counting is a map
// update, everything slower happens in a goroutine of its own behind a bounded
// queue, and what does not fit is dropped and counted.
package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Options says where telemetry goes. The zero value sends nothing anywhere.
type Options struct {
	OTLP       OTLP
	Prometheus string // loopback address and port to serve metrics on; "" for none
	Counts     bool   // also when nothing is sent or served: Scrape is told

	Version string // of sallyport

	// Log gets what went wrong on the way to a collector, each kind of trouble
	// once until it is over. Nil drops it.
	Log func(format string, args ...any)
}

// Validate says what is wrong with o, without opening or sending anything.
func (o Options) Validate() error {
	if o.Prometheus != "" {
		if err := checkListen(o.Prometheus); err != nil {
			return err
		}
	}
	if o.OTLP.Endpoint == "" {
		return nil
	}
	_, err := newSender(o.OTLP)
	return err
}

// Telemetry takes in what happened. It is safe for concurrent use; a nil
// Telemetry takes nothing in. Whoever made it calls Close.
type Telemetry struct {
	log     func(format string, args ...any)
	metrics *registry
	sender  *sender // nil: no OTLP
	scrape  *server // nil: no Prometheus
	who     identity

	queue   chan Request
	dropped atomic.Int64 // requests that found the queue full
	stop    chan context.Context
	done    sync.WaitGroup
	once    sync.Once
}

// identity is what a process says of itself.
type identity struct {
	version  string
	instance string
	started  time.Time
	extra    map[string]string
}

// queueLength bounds the requests that wait to become traces.
const queueLength = 2048

// New starts what o asks for; for the zero Options it returns nil. An error is
// about o. A Prometheus port that is taken is none: it is logged, and the rest
// works, because every agent's client may start a server of its own.
func New(o Options) (*Telemetry, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.OTLP.Endpoint == "" && o.Prometheus == "" && !o.Counts {
		return nil, nil
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	t := &Telemetry{
		log:     o.Log,
		metrics: newRegistry(),
		who:     identity{o.Version, hex.EncodeToString(random(16)), time.Now(), o.OTLP.Resource},
	}
	if o.OTLP.Endpoint != "" {
		s, err := newSender(o.OTLP)
		if err != nil {
			return nil, err
		}
		t.sender, t.queue, t.stop = s, make(chan Request, queueLength), make(chan context.Context, 1)
		t.done.Go(t.export)
	}
	if o.Prometheus != "" {
		s, err := t.serve(o.Prometheus)
		if err != nil {
			o.Log("metrics are not served for Prometheus: %v", err)
		}
		t.scrape = s
	}
	return t, nil
}

// Address is where metrics are served for Prometheus, "" for nowhere.
func (t *Telemetry) Address() string {
	if t == nil || t.scrape == nil {
		return ""
	}
	return t.scrape.address
}

// Close sends what is still to be sent, as far as ctx allows, and returns when
// nothing of t is left. What is observed from then on is lost.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var err error
	t.once.Do(func() {
		if t.stop != nil {
			t.stop <- ctx
		}
		if t.scrape != nil {
			err = errors.Join(err, t.scrape.close())
		}
		t.done.Wait()
	})
	return err
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the process instead
	return b
}
