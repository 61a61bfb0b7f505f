package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"sallyport/audit"
)

// InForce puts on record what a service works by for the requests of one tenant.
type InForce struct {
	gate   *Gate
	tenant string
	parts  map[string]string // that the gate was made of

	mu  sync.Mutex // guards was
	was map[string]string
}

// NewInForce returns the InForce of a tenant's gate, which was made of parts with these
// digests, where those were in force before.
func NewInForce(g *Gate, tenant string, parts, was map[string]string) *InForce {
	return &InForce{gate: g, tenant: tenant, parts: maps.Clone(parts), was: maps.Clone(was)}
}

// WasInForce is what the newest record in dir that says so says that was in force.
func WasInForce(dir string) (map[string]string, error) {
	last, found, err := audit.Newest(dir, audit.EventConfig)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for what was in force: %w", err)
	}
	if !found || last.InForce == nil {
		return nil, nil
	}
	return last.InForce.SHA256, nil
}

// Started records what is in force as a service starts, with the parts that are not the
// gate's own.
func (i *InForce) Started(ctx context.Context, others map[string]string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := maps.Clone(others)
	if now == nil {
		now = map[string]string{}
	}
	maps.Copy(now, i.parts)
	return i.comes(ctx, audit.InForce{How: audit.InForceStart}, now, "")
}

// Reloaded records that a part was read again, and what is in force of it now, "" for
// nothing; with an error, that it was refused. It counts once Reloaded has returned.
func (i *InForce) Reloaded(ctx context.Context, part, sha256 string, refused error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := maps.Clone(i.was)
	if now == nil {
		now = map[string]string{}
	}
	if now[part] = sha256; sha256 == "" {
		delete(now, part)
	}
	if refused != nil {
		return i.comes(ctx, audit.InForce{How: audit.InForceRefused, Part: part}, now, part+" refused: "+refused.Error())
	}
	return i.comes(ctx, audit.InForce{How: audit.InForceReload, Part: part}, now, "")
}

func (i *InForce) comes(ctx context.Context, f audit.InForce, now map[string]string, note string) error {
	before := map[string]string{}
	for part, old := range i.was {
		if now[part] != old {
			before[part] = old
		}
	}
	for part := range now {
		if _, ok := i.was[part]; !ok {
			before[part] = ""
		}
	}
	if note == "" {
		note = f.How + ": nothing has changed"
		if len(before) > 0 {
			note = f.How + ": changed: " + strings.Join(slices.Sorted(maps.Keys(before)), ", ")
		}
	}
	f.SHA256, f.Before = maps.Clone(now), before
	who := i.gate.local
	who.Tenant = i.tenant
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	_, err := i.gate.opts.Log.Append(ctx, audit.Record{Event: audit.EventConfig, Caller: i.gate.caller(Request{Principal: who, Tool: "serve"}), Note: note, InForce: &f})
	if err == nil {
		i.was = f.SHA256
	}
	return err
}
