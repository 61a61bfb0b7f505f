package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func (f *fixture) initializeAs(version string) {
	f.t.Helper()
	f.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},` + clientName + `}}`)
	f.answer(`"init"`)
	f.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// batched sends a batch and returns the answers by their ids.
func (f *fixture) batched(messages ...string) map[string]message {
	f.t.Helper()
	f.send("[" + strings.Join(messages, ",") + "]")
	var all []message
	if err := json.Unmarshal([]byte(f.line()), &all); err != nil {
		f.t.Fatal(err)
	}
	out := map[string]message{}
	for _, m := range all {
		out[string(m.ID)] = m
	}
	if len(out) != len(all) {
		f.t.Errorf("%d answers with %d ids", len(all), len(out))
	}
	return out
}

func TestBatch(t *testing.T) {
	f := newFixture(t)
	f.initializeAs("2025-03-26")
	got := f.batched(
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		call("2", "run_python_code", `{"code":"# print two\nprint(1)"}`),
		`{"jsonrpc":"2.0","method":"notifications/unheard_of"}`,
		`7`,
		`{"jsonrpc":"2.0","id":"c","method":"tools/destroy"}`,
		call("4", "check_code", `{"language":"python","code":"print(1)"}`),
	)
	if len(got) != 5 || got["1"].Error != nil || got["null"].Error == nil || got[`"c"`].Error == nil || got[`"c"`].Error.Code != -32601 {
		t.Errorf("answers %+v", got)
	}
	if r := f.result(got["2"]); r.text() != "two" {
		t.Errorf("the call: %+v", r)
	}
	if r := f.result(got["4"]); !r.Meta.Result.Allowed {
		t.Errorf("the check: %+v", r)
	}
}

// Of a batch that needs no answer nothing is heard, and one that holds a
// cancelled call is answered without it.
func TestBatchWithoutAnswers(t *testing.T) {
	f := newFixture(t)
	f.initializeAs("2025-03-26")
	f.send(`[{"jsonrpc":"2.0","method":"notifications/unheard_of"},{"jsonrpc":"2.0","id":"sallyport-1","result":{}}]`)
	f.send("[" + call("1", "run_python_code", hold) + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	f.waitRunning(1)
	f.send(`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`)
	var all []message
	if err := json.Unmarshal([]byte(f.line()), &all); err != nil || len(all) != 1 || string(all[0].ID) != "2" {
		t.Errorf("answers %+v, %v", all, err)
	}
	f.waitRunning(0)
}

func TestBadBatches(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tt := range []struct{ name, version, send, want string }{
		{"empty", "2025-03-26", `[]`, "must hold messages"},
		{"too many", "2025-03-26", "[" + strings.TrimSuffix(strings.Repeat(ping+",", maxBatch+1), ",") + "]", "at most 64"},
		{"later version", "2025-06-18", "[" + ping + "]", "no batches"},
		{"newest version", "2025-11-25", "[" + ping + "]", "no batches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.initializeAs(tt.version)
			f.send(tt.send)
			if m := f.next(); m.Error == nil || m.Error.Code != -32600 || string(m.ID) != "null" || !strings.Contains(m.Error.Message, tt.want) {
				t.Errorf("answer %+v", m)
			}
			f.send(ping)
			if m := f.next(); string(m.ID) != "1" || m.Error != nil {
				t.Errorf("the message after it: %+v", m)
			}
		})
	}
	f := newFixture(t)
	f.send("[" + ping + "]")
	if m := f.next(); m.Error == nil {
		t.Errorf("a batch before the handshake: %+v", m)
	}
}

// A batch of calls takes no more at a time than calls that come one by one.
func TestBatchOfCalls(t *testing.T) {
	f := newFixture(t)
	f.initializeAs("2025-03-26")
	var calls []string
	for i := range maxBatch {
		calls = append(calls, call(fmt.Sprint(i), "run_python_code", fmt.Sprintf(`{"code":"# print out-%d\nprint(1)"}`, i)))
	}
	got := f.batched(calls...)
	for i := range maxBatch {
		if r := f.result(got[fmt.Sprint(i)]); r.text() != fmt.Sprintf("out-%d", i) {
			t.Errorf("call %d: %+v", i, r)
		}
	}
	if f.backend.most > 4 {
		t.Errorf("%d runs at once", f.backend.most)
	}
}
