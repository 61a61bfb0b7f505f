package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/approvals"
	"sallyport/internal/identity"
	"sallyport/internal/shared"
	"sallyport/internal/shared/sharedtest"
	"sallyport/mcp"
	"sallyport/policy"
	"sallyport/policy/policytest"
)

// deciding is a service whose tenant acme has people who approve: ada asks, bob
// may answer, eve has the scope and is not named, carl has no scope.
type deciding struct {
	crossing
	told chan approvals.View
}

func newDeciding(t *testing.T, edits ...func(*config.Serve)) deciding {
	t.Helper()
	return newDecidingAt(t, func(string) *approvals.Notes { return nil }, edits...)
}

// newDecidingAt has the questions of tenants wait there.
func newDecidingAt(t *testing.T, notes func(tenant string) *approvals.Notes, edits ...func(*config.Serve)) deciding {
	t.Helper()
	asks, err := policy.New(policy.Options{FS: policytest.Asking("random is used"), Packs: []string{"asking"}})
	if err != nil {
		t.Fatal(err)
	}
	d := deciding{crossing: crossing{tokens: map[string]string{}, backends: map[string]*keeping{}}, told: make(chan approvals.View, 100)}
	people := func(c *config.Serve) {
		c.Tenants = map[string]config.Tenant{}
		for tenant, names := range map[string]map[string][]string{
			"acme":   {"ada": {"run", "check", "approve"}, "bob": {"approve"}, "eve": {"run", "approve"}, "carl": {"run", "check"}},
			"globex": {"gus": {"run", "approve"}},
		} {
			lines := ""
			for name, scopes := range names {
				token, line := identity.NewToken(name, scopes)
				d.tokens[name], lines = token, lines+line
			}
			file := filepath.Join(t.TempDir(), tenant)
			if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			c.Tenants[tenant] = config.Tenant{Dir: "/none", Tokens: file}
		}
	}
	d.fixture = startWith(t, func(t *testing.T, name string, log *memoryLog) Tenant {
		k := &keeping{tenant: name, held: make(chan struct{}, 100), release: make(chan struct{})}
		d.backends[name] = k
		queue := approvals.New(approvals.Options{
			Ask: config.Ask{By: []string{"principal:token|bob", "principal:token|ada", "principal:token|gus", "principal:token|carl"}}, Now: log.now,
			Tell: func(v approvals.View, _ <-chan struct{}) { d.told <- v }, Notes: notes(name), Replica: "here",
		})
		t.Cleanup(queue.Close)
		answers := tenant(t, gate.Options{Log: log, Backend: k, Policy: asks, Approve: queue.Approve}, mcp.Options{Parallel: 1, Heartbeat: time.Hour})
		answers.Approvals = queue
		return answers
	}, append([]func(*config.Serve){people}, edits...)...)
	return d
}

const toRun = `{"language":"python","code":"import random\nprint('ä')","args":["\u202e\u001b[2J\u009b𝕏"],"labels":{"ticket":"T-1"}}`

