package docker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// guest is the supervisor under test, built once.
var guest string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if guest = os.Getenv("SALLYPORT_TEST_GUEST"); guest != "" { // a test's own process
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	guest = filepath.Join(dir, "guest")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", guest, "../internal/supervised/guest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the supervisor: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// testImages are built by .ci/services.
func testImages() map[string]string {
	return map[string]string{"python": "sallyport/python:test", "javascript": "sallyport/node:test"}
}

// require returns options for an engine that .ci/services started. Its
// socket is named by env; without it the test is skipped, or fails when
// REQUIRE_DOCKER or REQUIRE_PODMAN is 1.
func require(t testing.TB, engine, env, must string) Options {
	t.Helper()
	host := os.Getenv(env)
	if host == "" {
		if os.Getenv(must) == "1" {
			t.Fatalf("%s=1, but %s names no engine: run .ci/services start", must, env)
		}
		t.Skipf("%s names no engine", env)
	}
	return Options{Engine: engine, Host: host, Guest: guest, Images: testImages()}
}

func requireDocker(t testing.TB) Options {
	return require(t, "docker", "TEST_DOCKER_HOST", "REQUIRE_DOCKER")
}

func requirePodman(t testing.TB) Options {
	return require(t, "podman", "TEST_PODMAN_HOST", "REQUIRE_PODMAN")
}

func requireRootless(t testing.TB) Options {
	return require(t, "podman", "TEST_PODMAN_ROOTLESS_HOST", "REQUIRE_PODMAN")
}

func open(t testing.TB, o Options) *Backend {
	t.Helper()
	b, err := connected(o, sandboxtest.Patient) // a busy machine may keep it from answering
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func run(t testing.TB, b *Backend, s sandbox.Spec) sandbox.Result {
	t.Helper()
	r, err := b.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The engines give the same images and the same supervisor to programs, and share
// the rows about what comes in with those, also with package oci.
func TestConformanceDocker(t *testing.T) { t.Parallel(); conform(t, requireDocker(t), 0) }
func TestConformancePodman(t *testing.T) { t.Parallel(); conform(t, requirePodman(t), 1) }

func TestConformanceRootless(t *testing.T) {
	t.Parallel()
	o := requireRootless(t)
	if mode := open(t, o).Describe().Mode; mode != "rootless" {
		t.Errorf("mode %q, want rootless", mode)
	}
	conform(t, o, 2)
}

func conform(t *testing.T, o Options, part int) {
	b := open(t, o)
	t.Log(b.Describe())
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{Share: sandboxtest.Supervisor.Cold(part)})
}

// requireGvisor is requireDocker for an engine that has gVisor registered.
func requireGvisor(t testing.TB) Options {
	o := requireDocker(t)
	o.Runtime, o.RequireRuntime = "runsc", true
	b, err := connected(o, sandboxtest.Patient)
	if err != nil {
		if os.Getenv("REQUIRE_DOCKER") == "1" {
			t.Fatalf("REQUIRE_DOCKER=1: %v", err)
		}
		t.Skip(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestConformanceGvisor(t *testing.T) { t.Parallel(); conform(t, requireGvisor(t), 3) }
