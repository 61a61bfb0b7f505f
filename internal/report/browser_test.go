package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// browser is a headless Chromium that is spoken to over two pipes, as its
// DevTools protocol has it.
type browser struct {
	t         *testing.T
	in        *os.File
	out       chan message
	session   string
	next      int
	seen      map[string]bool
	requested []string // URLs, in the order of requests
}

type message struct {
	ID      int
	Method  string
	Session string `json:"sessionId"`
	Params  struct {
		Request struct{ URL string }
	}
	Result json.RawMessage
	Error  *struct{ Message string }
}

// requireBrowser finds Chromium. Without it the test is left out, or fails
// when REQUIRE_CHROMIUM=1 says that it must be there.
func requireBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("REQUIRE_CHROMIUM") == "1" {
		t.Fatal("REQUIRE_CHROMIUM is set and there is no Chromium on PATH")
	}
	t.Skip("no Chromium on PATH")
	return ""
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := requireBrowser(t)
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--hide-scrollbars", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, out: make(chan message, 1000), seen: map[string]bool{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(out)
	}()
	t.Cleanup(func() {
		in.Close() // Chromium ends when its pipe does
		timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		out.Close()
		<-read
		// Its helpers may still write for a moment.
		for range 3000 {
			if err = os.RemoveAll(profile); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error(err)
	})
	b.attach()
	return b
}

func (b *browser) read(out *os.File) {
	defer close(b.out)
	in := bufio.NewReader(out)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			b.out <- m
		}
	}
}

// attach makes the first page the one that is spoken to.
func (b *browser) attach() {
	var targets struct {
		TargetInfos []struct {
			ID   string `json:"targetId"`
			Type string
		}
	}
	for range 3000 {
		b.decode(b.call("Target.getTargets", nil), &targets)
		for _, target := range targets.TargetInfos {
			if target.Type == "page" {
				var s struct{ SessionID string }
				b.decode(b.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}), &s)
				b.session = s.SessionID
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Fatal("the browser opens no page")
}

func (b *browser) decode(raw json.RawMessage, v any) {
	b.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		b.t.Fatalf("%v in %s", err, raw)
	}
}

// call sends one command and waits for its result.
func (b *browser) call(method string, params any) json.RawMessage {
	b.t.Helper()
	b.next++
	id := b.next
	request := map[string]any{"id": id, "method": method}
	if params != nil {
		request["params"] = params
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.receive(method)
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		return m.Result
	}
}

// await waits for an event, which may have come already.
func (b *browser) await(event string) {
	b.t.Helper()
	for !b.seen[event] {
		b.receive(event)
	}
}

func (b *browser) receive(what string) message {
	b.t.Helper()
	select {
	case m, ok := <-b.out:
		if !ok {
			b.t.Fatalf("the browser ended while %s was awaited", what)
		}
		if m.Method != "" {
			b.seen[m.Method] = true
		}
		if m.Method == "Network.requestWillBeSent" {
			b.requested = append(b.requested, m.Params.Request.URL)
		}
		return m
	case <-time.After(5 * time.Minute):
		b.t.Fatalf("no answer to %s", what)
	}
	return message{}
}

// eval returns the value of an expression in the page.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var r struct{ Result struct{ Value any } }
	b.decode(b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}), &r)
	return fmt.Sprint(r.Result.Value)
}

// screenshot takes a picture of the page as the window shows it, and wants more than one colour
// in it.
func (b *browser) screenshot(name string) {
	b.t.Helper()
	var r struct{ Data string }
	b.decode(b.call("Page.captureScreenshot", map[string]any{"format": "png"}), &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(png) < 20_000 {
		b.t.Errorf("%s: a picture of %d bytes shows nothing", name, len(png))
	}
	if dir := os.Getenv("SCREENSHOT_DIR"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), png, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
}
