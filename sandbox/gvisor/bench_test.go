package gvisor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// programs are what the benchmarks run, and the bare command for the same.
var programs = map[string]struct{ code, file, command string }{
	"python":     {"import json\nprint(json.dumps({'a': 6 * 7}))\n", "main.py", "python3"},
	"javascript": {"console.log(JSON.stringify({ a: 6 * 7 }))\n", "main.js", "node"},
}

// BenchmarkBare is the yardstick: the interpreter without a sandbox.
func BenchmarkBare(b *testing.B) {
	for language, p := range programs {
		b.Run(language, func(b *testing.B) {
			be := newTestBackend(b)
			in, err := be.interpreter(context.Background(), sandboxtest.Spec(language, ""))
			if err != nil {
				b.Fatal(err)
			}
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, p.file), []byte(p.code), 0o600); err != nil {
				b.Fatal(err)
			}
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				cmd := exec.Command(in.Executable, p.file)
				cmd.Dir = dir
				if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte("42")) {
					b.Fatal(err, out)
				}
				times = append(times, time.Since(start))
			}
			report(b, times)
		})
	}
}

// BenchmarkCold starts a sandbox for each run. "system" runs Python as the
// distribution packages it, which is what a container of it has inside.
func BenchmarkCold(b *testing.B) {
	for _, name := range []string{"python", "javascript", "system"} {
		b.Run(name, func(b *testing.B) {
			be := newTestBackend(b)
			s := sandboxtest.Spec(name, programs[name].code)
			if name == "system" {
				s = sandboxtest.Spec("python", "print(42)") // like BenchmarkDockerRun
				s.Runtime.Interpreter = "/usr/bin/python3"
			}
			timeRun(b, be, s) // asks the interpreter about itself
			var times []time.Duration
			for b.Loop() {
				times = append(times, timeRun(b, be, s))
				b.StopTimer()
				be.boxes.Settled()
				b.StartTimer()
			}
			report(b, times)
		})
	}
}

// BenchmarkWarm hands a program to a sandbox that waits: hand-over to complete
// result. "rested" leaves a pause between two runs, as an agent does, in which
// the next sandbox comes up; "hurried" does not, so that after the first few
// each run waits for its sandbox to start.
func BenchmarkWarm(b *testing.B) {
	for language, p := range programs {
		s := sandboxtest.Spec(language, p.code)
		b.Run(language+"/rested", func(b *testing.B) {
			be := waitingBackend(b, 2, s)
			var times []time.Duration
			for b.Loop() {
				b.StopTimer()
				be.boxes.Settled()
				if err := be.Warm(context.Background(), s); err != nil {
					b.Fatal(err)
				}
				time.Sleep(rest)
				b.StartTimer()
				times = append(times, timeRun(b, be, s))
			}
			report(b, times)
		})
		b.Run(language+"/hurried", func(b *testing.B) {
			be := waitingBackend(b, 2, s)
			var times []time.Duration
			for b.Loop() {
				times = append(times, timeRun(b, be, s))
			}
			report(b, times)
		})
	}
}

// BenchmarkPreload measures how long the first import of a heavy module takes in a
// sandbox that waited, where nothing is preloaded and where it is: the program
// takes the time itself. "ratio" is the second of these by the first.
func BenchmarkPreload(b *testing.B) {
	python := requireMatplotlib(b)
	for _, module := range []string{"pandas", "matplotlib.pyplot"} {
		b.Run(module, func(b *testing.B) {
			if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
				b.Skipf("MATPLOTLIB_PYTHON names a Python without %s: %v", module, err)
			}
			s := sandboxtest.Spec("python", "import time\nbegan = time.perf_counter()\nimport "+module+"\nprint(time.perf_counter() - began)")
			s.Runtime.Interpreter, s.Limits.Wall, s.Limits.CPU, s.Limits.Memory = python, time.Minute, time.Minute, 1<<30
			preloaded := s
			preloaded.Runtime.Preload = []string{module}
			without, with := waitingBackend(b, 1, s), waitingBackend(b, 1, preloaded)
			var cold, waited []time.Duration
			for b.Loop() { // in pairs: whatever else the machine does, it does to both
				cold = append(cold, timeImport(b, without, s))
				waited = append(waited, timeImport(b, with, preloaded))
			}
			slices.Sort(cold)
			slices.Sort(waited)
			first, then := cold[len(cold)/2], waited[len(waited)/2]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(first.Microseconds())/1000, "cold-ms")
			b.ReportMetric(float64(then.Microseconds())/1000, "preloaded-ms")
			b.ReportMetric(float64(then)/float64(first), "ratio")
		})
	}
}

// timeImport is what a program says that its import took, in a sandbox that waited.
func timeImport(b *testing.B, be *Backend, s sandbox.Spec) time.Duration {
	b.Helper()
	if err := be.Warm(context.Background(), s); err != nil {
		b.Fatal(err)
	}
	be.boxes.Settled()
	time.Sleep(rest)
	res, err := be.Run(context.Background(), s)
	seconds, perr := strconv.ParseFloat(strings.TrimSpace(string(res.Stdout)), 64)
	if err != nil || perr != nil || !res.Warm {
		b.Fatalf("%v, %v, waited: %v, %s %s", err, perr, res.Warm, res.Reason, res.Stderr)
	}
	return time.Duration(seconds * float64(time.Second))
}

