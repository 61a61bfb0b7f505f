package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/sandbox"
)

var hello = gate.Request{Name: "hello.py", Language: "python", Source: []byte("print(1)")}

// A stream that says something else than it should is an error, and no answer.
func TestRun(t *testing.T) {
	t.Parallel()
	const answered = "event: answer\ndata: {\"version\":\"answer/v1\",\"id\":\"7\",\"name\":\"theirs\"}\n\n"
	for name, row := range map[string]struct{ stream, printed, err, fix string }{
		"all of it":            {"event: output\ndata: {\"stream\":\"stdout\",\"text\":\"a\"}\n\nevent: output\ndata: {\"stream\":\"stderr\",\"base64\":\"/w==\"}\n\n" + answered, "stdout a stderr \xff ", "", ""},
		"kinds to come":        {"event: weather\ndata: fine\n\n" + answered, "", "", ""},
		"cut off":              {"event: output\ndata: {\"stream\":\"stdout\",\"text\":\"a\"}\n\n", "stdout a ", "did not come whole", "audit search"},
		"nothing":              {"", "", "did not come whole", "audit search"},
		"no output":            {"event: output\ndata: a\n\n" + answered, "", "did not come whole", "audit search"},
		"no answer":            {"event: answer\ndata: a\n\n", "", "did not come whole", "audit search"},
		"another version":      {"event: answer\ndata: {\"version\":\"answer/v9\"}\n\n", "", "not known here", "as new as"},
		"a failure over there": {"event: answer\ndata: {\"version\":\"answer/v1\",\"id\":\"7\",\"error\":\"no \\u001b[m sandbox\"}\n\n", "", "no <U+001B>[m sandbox", "operator"},
		"refused late":         {": still at it\n\nevent: error\ndata: {\"error\":\"busy\",\"detail\":\"Busy.\",\"status\":503,\"retry_after_seconds\":2}\n\n", "", "Busy.", "try again in 2s"},
	} {
		c, _ := service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, row.stream)
		})
		req, got := hello, ""
		req.Output = func(s sandbox.Stream, b []byte) {
			got += map[sandbox.Stream]string{sandbox.Stdout: "stdout ", sandbox.Stderr: "stderr "}[s] + string(b) + " "
		}
		a, err := c.Run(t.Context(), req)
		if got != row.printed || (err == nil) != (row.err == "") || err != nil && (!strings.Contains(err.Error(), row.err) || !strings.Contains(hint.Fix(err), row.fix)) {
			t.Errorf("%s: printed %q, %v, hint %q", name, got, err, hint.Fix(err))
		}
		if a.Name != "hello.py" || err != nil && row.err != "not known here" && a.Error == "" {
			t.Errorf("%s: the answer is %+v", name, a)
		}
	}
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	var sent string
	c, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		sent = string(b)
		_, _ = io.WriteString(w, `{"version":"answer/v1"}`)
	})
	req := gate.Request{Language: "javascript", Goal: "module", Source: []byte("1"), Args: []string{"a"}, Stdin: []byte("in"), Environment: "lab", Labels: map[string]string{"k": "v"},
		Files: []sandbox.File{{Path: "x", Data: []byte("\xff")}, {Path: "empty"}}, Limits: sandbox.Limits{Wall: 1500 * time.Millisecond, Memory: 64 << 20}}
	if _, err := c.Check(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if want := `{"language":"javascript","goal":"module","code":"1","labels":{"k":"v"},"environment":"lab","args":["a"],"stdin":"in",` +
		`"files":[{"path":"x","content":"/w==","encoding":"base64"},{"path":"empty","content":"","encoding":"base64"}],"timeout_seconds":1.5,"memory_mb":64}`; sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
	for name, edit := range map[string]func(*gate.Request){
		"no UTF-8":      func(r *gate.Request) { r.Source = []byte("\xff") },
		"an input, too": func(r *gate.Request) { r.Stdin = []byte("\xff") },
		"by reference":  func(r *gate.Request) { r.References = []gate.Reference{{Path: "x"}} },
	} {
		sent = ""
		r := req
		if edit(&r); sent != "" {
			t.Errorf("%s: sent", name)
		} else if _, err := c.Check(t.Context(), r); !errors.Is(err, hint.ErrUsage) || sent != "" {
			t.Errorf("%s: %v, sent %s", name, err, sent)
		}
	}
}

// The programs of a directory are judged as fast as the service lets them be, and
// no one waits for ever.
func TestCheckWaits(t *testing.T) {
	t.Parallel()
	tries, waits := 0, []time.Duration(nil)
	c, _ := service(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries == 4 {
			_, _ = io.WriteString(w, `{"version":"answer/v1"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", fmt.Sprint(tries))
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":"too_many","detail":"too many calls"}`)
	})
	c.after = func(d time.Duration) <-chan time.Time {
		waits = append(waits, d)
		return time.After(0)
	}
	if _, err := c.Check(t.Context(), hello); err != nil || fmt.Sprint(waits) != "[1s 2s 3s]" {
		t.Errorf("waited %v, %v", waits, err)
	}
	tries, waits = 200, nil
	if _, err := c.Check(t.Context(), hello); err == nil || fmt.Sprint(waits) != "[3m21s]" {
		t.Errorf("of too many: waited %v, %v", waits, err)
	}
	tries, waits = 0, nil
	if _, err := c.Run(t.Context(), hello); err == nil || len(waits) > 0 {
		t.Errorf("a run waited %v, %v", waits, err)
	}
}
