package identity

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"sallyport/gate"
	"sallyport/internal/trust"
)

// tokenPrefix begins every static token, so that it is known for one wherever
// it turns up.
const tokenPrefix = "spt_"

// groupsPrefix begins the word of a line that says in which groups a token is.
const groupsPrefix = "groups="

// NewToken makes a static token and its line of the file: NAME SHA256 SCOPES, and
// groups=NAMES where there are any. The token is 128 random bits, so that a plain
// hash keeps it.
func NewToken(name string, scopes []string, groups ...string) (token, line string) {
	token = tokenPrefix + rand.Text()
	line = name + " " + hash(token) + " " + strings.Join(scopes, ",")
	if len(groups) > 0 {
		line += " " + groupsPrefix + strings.Join(groups, ",")
	}
	return token, line + "\n"
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// tokenFile is the file of static tokens, read again when it changes: one
// that was taken out of it opens nothing any more.
type tokenFile struct {
	path   string
	tenant string // of all who are in it
	now    func() time.Time
	record Reloaded

	mu      sync.Mutex // guards the fields below
	seen    os.FileInfo
	known   []knownToken
	sha256  string // of what is known; "" where nobody is, because it was refused
	refused bool   // which is on record
}

const tokensPart = "tokens"

func (f *tokenFile) digest() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sha256
}

type knownToken struct {
	name, hash string
	scopes     []string
	groups     []string
	expires    time.Time // zero: never
}

const maxTokenFile = 1 << 20

// read returns the tokens in the file. A file that cannot be read or understood
// knows nobody, and so does one whose change cannot be recorded.
func (f *tokenFile) read() ([]knownToken, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.seen == nil
	known, err := f.load()
	if err != nil && !first && !f.refused {
		if unrecorded := f.record(f.tenant, tokensPart, "", err); unrecorded != nil {
			return nil, errors.Join(err, unrecorded)
		}
		f.refused, f.sha256 = true, ""
	}
	return known, err
}

func (f *tokenFile) load() ([]knownToken, error) {
	st, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	if err := trust.Path("the tokens", f.path); err != nil {
		return nil, err
	}
	if f.seen != nil && os.SameFile(f.seen, st) && st.ModTime().Equal(f.seen.ModTime()) && st.Size() == f.seen.Size() && !f.refused {
		return f.known, nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxTokenFile))
	if err != nil {
		return nil, err
	}
	known, err := parseTokens(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	sum := hash(string(text))
	if f.seen != nil && sum != f.sha256 {
		if err := f.record(f.tenant, tokensPart, sum, nil); err != nil {
			return nil, err
		}
	}
	f.seen, f.known, f.sha256, f.refused = st, known, sum, false
	return known, nil
}

func parseTokens(r io.Reader) ([]knownToken, error) {
	var out []knownToken
	names := map[string]bool{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		fields := strings.Fields(in.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 || len(fields) > 5 || len(fields[1]) != sha256.Size*2 || strings.Contains(fields[0], "|") {
			return nil, fmt.Errorf("line %d is not NAME SHA256 SCOPES [groups=NAMES] [EXPIRES]", n)
		}
		if _, err := hex.DecodeString(fields[1]); err != nil {
			return nil, fmt.Errorf("line %d: the second word is no SHA-256", n)
		}
		if names[fields[0]] {
			return nil, fmt.Errorf("line %d: %s is there twice", n, fields[0])
		}
		names[fields[0]] = true
		t := knownToken{name: fields[0], hash: strings.ToLower(fields[1]), scopes: strings.Split(fields[2], ",")}
		rest := fields[3:]
		if len(rest) > 0 && strings.HasPrefix(rest[0], groupsPrefix) {
			t.groups, rest = strings.Split(strings.TrimPrefix(rest[0], groupsPrefix), ","), rest[1:]
			if slices.Contains(t.groups, "") {
				return nil, fmt.Errorf("line %d: %s names a group that has no name", n, fields[3])
			}
		}
		if len(rest) > 0 {
			var err error
			if t.expires, err = time.Parse(time.DateOnly, rest[0]); err != nil || len(rest) > 1 {
				return nil, fmt.Errorf("line %d: %s is not a date such as 2027-01-31", n, strings.Join(rest, " "))
			}
		}
		out = append(out, t)
	}
	return out, in.Err()
}

// static is the principal of a static token.
func (v *Verifier) static(token string) (gate.Principal, error) {
	sum := hash(token)
	var unread error
	for _, f := range v.tokens {
		known, err := f.read()
		if err != nil {
			unread = fmt.Errorf("%w: %v", ErrUnavailable, err)
		}
		for _, t := range known {
			if subtle.ConstantTimeCompare([]byte(sum), []byte(t.hash)) != 1 {
				continue
			}
			if !t.expires.IsZero() && !f.now().Before(t.expires) {
				return gate.Principal{}, refuse("the token of %s has expired", t.name)
			}
			return gate.Principal{Issuer: "token", Subject: t.name, Name: t.name, Groups: t.groups, Tenant: f.tenant, Scopes: t.scopes, How: "token"}, nil
		}
	}
	if unread != nil {
		return gate.Principal{}, unread
	}
	return gate.Principal{}, refuse("the token is not known")
}
