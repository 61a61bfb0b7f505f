package shared

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"sallyport/gate"
)

// ErrOdd is of an answer that is none of a script of ours.
var ErrOdd = fmt.Errorf("%w: the database answers something else than it was asked", gate.ErrAway)

// numbers are those that a script answers with.
func numbers(got any, err error, n int) ([]int64, error) {
	if err != nil {
		return nil, err
	}
	all, ok := got.([]any)
	if !ok || len(all) != n {
		return nil, ErrOdd
	}
	out := make([]int64, n)
	for i, one := range all {
		if out[i], ok = one.(int64); !ok {
			return nil, ErrOdd
		}
	}
	return out, nil
}

// Calls are what somebody may make in a minute, also all at once.
type Calls struct {
	Of        string // whose; "" is the whole tenant
	PerMinute int64  // 0: any
}

// Call takes a call of each, or says of which there will be none for how long.
func (d *Database) Call(ctx context.Context, tenant string, of ...Calls) (first int, wait time.Duration, err error) {
	keys, args := []string{}, []any{}
	for _, c := range of {
		whose := "all"
		if c.Of != "" {
			whose = "of:" + Tag(c.Of)
		}
		keys, args = append(keys, d.Key(tenant, "calls", whose)), append(args, c.PerMinute)
	}
	got, err := d.Eval(ctx, call, keys, args...)
	n, err := numbers(got, err, 2)
	if err != nil {
		return 0, 0, err
	}
	return int(n[0]), time.Duration(n[1]) * time.Microsecond, nil
}

// call keeps when the calls that were made would have been due, one after the other
// and evenly: at most a minute from now. A clock that went back must not make it more.
var call = NewScript(`
local t = redis.call('TIME')
local now, minute, due = t[1] * 1000000 + t[2], 60000000, {}
for i, key in ipairs(KEYS) do
	local at = math.min(math.max(tonumber(redis.call('GET', key) or now), now), now + minute)
	if tonumber(ARGV[i]) > 0 then due[i] = at + minute / ARGV[i] end
	if due[i] and due[i] > now + minute then return {i - 1, math.ceil(due[i] - now - minute)} end
end
for i, key in ipairs(KEYS) do
	if due[i] then redis.call('SET', key, string.format('%.0f', due[i]), 'PX', math.ceil((due[i] - now) / 1000) + 1) end
end
return {0, 0}`)

// total is what runs of this replica have used of a day.
type total struct {
	replica string
	used    time.Duration
	before  time.Duration // by the database, and not by the log of this replica
}

const (
	dayKept  = 48 * time.Hour
	endsIn   = 15 * time.Second // a lease that nobody renews
	everyone = 5 * time.Second  // renews those of this replica
)

// Spent says what runs of all replicas have used of a day, where those of this one
// have used own. Each replica says what it knows from its own log: a database that
// forgets is told again.
func (d *Database) Spent(ctx context.Context, tenant, replica string, day time.Time, own time.Duration) (time.Duration, error) {
	key := d.Key(tenant, "cpu", day.UTC().Format(time.DateOnly))
	d.mu.Lock()
	t, known := d.totals[key]
	t.replica, t.used = replica, max(t.used, own)
	d.mu.Unlock()
	all, stored, err := d.tell(ctx, key, t)
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now, again := d.totals[key]
	if !known && !again {
		t.before = max(0, stored-t.used)
	} else {
		t.before, t.used = now.before, max(t.used, now.used)
	}
	d.totals[key] = t
	return all, nil
}

// tell has the database know a total, and says what it has of all, and of this one.
func (d *Database) tell(ctx context.Context, key string, t total) (all, own time.Duration, err error) {
	got, err := d.Eval(ctx, spent, []string{key}, t.replica, (t.used + t.before).Microseconds(), int(dayKept.Seconds()))
	n, err := numbers(got, err, 2)
	if err != nil {
		return 0, 0, err
	}
	return time.Duration(n[0]) * time.Microsecond, time.Duration(n[1]) * time.Microsecond, nil
}

var spent = NewScript(`
local own = math.max(tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0), tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', own))
redis.call('EXPIRE', KEYS[1], ARGV[3])
local all = 0
for _, used in ipairs(redis.call('HVALS', KEYS[1])) do all = all + tonumber(used) end
return {all, own}`)

// lease is a run of this replica's that counts.
type lease struct{ key, member string }

// Lease lets a run of an owner's begin, when fewer than most are under way, and fewer
// than each of the owner's; 0 is any. It counts until end is called, or until this
// replica has not been heard of for a while. End is nil where there are as many as may
// be, of the owner's where own is true.
func (d *Database) Lease(ctx context.Context, tenant, owner string, most, each int64) (end func(), own bool, err error) {
	l := lease{d.Key(tenant, "runs"), Tag(owner) + ":" + rand.Text()}
	got, err := d.Eval(ctx, begin, []string{l.key}, l.member, most, each, endsIn.Microseconds())
	n, err := numbers(got, err, 1)
	if err != nil {
		d.giveBack(ctx, l) // it may be there
		return nil, false, err
	}
	if n[0] != 0 {
		return nil, n[0] == 2, nil
	}
	d.mu.Lock()
	d.leases[l.member] = l
	d.mu.Unlock()
	return func() {
		d.mu.Lock()
		delete(d.leases, l.member)
		d.mu.Unlock()
		d.giveBack(ctx, l)
	}, false, nil
}

// giveBack ends a lease; one that cannot be ended ends by itself.
func (d *Database) giveBack(ctx context.Context, l lease) {
	_, _ = d.Eval(context.WithoutCancel(ctx), ended, []string{l.key}, l.member)
}

const clock = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
`

var begin = NewScript(clock + `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local most, each, own = tonumber(ARGV[2]), tonumber(ARGV[3]), 0
local whose = string.sub(ARGV[1], 1, 33)
local all = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, one in ipairs(all) do
	if string.sub(one, 1, 33) == whose then own = own + 1 end
end
if each > 0 and own >= each then return {2} end
if most > 0 and #all >= most then return {1} end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[1])
redis.call('PEXPIRE', KEYS[1], 3600000)
return {0}`)

var renewed = NewScript(clock + `
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], 3600000)
return {1}`)

var ended = NewScript(`return {redis.call('ZREM', KEYS[1], ARGV[1])}`)

// beats says again and again what this replica has: a database that was away, or
// began anew, knows it then.
func (d *Database) beats(ctx context.Context) {
	tick := time.NewTicker(everyone)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			d.announce(ctx)
		}
	}
}

// announce renews leases and tells totals; what is not heard is told again.
func (d *Database) announce(ctx context.Context) {
	d.mu.Lock()
	members, totals := map[string][]any{}, map[string]total{}
	for _, l := range d.leases {
		members[l.key] = append(members[l.key], l.member)
	}
	today := time.Now().UTC().Add(-time.Hour).Format(time.DateOnly) // also the end of yesterday
	for key, t := range d.totals {
		if key[strings.LastIndex(key, ":")+1:] < today {
			delete(d.totals, key)
		} else {
			totals[key] = t
		}
	}
	d.mu.Unlock()
	for key, m := range members {
		_, _ = d.Eval(ctx, renewed, []string{key}, append([]any{endsIn.Microseconds()}, m...)...)
		for _, member := range m { // it may have ended meanwhile
			d.mu.Lock()
			_, held := d.leases[member.(string)]
			d.mu.Unlock()
			if !held {
				d.giveBack(ctx, lease{key, member.(string)})
			}
		}
	}
	for key, t := range totals {
		_, _, _ = d.tell(ctx, key, t)
	}
}
