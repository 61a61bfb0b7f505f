// Package sharedtest starts a real database for tests.
package sharedtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Redis is a redis-server on loopback that keeps nothing on disk.
type Redis struct {
	t     testing.TB
	path  string
	port  string
	flags []string
	cmd   *exec.Cmd
	URL   string
}

// Start starts one with flags of its own, such as --requirepass; the test is left out
// where there is none, unless REQUIRE_REDIS says that this is a failure.
func Start(t testing.TB, flags ...string) *Redis {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("REQUIRE_REDIS") != "" {
			t.Fatal("REQUIRE_REDIS is set and there is no redis-server on PATH: scripts/need shared")
		}
		t.Skip("no redis-server on PATH")
	}
	r := &Redis{t: t, path: path, flags: flags}
	t.Cleanup(r.Stop)
	for range 10 { // somebody else may take the port first
		r.port = free(t)
		if r.begin() {
			r.URL = "redis://127.0.0.1:" + r.port
			return r
		}
	}
	t.Fatal("redis-server does not start")
	return nil
}

func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// begin starts it and says whether it takes connections.
func (r *Redis) begin() bool {
	at := []string{"--port", r.port}
	for i, f := range r.flags {
		if f == "--tls-port" {
			at, r.flags[i+1] = []string{"--port", "0"}, r.port
		}
	}
	r.cmd = exec.Command(r.path, append(append(at, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", r.t.TempDir()), r.flags...)...)
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for said.Scan() {
		if strings.Contains(said.Text(), "Ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return true
		}
	}
	_ = r.cmd.Wait()
	r.cmd = nil
	return false
}

// Stop kills it, and with it all that it had.
func (r *Redis) Stop() {
	if r.cmd != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		r.cmd = nil
	}
}

// Again starts it where it was, empty.
func (r *Redis) Again() {
	r.t.Helper()
	r.Stop()
	if !r.begin() {
		r.t.Fatal("redis-server does not start again")
	}
}

// Do is a command of somebody who has the database: what attacks are made of.
func (r *Redis) Do(args ...any) any {
	r.t.Helper()
	at, err := redis.ParseURL(r.URL)
	if err != nil {
		r.t.Fatal(err)
	}
	at.Protocol = 2
	c := redis.NewClient(at)
	defer c.Close()
	got, err := c.Do(context.Background(), args...).Result()
	if err != nil && err != redis.Nil {
		r.t.Fatalf("%v: %v", args, err)
	}
	return got
}

// Keys are those that match.
func (r *Redis) Keys(pattern string) (out []string) {
	r.t.Helper()
	for _, k := range r.Do("KEYS", pattern).([]any) {
		out = append(out, fmt.Sprint(k))
	}
	return out
}
