package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox/sandboxtest"
)

// asking is a program that asks a host for a kilobyte again and again over one
// connection, and prints the median of what it waited, in microseconds.
const asking = `import http.client, ssl, time
trusted = ssl.create_default_context()
c = http.client.HTTPSConnection(HOST, context=trusted)
TUNNEL
took = []
for n in range(220):
    began = time.perf_counter()
    c.request("GET", "/v1/bytes/1024")
    answer = c.getresponse()
    size = len(answer.read())
    took.append(time.perf_counter() - began)
    if answer.status != 200 or size != 1024:
        raise ValueError(answer.status)
print(round(sorted(took[20:])[100] * 1e6))
`

// streaming fetches sixteen answers of 10 MB at a time.
const streaming = `import concurrent.futures, urllib.request
def fetch(n):
    size = 0
    with urllib.request.urlopen("https://example.com:PORT/v1/bytes/10000000") as answer:
        while piece := answer.read(65536):
            size += len(piece)
    return size
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    print(sum(pool.map(fetch, range(16))))
`

// BenchmarkEgress measures what a way out costs: a request of 1 KB from Python in a
// sandbox, judged and recorded durably, beside the same from a bare interpreter, and
// beside an ordinary proxy with the same list (MITMDUMP names mitmproxy's program); a
// call with a way out beside one without; and what sallyport grows to while sixteen
// big answers pass. What is compared takes turns.
func BenchmarkEgress(b *testing.B) {
	if !requireRunsc(b) {
		b.Skip("no runsc on PATH")
	}
	b.Setenv("REAL_KEY", brokeredValue)
	w := newOutWorld(b, "stop")
	w.configure(b, "      ca:", "      limits: {requests: 100000, sent_mb: 1000, received_mb: 1000}\n      ca:")
	open := startEgress(b, filepath.Join(w.dir, "sallyport.yaml"))

	b.Run("request", func(b *testing.B) {
		host := "127.0.0.1:" + w.port
		bare := func(host, tunnel, ca string) func() float64 {
			code := strings.NewReplacer("HOST", strconv.Quote(host), "TUNNEL", tunnel).Replace(asking)
			return func() float64 {
				cmd := exec.Command(realPython(b), "-c", code)
				cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+ca)
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				return number(b, string(out))
			}
		}
		inside := strings.NewReplacer("HOST", `"example.com:`+w.port+`"`, "TUNNEL", "").Replace(asking)
		var took, proxied time.Duration
		ways := []struct {
			name string
			ask  func() float64
		}{
			{"", func() float64 {
				before := open.used(b)
				answer := number(b, open.run(b, inside))
				took += open.used(b) - before
				return answer
			}},
			{"bare-", bare(host, "", filepath.Join(w.dir, "ca.pem"))},
		}
		if mitm := startMitmproxy(b, w); mitm != nil {
			ask := bare(mitm.address, "c.set_tunnel("+strconv.Quote(host)+")", mitm.ca)
			ways = append(ways, struct {
				name string
				ask  func() float64
			}{"mitmproxy-", func() float64 {
				before := processorOf(b, mitm.pid)
				answer := ask()
				proxied += processorOf(b, mitm.pid) - before
				return answer
			}})
		}
		waits := map[string][]float64{}
		for round := 0; b.Loop(); round++ {
			for i := range ways {
				way := ways[(i+round)%len(ways)]
				waits[way.name] = append(waits[way.name], way.ask())
			}
		}
		b.ReportMetric(0, "ns/op")
		for name, all := range waits {
			var ratios []float64
			for i, wait := range all {
				ratios = append(ratios, wait/waits["bare-"][i])
			}
			b.ReportMetric(middle(all)/1000, name+"p50-ms")
			if name != "bare-" {
				b.ReportMetric(middle(ratios), name+"of-bare")
			}
		}
		asked := float64(220 * b.N)
		b.ReportMetric(float64(took.Microseconds())/asked/1000, "cpu-ms/request")
		if proxied > 0 {
			b.ReportMetric(float64(proxied.Microseconds())/asked/1000, "mitmproxy-cpu-ms/request")
		}
	})

	b.Run("start", func(b *testing.B) {
		closed := filepath.Join(sandboxtest.ShortDir(b), "closed.yaml")
		write(b, closed, "{}\n")
		without := startEgress(b, closed)
		waits := map[*calling][]float64{}
		var ratios []float64
		for round := 0; b.Loop(); round++ {
			pair := []*calling{open, without}
			if round%2 == 1 {
				slices.Reverse(pair)
			}
			for _, c := range pair {
				time.Sleep(agentPause)
				began := time.Now()
				c.run(b, "print(1)\n")
				waits[c] = append(waits[c], float64(time.Since(began).Microseconds()))
			}
			ratios = append(ratios, waits[open][round]/waits[without][round])
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(middle(waits[open])/1000, "p50-ms")
		b.ReportMetric(middle(waits[without])/1000, "without-p50-ms")
		b.ReportMetric(middle(ratios), "of-without")
	})

	b.Run("memory", func(b *testing.B) {
		code := strings.ReplaceAll(streaming, "PORT", w.port)
		var grown []float64
		for b.Loop() {
			b.StopTimer()
			time.Sleep(agentPause)
			open.run(b, "print(1)\n") // what every call takes
			if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", open.pid), []byte("5"), 0); err != nil {
				b.Fatal(err)
			}
			before := kilobytes(b, open.pid, "VmRSS")
			b.StartTimer()
			if got := number(b, open.run(b, code)); got != 16e7 {
				b.Fatal(got, " bytes")
			}
			grown = append(grown, (kilobytes(b, open.pid, "VmHWM")-before)/1024)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(middle(grown), "grown-MiB")
		b.ReportMetric(slices.Max(grown), "most-grown-MiB")
		b.ReportMetric(kilobytes(b, open.pid, "VmHWM")/1024, "high-MiB")
		b.ReportMetric(160*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
	})
}

// calling is a server over STDIO.
type calling struct {
	in  io.Writer
	out *bufio.Reader
	pid int
	n   int
}

func startEgress(b *testing.B, config string) *calling {
	b.Helper()
	cmd, in, out := startServer(b, sandboxtest.ShortDir(b), "--config", config, "--warm", "2")
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	fmt.Fprintln(in, mcpInitialize)
	readJSON(b, out)
	c := &calling{in: in, out: out, pid: cmd.Process.Pid}
	for range 3 { // find sandboxes that are only coming up
		c.run(b, "print(1)\n")
		time.Sleep(agentPause)
	}
	return c
}

// run is a call, and the first line that the program printed.
func (c *calling) run(b *testing.B, code string) string {
	b.Helper()
	c.n++
	arguments, err := json.Marshal(map[string]any{"code": code, "timeout_seconds": 30})
	if err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run_python_code","arguments":%s}}`+"\n", c.n, arguments)
	m := readJSON(b, c.out)
	r, ok := m["result"].(map[string]any)
	if !ok || r["isError"] != nil {
		b.Fatalf("%v", m)
	}
	first, ok := r["content"].([]any)[0].(map[string]any)
	if !ok {
		b.Fatalf("%v", m)
	}
	text, _ := first["text"].(string)
	text, _, _ = strings.Cut(text, "\n")
	return text
}

func (c *calling) used(b *testing.B) time.Duration { return processorOf(b, c.pid) }

// processorOf is the time that a process has computed.
func processorOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const tick = 10 * time.Millisecond // of every kernel that Linux is run with
	return time.Duration(number(b, fields[11])+number(b, fields[12])) * tick
}

