package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

// requestRules are the rules that the documentation promises to be possible.
const requestRules = `package sallyport.requests.acme

import data.acme.lib

# METADATA
# title: Asks a host that the program does not name
# custom: {id: acme/host}
deny contains {"rule": "acme/host", "message": "not named"} if not input.egress.host in input.source.hosts

# METADATA
# title: Sends what it may have read
# custom: {id: acme/post}
deny contains {"rule": "acme/post", "message": "reads files"} if {
	input.egress.method == "POST"
	count(input.capabilities["filesystem.read"]) > 0
}

# METADATA
# title: Removes something
# custom: {id: acme/delete}
ask contains {"rule": "acme/delete", "message": "removes"} if lib.removes(input.egress)

# METADATA
# title: Asks much
# custom: {id: acme/much}
warn contains {"rule": "acme/much", "message": "much"} if input.egress.nth > 10
`

const requestLibrary = "package acme.lib\n\nremoves(r) if r.method == \"DELETE\"\n\nrule := input.egress.rule\n"

// judging returns the judge of requests of a program that names a.example.
func judging(t *testing.T, opts Options, edit func(*Input)) *Requests {
	t.Helper()
	opts.FS, opts.Packs = packFS(ruleSystem), []string{"p"}
	e, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	in := validInput()
	in.Source.Hosts = []string{"a.example"}
	if edit != nil {
		edit(&in)
	}
	return e.Requests(in, e.Decide(context.Background(), in))
}

func withRules(t *testing.T, rego string) Options {
	files := map[string]string{"acme.rego": rego}
	if strings.Contains(rego, "acme.lib") {
		files["lib.rego"] = requestLibrary
	}
	return Options{Policies: []*Policy{loadOwn(t, files)}}
}

func TestRequests(t *testing.T) {
	reads := func(in *Input) { *in = mentions(*in, "builtins.open") }
	get := Requested{Method: "GET", Host: "a.example"}
	opts := withRules(t, requestRules)
	opts.Catalog = map[string]map[string]string{"python": {"builtins.open": "filesystem.read"}}
	for name, tt := range map[string]struct {
		edit func(*Input)
		ask  func(*Requested)
		want Effect
		rule string
	}{
		"named":      {nil, func(*Requested) {}, Allow, ""},
		"not named":  {nil, func(q *Requested) { q.Host = "b.example" }, Deny, "acme/host"},
		"post":       {nil, func(q *Requested) { q.Method = "POST" }, Allow, ""},
		"reads post": {reads, func(q *Requested) { q.Method = "POST" }, Deny, "acme/post"},
		"reads get":  {reads, func(*Requested) {}, Allow, ""},
		"delete":     {nil, func(q *Requested) { q.Method = "DELETE" }, Ask, "acme/delete"},
		"both":       {nil, func(q *Requested) { q.Method, q.Host = "DELETE", "b.example" }, Deny, "acme/host"},
		"warned":     {nil, func(q *Requested) { q.Nth = 11 }, Allow, "acme/much"},
	} {
		q := get
		tt.ask(&q)
		d := judging(t, opts, tt.edit).Decide(context.Background(), q, time.Now())
		rule := ""
		if len(d.Findings) > 0 {
			rule = d.Findings[0].Rule
		}
		if d.Effect != tt.want || rule != tt.rule || d.Reason != ReasonPolicy {
			t.Errorf("%s: %+v, want %s by %q", name, d, tt.want, tt.rule)
		}
	}

	opts.Overrides = map[string]Action{"acme/host": ActionWarn}
	if d := judging(t, opts, nil).Decide(context.Background(), Requested{Host: "b.example"}, time.Now()); d.Effect != Allow || len(d.Findings) != 1 {
		t.Errorf("overridden: %+v", d)
	}
	if judging(t, Options{}, nil) != nil {
		t.Error("a judge of requests without a rule about them")
	}
}

