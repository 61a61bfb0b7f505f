package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/audit"
	"sallyport/gate"
)

// overHTTP is a fixture whose server is asked over HTTP, by principals that the
// test names: who they are is not this package's to verify.
type overHTTP struct {
	*fixture
	url string
}

func newOverHTTP(t *testing.T, edits ...any) overHTTP {
	t.Helper()
	f := newFixture(t, append(edits, func(o *gate.Options) { o.Remote = true })...)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		name, scopes, _ := strings.Cut(r.Header.Get("X-Test-Who"), ":")
		who := gate.Principal{Issuer: "https://idp.example", Subject: name, Tenant: "acme", How: "oauth", Scopes: strings.Split(scopes, ",")}
		f.server.HTTP(w, r, who, body)
	}))
	t.Cleanup(srv.Close)
	return overHTTP{f, srv.URL}
}

const (
	ada = "ada:run,check,sessions"
	bob = "bob:run,check,sessions"
)

// post sends a message; headers come as name and value by turns.
func (f overHTTP) post(ctx context.Context, who, body string, headers ...string) *http.Response {
	f.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("X-Test-Who", who)
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// messages are what an answer holds, the notifications first.
func (f overHTTP) messages(resp *http.Response) (all []message) {
	f.t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	texts := []string{string(b)}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		texts = nil
		for event := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
			_, data, _ := strings.Cut(event, "data: ")
			texts = append(texts, data)
		}
	}
	for _, text := range texts {
		var m message
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			f.t.Fatalf("%d: %q: %v", resp.StatusCode, text, err)
		}
		all = append(all, m)
	}
	return all
}

// shake is the handshake of a client of an older version; it returns its session.
func (f overHTTP) shake(who string) string {
	f.t.Helper()
	resp := f.post(f.t.Context(), who, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},`+clientName+`}}`)
	id := resp.Header.Get(sessionName)
	if resp.StatusCode != http.StatusOK || id == "" {
		f.t.Fatalf("initialize: %d, session %q", resp.StatusCode, id)
	}
	return id
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1.0"},"io.modelcontextprotocol/clientCapabilities":{}}`

// modern is a call of protocol version 2026-07-28, which has no handshake.
func (f overHTTP) modern(who, tool, arguments string) *http.Response {
	f.t.Helper()
	body := `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,` + meta + `}}`
	return f.post(f.t.Context(), who, body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool)
}

func (f overHTTP) only(resp *http.Response) toolResult {
	f.t.Helper()
	all := f.messages(resp)
	return f.result(all[len(all)-1])
}

func TestHTTPRuns(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t)
	modern := f.messages(f.modern(ada, "run_python_code", `{"code":"print(1)"}`))
	if r := f.result(modern[0]); r.Meta.Result.Status != "ok" || string(modern[0].ID) != "9007199254740993" {
		t.Errorf("2026-07-28: id %s, %+v", modern[0].ID, r.Meta.Result)
	}
	session := f.shake(ada)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"print(1)"},"_meta":{"progressToken":"p"}}}`
	all := f.messages(f.post(t.Context(), ada, call, sessionName, session))
	if len(all) < 3 || all[0].Method != "notifications/progress" || f.result(all[len(all)-1]).Meta.Result.Status != "ok" {
		t.Errorf("2025-11-25: %+v", all)
	}
	for _, r := range f.log.all() {
		if p := r.Caller.Principal; p == nil || p.Subject != "ada" || p.Tenant != "acme" || r.Caller.User != "https://idp.example|ada" {
			t.Errorf("the record of the %s names %+v", r.Event, p)
		}
	}
}

// Each row sends a message whose headers are not those that it should have.
func TestHTTPHeaders(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"print(1)"},` + meta + `}}`
	old := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, row := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"another version":  {call, []string{"Mcp-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/call", "Mcp-Name", "run_python_code"}, 400},
		"no version":       {call, []string{"Mcp-Method", "tools/call", "Mcp-Name", "run_python_code"}, 400},
		"another method":   {call, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list", "Mcp-Name", "run_python_code"}, 400},
		"no method":        {call, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Name", "run_python_code"}, 400},
		"another name":     {call, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "check_code"}, 400},
		"no name":          {call, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call"}, 400},
		"unknown version":  {old, []string{"Mcp-Protocol-Version", "2031-01-01"}, 400},
		"no session":       {old, nil, 400},
		"unknown session":  {old, []string{sessionName, "made up"}, 404},
		"a batch":          {"[" + old + "]", nil, 400},
		"no JSON":          {"{", nil, 400},
		"no JSON object":   {"7", nil, 400},
		"an id of no kind": {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400},
	} {
		if resp := f.post(t.Context(), ada, row.body, row.headers...); resp.StatusCode != row.status {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, row.status)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		r, err := http.NewRequestWithContext(t.Context(), method, f.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, resp.StatusCode)
		}
	}
	if all := f.log.all(); len(all) != 1 || all[0].Note != `connection refused: "made up" is none of theirs` {
		t.Errorf("on record is more or less than the session that there is not: %+v", all)
	}
}