// kilobytes is a line of a process's status.
func kilobytes(b *testing.B, pid int, name string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	return number(b, strings.Fields(rest)[0])
}

func number(b *testing.B, text string) float64 {
	b.Helper()
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// middle is the median.
func middle(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

type mitmproxy struct {
	address, ca string
	pid         int
}

// allowList has mitmproxy do what the configuration has sallyport do.
const allowList = `from mitmproxy import http
def request(flow):
    q = flow.request
    if not (q.host == "127.0.0.1" and q.port == PORT and q.method in ("GET", "POST") and q.path.startswith("/v1/")):
        flow.response = http.Response.make(403, b"not allowed")
`

// startMitmproxy starts one that has the list of w, or returns nil where there is
// none.
func startMitmproxy(b *testing.B, w *outWorld) *mitmproxy {
	b.Helper()
	program := os.Getenv("MITMDUMP")
	if program == "" {
		return nil
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := free.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	free.Close()
	dir := b.TempDir()
	write(b, filepath.Join(dir, "allow.py"), strings.ReplaceAll(allowList, "PORT", w.port))
	cmd := exec.CommandContext(context.Background(), program, "-q", "--listen-host", "127.0.0.1", "-p", port, "-s", filepath.Join(dir, "allow.py"),
		"--set", "confdir="+dir, "--set", "ssl_verify_upstream_trusted_ca="+filepath.Join(w.dir, "ca.pem"), "--set", "flow_detail=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 600 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return &mitmproxy{address, filepath.Join(dir, "mitmproxy-ca-cert.pem"), cmd.Process.Pid}
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatal("mitmproxy does not listen")
	return nil
}
