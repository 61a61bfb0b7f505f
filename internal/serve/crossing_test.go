package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sallyport/answer"
	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/approvals"
	"sallyport/mcp"
	"sallyport/policy"
	"sallyport/policy/policytest"
	"sallyport/sandbox"
)

// keeping is a sandbox whose programs leave files, hold, and go on in sessions.
type keeping struct {
	tenant  string
	held    chan struct{} // something holds
	release chan struct{}

	mu    sync.Mutex // guards specs
	specs []sandbox.Spec
}

func (k *keeping) Describe() sandbox.Description { return sandbox.Description{Name: "fake"} }

func (k *keeping) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	k.mu.Lock()
	k.specs = append(k.specs, s)
	k.mu.Unlock()
	secret := []byte("secret of " + k.tenant)
	r := sandbox.Result{Reason: sandbox.Exited, Stdout: secret}
	for _, given := range s.References {
		b, err := io.ReadAll(given.File)
		if err != nil {
			return r, err
		}
		r.Stdout = append(r.Stdout, b...)
	}
	switch {
	case strings.HasPrefix(s.Code, "# files"):
		r.Artifacts = []sandbox.File{{Path: "mine-of-" + k.tenant + ".bin", Data: append(make([]byte, 1<<20), secret...), MediaType: "application/octet-stream"}}
	case strings.HasPrefix(s.Code, "# hold"):
		k.held <- struct{}{}
		select {
		case <-k.release:
		case <-ctx.Done():
			r.Reason = sandbox.Cancelled
		}
	}
	return r, nil
}

func (k *keeping) Begin(context.Context, sandbox.Spec) (sandbox.Session, error) {
	return &keptOpen{keeping: k}, nil
}

func (k *keeping) ran() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.specs)
}

type keptOpen struct {
	*keeping
	ended bool
}

func (k *keptOpen) Ended() bool  { return k.ended }
func (k *keptOpen) Close() error { k.ended = true; return nil }

// crossing is a service with two tenants, and a client of one of them.
type crossing struct {
	*fixture
	tokens   map[string]string
	backends map[string]*keeping
}

// tool is the message that calls a tool.
func tool(name string, arguments map[string]any, more string) (method, about, text string) {
	b, _ := json.Marshal(arguments)
	return "tools/call", name, fmt.Sprintf(`"name":%q,"arguments":%s,%s`, name, b, more)
}

