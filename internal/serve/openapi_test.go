package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sallyport/config"
)

// described holds each answer of the plain API that its client gets, and each request
// that was served, against the service's own description of them.
type described struct {
	http.RoundTripper
	t *testing.T
}

func (d described) CloseIdleConnections() { d.RoundTripper.(*http.Transport).CloseIdleConnections() }

func (d described) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.RoundTripper.RoundTrip(r)
	if err != nil || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp, err
	}
	for route, op := range operations {
		method, path, _ := strings.Cut(route, " ")
		if prefix, _, one := strings.Cut(path, "{id}"); r.Method != method || r.URL.Path != path && !(one && strings.HasPrefix(r.URL.Path, prefix)) {
			continue
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(b))
		schema := "paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + strings.ToLower(method) + "/responses/" + strconv.Itoa(resp.StatusCode)
		if _, common := refusals[resp.StatusCode]; common {
			schema = "components/responses/" + strconv.Itoa(resp.StatusCode)
		}
		fits(d.t, schema+"/content/application~1json/schema", b)
		if op.takes != "" && resp.StatusCode < 300 && r.GetBody != nil {
			body, _ := r.GetBody()
			sent, _ := io.ReadAll(body)
			fits(d.t, "components/schemas/"+op.takes, sent)
		}
	}
	return resp, nil
}

// strictly is the description in which nothing else may be than what it names.
var strictly = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	b, err := OpenAPI("/")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var close func(any)
	close = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, ok := v["properties"].(map[string]any); ok {
				v["additionalProperties"] = false
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				close(v[key])
			}
		case []any:
			for _, item := range v {
				close(item)
			}
		}
	}
	close(doc)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return c, c.AddResource("openapi.json", doc)
})

var compiling sync.Mutex // the compiler, which strictly makes

// misfit is what is wrong with JSON by a schema of the description, by its place there.
func misfit(at string, b []byte) error {
	compiling.Lock()
	defer compiling.Unlock()
	c, err := strictly()
	if err != nil {
		return err
	}
	schema, err := c.Compile("openapi.json#/" + at)
	if err != nil {
		return fmt.Errorf("it is not described: %w", err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

func fits(t *testing.T, at string, b []byte) {
	t.Helper()
	if err := misfit(at, b); err != nil {
		t.Errorf("%s: %v\n%s", at, err, b)
	}
}

// Everything that can be asked for is described, nothing else is, and whoever has no
// token is told of it, too, but of nothing that is configured.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	f := start(t, func(c *config.Serve) { c.Origins = []string{"https://secret.example"} })
	resp, err := f.client.Get("http://" + f.at + openAPIPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	want, err := OpenAPI("http://" + f.at)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Equal(b, want) || bytes.Contains(b, []byte("acme")) || bytes.Contains(b, []byte("secret.example")) {
		t.Errorf("%d %v: %s", resp.StatusCode, err, b)
	}
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	var told, served []string
	for path, methods := range doc.Paths {
		for method := range methods {
			told = append(told, strings.ToUpper(method)+" "+path)
		}
	}
	for route := range new(Service).routes() {
		if strings.Contains(route, " /v1/") {
			served = append(served, route)
		}
	}
	slices.Sort(told)
	slices.Sort(served)
	if !slices.Equal(told, served) {
		t.Errorf("described are %v, and served %v", told, served)
	}
}

// What the service answers is what it says that it answers. The other tests of this
// package hold the answers that they get against it, too.
func TestAnswersAreDescribed(t *testing.T) {
	t.Parallel()
	d := newDeciding(t)
	for _, body := range []string{
		aCheck, `{"language":"python","code":"def"}`, `{"language":"python","code":"\u0000"}`, `{"language":"typescript","code":"let x: number = 1"}`,
		`{"language":"javascript","code":"eval(x)","goal":"module","labels":{"ticket":"T-1"}}`, `{"language":"python","code":"import os; os.system('ls')"}`, `{}`, `{"code":5}`,
	} {
		d.plain("ada", http.MethodPost, "/v1/check", body)
	}
	close(d.backends["acme"].release)
	if status, _, text := d.plain("ada", http.MethodPost, "/v1/run", `{"language":"python","code":"print(1)","args":["a"],"stdin":"b","files":[{"path":"c","content":"ZA==","encoding":"base64"}],"timeout_seconds":1.5,"memory_mb":64}`); status != http.StatusOK {
		t.Errorf("a run: %d %s", status, text)
	}
	id := d.waiting()
	d.plain("bob", http.MethodGet, approvalsPath, "")
	d.plain("bob", http.MethodGet, approvalsPath+"/"+id, "")
	d.plain("bob", http.MethodGet, approvalsPath+"/none", "")
	d.plain("eve", http.MethodGet, approvalsPath, "")
	d.plain("bob", http.MethodPost, approvalsPath+"/"+id, `{"answer":"perhaps"}`)
	for _, want := range []int{200, 409} {
		if status, text := d.answer("bob", id, "approve"); status != want {
			t.Errorf("an answer: %d %s", status, text)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+d.at+"/v1/run", strings.NewReader(toRun))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.tokens["ada"])
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	resp, err := d.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	kind, seen := "", map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			kind = strings.TrimSpace(name)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			seen[kind] = true
			fits(t, "components/schemas/"+events[kind], []byte(data))
		}
	}
	if !seen["answer"] {
		t.Errorf("the stream ends without an answer: %s", b)
	}
}

// What would not fit is found: the tests above would see it.
func TestMisfits(t *testing.T) {
	t.Parallel()
	const problem = "components/schemas/Problem"
	if err := misfit(problem, []byte(`{"error":"a","detail":"b"}`)); err != nil {
		t.Fatal(err)
	}
	for at, b := range map[string]string{
		problem: `{}`, problem + "/.": `{"error":"a","detail":"b"}`, problem + "/properties/error": `null`, "components/responses/429/content/application~1json/schema": `{"error":"a","detail":"b","other":1}`,
		"components/schemas/Approvals": `{"approvals":null}`, "components/schemas/RunRequest": `{"language":"python","code":"1","user":"root"}`, "paths/~1v1~1check/post/responses/418": `{}`,
	} {
		if misfit(at, []byte(b)) == nil {
			t.Errorf("%s takes %s", at, b)
		}
	}
}
