package mcp

import (
	"bufio"
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Handles makes the names that clients bring back, and reads those that other
// replicas of the service made: each says which replica has what it names, for
// whom it was made, and is signed with a key that all replicas have. Nil makes
// names that say nothing. It is safe for concurrent use.
type Handles struct {
	replica string
	keys    [][]byte // the first one signs
	now     func() time.Time

	mu   sync.Mutex // guards what follows
	used []usedHandle
}

type usedHandle struct {
	mac, owner string
	until      time.Time
}

const (
	handleKey  = 32               // bytes of a key at least
	handleKeys = 2                // the one that signs, and the one before or after it
	questionOf = 15 * time.Minute // another replica's question may be answered
	clocksMay  = time.Minute      // be apart
)

var replicaName = regexp.MustCompile(`^[A-Za-z0-9.-]{1,253}$`)

// NewHandles returns the Handles of a replica, with the keys of a file: one on
// each line, base64 of 32 bytes or more; the first one signs, and both count.
func NewHandles(replica string, file []byte) (*Handles, error) {
	h := &Handles{replica: replica, now: time.Now}
	if !replicaName.MatchString(replica) {
		return nil, fmt.Errorf("%q is no name for a replica", replica)
	}
	lines := bufio.NewScanner(bytes.NewReader(file))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(key) < handleKey {
			return nil, fmt.Errorf("key %d is not base64 of %d bytes or more", len(h.keys)+1, handleKey)
		}
		h.keys = append(h.keys, key)
	}
	if err := lines.Err(); err != nil || len(h.keys) == 0 || len(h.keys) > handleKeys {
		return nil, errors.Join(err, fmt.Errorf("the file has %d keys; it has one, or two while they change", len(h.keys)))
	}
	return h, nil
}

// Keys are for one other purpose of this service's replicas: 32 bytes for each of the
// keys that sign, in their order.
func (h *Handles) Keys(purpose string) (keys [][]byte, err error) {
	for _, key := range h.keys {
		k, err := hkdf.Key(sha256.New, key, nil, "sallyport "+purpose, 32)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// read is a handle of which the signature was good.
type read struct {
	replica, about, mac string
	at                  time.Time
}

// name makes one for something of an owner's that this replica has. What it is
// about stands in it for all to see.
func (h *Handles) name(kind, owner, about string) string {
	if h == nil {
		return rand.Text()
	}
	text := strings.Join([]string{h.replica, strconv.FormatInt(h.now().Unix(), 10), rand.Text(), about}, "~")
	return text + "~" + sign(h.keys[0], kind, owner, text)
}

// sign holds kind and owner apart from each other and from the rest: the lengths
// go first.
func sign(key []byte, kind, owner, text string) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "sallyport handle %d %d %s%s%s", len(kind), len(owner), kind, owner, text)
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// elsewhere reads what another replica made for an owner, and of that kind; false
// for anything else, be it forged, another's, or our own.
func (h *Handles) elsewhere(kind, owner, handle string) (r read, ok bool) {
	if h == nil || len(handle) > 1024 {
		return r, false
	}
	parts := strings.Split(handle, "~")
	if len(parts) != 5 || parts[0] == h.replica || !replicaName.MatchString(parts[0]) {
		return r, false
	}
	mac := parts[4]
	text := strings.TrimSuffix(handle, "~"+mac)
	good := slices.ContainsFunc(h.keys, func(key []byte) bool {
		return hmac.Equal([]byte(mac), []byte(sign(key, kind, owner, text)))
	})
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if !good || err != nil {
		return r, false
	}
	return read{parts[0], parts[3], mac, time.Unix(at, 0)}, true
}

// answered takes the answer to another replica's question, once, while it is
// young, and returns what it was about; "" for one that cannot be taken. That
// none was answered before is known of this replica alone.
func (h *Handles) answered(owner, handle string) (about string) {
	r, ok := h.elsewhere("question", owner, handle)
	if !ok {
		return ""
	}
	now := h.now()
	if r.at.After(now.Add(clocksMay)) || r.at.Before(now.Add(-questionOf)) {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used = slices.DeleteFunc(h.used, func(u usedHandle) bool { return u.until.Before(now) })
	own := 0
	for _, u := range h.used {
		if u.owner == owner {
			own++
		}
		if u.mac == r.mac {
			return ""
		}
	}
	if own >= maxQuestions || len(h.used) >= maxQuestionsAll {
		return ""
	}
	h.used = append(h.used, usedHandle{r.mac, owner, r.at.Add(questionOf)})
	return r.about
}

// where says where what a handle names is, "" where nobody can tell.
func (h *Handles) where(kind, owner, handle string) string {
	r, ok := h.elsewhere(kind, owner, handle)
	if !ok {
		return ""
	}
	return fmt.Sprintf("this session is of replica %s, and this is %s: begin a new one, or come back to that replica", r.replica, h.replica)
}