// modern sends a message of version 2026-07-28, in which everything is said.
func (c crossing) modern(who, method, about, params string) (int, string) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	status, _, text := c.send(func(r *http.Request) { r.URL.Path = mcpPath }, header("Authorization", "Bearer "+c.tokens[who]), header("Accept", "application/json"),
		header("Mcp-Protocol-Version", "2026-07-28"), header("Mcp-Method", method), func(r *http.Request) {
			if about != "" {
				r.Header.Set("Mcp-Name", about)
			}
		}, body(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s%s}}`, method, params, meta)))
	return status, text
}

// old sends a message of a version with a handshake, to a connection.
func (c crossing) old(who, verb, connection, text string) (int, http.Header, string) {
	return c.send(func(r *http.Request) { r.URL.Path, r.Method = mcpPath, verb }, header("Authorization", "Bearer "+c.tokens[who]), header("Accept", "application/json"), body(text), func(r *http.Request) {
		if connection != "" {
			r.Header.Set("Mcp-Session-Id", connection)
		}
	})
}

// plain asks the plain API.
func (c crossing) plain(who, verb, path, text string) (int, http.Header, string) {
	return c.send(func(r *http.Request) { r.Method, r.URL.Path = verb, path }, header("Authorization", "Bearer "+c.tokens[who]), body(text))
}

func newCrossing(t *testing.T) crossing {
	t.Helper()
	asks, err := policy.New(policy.Options{FS: policytest.Asking("random is used"), Packs: []string{"asking"}})
	if err != nil {
		t.Fatal(err)
	}
	c := crossing{tokens: map[string]string{}, backends: map[string]*keeping{}}
	c.fixture = startWith(t, func(t *testing.T, name string, log *memoryLog) Tenant {
		k := &keeping{tenant: name, held: make(chan struct{}, 100), release: make(chan struct{})}
		c.backends[name] = k
		data := t.TempDir()
		if err := os.WriteFile(filepath.Join(data, "in.txt"), []byte("data of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		queue := approvals.New(approvals.Options{Ask: config.Ask{By: []string{"scope:approve"}}})
		byOthers := func(ctx context.Context, q gate.Question) (gate.Approval, error) {
			if strings.Contains(q.Source, "# others") {
				return queue.Approve(ctx, q)
			}
			return mcp.Approve(ctx, q)
		}
		answers := tenant(t, gate.Options{Log: log, Backend: k, Policy: asks, Approve: byOthers, Sessions: &gate.SessionLimits{},
			Environments: map[string]gate.Environment{"lab-of-" + name: {}}, Directories: map[string]string{"data-of-" + name: data}},
			mcp.Options{Environments: answer.Environments{{Name: "lab-of-" + name, Description: "secret of " + name}}, Directories: []string{"data-of-" + name}})
		answers.Approvals = queue
		return answers
	}, bySome(t, c.tokens, "run", "check", "sessions", "approve"), func(s *config.Serve) { s.Limits.CallsPerMinute = 1 << 20 })
	return c
}

// named is what acme has, by its kind: each has been seen in an answer to acme, or
// was chosen by it.
func (c crossing) named() map[string]string {
	c.t.Helper()
	names := map[string]string{"environment": "lab-of-acme", "directory": "data-of-acme", "session": "calc-of-acme"}
	_, h, _ := c.old("acme", http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	names["connection"] = h.Get("Mcp-Session-Id")
	_, text := c.modern("acme", "tools/call", "run_python_code", `"name":"run_python_code","arguments":{"code":"# files\n1"},`)
	_, rest, _ := strings.Cut(text, `sallyport://runs/`)
	rest, _, _ = strings.Cut(rest, `"`)
	names["resource"] = "sallyport://runs/" + rest
	names["run"], _, _ = strings.Cut(rest, "/")
	c.modern(c.call("acme", "run_python_code", map[string]any{"code": "x = 1", "session": names["session"]}, ""))
	_, text = c.modern(c.call("acme", "run_python_code", map[string]any{"code": "import random\n1"}, ""))
	var asked struct{ Result struct{ RequestState string } }
	if err := json.Unmarshal([]byte(text), &asked); err != nil {
		c.t.Fatalf("%v: %s", err, text)
	}
	names["question"] = asked.Result.RequestState
	_, _, text = c.plain("acme", http.MethodPost, "/v1/run", `{"language":"python","code":"# others, secret of acme\nimport random"}`)
	var waits struct{ Approval struct{ ID string } }
	if err := json.Unmarshal([]byte(text), &waits); err != nil {
		c.t.Fatalf("%v: %s", err, text)
	}
	names["approval"] = waits.Approval.ID
	for _, r := range c.logs["acme"].all() {
		if r.Source != nil {
			names["hash"] = r.Source.SHA256
		}
	}
	if _, text := c.modern(c.call("acme", "run_python_code", from(names["directory"]), "")); !strings.Contains(text, "data of acme") {
		c.t.Fatalf("acme's own data: %s", text)
	}
	for kind, name := range names {
		if name == "" {
			c.t.Fatalf("acme has no %s: %v", kind, names)
		}
	}
	return names
}

// from are the arguments of a run that reads a file of a directory.
func from(directory string) map[string]any {
	return map[string]any{"code": "1", "files": []any{map[string]any{"from": directory + ":in.txt", "path": "in.txt"}}}
}

func (c crossing) call(who, name string, arguments map[string]any, more string) (string, string, string, string) {
	method, about, text := tool(name, arguments, more)
	return who, method, about, text
}