// A client that goes away cancels its call.
func TestHTTPClientGone(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		f.waitRunning(1)
		leave()
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"# hold\n1"},`+meta+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"X-Test-Who": ada, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_python_code"} {
		r.Header.Set(name, value)
	}
	if resp, err := http.DefaultClient.Do(r); err == nil {
		resp.Body.Close()
		t.Error("a call that nobody waits for was answered")
	}
	f.waitRunning(0)
}

// Everything that is ada's is, to bob, not there: nothing of it is told, read,
// cancelled or answered by him.
func TestHTTPAnothersHandles(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t, func(o *gate.Options) { o.Approve = Approve })
	session := f.shake(ada)
	held := make(chan []message, 1)
	go func() {
		held <- f.messages(f.post(t.Context(), ada, call("7", "run_python_code", `{"code":"# hold\n1"}`), sessionName, session))
	}()
	f.waitRunning(1)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	if resp := f.post(t.Context(), bob, cancel, sessionName, session); resp.StatusCode != http.StatusNotFound {
		t.Errorf("bob cancels in ada's session: %d", resp.StatusCode)
	}
	f.post(t.Context(), bob, cancel, sessionName, f.shake(bob))
	f.post(t.Context(), bob, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,`+meta+`}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "notifications/cancelled")
	drop, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, f.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	drop.Header.Set("X-Test-Who", bob)
	drop.Header.Set(sessionName, session)
	if resp, err := http.DefaultClient.Do(drop); err != nil {
		t.Fatal(err)
	} else {
		resp.Body.Close()
	}
	f.backend.release <- struct{}{}
	all := <-held
	if r := f.result(all[len(all)-1]); r.Meta.Result.Status != "ok" {
		t.Errorf("ada's call was ended by bob: %+v", r.Meta.Result)
	}
	if resp := f.post(t.Context(), ada, `{"jsonrpc":"2.0","id":8,"method":"ping"}`, sessionName, session); resp.StatusCode != http.StatusOK {
		t.Errorf("ada's session was ended by bob: %d", resp.StatusCode)
	}

	files := f.only(f.modern(ada, "run_python_code", `{"code":"# files\n1"}`))
	uri := files.Meta.Result.Artifacts[2].URI
	read := func(who string) *http.Response {
		return f.post(t.Context(), who, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`",`+meta+`}}`,
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read", "Mcp-Name", uri)
	}
	if resp := read(ada); resp.StatusCode != http.StatusOK {
		t.Errorf("ada reads her file: %d", resp.StatusCode)
	}
	if resp := read(bob); resp.StatusCode == http.StatusOK {
		t.Error("bob reads ada's file")
	}
}

// The yes to a question counts only from whoever was asked.
func TestHTTPAnothersQuestion(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t, askForRandom(t))
	ask := func(who, extra string) message {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"import random\nprint(1)"},` + extra +
			strings.Replace(meta, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`, 1) + `}}`
		return f.messages(f.post(t.Context(), who, body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "run_python_code"))[0]
	}
	var asked struct{ RequestState string }
	if err := json.Unmarshal(ask(ada, "").Result, &asked); err != nil || asked.RequestState == "" {
		t.Fatalf("no question: %v", err)
	}
	yes := `"requestState":"` + asked.RequestState + `","inputResponses":{"approve":{"action":"accept","content":{"approve":true}}},`
	ask(bob, yes)
	if n := len(f.backend.specs); n != 0 {
		t.Fatalf("bob's yes to ada's question ran %d programs", n)
	}
	ask(ada, yes)
	if n := len(f.backend.specs); n != 1 {
		t.Errorf("ada's own yes ran %d programs", n)
	}
	ask(ada, yes)
	if n := len(f.backend.specs); n != 1 {
		t.Errorf("a yes that was sent again ran %d programs in all", n)
	}
}