// waiting has ada ask for a run, and returns the question.
func (d deciding) waiting() string {
	d.t.Helper()
	status, h, text := d.plain("ada", http.MethodPost, "/v1/run", toRun)
	var a struct {
		Approval struct{ ID, Answer string }
		Result   any
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != http.StatusAccepted || h.Get("Retry-After") == "" || a.Approval.Answer != "pending" || a.Result != nil {
		d.t.Fatalf("it does not wait: %d %v %s", status, err, text)
	}
	return a.Approval.ID
}

func (d deciding) answer(who, id, what string) (int, string) {
	status, _, text := d.plain(who, http.MethodPost, approvalsPath+"/"+id, fmt.Sprintf(`{"answer":%q,"reason":"as agreed"}`, what))
	return status, text
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	d := newDeciding(t)
	id, acme := d.waiting(), d.backends["acme"]

	// Whoever may not answer does not, and is on record.
	for who, row := range map[string]struct {
		status int
		tenant string
		note   string
	}{
		"ada": {http.StatusForbidden, "acme", "approval refused: "}, "eve": {http.StatusForbidden, "acme", "approval refused: "},
		"carl": {http.StatusForbidden, "acme", "scope refused: approve"}, "gus": {http.StatusNotFound, "globex", "approval refused: "},
	} {
		for _, what := range []string{"approve", "decline"} {
			before := len(d.logs[row.tenant].all())
			if status, text := d.answer(who, id, what); status != row.status {
				t.Errorf("%s may %s: %d %s", who, what, status, text)
			}
			records := d.logs[row.tenant].all()[before:]
			if len(records) != 1 || records[0].Event != audit.EventAccess || !strings.HasPrefix(records[0].Note, row.note) || records[0].Caller.Principal.Name != who {
				t.Errorf("that %s tried is not on record: %+v", who, records)
			}
		}
	}
	for _, who := range []string{"eve", "carl", "gus"} {
		for _, path := range []string{approvalsPath, approvalsPath + "/" + id} {
			if _, _, text := d.plain(who, http.MethodGet, path, ""); strings.Contains(text, "random") || strings.Contains(text, id) {
				t.Errorf("%s is shown %s", who, text)
			}
		}
	}
	if again := d.waiting(); again != id || acme.ran() != 0 {
		t.Fatalf("after all that %d programs ran, and the question is %s and was %s", acme.ran(), again, id)
	}

	// Whoever may is shown everything, and nothing that a terminal would obey.
	_, _, list := d.plain("bob", http.MethodGet, approvalsPath, "")
	_, _, text := d.plain("bob", http.MethodGet, approvalsPath+"/"+id, "")
	for _, shown := range []string{list, text} {
		if strings.ContainsAny(shown, "\x1b\u202e\u009b") || !strings.Contains(shown, id) {
			t.Errorf("bob is shown %q", shown)
		}
	}
	var v approvals.View
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.Code != "import random\nprint('ä')" || v.Args[0] != "\u202e\x1b[2J\u009b𝕏" || v.Requester.ID != "token|ada" || v.Labels["ticket"] != "T-1" {
		t.Errorf("bob is shown %+v, %v", v, err)
	}
	for _, bad := range []string{"", "{}", `{"answer":"yes"}`, `{"answer":"approve","id":"x"}`} {
		if status, _, text := d.plain("bob", http.MethodPost, approvalsPath+"/"+id, bad); status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", bad, status, text)
		}
	}

	if status, text := d.answer("bob", id, "approve"); status != http.StatusOK {
		t.Fatalf("bob approves: %d %s", status, text)
	}
	if status, text := d.answer("bob", id, "decline"); status != http.StatusConflict {
		t.Errorf("bob answers twice: %d %s", status, text)
	}
	if status, _, text := d.plain("carl", http.MethodPost, "/v1/run", toRun); status != http.StatusAccepted || acme.ran() != 0 {
		t.Errorf("carl runs what ada asked for: %d %s", status, text)
	}
	status, _, text := d.plain("ada", http.MethodPost, "/v1/run", toRun)
	if status != http.StatusOK || acme.ran() != 1 || !strings.Contains(text, `"by": "token|bob"`) {
		t.Errorf("approved: %d %s", status, text)
	}
	if next := d.waiting(); next == id || acme.ran() != 1 {
		t.Errorf("one yes for two runs: %s, %d", next, acme.ran())
	} else if status, text := d.answer("bob", next, "decline"); status != http.StatusOK {
		t.Errorf("bob declines: %d %s", status, text)
	}
	if status, _, text := d.plain("ada", http.MethodPost, "/v1/run", toRun); status != http.StatusOK || acme.ran() != 1 || !strings.Contains(text, `"reason": "as agreed"`) {
		t.Errorf("declined: %d %s", status, text)
	}
}