// TestRequestsThatCannotBeJudged holds that each of them is denied.
func TestRequestsThatCannotBeJudged(t *testing.T) {
	const head = "package sallyport.requests.acme\n\n# METADATA\n# title: T\n# custom: {id: acme/t}\ndeny contains {\"rule\": "
	ctx, q := context.Background(), Requested{Method: "GET", Host: "a.example"}
	slow := withRules(t, head+`"acme/t", "message": "m"} if { some i in numbers.range(1, 100000); some j in numbers.range(1, 100000); i * j == -1 }`+"\n")
	slow.Timeout = 50 * time.Millisecond
	denied := Decision{Effect: Deny}
	done, cancel := context.WithCancel(ctx)
	cancel()
	fine := withRules(t, head+`"acme/t", "message": "m"} if input.egress.port == 1`+"\n")
	refused := judging(t, fine, nil)
	refused.decision = denied
	for name, d := range map[string]RequestDecision{
		"nil":            (*Requests)(nil).Decide(ctx, q, time.Now()),
		"time":           judging(t, slow, nil).Decide(ctx, q, time.Now()),
		"cancelled":      judging(t, fine, nil).Decide(done, q, time.Now()),
		"denied program": refused.Decide(ctx, q, time.Now()),
		"no message":     judging(t, withRules(t, head+`"acme/t", "message": ""} if input.egress.method == "GET"`+"\n"), nil).Decide(ctx, q, time.Now()),
		"error":          judging(t, withRules(t, head+`"acme/t", "message": sprintf("%d", [1 / input.egress.nth])} if input.egress.method == "GET"`+"\n"), nil).Decide(ctx, q, time.Now()),
		"wrong type":     judging(t, withRules(t, head+`"acme/t", "message": input.source.lines} if input.egress.method == "GET"`+"\n"), nil).Decide(ctx, q, time.Now()),
		"zero":           {},
	} {
		if d.Effect == Allow || d.Effect == Ask || d.Reason == ReasonPolicy {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := judging(t, fine, nil).Decide(ctx, q, time.Now()); d.Effect != Allow {
		t.Errorf("the base of these: %+v", d)
	}
}

// TestRequestRulesThatCannotWork holds that they are refused when they are loaded.
func TestRequestRulesThatCannotWork(t *testing.T) {
	const id = "# METADATA\n# title: T\n# custom: {id: acme/t%s}\ndeny contains {\"rule\": \"acme/t\", \"message\": \"m\"} if "
	rule := func(pkg, custom, body string) string {
		return "package sallyport." + pkg + ".acme\n\n" + strings.Replace(id, "%s", custom, 1) + body + "\n"
	}
	for name, tt := range map[string]struct{ rego, want string }{
		"misspelt":           {rule("requests", "", `input.egress.hots == "x"`), `"hots"; did you mean "host"?`},
		"of the input":       {rule("requests", "", `input.sorce.names`), "sorce"},
		"in rules":           {rule("rules", "", `input.egress.host == "x"`), "egress"},
		"capability":         {rule("requests", ", capability: network", `input.egress.host == "x"`), "a rule about requests has no capability"},
		"unless":             {rule("rules", ", capability: network, unless: x", `"x" in input.source.names`), `custom.unless is "x"`},
		"package of product": {"package sallyport.egress\n\nx := 1\n", "is not for rules"},
	} {
		p, err := LoadDir(dirFS(map[string]string{"acme.rego": tt.rego}), "own")
		if err == nil {
			_, err = New(Options{FS: packFS(ruleSystem), Packs: []string{"p"}, Policies: []*Policy{p}})
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestRequestsAtTheSameTime is for the race detector: what the requests of a run
// have in common is not written to.
func TestRequestsAtTheSameTime(t *testing.T) {
	r := judging(t, withRules(t, requestRules), func(in *Input) { *in = mentions(*in, "os.path.join", "builtins.open") })
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			want := map[bool]Effect{true: Allow, false: Deny}[n%2 == 0]
			q := Requested{Method: "GET", Host: []string{"a.example", "b.example"}[n%2]}
			if d := r.Decide(context.Background(), q, time.Now()); d.Effect != want {
				t.Errorf("%s: %+v", q.Host, d)
			}
		})
	}
	all.Wait()
}

// TestEgressSchema holds the schema against what rules see.
func TestEgressSchema(t *testing.T) {
	read, err := readSchema(aboutRequests)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	r := judging(t, withRules(t, requestRules), nil)
	text, err := marshal(r.input(Requested{Headers: []string{"accept"}}, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, text, schema)
	var seen, want map[string]any
	if err := json.Unmarshal(bytes.TrimSpace(text), &seen); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(schema, &want); err != nil {
		t.Fatal(err)
	}
	for name := range want["definitions"].(map[string]any)["egress"].(map[string]any)["properties"].(map[string]any) {
		if _, ok := seen["egress"].(map[string]any)[name]; !ok {
			t.Errorf("the schema has %q, and rules do not see it", name)
		}
	}
}
