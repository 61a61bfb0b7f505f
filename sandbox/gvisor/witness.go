package gvisor

import (
	"bufio"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/runner"
)

// The witness is a part of sallyport's own runsc, in gVisor's kernel below the
// program: it sees which system calls are refused, also those that no
// interpreter was asked for, and when the program is over it brings out the
// files that it left. What it says comes over a
// socket of which the program knows nothing; files by reference go in over it.

// witnessFD is its end of that socket in the runsc process. It follows the
// standard streams and the runner's three.
const witnessFD = 6

// hasWitness reports whether a runsc binary is sallyport's own, which has the
// witness; an operator may name another.
func hasWitness(path string) bool {
	info, err := buildinfo.ReadFile(path)
	return err == nil && info.Main.Path == "sallyport/runsc"
}

func (b *Backend) witnessFile() string { return filepath.Join(b.dir, "witness.json") }

// witnessConfig is a trace of gVisor's with few points: the end of a
// thread; the system call with which every process of the C library begins,
// which makes the kernel known to the witness; the ends of those that make a
// process or a thread, open a file, or end the program; and that of one which
// next to nobody calls, with which the runner says that the program's files are
// there.
//
// A forwarder is a second sink of it.
func witnessConfig(forwarder bool) []byte {
	type object = map[string]any
	points := []object{{"name": "sentry/task_exit"}, {"name": fmt.Sprintf("syscall/sysno/%d/enter", unix.SYS_SET_TID_ADDRESS)}}
	for _, call := range slices.Concat(makers, []int{unix.SYS_OPENAT, unix.SYS_GETPRIORITY, unix.SYS_EXIT_GROUP}) {
		points = append(points, object{"name": fmt.Sprintf("syscall/sysno/%d/exit", call)})
	}
	sinks := []object{{"name": "sallyport", "config": object{
		"fd": witnessFD, "dir": runner.WorkDir, "report": frame.ReportFD, "scratch": []string{runner.WorkDir, "/tmp", "/dev/shm"},
	}}}
	if forwarder {
		sinks = append(sinks, object{"name": "sallyport-egress", "config": object{"fd": forwarderFD}})
	}
	config, err := json.Marshal(object{"trace_session": object{"name": "Default", "points": points, "sinks": sinks}})
	if err != nil {
		panic(err) // constants
	}
	return config
}

// hear reads what the witness tells and passes on how the program ended; it
// closes ended when no word of that will come.
func (c *box) hear(ended chan<- syscall.WaitStatus, l sandbox.Limits) evidence.Told {
	defer close(ended)
	in := bufio.NewReader(&pipe{f: c.witness})
	seen := evidence.Read(in, l)
	last := seen
	if seen.Complete {
		last = evidence.Read(in, sandbox.Limits{})
	}
	if last.Ended {
		ended <- syscall.WaitStatus(last.Status)
	}
	return seen
}

// withInputs leaves room in l for the files that the program was given: the
// witness sends them, too.
func withInputs(l sandbox.Limits, s sandbox.Spec) sandbox.Limits {
	for _, f := range inputs(s) {
		l.ArtifactBytes += int64(len(f.Data))
		l.ArtifactCount++
	}
	return l
}

func inputs(s sandbox.Spec) []sandbox.File {
	return append([]sandbox.File{{Path: sandbox.MainName(s.Language, s.Goal), Data: []byte(s.Code)}}, s.Files...)
}

// together is what the runner inside told and what the witness saw. Files are
// the witness's where the runner did not come to the end of them.
func together(told, seen evidence.Told, s sandbox.Spec, l sandbox.Limits) evidence.Told {
	told.Held = seen.Held
	for _, v := range seen.Violations {
		if !slices.Contains(told.Violations, v) {
			told.Violations = append(told.Violations, v)
		}
	}
	if told.Complete || !seen.Complete {
		return told
	}
	given := map[string][]byte{}
	for _, f := range inputs(s) {
		given[f.Path] = f.Data
	}
	told.Files, told.Dropped, told.Left, told.Complete = nil, seen.Dropped, seen.Left, true
	room := l.ArtifactBytes
	for _, f := range seen.Files {
		data, ok := given[f.Path]
		switch {
		case ok && bytes.Equal(data, f.Data):
		case int64(len(told.Files)) == l.ArtifactCount || int64(len(f.Data)) > room:
			told.Dropped++
			if len(told.Left) < evidence.MaxLeft {
				told.Left = append(told.Left, f.Path)
			}
		default:
			room -= int64(len(f.Data))
			told.Files = append(told.Files, f)
		}
	}
	return told
}
