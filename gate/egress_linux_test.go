package gate

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sallyport/audit"
	"sallyport/egress"
	"sallyport/sandbox"
)

// TestLogOfRequests has a process whose program asks a host again and again, and
// whose log fails in the middle: everything that arrives is on record by then.
func TestLogOfRequests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		during func(n int, pid int) // the host's answer to request n
		well   bool                 // the process ends by itself
	}{
		"closed": {func(int, int) {}, true},
		"full":   {func(int, int) {}, true},
		"killed": {func(n, pid int) {
			if n == 20 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var arrived []string
			child := exec.Command(os.Args[0], "-test.run=^TestAsking$")
			started := make(chan struct{})
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-started
				mu.Lock()
				arrived = append(arrived, r.URL.Path)
				n := len(arrived)
				mu.Unlock()
				tt.during(n, child.Process.Pid)
			}))
			defer host.Close()
			dir := filepath.Join(t.TempDir(), "audit")
			child.Env = append(os.Environ(), askingEnv+"="+name, askingEnv+"_HOST="+host.URL, askingEnv+"_LOG="+dir)
			var said strings.Builder
			child.Stdout, child.Stderr = &said, &said
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			close(started)
			if err := child.Wait(); (err == nil) != tt.well {
				t.Fatalf("%v\n%s", err, said.String())
			}
			host.Close() // what was on its way has arrived
			recorded := map[string]bool{}
			for e, err := range audit.Select(dir, audit.Filter{}) {
				if err == nil && e.Event == audit.EventEgress && e.Egress.Allowed {
					recorded[e.Egress.Path] = true
				}
			}
			if len(arrived) < 5 {
				t.Errorf("only %d requests arrived\n%s", len(arrived), said.String())
			}
			for _, path := range arrived {
				if !recorded[path] {
					t.Errorf("%s arrived, and is not on record\n%s", path, said.String())
				}
			}
			if r, err := audit.Verify(dir); err != nil || !r.OK() {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// askingEnv makes the test binary be the process of TestLogOfRequests.
const askingEnv = "GATE_TEST_ASKING"

func TestAsking(t *testing.T) {
	how := os.Getenv(askingEnv)
	if how == "" {
		return // it is called above
	}
	host, err := url.Parse(os.Getenv(askingEnv + "_HOST"))
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(host.Port())
	if err != nil {
		t.Fatal(err)
	}
	if how == "full" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 20_000, Max: 20_000}); err != nil {
			t.Fatal(err)
		}
	}
	log, err := audit.Open(audit.Options{Dir: os.Getenv(askingEnv + "_LOG")})
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := egress.New(egress.Options{Rules: []egress.Rule{{
		Name: "api", Host: "api.test.example", Ports: []int{port}, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	opts := f.gate.opts
	opts.Log, opts.Environments = log, map[string]Environment{"default": {Egress: proxy}}
	last := 0
	f.backend.edit = func(s *sandbox.Spec) {
		for n := 1; n <= 1000; n++ {
			if how == "closed" && n == 10 {
				if err := log.Close(); err != nil {
					t.Error(err)
				}
			}
			if last, err = ask(s, port, n); last != http.StatusOK {
				return
			}
		}
	}
	g, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Run(context.Background(), py("print(1)\n"))
	if last != http.StatusServiceUnavailable || !errors.Is(err, ErrEndNotRecorded) {
		t.Errorf("the last answer is %d, and Run() = %v", last, err)
	}
}

// ask makes one request as a sandbox carries it.
func ask(s *sandbox.Spec, port, n int) (int, error) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	s.Egress.Accept(theirs)
	text := fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: api.test.example:%d\r\nConnection: close\r\n\r\n", n, port)
	if _, err := ours.Write(append(binary.BigEndian.AppendUint16([]byte{127, 53, 0, 1}, uint16(port)), text...)); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(bufio.NewReader(ours), nil)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}
