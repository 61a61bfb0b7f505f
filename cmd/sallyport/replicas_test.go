package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/audit"
	"sallyport/internal/identity"
	"sallyport/internal/shared/sharedtest"
	"sallyport/sandbox/sandboxtest"
)

// replicas are the shipped program several times, with one configuration, a log each,
// and a real database. Tokens are of a name, or of TENANT/NAME.
func replicas(t *testing.T, n int, db *sharedtest.Redis, config string, scopes map[string]string) (all []*service, tokens map[string]string) {
	t.Helper()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	files := map[string]string{"sallyport.yaml": fmt.Sprintf(config, db.URL), "tokens": ""}
	tokens = map[string]string{}
	for name, scope := range scopes {
		token, line := identity.NewToken(filepath.Base(name), strings.Split(scope, ","))
		tenant, _, ok := strings.Cut(name, "/")
		if ok {
			files[tenant+"/sallyport.yaml"] = "limits: {timeout: 10m}\n"
			files[tenant+".tokens"] += line
		} else {
			files["tokens"] += line
		}
		tokens[name] = token
	}
	for range n {
		s, dir := newService(t)
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, name), text)
		}
		s.start()
		all = append(all, s)
	}
	return all, tokens
}

const answerOf42 = `{"language":"python","code":"print(6*7)"}`