// stringsOf names the arguments of a tool that take text.
func stringsOf(schema json.RawMessage) (names []string) {
	var s struct {
		Properties map[string]struct{ Type string }
	}
	_ = json.Unmarshal(schema, &s)
	for name, p := range s.Properties {
		if p.Type == "string" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Whatever acme has a name for is tried by globex, at every place where a name may
// stand: the places are what the service itself says that it has. Nothing of
// acme's comes back, nothing of it changes, and globex's own log says who tried.
func TestCrossingTenants(t *testing.T) {
	t.Parallel()
	c := newCrossing(t)
	names := c.named()
	acme := c.backends["acme"]
	var open sync.WaitGroup
	open.Go(func() {
		_, _, text := c.old("acme", http.MethodPost, names["connection"], `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"# hold\n1"}}}`)
		if !strings.Contains(text, `"status":"ok"`) {
			t.Errorf("acme's call was ended: %s", text)
		}
	})
	defer open.Wait()
	release := sync.OnceFunc(func() { close(acme.release) })
	defer release()
	<-acme.held
	ran, recorded, tries := acme.ran(), len(c.logs["acme"].all()), 0
	try := func(what string, status int, text string) {
		tries++
		if strings.Contains(text, "secret of acme") || strings.Contains(text, "data of acme") {
			t.Errorf("%s: %d, and of acme comes %s", what, status, text)
		}
	}

	// Where each kind belongs: it is refused, on record.
	yes := `"requestState":"` + names["question"] + `","inputResponses":{"approve":{"action":"accept","content":{"approve":true}}},`
	for row, send := range map[string]func() (int, string){
		"connection": func() (int, string) {
			status, _, text := c.old("globex", http.MethodPost, names["connection"], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
			return status, text
		},
		"connection, ended": func() (int, string) {
			status, _, text := c.old("globex", http.MethodDelete, names["connection"], "")
			return status, text
		},
		"question": func() (int, string) {
			return c.modern(c.call("globex", "run_python_code", map[string]any{"code": "import random\n1"}, yes))
		},
		"directory": func() (int, string) {
			return c.modern(c.call("globex", "run_python_code", from(names["directory"]), ""))
		},
		"resource": func() (int, string) {
			return c.modern("globex", "resources/read", names["resource"], fmt.Sprintf(`"uri":%q,`, names["resource"]))
		},
		"session": func() (int, string) {
			return c.modern(c.call("globex", "end_session", map[string]any{"session": names["session"]}, ""))
		},
		"environment": func() (int, string) {
			return c.modern(c.call("globex", "run_python_code", map[string]any{"code": "1", "environment": names["environment"]}, ""))
		},
		"approval": func() (int, string) {
			status, _, text := c.plain("globex", http.MethodGet, approvalsPath+"/"+names["approval"], "")
			return status, text
		},
		"approval, approved": func() (int, string) {
			status, _, text := c.plain("globex", http.MethodPost, approvalsPath+"/"+names["approval"], `{"answer":"approve"}`)
			return status, text
		},
		"approval, declined": func() (int, string) {
			status, _, text := c.plain("globex", http.MethodPost, approvalsPath+"/"+names["approval"], `{"answer":"decline"}`)
			return status, text
		},
		"environment, plain": func() (int, string) {
			status, _, text := c.send(func(r *http.Request) { r.URL.Path = "/v1/run" }, header("Authorization", "Bearer "+c.tokens["globex"]),
				body(fmt.Sprintf(`{"language":"python","code":"1","environment":%q}`, names["environment"])))
			return status, text
		},
	} {
		kind, _, _ := strings.Cut(row, ",")
		said := map[string]string{"directory": "file"}[kind]
		if said == "" {
			said = kind
		}
		before, runs := len(c.logs["globex"].all()), c.backends["globex"].ran()
		status, text := send()
		try(row, status, text)
		if n := c.backends["globex"].ran() - runs; n != 0 {
			t.Errorf("%s: it ran", row)
		}
		found := false
		for _, r := range c.logs["globex"].all()[before:] {
			found = found || r.Event == audit.EventAccess && strings.HasPrefix(r.Note, said+" refused: ") && strings.Contains(r.Note, names[kind]) && r.Caller.Principal.Tenant == "globex" && r.Caller.User == "token|ci"
		}
		if !found {
			t.Errorf("%s: that globex tried is not on record", row)
		}
	}

	// Every place that the service has, with every name.
	_, listed := c.modern("globex", "tools/list", "", "")
	var tools struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(listed), &tools); err != nil || len(tools.Result.Tools) != 4 {
		t.Fatalf("%d tools, 4 are known here: have acme make a name of what is new, too; %v", len(tools.Result.Tools), err)
	}
	_, listed = c.modern("globex", "resources/templates/list", "", "")
	if n := strings.Count(listed, `"uriTemplate"`); n != 1 || !strings.Contains(listed, "sallyport://runs/{id}/") {
		t.Fatalf("%d templates of resources, 1 is known here: have acme make one of what is new, too", n)
	}
	places := 0
	for kind, name := range names {
		for _, tool := range tools.Result.Tools {
			for _, argument := range stringsOf(tool.InputSchema) {
				arguments := map[string]any{"code": "1", "language": "python"}
				if tool.Name != "check_code" {
					delete(arguments, "language")
				}
				if tool.Name == "end_session" {
					delete(arguments, "code")
				}
				arguments[argument] = name
				status, text := c.modern(c.call("globex", tool.Name, arguments, yes))
				try(kind+" as "+argument+" of "+tool.Name, status, text)
				places++
			}
		}
		for _, directory := range []string{name, "../" + name, "data-of-globex:../" + name, "data-of-globex/../" + name} {
			status, text := c.modern(c.call("globex", "run_python_code", from(directory), yes))
			try(kind+" as a directory, "+directory, status, text)
		}
		for _, uri := range []string{name, "sallyport://runs/" + name, "sallyport://runs/" + name + "/stdout", "sallyport://runs/" + names["run"] + "/" + name} {
			status, text := c.modern("globex", "resources/read", uri, fmt.Sprintf(`"uri":%q,`, uri))
			try(kind+" as "+uri, status, text)
		}
		for _, method := range []string{"prompts/get", "completion/complete", "tools/list", "resources/list", "tasks/get", "tasks/result", "tasks/cancel", "logging/setLevel"} {
			status, text := c.modern("globex", method, name, fmt.Sprintf(`"name":%q,"cursor":%q,"taskId":%q,`, name, name, name))
			try(kind+" to "+method, status, text)
		}
		for _, verb := range []string{http.MethodPost, http.MethodDelete, http.MethodGet} {
			status, _, text := c.old("globex", verb, name, `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
			try(kind+" as a connection, "+verb, status, text)
			if status < 400 && status != http.StatusNoContent {
				t.Errorf("%s of acme is globex's connection to %s: %d %s", kind, verb, status, text)
			}
		}
	}
	if places < 50 {
		t.Errorf("%d places were tried: the test looks at nothing", places)
	}
	service, err := New(Options{Config: c.cfg, Tenants: map[string]Tenant{"": judging(t, &memoryLog{})}})
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"GET " + metadata, "GET " + metadata + mcpPath, "GET " + openAPIPath, mcpPath, "POST /v1/check", "POST /v1/run",
		"GET " + approvalsPath, "GET " + approvalsPath + "/{id}", "POST " + approvalsPath + "/{id}"}
	for pattern := range service.routes() {
		if !slices.Contains(known, pattern) {
			t.Errorf("%s is new: have acme make what it names, and globex try it here", pattern)
		}
		verb, path, found := strings.Cut(pattern, " ")
		if !found {
			verb, path = http.MethodPost, pattern
		}
		for kind, name := range names {
			for _, key := range []string{"environment", "session", "name", "id", "requestState"} {
				status, _, text := c.send(func(r *http.Request) {
					r.Method, r.URL.Path, r.URL.RawQuery = verb, strings.ReplaceAll(path, "{id}", url.PathEscape(name)), url.Values{key: {name}}.Encode()
				}, header("Authorization", "Bearer "+c.tokens["globex"]), header("X-Tenant", "acme"), body(fmt.Sprintf(`{"language":"python","code":"1",%q:%q}`, key, name)))
				try(kind+" as "+key+" of "+path, status, text)
			}
		}
	}

	// Nothing of acme's has changed.
	if n := acme.ran() - ran; n != 0 {
		t.Errorf("globex had %d programs run by acme's sandbox", n)
	}
	if n := len(c.logs["acme"].all()) - recorded; n != 0 {
		t.Errorf("acme's log has %d records of what globex did", n)
	}
	release()
	open.Wait()
	if status, _, text := c.old("acme", http.MethodPost, names["connection"], `{"jsonrpc":"2.0","id":8,"method":"ping"}`); status != http.StatusOK {
		t.Errorf("acme's connection: %d %s", status, text)
	}
	if _, _, text := c.plain("acme", http.MethodGet, approvalsPath+"/"+names["approval"], ""); !strings.Contains(text, `"state": "waiting"`) {
		t.Errorf("acme's question to other people: %s", text)
	}
	if _, text := c.modern("acme", "resources/read", names["resource"], fmt.Sprintf(`"uri":%q,`, names["resource"])); !strings.Contains(text, "secret of acme") {
		t.Errorf("acme's file: %.200s", text)
	}
	if _, text := c.modern(c.call("acme", "run_python_code", map[string]any{"code": "x", "session": names["session"]}, "")); !strings.Contains(text, `"cell":2`) {
		t.Errorf("acme's session: %s", text)
	}
	if _, text := c.modern(c.call("acme", "run_python_code", map[string]any{"code": "import random\n1"}, yes)); !strings.Contains(text, `"status":"ok"`) {
		t.Errorf("acme's question: %s", text)
	}
	t.Logf("%d tries", tries)
}
