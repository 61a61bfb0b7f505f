package oci

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// systemPython is a run with the distribution's interpreter, which is what a
// container of it has inside.
func systemPython() sandbox.Spec {
	s := sandboxtest.Spec("python", "print(42)")
	s.Runtime.Interpreter = "/usr/bin/python3"
	return s
}

// BenchmarkCold starts a container for each run.
func BenchmarkCold(b *testing.B) {
	for _, name := range runtimes {
		b.Run(name, func(b *testing.B) {
			backend := open(b, options(b, name))
			timed(b, backend, systemPython()) // asks the interpreter about itself
			var times []time.Duration
			for b.Loop() {
				times = append(times, timed(b, backend, systemPython()))
				b.StopTimer()
				backend.boxes.Settled()
				b.StartTimer()
			}
			report(b, times)
		})
	}
}

// BenchmarkWarm hands a program to a container that waits.
func BenchmarkWarm(b *testing.B) {
	for _, name := range runtimes {
		for language, code := range map[string]string{"python": "print(6*7)", "javascript": "console.log(6*7)"} {
			b.Run(name+"/"+language, func(b *testing.B) {
				o := options(b, name)
				o.Warm = 1
				backend := open(b, o)
				s := sandboxtest.Spec(language, code)
				var times []time.Duration
				for b.Loop() {
					b.StopTimer()
					if err := backend.Warm(context.Background(), s); err != nil {
						b.Fatal(err)
					}
					backend.boxes.Settled()
					b.StartTimer()
					times = append(times, timed(b, backend, s))
				}
				report(b, times)
			})
		}
	}
}

// BenchmarkColdRatio takes turns with the same program in `docker run`, so that
// a busy machine slows down both; and with the bare interpreter.
func BenchmarkColdRatio(b *testing.B) {
	host := requireEngine(b)
	for _, name := range runtimes {
		b.Run(name, func(b *testing.B) {
			backend := open(b, options(b, name))
			timed(b, backend, systemPython())
			var ours, theirs []time.Duration
			for b.Loop() {
				ours = append(ours, timed(b, backend, systemPython()))
				backend.boxes.Settled()
				begin := time.Now()
				out, err := exec.Command("docker", "-H", host, "run", "--rm", "--network=none", "sallyport/python:test", "-c", "print(42)").CombinedOutput()
				if err != nil || string(out) != "42\n" {
					b.Fatalf("%v: %s", err, out)
				}
				theirs = append(theirs, time.Since(begin))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(ours))/float64(median(theirs)), "×docker-run")
		})
	}
}

// requireEngine is the address of a Docker Engine that .ci/services started.
func requireEngine(b *testing.B) string {
	b.Helper()
	host := os.Getenv("TEST_DOCKER_HOST")
	if host == "" {
		if os.Getenv("REQUIRE_DOCKER") == "1" {
			b.Fatal("REQUIRE_DOCKER=1, but TEST_DOCKER_HOST names no engine")
		}
		b.Skip("requires TEST_DOCKER_HOST")
	}
	return host
}

// BenchmarkIdle is the memory of a container that waits: the proportional share
// of its processes, one among four. No process of the runtime is beside it.
func BenchmarkIdle(b *testing.B) {
	const many = 4
	for _, language := range []string{"python", "javascript"} {
		b.Run(language, func(b *testing.B) {
			o := options(b, "runc")
			o.Warm = many
			backend := open(b, o)
			for b.Loop() {
				if err := backend.Warm(context.Background(), sandboxtest.Spec(language, "")); err != nil {
					b.Fatal(err)
				}
			}
			var total int64
			for _, pid := range inside(o.StateDir) {
				total += pss(b, pid)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(total)/many/(1<<20), "MiB")
		})
	}
}

func pss(b *testing.B, pid int) int64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

func timed(b *testing.B, backend *Backend, s sandbox.Spec) time.Duration {
	b.Helper()
	begin := time.Now()
	r := run(b, backend, s)
	took := time.Since(begin)
	if string(r.Stdout) != "42\n" {
		b.Fatalf("%s %q %s", r.Reason, r.Stdout, r.Stderr)
	}
	return took
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func report(b *testing.B, times []time.Duration) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(times).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*9/10].Microseconds())/1000, "p90-ms")
}