// TestReplicasQuota: what is used at one replica is used up at another; what cannot be
// counted is refused, and is there again with the database.
func TestReplicasQuota(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	all, tokens := replicas(t, 2, db, `serve:
  listen: 127.0.0.1:0
  tokens: tokens
  shared: {url: "%s"}
  limits: {calls_per_minute: 60}
  quota: {cpu_seconds_per_day: 1}
  tenants: {acme: {dir: acme, tokens: acme.tokens, quota: {calls_per_minute: 1}}}
`, map[string]string{"acme/ada": "run,check", "bob": "run,check", "cyd": "run,check"})
	a, b := all[0], all[1]

	if out := a.doctor(); !strings.Contains(out, "ok   shared database: redis ") {
		t.Errorf("doctor\n%s", out)
	}

	// Calls of a tenant.
	check := `{"language":"python","code":"print(1)"}`
	if status, text := a.post(tokens["acme/ada"], "/v1/check", check); status != http.StatusOK {
		t.Fatalf("the first call: %d %s", status, text)
	}
	for _, s := range all {
		if status, text := s.post(tokens["acme/ada"], "/v1/check", check); status != http.StatusTooManyRequests || !strings.Contains(text, `"quota"`) {
			t.Errorf("one too many: %d %s", status, text)
		}
	}

	// Processor time of all, used up at one.
	for status, text := 0, ""; status != http.StatusTooManyRequests; {
		if status, text = a.post(tokens["bob"], "/v1/run", `{"language":"python","code":"import time\nt = time.monotonic()\nwhile time.monotonic() < t + 2: pass"}`); status != http.StatusOK && status != http.StatusTooManyRequests {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, text := b.post(tokens["bob"], "/v1/run", answerOf42); status != http.StatusTooManyRequests || !strings.Contains(text, `"quota"`) {
		t.Errorf("the day's time was used elsewhere: %d %s", status, text)
	}
	if got := events(t, filepath.Join(b.state, "sallyport", "audit"), audit.EventAccess); len(got) != 1 || !strings.Contains(got[0].Note, "quota refused") {
		t.Errorf("%d refusals on record", len(got))
	}

	// Away, and back with nothing in it.
	db.Stop()
	for _, s := range all {
		for _, path := range []string{"/v1/check", "/v1/run", "/mcp"} {
			if status, text := s.post(tokens["cyd"], path, answerOf42); status != http.StatusServiceUnavailable || !strings.Contains(text, `"away"`) {
				t.Errorf("%s while the database is away: %d %s", path, status, text)
			}
		}
	}
	if out := a.doctor(); !strings.Contains(out, "fail shared database: ") || !strings.Contains(out, "see that serve.shared names it") {
		t.Errorf("doctor while the database is away\n%s", out)
	}
	db.Again()
	if status, text := a.post(tokens["bob"], "/v1/run", answerOf42); status != http.StatusTooManyRequests {
		t.Errorf("a database that forgot has told the replica that used the time that it has some: %d %s", status, text)
	}
	if status, text := b.post(tokens["bob"], "/v1/run", answerOf42); status != http.StatusTooManyRequests {
		t.Errorf("and so it is at the other one: %d %s", status, text)
	}
}

// TestReplicasParallel: as many run at a time as may, wherever they are; the place of
// a replica that was killed is free again. What runs while the database goes away ends
// as if nothing were.
func TestReplicasParallel(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	all, tokens := replicas(t, 2, db, `serve:
  listen: 127.0.0.1:0
  tokens: tokens
  shared: {url: "%s"}
  tenants: {acme: {dir: acme, tokens: acme.tokens, quota: {parallel: 1}}}
limits: {timeout: 10m}
`, map[string]string{"ada": "run", "acme/bob": "run"})
	a, b := all[0], all[1]
	type answer struct {
		status int
		text   string
	}
	run := func(s *service, who, code string) <-chan answer {
		came := make(chan answer, 1)
		go func() {
			status, text := s.post(tokens[who], "/v1/run", fmt.Sprintf(`{"language":"python","code":%q,"timeout_seconds":600}`, code))
			came <- answer{status, text}
		}()
		return came
	}
	run(a, "acme/bob", "import time; time.sleep(500)")
	running(t, a.state, 1)
	waiting := run(b, "acme/bob", "print(6*7)")
	for range 3 { // which come later, and are another tenant's
		if got := <-run(b, "ada", "print(6*7)"); got.status != http.StatusOK {
			t.Fatalf("another tenant: %v", got)
		}
	}
	select {
	case got := <-waiting:
		t.Fatalf("two run at a time: %v", got)
	default:
	}
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := <-waiting; got.status != http.StatusOK || !strings.Contains(got.text, `42\n`) {
		t.Errorf("after the other replica was killed: %v", got)
	}
	goesOn := run(b, "acme/bob", "import time; time.sleep(8); print(6*7)")
	running(t, b.state, 1)
	db.Do("SET", "sallyport:{sallyport}:acme:runs", "nonsense") // by who may write there
	if got := <-run(b, "acme/bob", "print(6*7)"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.text, `"away"`) {
		t.Errorf("where nobody knows how many run: %v", got)
	}
	if got := events(t, filepath.Join(filepath.Dir(b.file), "acme", "audit"), audit.EventAccess); len(got) != 1 || !strings.Contains(got[0].Note, "away: ") {
		t.Errorf("%d refusals on record", len(got))
	}
	db.Stop()
	if got := <-goesOn; got.status != http.StatusOK || !strings.Contains(got.text, `42\n`) {
		t.Errorf("what ran when the database went away: %v", got)
	}
	if got := <-run(b, "acme/bob", "print(6*7)"); got.status != http.StatusServiceUnavailable {
		t.Errorf("and the next one: %v", got)
	}
}

// TestReplicasApprovals: what is asked at one replica is approved at another and runs
// at a third, once, also when the first one was killed; each log is whole by itself.
func TestReplicasApprovals(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	same := t.TempDir() // that all have at one place
	write(t, filepath.Join(same, "keys"), base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n")
	write(t, filepath.Join(same, "own", "own.rego"), asksAboutChance)
	all, tokens := replicas(t, 3, db, `serve: {listen: "127.0.0.1:0", tokens: tokens, handle_keys: `+same+`/keys, shared: {url: "%s"}}
policy: {dirs: [`+same+`/own]}
ask: {by: ["principal:token|bob"]}
`, map[string]string{"ada": "run", "bob": "approve"})
	a, b, c := all[0], all[1], all[2]
	run := func(s *service, want int) (id string) {
		t.Helper()
		status, text := s.post(tokens["ada"], "/v1/run", `{"language":"python","code":"import random\nprint(6*7)"}`)
		var got struct{ Approval struct{ ID string } }
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != want {
			t.Fatalf("ada runs: %d %s, want %d", status, text, want)
		}
		return got.Approval.ID
	}
	id := run(a, http.StatusAccepted)
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if status, text := b.post(tokens["bob"], "/v1/approvals/"+id, `{"answer":"approve","reason":"as agreed"}`); status != http.StatusOK {
		t.Fatalf("bob approves at another replica: %d %s", status, text)
	}
	if used := run(c, http.StatusOK); used != id {
		t.Errorf("it runs by %s, and %s was approved", used, id)
	}
	if next := run(c, http.StatusAccepted); next == id || run(b, http.StatusAccepted) != next {
		t.Error("one yes for two runs, or two questions for one call")
	}
	log := func(s *service) string { return filepath.Join(s.state, "sallyport", "audit") }
	given := events(t, log(b), audit.EventApproval)[0]
	if given.Approval.ID != id || given.Caller.Principal.Name != "bob" || given.Approval.Asked == nil {
		t.Errorf("bob's answer is on record as %+v", given.Record)
	}
	if used := events(t, log(c), audit.EventApproval)[0]; used.Answer != "accepted" || used.Approval.By.Name != "bob" || used.Approval.Answered == nil || used.Approval.Answered.Record != given.ID {
		t.Errorf("what came of it is on record as %+v", used.Record)
	}
	for _, s := range all {
		if out, _ := s.sallyport("--config", s.file, "audit", "verify"); !strings.Contains(out, "intact") {
			t.Errorf("the log: %s", out)
		}
	}
	for _, k := range db.Keys("*") {
		if v, ok := db.Do("TYPE", k).(string); ok && v == "string" && strings.Contains(fmt.Sprint(db.Do("GET", k)), "import") {
			t.Errorf("%s says what the program is", k)
		}
	}

	// Without keys it does not start.
	write(t, c.file, fmt.Sprintf("serve: {listen: \"127.0.0.1:0\", tokens: tokens, shared: {url: \"%s\"}}\nask: {by: [\"scope:approve\"]}\n", db.URL))
	c.state = sandboxtest.ShortDir(t)
	if heard, ok := c.begin(); ok || !strings.Contains(heard, "ask.by with serve.shared needs serve.handle_keys") || !strings.Contains(heard, "openssl rand") {
		t.Errorf("without keys it says\n%s", heard)
	}
	if out := c.doctor(); !strings.Contains(out, "fail shared database: ask.by with serve.shared needs serve.handle_keys") {
		t.Errorf("doctor says\n%s", out)
	}
}

// doctor is what sallyport doctor says of a service, also where it finds something.
func (s *service) doctor() string {
	cmd := exec.Command("sallyport", "--config", s.file, "doctor")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+sandboxtest.ShortDir(s.t))
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// events are the records of a log, of one kind.
func events(t *testing.T, dir string, kind audit.Event) (out []audit.Entry) {
	t.Helper()
	for r, err := range audit.Select(dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Event == kind {
			out = append(out, r)
		}
	}
	return out
}

// TestReplicasSessions: a session is of one replica, and another one that is asked for
// it says so and runs nothing, also when the first was killed.
func TestReplicasSessions(t *testing.T) {
	t.Parallel()
	db := sharedtest.Start(t)
	keys := filepath.Join(t.TempDir(), "keys")
	write(t, keys, base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n")
	all, tokens := replicas(t, 2, db, `serve: {listen: "127.0.0.1:0", tokens: tokens, handle_keys: `+keys+`, shared: {url: "%s"}, limits: {sessions_each: 2}}
mcp: {sessions: {enabled: true}}
`, map[string]string{"ada": "run,sessions", "bob": "run,sessions"})
	a, b := all[0], all[1]
	cell := func(s *service, who, name, code, want string) {
		t.Helper()
		status, text := s.post(tokens[who], "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"session":%q,"code":%q},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, name, code))
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s's %s: %d %s, want %s", who, name, status, text, want)
		}
	}
	cell(a, "ada", "x", "n = 6", "began session")
	cell(b, "ada", "x", "print(n*7)", "session_elsewhere")
	cell(a, "ada", "x", "print(n*7)", "42")
	cell(b, "bob", "x", "n = 7", "began session")
	cell(b, "ada", "new", "n = 7", `began session \"s1`)
	cell(a, "ada", "new", "n = 7", `began session \"s2`)
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cell(b, "ada", "x", "print(n*7)", "session_elsewhere")
	cell(b, "ada", "y", "n = 7", "began session")
}
