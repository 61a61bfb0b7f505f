package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sallyport/sandbox/sandboxtest"
)

// serving is a service with TLS and two tenants, as a benchmark has it.
type serving struct {
	service
	client *http.Client
	tokens map[string]string
}

// startServing starts the shipped program with a certificate that its client trusts.
func startServing(b *testing.B, flags ...string) *serving {
	b.Helper()
	if !requireRunsc(b) {
		b.Skip("no runsc on PATH")
	}
	dir := b.TempDir()
	trusted := httptest.NewTLSServer(nil)
	b.Cleanup(trusted.Close)
	key, err := x509.MarshalPKCS8PrivateKey(trusted.TLS.Certificates[0].PrivateKey)
	if err != nil {
		b.Fatal(err)
	}
	write(b, filepath.Join(dir, "tls.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.Certificate().Raw})))
	write(b, filepath.Join(dir, "tls.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	s := &serving{service: service{t: b, state: sandboxtest.ShortDir(b), file: filepath.Join(dir, "sallyport.yaml"), flags: flags}, client: trusted.Client(), tokens: map[string]string{}}
	s.client.Transport.(*http.Transport).MaxIdleConnsPerHost = 256
	for _, tenant := range []string{"acme", "globex"} {
		line, token := s.sallyport("serve", "token", "ci")
		s.tokens[tenant] = token
		write(b, filepath.Join(dir, tenant+".tokens"), line)
		write(b, filepath.Join(dir, tenant, "sallyport.yaml"), "{}\n")
	}
	write(b, s.file, `serve:
  listen: 127.0.0.1:0
  tls: {cert: tls.pem, key: tls.key}
  limits: {calls_per_minute: 1000000, streams: 1024, streams_each: 512}
  tenants: {acme: {dir: acme, tokens: acme.tokens}, globex: {dir: globex, tokens: globex.tokens}}
`)
	s.start()
	return s
}

// took is how long a request of a tenant takes, and its status.
func (s *serving) took(tenant, path, code string) (time.Duration, int, error) {
	r, err := http.NewRequest(http.MethodPost, "https://"+s.at+path, strings.NewReader(fmt.Sprintf(`{"language":"python","code":%q}`, code)))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.tokens[tenant])
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return time.Since(began), resp.StatusCode, errors.Join(err, resp.Body.Close())
}

// crowd has callers of a tenant run programs, one after the other each, until
// there were so many calls or stop is closed, and returns how long each took.
func (s *serving) crowd(b *testing.B, tenant string, callers, calls int, stop <-chan struct{}) []time.Duration {
	var mu sync.Mutex
	var all []time.Duration
	var begun atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for begun.Add(1) <= int64(calls) {
				took, status, err := s.took(tenant, "/v1/run", "print(1)")
				if err != nil || status != http.StatusOK && status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests {
					b.Errorf("%s: status %d, %v", tenant, status, err)
					return
				}
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
	return all
}

// BenchmarkServe measures the service from outside, over HTTPS.
func BenchmarkServe(b *testing.B) {
	// A call to a sandbox that waits, beside the same over STDIO.
	b.Run("call", func(b *testing.B) {
		s := startServing(b, "--warm", "2")
		cmd, in, out := startServer(b, sandboxtest.ShortDir(b), "--warm", "2")
		fmt.Fprintln(in, mcpInitialize)
		readJSON(b, out)
		var https, stdio []time.Duration
		for i := range 3 + b.N {
			theirs := callTook(b, in, out, 10+i, "run_python_code", "print(1)")
			time.Sleep(agentPause)
			ours, status, err := s.took("acme", "/v1/run", "print(1)")
			if err != nil || status != http.StatusOK {
				b.Fatal(status, err)
			}
			time.Sleep(agentPause)
			if i >= 3 { // the first find sandboxes that are only coming up
				https, stdio = append(https, ours), append(stdio, theirs)
			}
		}
		reportTimes(b, https, "")
		reportTimes(b, stdio, "stdio-")
		reportRatio(b, 0.5, https, stdio, "p50-of-stdio")
		b.ReportMetric(0, "ns/op")
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	})
	// As many callers as there are: how many runs a second, and how long each takes.
	for _, callers := range []int{1, 2, 4, 16, 64} {
		b.Run(fmt.Sprintf("callers-%d", callers), func(b *testing.B) {
			s := startServing(b)
			s.crowd(b, "acme", callers, callers, nil)
			calls := b.N + callers
			began := time.Now()
			all := s.crowd(b, "acme", callers, calls, nil)
			b.ReportMetric(float64(len(all))/time.Since(began).Seconds(), "runs/s")
			reportTimes(b, all, "")
			b.ReportMetric(0, "ns/op")
		})
	}
	// Twenty callers of a tenant alone, and beside 180 of another.
	b.Run("flood", func(b *testing.B) {
		s := startServing(b)
		calls := 40 + 5*b.N
		alone := s.crowd(b, "globex", 20, calls, nil)
		stop, flooded := make(chan struct{}), make(chan int)
		go func() { flooded <- len(s.crowd(b, "acme", 180, math.MaxInt, stop)) }()
		beside := s.crowd(b, "globex", 20, calls, nil)
		close(stop)
		reportTimes(b, alone, "alone-")
		reportTimes(b, beside, "")
		reportRatio(b, 0.99, beside, alone, "p99-of-alone")
		b.ReportMetric(float64(<-flooded), "other-calls")
		b.ReportMetric(0, "ns/op")
	})
	// A thousand judgements for each iteration: what the service's memory does.
	b.Run("memory", func(b *testing.B) {
		s := startServing(b, "--warm", "0")
		thousand := func() {
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() {
					for i := range 100 {
						if _, status, err := s.took("acme", "/v1/check", fmt.Sprintf("print(%d)", i)); err != nil || status != http.StatusOK {
							b.Error(status, err)
						}
					}
				})
			}
			wg.Wait()
		}
		thousand()
		first := residentMiB(b, s.cmd.Process.Pid)
		for b.Loop() {
			thousand()
		}
		b.ReportMetric(first, "first-MiB")
		b.ReportMetric(residentMiB(b, s.cmd.Process.Pid), "MiB")
	})
}

func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range statusLine.FindAllSubmatch(status, -1) {
		if string(m[1]) == "VmRSS" {
			kib, _ := strconv.Atoi(string(m[2]))
			return float64(kib) / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