// What is asked at one replica is answered at another, also while it waits there; while
// they have nothing together, neither is.
func TestApprovalsOverReplicas(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	replica := func() deciding {
		d, err := shared.Open(shared.Options{URL: db.URL, Service: "test", Log: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return newDecidingAt(t, func(tenant string) *approvals.Notes {
			n, err := d.Notes(tenant, "approvals", [][]byte{make([]byte, 32)})
			if err != nil {
				t.Fatal(err)
			}
			return n
		})
	}
	a, b := replica(), replica()
	var waits sync.WaitGroup
	waits.Go(func() {
		status, _, text := a.send(func(r *http.Request) { r.URL.Path = "/v1/run" }, header("Authorization", "Bearer "+a.tokens["ada"]), header("Prefer", "wait=3600"), body(toRun))
		if status != http.StatusOK || !strings.Contains(text, `"by": "token|bob"`) {
			t.Errorf("a call that waits, approved elsewhere: %d %s", status, text)
		}
	})
	id := (<-a.told).ID
	if status, _, text := b.plain("gus", http.MethodGet, approvalsPath+"/"+id, ""); status != http.StatusNotFound {
		t.Errorf("another tenant is shown it at another replica: %d %s", status, text)
	}
	if status, text := b.answer("bob", id, "approve"); status != http.StatusOK {
		t.Fatalf("bob approves: %d %s", status, text)
	}
	waits.Wait()
	if next := a.waiting(); next == id || b.waiting() != next || len(b.told) != 0 {
		t.Errorf("what was used is %s again, or asked twice", id)
	}

	db.Stop()
	for path, text := range map[string]string{"/v1/run": toRun, approvalsPath + "/" + id: `{"answer":"approve"}`} {
		who := "bob"
		if path == "/v1/run" {
			who = "ada"
		}
		if status, h, said := a.plain(who, http.MethodPost, path, text); status != http.StatusServiceUnavailable || !strings.Contains(said, `"away"`) || h.Get("Retry-After") == "" {
			t.Errorf("%s while the database is away: %d %s", path, status, said)
		}
	}
	if status, _, said := a.plain("bob", http.MethodGet, approvalsPath, ""); status != http.StatusServiceUnavailable {
		t.Errorf("a list while the database is away: %d %s", status, said)
	}
	if n := a.backends["acme"].ran() + b.backends["acme"].ran(); n != 1 {
		t.Errorf("%d programs ran, want 1", n)
	}
	records := a.logs["acme"].all()
	if last := records[len(records)-1]; last.Event != audit.EventAccess || !strings.HasPrefix(last.Note, "away: ") {
		t.Errorf("that a list was refused is on record as %+v", last)
	}
}

// A call that waits for a person keeps no turn from others, and its client hears
// of it.
func TestWaitForApproval(t *testing.T) {
	t.Parallel()
	d := newDeciding(t)
	acme := d.backends["acme"]
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"import random"},"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	ask := func(text string) *bufio.Scanner {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+d.at+mcpPath, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Authorization": "Bearer " + d.tokens["ada"], "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_python_code",
		} {
			r.Header.Set(name, value)
		}
		resp, err := d.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return bufio.NewScanner(resp.Body)
	}
	until := func(in *bufio.Scanner, text string) {
		t.Helper()
		heard := ""
		for in.Scan() {
			if heard += in.Text() + "\n"; strings.Contains(in.Text(), text) {
				return
			}
		}
		t.Fatalf("the client never hears %q, but\n%s", text, heard)
	}
	waits := ask(call)
	until(waits, "waiting for a person's approval")
	id := (<-d.told).ID
	if status, _, text := d.plain("carl", http.MethodPost, "/v1/run", `{"language":"python","code":"print(1)"}`); status != http.StatusOK || acme.ran() != 1 {
		t.Fatalf("carl waits for ada's approval: %d %s", status, text)
	}
	if status, text := d.answer("bob", id, "approve"); status != http.StatusOK {
		t.Fatalf("bob approves: %d %s", status, text)
	}
	until(waits, `"status":"ok"`)

	// Over the plain API, for as long as the caller wants, or is told that it goes on.
	for name, value := range map[string]string{"Prefer": "respond-async, wait=3600", "Accept": "text/event-stream"} {
		var plain sync.WaitGroup
		plain.Go(func() {
			status, _, text := d.send(func(r *http.Request) { r.URL.Path = "/v1/run" }, header("Authorization", "Bearer "+d.tokens["ada"]), header(name, value), body(strings.Replace(toRun, "T-1", name, 1)))
			if status != http.StatusOK || !strings.Contains(text, `"declined"`) {
				t.Errorf("%s: a call that waits, declined: %d %s", name, status, text)
			}
		})
		if status, text := d.answer("bob", (<-d.told).ID, "decline"); status != http.StatusOK {
			t.Errorf("bob declines: %d %s", status, text)
		}
		plain.Wait()
	}
	if acme.ran() != 2 {
		t.Errorf("%d programs ran, want 2", acme.ran())
	}
}

// Where few calls can be served, those that wait do not keep approvers out: they
// are told how to come back.
func TestFewMayWait(t *testing.T) {
	t.Parallel()
	d := newDeciding(t, func(c *config.Serve) { c.Limits.Streams = 6 })
	method, about, text := tool("run_python_code", map[string]any{"code": "import random"}, "")
	_, said := d.modern("ada", method, about, text)
	var a struct {
		Result struct {
			Content []struct{ Text string }
			Meta    map[string]struct {
				Status   string
				Approval struct{ ID string }
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(said), &a); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	told := a.Result.Meta["sallyport/result"]
	if told.Status != "waiting" || told.Approval.ID != (<-d.told).ID || !strings.Contains(a.Result.Content[0].Text, "Make exactly the same call again in 10 seconds") {
		t.Errorf("the agent is told %s", said)
	}
	if status, text := d.answer("bob", told.Approval.ID, "approve"); status != http.StatusOK {
		t.Fatalf("bob approves: %d %s", status, text)
	}
	if _, said := d.modern("ada", method, about, text); !strings.Contains(said, `"status":"ok"`) {
		t.Errorf("the same call again: %s", said)
	}
}
