package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sallyport/audit"
	"sallyport/internal/approvals"
	"sallyport/sandbox/sandboxtest"
)

// service is the shipped program with its own state, which can be killed and
// started again.
type service struct {
	t     testing.TB
	state string
	file  string
	flags []string // of serve; nil has no sandbox wait
	cmd   *exec.Cmd
	at    string
}

// newService is one that has not started, whose configuration is to stand in dir.
func newService(t *testing.T) (s *service, dir string) {
	t.Helper()
	dir = t.TempDir()
	return &service{t: t, state: sandboxtest.ShortDir(t), file: filepath.Join(dir, "sallyport.yaml")}, dir
}

// grant makes static tokens with these scopes and flags, by name, and their file in dir.
func (s *service) grant(dir string, scopes map[string]string) map[string]string {
	s.t.Helper()
	lines, tokens := "", map[string]string{}
	for name, scope := range scopes {
		line, token := s.sallyport(append([]string{"serve", "token", name, "--scope"}, strings.Fields(scope)...)...)
		lines, tokens[name] = lines+line, token
	}
	write(s.t, filepath.Join(dir, "tokens"), lines)
	return tokens
}

func (s *service) start() {
	s.t.Helper()
	if heard, ok := s.begin(); !ok {
		s.t.Fatalf("the service does not say where it is, but\n%s", heard)
	}
}

// begin starts the program and waits until it serves, or says no more. The process
// ends with the test at the latest.
func (s *service) begin() (heard string, ok bool) {
	s.t.Helper()
	flags := s.flags
	if flags == nil {
		flags = []string{"--warm", "0"}
	}
	s.cmd = exec.Command("sallyport", append([]string{"--config", s.file, "serve"}, flags...)...)
	s.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+s.state)
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd := s.cmd // a service may be started again
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	said := bufio.NewScanner(errs)
	for s.at = ""; s.at == "" && said.Scan(); {
		heard += said.Text() + "\n"
		if _, at, ok := strings.Cut(said.Text(), " serving http"); ok {
			_, s.at, _ = strings.Cut(at, " at ")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	return heard, s.at != ""
}

func (s *service) post(token, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+s.at+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if strings.Contains(body, `"2026-07-28"`) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "run_python_code")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

func (s *service) sallyport(args ...string) (string, string) {
	s.t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command("sallyport", args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "XDG_STATE_HOME="+s.state), &out, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("sallyport %v: %v\n%s%s", args, err, &out, &errs)
	}
	return out.String(), strings.TrimSpace(errs.String())
}

