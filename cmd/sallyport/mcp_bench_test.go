package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
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

// BenchmarkMCPRoundTrip measures what a client waits for: a call over STDIO,
// judged, recorded durably, run in a sandbox of its own, answered; next to the
// bare interpreter on a file in the same run. Calls come one by one with a
// pause, as an agent's do, so that a sandbox waits for each.
func BenchmarkMCPRoundTrip(b *testing.B) {
	if !requireRunsc(b) {
		b.Skip("no runsc on PATH")
	}
	for _, l := range []struct{ name, tool, code, file, bare string }{
		{"python", "run_python_code", "print(1)", "main.py", realPython(b)},
		{"javascript", "run_javascript_code", "console.log(1)", "main.js", "node"},
	} {
		b.Run(l.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), l.file)
			if err := os.WriteFile(file, []byte(l.code+"\n"), 0o600); err != nil {
				b.Fatal(err)
			}
			bare, err := exec.LookPath(l.bare)
			if err != nil {
				b.Fatal(err)
			}
			cmd, in, out := startServer(b, sandboxtest.ShortDir(b), "--warm", "2")
			fmt.Fprintln(in, mcpInitialize)
			readJSON(b, out)
			const first = 3 // find sandboxes that are only coming up
			for i := range first {
				callTook(b, in, out, 10+i, l.tool, l.code)
				time.Sleep(agentPause)
			}
			var ours, theirs []time.Duration
			for b.Loop() {
				ours = append(ours, callTook(b, in, out, 100+len(ours), l.tool, l.code))
				b.StopTimer()
				time.Sleep(agentPause)
				began := time.Now()
				if err := exec.Command(bare, file).Run(); err != nil {
					b.Fatal(err)
				}
				theirs = append(theirs, time.Since(began))
				b.StartTimer()
			}
			reportTimes(b, ours, "")
			reportTimes(b, theirs, "bare-")
			b.ReportMetric(0, "ns/op")
			in.Close()
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// agentPause lies between two calls: an agent thinks longer, and meanwhile
// another sandbox comes up.
const agentPause = 600 * time.Millisecond

// realPython is the interpreter behind what may be a script of a version
// manager, which would make the bare run slower than it is.
func realPython(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func callTook(b *testing.B, in io.Writer, out *bufio.Reader, id int, tool, code string) time.Duration {
	b.Helper()
	quoted, err := json.Marshal(code)
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":`+strconv.Itoa(id)+`,"method":"tools/call","params":{"name":"`+tool+`","arguments":{"code":`+string(quoted)+`}}}`)
	m := readJSON(b, out)
	took := time.Since(began)
	if r, ok := m["result"].(map[string]any); !ok || r["isError"] != nil || m["id"] != float64(id) {
		b.Fatalf("answer = %v", m)
	}
	return took
}

// reportRatio is how many times another's times are at a quantile.
func reportRatio(b *testing.B, q float64, all, of []time.Duration, what string) {
	slices.Sort(all)
	slices.Sort(of)
	at := func(d []time.Duration) float64 { return float64(d[int(q*float64(len(d)-1))]) }
	b.ReportMetric(at(all)/at(of), what)
}

func reportTimes(b *testing.B, all []time.Duration, prefix string) {
	slices.SortFunc(all, cmp.Compare)
	at := func(q float64) float64 { return float64(all[int(q*float64(len(all)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(0.5), prefix+"p50-ms")
	b.ReportMetric(at(0.9), prefix+"p90-ms")
	b.ReportMetric(at(0.99), prefix+"p99-ms")
}