// BenchmarkReference measures what a file of 1 GB by reference takes of the start of
// a program, and of a whole run that does not read it: the medians of the
// differences of pairs, and of their ratios.
func BenchmarkReference(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "big.csv"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1 << 30); err != nil {
		b.Fatal(err)
	}
	read, err := os.Open(file.Name())
	if err != nil {
		b.Fatal(err)
	}
	defer read.Close()
	for language, p := range programs {
		b.Run(language, func(b *testing.B) {
			without := sandboxtest.Spec(language, p.code)
			with := without
			with.References = []sandbox.Reference{{Path: "big.csv", File: read, Bytes: 1 << 30}}
			be := waitingBackend(b, 1, without)
			var starts, wholes, ratios []float64
			for b.Loop() {
				start, whole := timeStart(b, be, without)
				start2, whole2 := timeStart(b, be, with)
				starts = append(starts, (start2-start).Seconds()*1000)
				wholes = append(wholes, (whole2-whole).Seconds()*1000)
				ratios = append(ratios, float64(start2)/float64(start))
			}
			b.ReportMetric(0, "ns/op")
			for name, all := range map[string][]float64{"start-ms-more": starts, "whole-ms-more": wholes, "start-ratio": ratios} {
				slices.Sort(all)
				b.ReportMetric(all[len(all)/2], name)
			}
		})
	}
}

// timeStart is how long it takes until a program in a sandbox that waited says
// something, and until it has ended.
func timeStart(b *testing.B, be *Backend, s sandbox.Spec) (start, whole time.Duration) {
	b.Helper()
	if err := be.Warm(context.Background(), s); err != nil {
		b.Fatal(err)
	}
	be.boxes.Settled()
	time.Sleep(rest)
	var once sync.Once
	began := time.Now()
	s.Output = func(sandbox.Stream, []byte) { once.Do(func() { start = time.Since(began) }) }
	whole = timeRun(b, be, s)
	return start, whole
}

// rest is how long a sandbox has waited at least when its program comes.
const rest = 50 * time.Millisecond

func waitingBackend(b *testing.B, warm int, s sandbox.Spec) *Backend {
	return waitingAs(b, warm, s, func(kind string) string { return kind })
}

// waitingAs changes what waits.
func waitingAs(b *testing.B, warm int, s sandbox.Spec, change func(kind string) string) *Backend {
	be := newTestBackend(b)
	be.opts.Warm = warm
	be.boxes = newKeeper(be, be.opts)
	in, err := be.interpreter(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	kind, err := be.kind(in, s)
	if err != nil {
		b.Fatal(err)
	}
	if err := be.boxes.Wait(context.Background(), change(kind)); err != nil {
		b.Fatal(err)
	}
	return be
}

// BenchmarkIdle measures the memory of a sandbox that waits, one among eight: the
// proportional share of all its processes, and how much of that is private, which
// leaves out the files that they have in common. One that is plain has imported
// nothing in advance.
func BenchmarkIdle(b *testing.B) {
	const many = 8
	for language := range programs {
		for name, change := range map[string]func(string) string{"": func(kind string) string { return kind }, "/plain": runner.Plain} {
			b.Run(language+name, func(b *testing.B) {
				var be *Backend
				for b.Loop() {
					if be == nil {
						be = waitingAs(b, many, sandboxtest.Spec(language, ""), change)
					}
				}
				reportMemory(b, be, many)
			})
		}
	}
}

// BenchmarkMany has two hundred sandboxes wait, measures their memory, and has
// each of them answer.
func BenchmarkMany(b *testing.B) {
	const many = 200
	for language, p := range programs {
		b.Run(language, func(b *testing.B) {
			s := sandboxtest.Spec(language, p.code)
			var be *Backend
			for b.Loop() {
				if be == nil {
					be = waitingBackend(b, many, s)
				}
			}
			reportMemory(b, be, many)
			for range many {
				res, err := be.Run(b.Context(), s)
				if err != nil || !res.Warm || !bytes.Contains(res.Stdout, []byte("42")) {
					b.Fatalf("%v, waited: %v, %s %q", err, res.Warm, res.Reason, res.Stderr)
				}
			}
		})
	}
}

// reportMemory reports what each of so many sandboxes that wait takes.
func reportMemory(b *testing.B, be *Backend, many int) {
	time.Sleep(3 * time.Second) // they rest by then
	var total, private int64
	var counted []int
	for p := range marked(be.dir) {
		if slices.ContainsFunc(counted, func(pid int) bool { return sameMemory(pid, p.pid) }) {
			continue
		}
		counted = append(counted, p.pid)
		total += pss(p.pid, "Pss:")
		private += pss(p.pid, "Pss_Anon:") + pss(p.pid, "Pss_Shmem:")
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(total)/float64(many)/(1<<20), "MiB")
	b.ReportMetric(float64(private)/float64(many)/(1<<20), "private-MiB")
}

// sameMemory reports whether two processes have one memory: gVisor has a process
// for each thread of a program, and the kernel tells the memory of each.
func sameMemory(a, b int) bool {
	const vm = 1 // KCMP_VM
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), vm, 0, 0, 0)
	return errno == 0 && order == 0
}

func pss(pid int, key string) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == key {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

func timeRun(b *testing.B, be *Backend, s sandbox.Spec) time.Duration {
	start := time.Now()
	res, err := be.Run(context.Background(), s)
	took := time.Since(start)
	if err != nil || res.Reason != sandbox.Exited || !bytes.Contains(res.Stdout, []byte("42")) {
		b.Fatalf("%v %s %q %q", err, res.Reason, res.Stdout, res.Stderr)
	}
	return took
}

func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*9/10].Microseconds())/1000, "p90-ms")
}