// TestServe: the shipped service runs programs for whom it knows, says on record
// who asked, and loses nothing when it is killed and started again.
func TestServe(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	s, dir := newService(t)
	tokens := s.grant(dir, map[string]string{"ada": "run,check", "bob": "check"})
	write(t, s.file, "serve: {listen: \"127.0.0.1:0\", health: \"127.0.0.1:0\", tokens: tokens}\nlimits: {timeout: 10m}\n")
	var said strings.Builder
	nobody := exec.Command("sallyport", "serve")
	nobody.Env, nobody.Stderr = append(os.Environ(), "XDG_STATE_HOME="+s.state, "XDG_CONFIG_HOME="+dir), &said
	if _ = nobody.Run(); nobody.ProcessState.ExitCode() != 2 || !strings.Contains(said.String(), "nobody can be identified") {
		t.Errorf("a service that knows nobody: exit %d, %s", nobody.ProcessState.ExitCode(), &said)
	}
	heard, ok := s.begin()
	if !ok {
		t.Fatalf("the service does not say where it is, but\n%s", heard)
	}

	status, text := s.post(tokens["ada"], "/v1/run", `{"language":"python","code":"print(6*7)"}`)
	var a struct {
		ID     string
		Result struct{ Stdout struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != 200 || a.Result.Stdout.Text != "42\n" {
		t.Fatalf("ada runs: %d %s", status, text)
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python_code","arguments":{"code":"print(6*7)"},` + meta + `}}`
	if status, text := s.post(tokens["ada"], "/mcp", call); status != 200 || !strings.Contains(text, `"text":"42"`) {
		t.Errorf("ada's agent runs: %d %s", status, text)
	}
	for path, body := range map[string]string{"/v1/run": `{"language":"python","code":"print(6*7)"}`, "/mcp": call} {
		if status, text := s.post(tokens["bob"], path, body); status != http.StatusForbidden {
			t.Errorf("bob, who may only check, runs at %s: %d %s", path, status, text)
		}
		if status, text := s.post("spt_GUESS", path, body); status != http.StatusUnauthorized {
			t.Errorf("nobody runs at %s: %d %s", path, status, text)
		}
	}

	_, health, _ := strings.Cut(heard, "health at ")
	health, _, _ = strings.Cut(health, "/readyz")
	waitFor(t, "the answers are counted", func() bool {
		resp, err := http.Get(health + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return strings.Contains(string(b), `sallyport_http_answers_total{asked="/mcp",status="403"} 1`+"\n") && strings.Contains(string(b), `sallyport_runs_total{backend="gvisor",language="python",reason="exited"} 2`+"\n")
	})

	// Killed with a program under way, and started again.
	go s.post(tokens["ada"], "/v1/run", `{"language":"python","code":"import time; time.sleep(500)","timeout_seconds":600}`)
	running(t, s.state, 1)
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.start()
	if status, text := s.post(tokens["ada"], "/v1/run", `{"language":"python","code":"print(6*7)"}`); status != 200 {
		t.Errorf("after a kill: %d %s", status, text)
	}
	waitFor(t, "what the killed one had started is gone", func() bool { return len(sandboxesOf(t, s.state)) == 0 })

	// A signal ends it, with a program under way: nothing is left.
	write(t, s.file, "serve: {listen: \"127.0.0.1:0\", tokens: tokens, drain: 1ms}\nlimits: {timeout: 10m}\n")
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("the end by a signal: %v", err)
	}
	s.start()
	go s.post(tokens["ada"], "/v1/run", `{"language":"python","code":"import time; time.sleep(500)","timeout_seconds":600}`)
	running(t, s.state, 1)
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	if left := sandboxesOf(t, s.state); len(left) > 0 {
		t.Errorf("left after the end: %v", left)
	}

	events := map[string]int{}
	out, _ := s.sallyport("--config", s.file, "audit", "search", "--format", "json")
	for line := range strings.Lines(out) {
		var r struct {
			Event  string
			Caller struct{ User string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Event == "config" { // of whoever runs the service
			r.Caller.User = ""
		}
		events[r.Event+" "+r.Caller.User]++
	}
	want := map[string]int{"decision token|ada": 5, "end token|ada": 4, "access token|bob": 2, "access ": 2, "config ": 3}
	if fmt.Sprint(events) != fmt.Sprint(want) {
		t.Errorf("on record are %v, want %v: the killed run's end is nobody's to know", events, want)
	}
	if out, _ := s.sallyport("--config", s.file, "audit", "verify"); !strings.Contains(out, "intact") {
		t.Errorf("the log: %s", out)
	}
}

// TestServeTenants: each tenant of the shipped service has its policy, its
// environments and its log, and nothing that one has can be had by the other.
func TestServeTenants(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	s, dir := newService(t)
	tokens := map[string]string{}
	for _, name := range []string{"acme", "globex"} {
		line, token := s.sallyport("serve", "token", "ci")
		tokens[name] = token
		write(t, filepath.Join(dir, name+".tokens"), line)
	}
	const own = "environments: {lab: {env: {WHOSE: acme}}}\nlimits: {timeout: 10m}\n"
	write(t, filepath.Join(dir, "acme", "sallyport.yaml"), own+"serve: {quota: {parallel: 9}}\n")
	write(t, filepath.Join(dir, "globex", "sallyport.yaml"), "policy: {overrides: {process: warn}}\nenvironments: {den: {env: {WHOSE: globex}}}\nlimits: {timeout: 10m}\n")
	write(t, s.file, "serve: {listen: \"127.0.0.1:0\", tenants: {acme: {dir: acme, tokens: acme.tokens}, globex: {dir: globex, tokens: globex.tokens}}}\n")
	if heard, ok := s.begin(); ok || !strings.Contains(heard, "tenant acme: serve: is not a tenant's to say") {
		t.Errorf("acme says what it may use, and the service says\n%s", heard)
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	write(t, filepath.Join(dir, "acme", "sallyport.yaml"), own)
	s.start()

	const judged = `{"language":"python","code":"import os; os.system('ls')"}`
	for name, effect := range map[string]string{"acme": `"effect": "deny"`, "globex": `"effect": "allow"`} {
		if status, text := s.post(tokens[name], "/v1/check", judged); status != 200 || !strings.Contains(text, effect) {
			t.Errorf("%s judges by another policy: %d %s", name, status, text)
		}
	}
	for name, row := range map[string]struct{ own, other string }{"acme": {"lab", "den"}, "globex": {"den", "lab"}} {
		in := func(env string) (int, string) {
			return s.post(tokens[name], "/v1/run", `{"language":"python","code":"import os; print(os.environ.get('WHOSE'))","environment":"`+env+`"}`)
		}
		if status, text := in(row.other); status != http.StatusBadRequest || strings.Contains(text, row.other+",") {
			t.Errorf("%s runs in the other's environment: %d %s", name, status, text)
		}
		_, text := in(row.own)
		if other := map[string]string{"acme": "globex", "globex": "acme"}[name]; strings.Contains(text, other) {
			t.Errorf("%s is told of %s: %s", name, other, text)
		}
	}
	// Killed with a program of each under way, and started again: no record is lost,
	// and no sandbox is left.
	records := func(name string) string {
		all, _ := s.sallyport("audit", "search", "--dir", filepath.Join(dir, name, "audit"), "--format", "json")
		return all
	}
	before := map[string]string{}
	for name, token := range tokens {
		n := strings.Count(records(name), "\n")
		go s.post(token, "/v1/run", `{"language":"python","code":"import time; time.sleep(500)","timeout_seconds":600}`)
		waitFor(t, "a program of "+name+" is on record", func() bool {
			before[name] = records(name)
			return strings.Count(before[name], "\n") == n+1
		})
	}
	running(t, s.state, 2)
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.start()
	for name, token := range tokens {
		if status, text := s.post(token, "/v1/check", judged); status != 200 {
			t.Errorf("%s after a kill: %d %s", name, status, text)
		}
		if all := records(name); !strings.HasPrefix(all, before[name]) || strings.Count(all, "\n") != strings.Count(before[name], "\n")+2 {
			t.Errorf("the log of %s was\n%s\nand after a kill is\n%s", name, before[name], all)
		}
		if out, _ := s.sallyport("audit", "verify", "--dir", filepath.Join(dir, name, "audit")); !strings.Contains(out, "intact") {
			t.Errorf("the log of %s: %s", name, out)
		}
	}
	waitFor(t, "what the killed one had started is gone", func() bool { return len(sandboxesOf(t, s.state)) == 0 })
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	for _, name := range []string{"acme", "globex"} {
		log := filepath.Join(dir, name, "audit")
		mine, _ := s.sallyport("audit", "search", "--dir", log, "--tenant", name, "--format", "json")
		all, _ := s.sallyport("audit", "search", "--dir", log, "--format", "json")
		if mine != all || strings.Count(all, "\n") < 2 {
			t.Errorf("the log of %s has %d records, of which %d are its own", name, strings.Count(all, "\n"), strings.Count(mine, "\n"))
		}
	}
}

// TestServeOnRecord: what the shipped service works by is on record of whom it concerns,
// also over a restart, beside whom it refused: a login, a scope, a name of another
// tenant's.
func TestServeOnRecord(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	s, dir := newService(t)
	tokens, lines := map[string]string{}, map[string]string{}
	for _, name := range []string{"acme", "globex"} {
		lines[name], tokens[name] = s.sallyport("serve", "token", "ci", "--scope", "check,run")
		write(t, filepath.Join(dir, name+".tokens"), lines[name])
		write(t, filepath.Join(dir, name, "sallyport.yaml"), "environments: {"+name+"s: {env: {WHOSE: "+name+"}}}\n")
	}
	write(t, s.file, "serve: {listen: \"127.0.0.1:0\", tenants: {acme: {dir: acme, tokens: acme.tokens}, globex: {dir: globex, tokens: globex.tokens}}}\n")
	type record struct {
		Event, Note string
		Caller      struct{ Principal audit.Principal }
		InForce     audit.InForce `json:"in_force"`
	}
	// news are the records of an event in a tenant's log that were not told yet.
	told := map[string]int{}
	news := func(name, event string) (all []record) {
		t.Helper()
		args := []string{"audit", "search", "--event", event, "--format", "json"}
		if name == "" {
			args = append([]string{"--config", s.file}, args...)
		} else {
			args = append(args, "--dir", filepath.Join(dir, name, "audit"))
		}
		out, _ := s.sallyport(args...)
		for line := range strings.Lines(out) {
			var r record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		n := told[name+" "+event]
		told[name+" "+event] = len(all)
		return all[n:]
	}
	one := func(name, event string) record {
		t.Helper()
		all := news(name, event)
		if len(all) != 1 || name != "" && all[0].Caller.Principal.Tenant != name {
			t.Fatalf("%s in the log of %q: %+v", event, name, all)
		}
		return all[0]
	}
	sum := func(text string) string { b := sha256.Sum256([]byte(text)); return hex.EncodeToString(b[:]) }
	s.start()
	start := map[string]audit.InForce{}
	for _, name := range []string{"", "acme", "globex"} {
		start[name] = one(name, "config").InForce
		if f := start[name]; f.How != "start" || !strings.HasPrefix(f.SHA256["policy"], "sha256:") || f.SHA256["tokens"] != map[string]string{"": "", "acme": sum(lines["acme"]), "globex": sum(lines["globex"])}[name] {
			t.Errorf("%q starts with %+v", name, f)
		}
	}
	check := func(name string, want int) {
		t.Helper()
		if status, text := s.post(tokens[name], "/v1/check", `{"language":"python","code":"print(1)"}`); status != want {
			t.Errorf("%s: %d %s, want %d", name, status, text, want)
		}
	}

	// Tokens are read again: of one tenant, and not of the other.
	fewer := strings.Replace(lines["globex"], "check,run", "run", 1)
	write(t, filepath.Join(dir, "globex.tokens"), fewer)
	check("globex", http.StatusForbidden)
	if f := one("globex", "config").InForce; f.How != "reload" || f.Part != "tokens" || f.Before["tokens"] != sum(lines["globex"]) || f.SHA256["tokens"] != sum(fewer) {
		t.Errorf("a scope that was taken away: %+v", f)
	}
	if r := one("globex", "access"); r.Note != "scope refused: check" {
		t.Errorf("the refused scope: %+v", r)
	}
	write(t, filepath.Join(dir, "globex.tokens"), "ci x run\n")
	check("globex", http.StatusServiceUnavailable)
	check("globex", http.StatusServiceUnavailable)
	if r := one("globex", "config"); r.InForce.How != "refused" || r.InForce.SHA256["tokens"] != "" || !strings.Contains(r.Note, "line 1 is not NAME SHA256 SCOPES") {
		t.Errorf("a broken file: %+v", r)
	}
	write(t, filepath.Join(dir, "globex.tokens"), lines["globex"])
	check("globex", http.StatusOK)
	if f := one("globex", "config").InForce; f.How != "reload" || f.SHA256["tokens"] != sum(lines["globex"]) {
		t.Errorf("the file as it was: %+v", f)
	}

	// Restarted with other rules of one tenant.
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	write(t, filepath.Join(dir, "globex", "sallyport.yaml"), "policy: {overrides: {process: warn}}\n")
	s.start()
	if f := one("acme", "config").InForce; f.How != "start" || len(f.Before) > 0 || !maps.Equal(f.SHA256, start["acme"].SHA256) {
		t.Errorf("acme, of which nothing has changed: %+v", f)
	}
	if f := one("globex", "config").InForce; len(f.Before) != 2 || f.Before["policy"] != start["globex"].SHA256["policy"] || f.Before["configuration"] != start["globex"].SHA256["configuration"] || f.SHA256["configuration"] != sum("policy: {overrides: {process: warn}}\n") {
		t.Errorf("globex, whose rules have: %+v", f)
	}

	// A login that fails is nobody's: the service's own log has it.
	s.post("spt_GUESS", "/v1/check", `{}`)
	if r := one("", "access"); r.Note != "login refused: the token is not known" || r.Caller.Principal.How != "" {
		t.Errorf("a failed login: %+v", r)
	}
	if status, text := s.post(tokens["globex"], "/v1/run", `{"language":"python","code":"print(1)","environment":"acmes"}`); status != http.StatusBadRequest {
		t.Errorf("globex in an environment of acme's: %d %s", status, text)
	}
	if r := one("globex", "access"); r.Note != `environment refused: "acmes" is none of theirs` || r.Caller.Principal.Subject != "ci" {
		t.Errorf("a try to cross: %+v", r)
	}
	if all := news("acme", "access"); len(all) > 0 {
		t.Errorf("acme's log says what globex tried: %+v", all)
	}
	for _, name := range []string{"acme", "globex"} {
		if out, _ := s.sallyport("audit", "verify", "--dir", filepath.Join(dir, name, "audit")); !strings.Contains(out, "intact") {
			t.Errorf("the log of %s: %s", name, out)
		}
	}
}

// systemd stands in for the one that opens a socket, starts the shipped program
// with it and hears how it stands.
type systemd struct {
	t     *testing.T
	heard *net.UnixConn
	cmd   *exec.Cmd
	said  bytes.Buffer
}

// handedSocket is a socket that listens, for a process that is given it, and its
// address.
func handedSocket(t *testing.T, listen string) (socket *os.File, at string) {
	t.Helper()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if socket, err = l.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	return socket, l.Addr().String()
}

func startedBySystemd(t *testing.T, file, state, listen string) (*systemd, string) {
	t.Helper()
	socket, at := handedSocket(t, listen)
	defer socket.Close()
	s := &systemd{t: t}
	name := filepath.Join(sandboxtest.ShortDir(t), "notify")
	var err error
	if s.heard, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.heard.Close() })
	// The shell becomes the program, so that the process is the one that is named.
	s.cmd = exec.Command("sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec sallyport --config "$0" serve --warm 0`, file)
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), "XDG_STATE_HOME="+state, "NOTIFY_SOCKET="+name), &s.said
	s.cmd.ExtraFiles = []*os.File{socket}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s, at
}

// hears returns the next thing that the program says of itself.
func (s *systemd) hears() string {
	b := make([]byte, 100)
	n, err := s.heard.Read(b)
	if err != nil {
		return err.Error()
	}
	return string(b[:n])
}

// TestServeSystemd: the shipped service takes the socket that it is given, says
// when it is ready and when it ends, and takes none that others could reach
// without TLS.
func TestServeSystemd(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	of := &service{t: t, state: sandboxtest.ShortDir(t)}
	dir := t.TempDir()
	file := filepath.Join(dir, "sallyport.yaml")
	line, token := of.sallyport("serve", "token", "ada")
	write(t, filepath.Join(dir, "tokens"), line)
	write(t, file, "serve: {listen: \"127.0.0.1:1\", tokens: tokens}\n") // where nobody may listen

	open, _ := startedBySystemd(t, file, of.state, "0.0.0.0:0")
	ended := make(chan error, 1)
	go func() { ended <- open.cmd.Wait() }()
	ready := make(chan string, 1)
	go func() { ready <- open.hears() }()
	select {
	case said := <-ready:
		t.Errorf("without TLS others than this machine are served: %s", said)
		_ = open.cmd.Process.Kill()
		<-ended
	case <-ended:
		if !strings.Contains(open.said.String(), "needs serve.tls") {
			t.Errorf("it says %s", &open.said)
		}
	}

	s, at := startedBySystemd(t, file, of.state, "127.0.0.1:0")
	if said := s.hears(); said != "READY=1" {
		t.Fatalf("at the start: %q", said)
	}
	of.at = at
	if status, text := of.post(token, "/v1/run", `{"language":"python","code":"import os; print(sorted(os.listdir('/proc/self/fd')))"}`); status != 200 {
		t.Errorf("over the socket that was passed: %d %s", status, text)
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if said := s.hears(); said != "STOPPING=1" {
		t.Errorf("at the end: %q", said)
	}
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("the end: %v\n%s", err, &s.said)
	}
}

// asksAboutChance is a policy of an operator's.
const asksAboutChance = `# METADATA
# title: Own
# description: Asks about chance.
package sallyport.rules.own

# METADATA
# title: Uses chance
# description: For tests.
# custom:
#   id: own/chance
#   severity: low
#   remediation: Use a fixed value.
ask contains {"rule": "own/chance", "message": "random is used"} if "random" in input.source.imports
`

// TestServeApprovals: what a rule asks waits at the shipped service until another
// person answers it with the shipped command.
func TestServeApprovals(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	s, dir := newService(t)
	tokens := s.grant(dir, map[string]string{"ada": "run,approve --group approvers", "bob": "run,approve --group approvers", "eve": "approve"})
	for name, token := range tokens {
		write(t, filepath.Join(dir, name), token+"\n")
	}
	write(t, filepath.Join(dir, "own", "own.rego"), asksAboutChance)
	told := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		told <- string(b)
	}))
	defer receiver.Close()
	asking := "serve: {listen: \"127.0.0.1:0\", tokens: tokens}\npolicy: {dirs: [own]}\nask: {by: [\"group:approvers\"], not: requester, webhook: {url: \"" + receiver.URL + "\", secret_file: hook}}\n"
	write(t, s.file, asking)
	write(t, filepath.Join(dir, "hook"), "whsec_c2hvcnQ=\n")
	if heard, ok := s.begin(); ok || !strings.Contains(heard, "ask.webhook.secret_file") || strings.Contains(heard, "c2hvcnQ") {
		t.Errorf("with a short secret the service says\n%s", heard)
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	write(t, filepath.Join(dir, "hook"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
	s.start()
	const program = `{"language":"python","code":"import random\nprint(6*7)"}`
	run := func(want int, what string) string {
		t.Helper()
		status, text := s.post(tokens["ada"], "/v1/run", program)
		if status != want || !strings.Contains(text, what) {
			t.Fatalf("ada runs: %d %s, want %d %s", status, text, want, what)
		}
		var a struct{ Approval struct{ ID string } }
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		return a.Approval.ID
	}
	as := func(who string, args ...string) (string, error) {
		var out strings.Builder
		cmd := exec.Command("sallyport", append(append([]string{"approvals"}, args...), "--server", "http://"+s.at, "--token-file", filepath.Join(dir, who))...)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	id := run(http.StatusAccepted, `"pending"`)
	if said := <-told; !strings.Contains(said, `"id":"`+id+`"`) || strings.Contains(said, "print") {
		t.Errorf("the receiver is told %s", said)
	}
	waitFor(t, "that people were told is on record", func() bool {
		out, _ := s.sallyport("--config", s.file, "audit", "search", "--format", "json")
		return strings.Contains(out, `"answer":"told"`)
	})
	if out, err := as("ada", "approve", id); err == nil || !strings.Contains(out, "who asks cannot approve") {
		t.Errorf("ada approves her own: %v\n%s", err, out)
	}
	if out, err := as("eve", "approve", id); err == nil || !strings.Contains(out, "does not name you") {
		t.Errorf("eve, who is in no group, approves: %v\n%s", err, out)
	}
	run(http.StatusAccepted, id)
	if out, err := as("bob", "list"); err != nil || !strings.Contains(out, id+"  waiting") || !strings.Contains(out, "own/chance") {
		t.Errorf("bob's list: %v\n%s", err, out)
	}
	if out, err := as("bob", "show", id); err != nil || !strings.Contains(out, "   2 | print(6*7)") || !strings.Contains(out, `asked by     "token|ada"`) || !strings.Contains(out, "512MiB of memory, ") {
		t.Errorf("bob is shown: %v\n%s", err, out)
	}
	var listed approvals.List
	if out, err := as("bob", "list", "--format", "json"); err != nil || json.Unmarshal([]byte(out), &listed) != nil || len(listed.Approvals) != 1 || listed.Approvals[0].ID != id {
		t.Errorf("bob's list as JSON: %v\n%s", err, out)
	}
	if out, err := as("bob", "approve", id, "--reason", "as agreed"); err != nil || !strings.Contains(out, "approved "+id+`: "token|ada" may run it once, until `) {
		t.Errorf("bob approves: %v\n%s", err, out)
	}
	run(http.StatusOK, `"42\n"`)
	next := run(http.StatusAccepted, `"pending"`)
	if out, err := as("bob", "decline", next, "--format", "json"); err != nil || next == id || !strings.Contains(out, `"state": "declined"`) {
		t.Errorf("bob declines %s: %v\n%s", next, err, out)
	}
	run(http.StatusOK, `"declined"`)
	if out, _ := s.sallyport("--config", s.file, "audit", "verify"); !strings.Contains(out, "intact") {
		t.Errorf("the log: %s", out)
	}
}
