package serve

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/shared"
	"sallyport/internal/turns"
	"sallyport/mcp"
)

// Turns are those that the calls of all tenants have together.
type Turns struct{ runs, checks *turns.Turns }

// NewTurns returns turns for a number of runs at a time; 0 means the default.
func NewTurns(parallel int) Turns {
	return Turns{turns.New(cmp.Or(parallel, mcp.DefaultParallel())), turns.New(runtime.NumCPU())}
}

// Share gives a server its part of the turns, within the quota of its tenant, which
// other replicas have with it where there is a database.
func (t Turns) Share(o *mcp.Options, q config.Quota, d *shared.Database, tenant string) {
	o.Lease = together(d, tenant, q)
	o.Runs, o.Checks = t.runs, t.checks
	o.Parallel, o.ParallelEach = cmp.Or(int(q.Parallel), o.Parallel), int(q.ParallelEach)
	if n := int(q.Queue); n > 0 && (o.Queue == 0 || n < o.Queue) {
		o.Queue = n
	}
}

// together has o's runs bounded with those of other replicas.
func together(d *shared.Database, tenant string, q config.Quota) turns.Lease {
	if d == nil || q.Parallel == 0 && q.ParallelEach == 0 {
		return nil
	}
	return func(ctx context.Context, owner string) (func(), bool, error) {
		return d.Lease(ctx, tenant, owner, q.Parallel, q.ParallelEach)
	}
}

// perMinute lets a number of calls through in a minute, also all at once.
func perMinute(n int64) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), int(n)) }

// reserve takes a call of l's, or says how long there will be none; nil has any
// number.
func reserve(l *rate.Limiter, now time.Time) (wait time.Duration) {
	if l == nil {
		return 0
	}
	turn := l.ReserveN(now, 1)
	if wait = turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}

// streams are the requests that are served at a time. Half of them are kept, in
// equal parts, for tenants that have none open: whoever floods takes the rest at
// most.
type streams struct {
	kept, rest int // for each tenant; for whoever comes

	mu     sync.Mutex // guards the fields below
	open   map[string]int
	common int // of the rest, that are taken
}

func (s *streams) enter(tenant string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[tenant] >= s.kept {
		if s.common >= s.rest {
			return false
		}
		s.common++
	}
	s.open[tenant]++
	return true
}

func (s *streams) leave(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[tenant] > s.kept {
		s.common--
	}
	s.open[tenant]--
}

// callers bounds what each principal asks for.
type callers struct {
	perMinute int64 // 0: any
	most      int   // at a time

	mu  sync.Mutex // guards all
	all map[string]*caller
}

type caller struct {
	rate *rate.Limiter
	open int
}

const maxCallers = 4096 // remembered beside those with open calls

func (c *callers) enter(who gate.Principal, now time.Time) (leave func(), wait time.Duration, ok bool) {
	key := fmt.Sprintf("%q %q", who.Tenant, who.ID())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= maxCallers {
		kept := map[string]*caller{}
		for k, one := range c.all {
			if one.open > 0 || one.rate != nil && one.rate.TokensAt(now) < float64(c.perMinute) {
				kept[k] = one
			}
		}
		c.all = kept
	}
	one := c.all[key]
	if one == nil {
		one = &caller{}
		if c.perMinute > 0 {
			one.rate = perMinute(c.perMinute)
		}
		c.all[key] = one
	}
	if one.open >= c.most {
		return nil, 0, false
	}
	if wait := reserve(one.rate, now); wait > 0 {
		return nil, wait, false
	}
	one.open++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		one.open--
	}, 0, true
}
