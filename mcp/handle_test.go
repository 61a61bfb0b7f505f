package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"sallyport/gate"
)

func keyLine(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, handleKey)) + "\n"
}

func handles(t *testing.T, replica, keys string) *Handles {
	t.Helper()
	h, err := NewHandles(replica, []byte(keys))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Whose handle is read, by whom, and for what: each row changes one thing of a
// handle that counts.
func TestHandles(t *testing.T) {
	here, there := handles(t, "pod-0", keyLine(1)), handles(t, "pod-1", keyLine(1))
	owner := key(gate.Principal{How: "oauth", Issuer: "i", Tenant: "acme", Subject: "ada"})
	good := there.name("connection", owner, "")
	if r, ok := here.elsewhere("connection", owner, good); !ok || r.replica != "pod-1" {
		t.Fatalf("a replica's handle is not read: %+v", r)
	}
	parts := strings.Split(good, "~")
	with := func(i int, v string) string {
		p := append([]string{}, parts...)
		p[i] = v
		return strings.Join(p, "~")
	}
	for name, row := range map[string]struct {
		by                  *Handles
		kind, owner, handle string
	}{
		"another replica's name":   {here, "connection", owner, with(0, "pod-2")},
		"another time":             {here, "connection", owner, with(1, "1")},
		"another text":             {here, "connection", owner, with(2, "AAAA")},
		"about something":          {here, "connection", owner, with(3, "hash")},
		"no signature":             {here, "connection", owner, with(4, "")},
		"another signature":        {here, "connection", owner, with(4, strings.Repeat("A", len(parts[4])))},
		"a part more":              {here, "connection", owner, good + "~"},
		"nothing":                  {here, "connection", owner, ""},
		"another kind":             {here, "question", owner, good},
		"another principal":        {here, "connection", key(gate.Principal{How: "oauth", Issuer: "i", Tenant: "acme", Subject: "bob"}), good},
		"another tenant":           {here, "connection", key(gate.Principal{How: "oauth", Issuer: "i", Tenant: "umbrella", Subject: "ada"}), good},
		"made with another key":    {handles(t, "pod-0", keyLine(2)), "connection", owner, good},
		"the replica's own":        {there, "connection", owner, good},
		"where nothing is signed":  {nil, "connection", owner, good},
		"kind and owner run on":    {here, "connectio", "n" + owner, good},
		"larger than any":          {here, "connection", owner, good + strings.Repeat("A", 1024)},
		"a name that says nothing": {here, "connection", owner, (*Handles)(nil).name("connection", owner, "")},
	} {
		if r, ok := row.by.elsewhere(row.kind, row.owner, row.handle); ok {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

// Keys change without a handle lost: both count, the first one signs.
func TestHandleKeysChange(t *testing.T) {
	before, between, after := handles(t, "a", keyLine(1)), handles(t, "b", keyLine(2)+keyLine(1)), handles(t, "c", keyLine(2))
	for _, row := range []struct {
		what     string
		from, by *Handles
		want     bool
	}{
		{"the old key's, while both count", before, between, true},
		{"the new key's", between, after, true},
		{"the old key's, once it is gone", before, after, false},
	} {
		if _, ok := row.by.elsewhere("connection", "o", row.from.name("connection", "o", "")); ok != row.want {
			t.Errorf("%s: read %v", row.what, ok)
		}
	}
	for name, file := range map[string]string{
		"none": "\n", "three": keyLine(1) + keyLine(2) + keyLine(3), "a short one": "YWJj\n", "no base64": "not base64 at all\n",
	} {
		if _, err := NewHandles("a", []byte(file)); err == nil || strings.Contains(err.Error(), "not base64 at all") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewHandles("a~b", []byte(keyLine(1))); err == nil {
		t.Error("a replica with ~ in its name")
	}
}

// An answer to another replica's question is taken once, while it is young, and
// no more of one principal's than of its own questions.
func TestHandlesAnswered(t *testing.T) {
	here, there := handles(t, "pod-0", keyLine(1)), handles(t, "pod-1", keyLine(1))
	now := time.Unix(1_800_000_000, 0)
	here.now, there.now = func() time.Time { return now }, func() time.Time { return now }
	first := there.name("question", "ada", "hash")
	if got := here.answered("bob", first); got != "" {
		t.Errorf("bob answers ada's question about %q", got)
	}
	if got := here.answered("ada", first); got != "hash" {
		t.Errorf("ada answers a question about %q", got)
	}
	if here.answered("ada", first) != "" {
		t.Error("an answer is taken twice")
	}
	if here.answered("ada", there.name("connection", "ada", "hash")) != "" {
		t.Error("a session is taken for a question")
	}
	old := there.name("question", "ada", "hash")
	now = now.Add(questionOf + time.Second)
	if here.answered("ada", old) != "" {
		t.Error("an old question is answered")
	}
	now = now.Add(clocksMay + time.Second)
	early := there.name("question", "ada", "hash")
	now = now.Add(-2*clocksMay - 2*time.Second)
	if here.answered("ada", early) != "" {
		t.Error("a question of the future is answered")
	}
	for range maxQuestions {
		if here.answered("eve", there.name("question", "eve", "hash")) == "" {
			t.Fatal("a good answer is not taken")
		}
	}
	if here.answered("eve", there.name("question", "eve", "hash")) != "" {
		t.Error("one principal's answers have no bound")
	}
	if here.answered("ada", there.name("question", "ada", "hash")) == "" {
		t.Error("one principal's answers keep another from answering")
	}
}

// What clients see of two replicas: a session of the other one is refused with
// where it is, and with nothing more where it is not theirs; a question is answered
// at either.
func TestReplicas(t *testing.T) {
	t.Parallel()
	named := func(replica string) func(*Options) {
		return func(o *Options) { o.Handles = handles(t, replica, keyLine(1)) }
	}
	one, two := newOverHTTP(t, askForRandom(t), named("pod-1")), newOverHTTP(t, askForRandom(t), named("pod-2"))
	id := one.shake(ada)
	ping := func(f overHTTP, who, id string) string {
		resp := f.post(t.Context(), who, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionName, id)
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if f == two && resp.StatusCode != http.StatusNotFound || f == one && who == ada && resp.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", resp.StatusCode, b)
		}
		return string(b)
	}
	ping(one, ada, id)
	if got := ping(two, ada, id); !strings.Contains(got, "this session is of replica pod-1, and this is pod-2") {
		t.Errorf("ada is told %s", got)
	}
	for name, got := range map[string]string{"bob": ping(two, bob, id), "a forged one": ping(two, ada, strings.Replace(id, "pod-1", "pod-3", 1))} {
		if !strings.Contains(got, "there is no such session") || strings.Contains(got, "pod") {
			t.Errorf("%s is told %s", name, got)
		}
	}
	ask := func(f overHTTP, who, code, extra string) message {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"` + code + `"},` + extra +
			strings.Replace(meta, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`, 1) + `}}`
		return f.messages(f.post(t.Context(), who, body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "run_python_code"))[0]
	}
	const code = `import random\nprint(1)`
	question := func(f overHTTP) string {
		var asked struct{ RequestState string }
		if err := json.Unmarshal(ask(f, ada, code, "").Result, &asked); err != nil || asked.RequestState == "" {
			t.Fatalf("no question: %v", err)
		}
		return `"requestState":"` + asked.RequestState + `","inputResponses":{"approve":{"action":"accept","content":{"approve":true}}},`
	}
	ran := func(what string, want int) {
		t.Helper()
		if n := len(two.backend.specs); n != want {
			t.Fatalf("%s: %d programs ran, want %d", what, n, want)
		}
	}
	yes := question(one)
	ask(two, bob, code, yes)
	ran("bob's yes", 0)
	ask(two, ada, code, strings.Replace(yes, "pod-1", "pod-3", 1))
	ran("a changed state", 0)
	ask(two, ada, code, yes)
	ran("ada's yes at the other replica", 1)
	ask(two, ada, code, yes)
	ran("the same yes again", 1)
	ask(two, ada, code+`\nprint(2)`, question(one))
	ran("a yes to other code", 1)
	own := question(two)
	ask(two, ada, code, own)
	ran("ada's yes at the replica that asked", 2)
	ask(two, ada, code, own)
	ran("the same yes again, there", 2)
}

// Keys for other purposes are one's own for each key and purpose, the same at every
// replica, and none of those that sign.
func TestHandlesKeys(t *testing.T) {
	t.Parallel()
	one, two := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	file := []byte(base64.StdEncoding.EncodeToString(one) + "\n" + base64.StdEncoding.EncodeToString(two) + "\n")
	seen := map[string]bool{string(one): true, string(two): true}
	for _, purpose := range []string{"approvals", "others"} {
		var before [][]byte
		for _, name := range []string{"a", "b"} {
			h, err := NewHandles(name, file)
			if err != nil {
				t.Fatal(err)
			}
			keys, err := h.Keys(purpose)
			if err != nil || len(keys) != 2 || before != nil && !reflect.DeepEqual(keys, before) {
				t.Fatalf("keys of %s: %x, %v; at another replica %x", name, keys, err, before)
			}
			before = keys
		}
		for _, k := range before {
			if seen[string(k)] || len(k) != 32 {
				t.Errorf("%x is a key twice", k)
			}
			seen[string(k)] = true
		}
	}
}