func TestHTTPScopes(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t)
	for _, who := range []string{"eve:check", "eve:", "eve:RUN", "eve:runs"} {
		if r := f.only(f.modern(who, "run_python_code", `{"code":"print(1)"}`)); r.Meta.Result.Reason != "scope" {
			t.Errorf("%s runs: %+v", who, r.Meta.Result)
		}
	}
	if r := f.only(f.modern("eve:run", "check_code", `{"language":"python","code":"print(1)"}`)); r.Meta.Result.Reason != "scope" {
		t.Errorf("run is not check: %+v", r.Meta.Result)
	}
	if n := len(f.backend.specs); n != 0 {
		t.Errorf("%d programs ran", n)
	}
	for body, want := range map[string]string{
		call("1", "run_python_code", `{"code":""}`):              "run",
		call("1", "run_javascript_code", `{"session":"a"}`):      "run,sessions",
		call("1", "check_code", `{}`):                            "check",
		call("1", "end_session", `{}`):                           "sessions",
		call("1", "a tool that there is not", `{}`):              "run",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:         "",
		`{"method":"ping","method":"tools/call","params":{}}`:    "run",
		`{"Method":"tools/call","params":{"Name":"check_code"}}`: "check",
		`no JSON`: "",
	} {
		if got := strings.Join(Needs([]byte(body)), ","); got != want {
			t.Errorf("%s needs %q, want %q", body, got, want)
		}
	}
}

// A full queue is said with when to come again, over both doors, and is on record.
func TestHTTPBusy(t *testing.T) {
	t.Parallel()
	f := newOverHTTP(t, func(o *Options) { o.Parallel, o.Queue = 1, 1 })
	var held sync.WaitGroup
	held.Go(func() { f.modern(ada, "run_python_code", `{"code":"# hold\n1"}`) })
	f.waitRunning(1)
	held.Go(func() { f.modern(ada, "run_python_code", `{"code":"# hold\n1"}`) })
	for f.waiting() != 1 {
		time.Sleep(time.Millisecond)
	}
	var said struct {
		Meta struct {
			Result struct {
				Reason string `json:"reason"`
				Retry  int    `json:"retry_after_seconds"`
			} `json:"sallyport/result"`
		} `json:"_meta"`
	}
	m := f.messages(f.modern(bob, "run_python_code", `{"code":"print(1)"}`))
	if err := json.Unmarshal(m[len(m)-1].Result, &said); err != nil || said.Meta.Result.Reason != "busy" || said.Meta.Result.Retry != 1 {
		t.Errorf("an agent is told %+v, %v", said, err)
	}
	plain := httptest.NewRecorder()
	who := gate.Principal{Issuer: "https://idp.example", Subject: "bob", Tenant: "acme", How: "oauth"}
	NewAPI(f.server).Run(plain, httptest.NewRequest(http.MethodPost, "/v1/run", nil), who, []byte(`{"language":"python","code":"print(1)"}`))
	if plain.Code != http.StatusServiceUnavailable || plain.Header().Get("Retry-After") != "1" {
		t.Errorf("a program is told %d, retry after %q", plain.Code, plain.Header().Get("Retry-After"))
	}
	refused := 0
	for _, r := range f.log.all() {
		if r.Event == audit.EventAccess && strings.HasPrefix(r.Note, "busy: ") && r.Caller.User == "https://idp.example|bob" {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d refusals are on record, want 2", refused)
	}
	close(f.backend.release)
	held.Wait()
}

// Whoever differs in anything that was verified is somebody else.
func TestOwners(t *testing.T) {
	seen := map[string]gate.Principal{}
	for _, p := range []gate.Principal{
		{},
		{How: "oauth", Issuer: "https://a", Tenant: "acme", Subject: "ada"},
		{How: "token", Issuer: "https://a", Tenant: "acme", Subject: "ada"},
		{How: "oauth", Issuer: "https://b", Tenant: "acme", Subject: "ada"},
		{How: "oauth", Issuer: "https://a", Tenant: "globex", Subject: "ada"},
		{How: "oauth", Issuer: "https://a", Tenant: "acme", Subject: "bob"},
		{How: "oauth", Issuer: "https://a", Tenant: `acme" "ada`},
	} {
		if other, ok := seen[key(p)]; ok {
			t.Errorf("%+v is taken for %+v", p, other)
		}
		seen[key(p)] = p
	}
}
