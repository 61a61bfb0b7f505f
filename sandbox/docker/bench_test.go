package docker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"sallyport/sandbox/sandboxtest"
)

// benchEngines are the engines and runtimes that are measured.
func benchEngines() map[string]func(testing.TB) Options {
	return map[string]func(testing.TB) Options{
		"docker": requireDocker, "gvisor": requireGvisor, "podman": requirePodman, "rootless": requireRootless,
	}
}

// BenchmarkCold is a whole run from nothing, of each engine and runtime.
func BenchmarkCold(b *testing.B) {
	for name, options := range benchEngines() {
		b.Run(name, func(b *testing.B) {
			backend := open(b, options(b))
			s := sandboxtest.Spec("python", "print(1)")
			run(b, backend, s) // prepares the image
			var times []time.Duration
			for b.Loop() {
				times = append(times, timed(func() { run(b, backend, s) }))
			}
			report(b, times)
		})
	}
}

// BenchmarkDockerRun is the same program with the engine's own client.
func BenchmarkDockerRun(b *testing.B) {
	o := requireDocker(b)
	var times []time.Duration
	for b.Loop() {
		times = append(times, timed(func() { dockerRun(b, o) }))
	}
	report(b, times)
}

func dockerRun(b *testing.B, o Options) {
	out, err := exec.Command("docker", "-H", o.Host, "run", "--rm", "--network=none", o.Images["python"], "-c", "print(1)").CombinedOutput()
	if err != nil || string(out) != "1\n" {
		b.Fatalf("%v: %s", err, out)
	}
}

// BenchmarkColdRatio takes turns, so that a busy machine slows down both: a run
// from nothing through the engine's own client is 1.
func BenchmarkColdRatio(b *testing.B) {
	o := requireDocker(b)
	backend := open(b, o)
	s := sandboxtest.Spec("python", "print(1)")
	run(b, backend, s)
	var ours, theirs []time.Duration
	for b.Loop() {
		ours = append(ours, timed(func() { run(b, backend, s) }))
		theirs = append(theirs, timed(func() { dockerRun(b, o) }))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(ours))/float64(median(theirs)), "×docker-run")
}

// BenchmarkWarm hands a program to a container that waits: hand-over to
// complete result. The pool fills up again between the runs.
func BenchmarkWarm(b *testing.B) {
	for name, options := range benchEngines() {
		for language, code := range map[string]string{"python": "print(6*7)", "javascript": "console.log(6*7)"} {
			b.Run(name+"/"+language, func(b *testing.B) {
				o := options(b)
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
					times = append(times, timed(func() {
						if r := run(b, backend, s); string(r.Stdout) != "42\n" {
							b.Fatalf("%s %s", r.Reason, r.Stderr)
						}
					}))
				}
				report(b, times)
			})
		}
	}
}

// BenchmarkIdle is the memory of a container that waits: the proportional share
// of its processes and of the engine's process beside it, one among four.
func BenchmarkIdle(b *testing.B) {
	const many = 4
	for language := range testImages() {
		b.Run(language, func(b *testing.B) {
			o := requireDocker(b)
			o.Warm = many
			backend := open(b, o)
			for b.Loop() {
				if err := backend.Warm(context.Background(), sandboxtest.Spec(language, "")); err != nil {
					b.Fatal(err)
				}
			}
			var total int64
			all, err := backend.api.ContainerList(context.Background(), container.ListOptions{Filters: ofThis(backend)})
			if err != nil || len(all) != many {
				b.Fatalf("%d containers: %v", len(all), err)
			}
			for _, c := range all {
				in, err := backend.api.ContainerInspect(context.Background(), c.ID)
				if err != nil {
					b.Fatal(err)
				}
				shim, pid := parent(in.State.Pid), in.State.Pid
				total += pss(shim) + tree(pid)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(total)/many/(1<<20), "MiB")
		})
	}
}

// tree is the share of a process and of all below it.
func tree(pid int) int64 {
	total := pss(pid)
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(child); err == nil {
				total += tree(n)
			}
		}
	}
	return total
}

func parent(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(data), ") ")
	if f := strings.Fields(rest); len(f) > 1 {
		n, _ := strconv.Atoi(f[1])
		return n
	}
	return 0
}

func pss(pid int) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
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
