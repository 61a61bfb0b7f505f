package shared

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"time"
)

// Notes are what replicas leave for each other of one tenant, until it is over. Each is
// sealed for its place: the database can neither read nor write one, nor put it
// somewhere else. It can take one away, and put back what stood there before.
type Notes struct {
	db     *Database
	tenant string
	kind   string
	keys   []cipher.AEAD // the first one seals
}

// Note is one of them.
type Note struct {
	ID    string
	Of    string // whose; bounds are of that
	About string // there is one at a time
	Until time.Time
	Text  []byte // never changes
	State []byte

	seal string // of State, as it was read
}

// ErrMany is of a note that is one too many.
var ErrMany = errors.New("there are too many")

// Notes returns those of one kind, sealed with the first of the keys of 32 bytes and
// read with any.
func (d *Database) Notes(tenant, kind string, keys [][]byte) (*Notes, error) {
	n := &Notes{db: d, tenant: tenant, kind: kind}
	for _, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		seal, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		n.keys = append(n.keys, seal)
	}
	if len(n.keys) == 0 {
		return nil, errors.New("notes need a key")
	}
	return n, nil
}

func (n *Notes) index() string             { return n.db.Key(n.tenant, n.kind) }
func (n *Notes) text(id string) string     { return n.db.Key(n.tenant, n.kind, "text", id) }
func (n *Notes) state(id string) string    { return n.db.Key(n.tenant, n.kind, "state", id) }
func (n *Notes) keysOf(id string) []string { return []string{n.index(), n.text(id), n.state(id)} }

func (n *Notes) seal(place string, text []byte) string {
	return string(n.keys[0].Seal(nil, nil, text, []byte(place)))
}

func (n *Notes) open(place string, sealed any) ([]byte, bool) {
	text, ok := sealed.(string)
	if !ok {
		return nil, false
	}
	for _, key := range n.keys {
		if b, err := key.Open(nil, nil, []byte(text), []byte(place)); err == nil {
			return b, true
		}
	}
	return nil, false
}

// Put leaves a note, or says the ID of the one that is there about the same. The error
// is ErrMany where there are as many as may be of one, or of all.
func (n *Notes) Put(ctx context.Context, now time.Time, note Note, maxOf, maxAll int) (there string, err error) {
	got, err := n.db.Eval(ctx, put, n.keysOf(note.ID), now.UnixMilli(), note.Until.UnixMilli(), max(1, note.Until.Sub(now).Milliseconds()),
		Tag(note.Of), Tag(note.About), note.ID, maxOf, maxAll, n.seal(n.text(note.ID), note.Text), n.seal(n.state(note.ID), note.State))
	if err != nil {
		return "", err
	}
	switch said, _ := got.(string); {
	case said == "put":
		return "", nil
	case said == "many":
		return "", ErrMany
	case len(said) > 6 && said[:6] == "there ":
		return said[6:], nil
	}
	return "", ErrOdd
}

// put has notes in an index by when they are over: whose it is, what it is about, and
// its ID.
var put = NewScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
local all, own = redis.call('ZRANGE', KEYS[1], 0, -1), 0
for _, one in ipairs(all) do
	if string.sub(one, 34, 65) == ARGV[5] then return 'there ' .. string.sub(one, 67) end
	if string.sub(one, 1, 32) == ARGV[4] then own = own + 1 end
end
if own >= tonumber(ARGV[7]) or #all >= tonumber(ARGV[8]) then return 'many' end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[4] .. ':' .. ARGV[5] .. ':' .. ARGV[6])
local newest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
redis.call('PEXPIRE', KEYS[1], math.max(1, newest[2] - ARGV[1]))
redis.call('SET', KEYS[2], ARGV[9], 'PX', ARGV[3])
redis.call('SET', KEYS[3], ARGV[10], 'PX', ARGV[3])
return 'put'`)

// IDs are those of all notes that are not over, the next to be over first.
func (n *Notes) IDs(ctx context.Context, now time.Time) ([]string, error) {
	got, err := n.db.Eval(ctx, ids, []string{n.index()}, now.UnixMilli())
	if err != nil {
		return nil, err
	}
	all, ok := got.([]any)
	if !ok {
		return nil, ErrOdd
	}
	out := []string{}
	for _, one := range all {
		id, ok := one.(string)
		if !ok {
			return nil, ErrOdd
		}
		out = append(out, id)
	}
	return out, nil
}

var ids = NewScript(`
local out = {}
for i, one in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do out[i] = string.sub(one, 67) end
return out`)

// Read returns those notes of which Text and State were sealed for where they stand.
func (n *Notes) Read(ctx context.Context, ids ...string) ([]Note, error) {
	places := []string{}
	for _, id := range ids {
		places = append(places, n.text(id), n.state(id))
	}
	all, err := n.get(ctx, places)
	if err != nil {
		return nil, err
	}
	out := []Note{}
	for i, id := range ids {
		text, ok := n.open(n.text(id), all[2*i])
		state, current := n.open(n.state(id), all[2*i+1])
		if ok && current {
			out = append(out, Note{ID: id, Text: text, State: state, seal: all[2*i+1].(string)})
		}
	}
	return out, nil
}

// States returns the states of notes without their texts, nil for those that have none.
func (n *Notes) States(ctx context.Context, ids ...string) ([]Note, error) {
	places := []string{}
	for _, id := range ids {
		places = append(places, n.state(id))
	}
	all, err := n.get(ctx, places)
	if err != nil {
		return nil, err
	}
	out := make([]Note, len(ids))
	for i, id := range ids {
		if state, ok := n.open(n.state(id), all[i]); ok {
			out[i] = Note{ID: id, State: state, seal: all[i].(string)}
		}
	}
	return out, nil
}

func (n *Notes) get(ctx context.Context, places []string) ([]any, error) {
	if len(places) == 0 {
		return nil, nil
	}
	got, err := n.db.Eval(ctx, get, places)
	if err != nil {
		return nil, err
	}
	all, ok := got.([]any)
	if !ok || len(all) != len(places) {
		return nil, ErrOdd
	}
	return all, nil
}

var get = NewScript(`
local out = {}
for i, key in ipairs(KEYS) do out[i] = redis.call('GET', key) end
return out`)

// Change gives a note another state, and false where it is no longer as it was read.
func (n *Notes) Change(ctx context.Context, note Note, state []byte) (changed Note, ok bool, err error) {
	changed = note
	changed.State, changed.seal = state, n.seal(n.state(note.ID), state)
	got, err := n.db.Eval(ctx, change, []string{n.state(note.ID)}, note.seal, changed.seal)
	did, err := numbers(got, err, 1)
	return changed, err == nil && did[0] == 1, err
}

var change = NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {0} end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return {1}`)

// Drop takes away whatever is there by an ID.
func (n *Notes) Drop(ctx context.Context, id string) error {
	_, err := n.db.Eval(ctx, drop, n.keysOf(id), id)
	return err
}

var drop = NewScript(`
for _, one in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
	if string.sub(one, 67) == ARGV[1] then redis.call('ZREM', KEYS[1], one) end
end
redis.call('DEL', KEYS[2], KEYS[3])
return {1}`)
