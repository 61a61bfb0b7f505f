package supervised

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised/wire"
)

const (
	// GuestPath is where the supervisor is inside.
	GuestPath = runner.Dir + "/guest"

	OpenFiles = 512 // descriptors of a process; enough for any honest program

	// Tasks are the threads that the supervisor itself may have: a pids cgroup
	// counts them.
	Tasks = 24

	// lastResort is how long after the end of its time the supervisor ends a
	// run by itself, when its host has gone silent.
	lastResort = 20 * time.Second
)

// Environment is the supervisor's own: its few threads and nothing else.
func Environment() []string { return []string{"GOMAXPROCS=2", "GODEBUG="} }

// Outside says what is held for the run as a whole by something else than the
// supervisor, which watches over the rest.
type Outside struct {
	Memory, Pids bool // a cgroup
	Inodes, Disk bool // the mounts
	NotStartable bool // the mounts: what is written below them is not executed
}

// Start is what the supervisor puts an interpreter under.
func Start(s sandbox.Spec, interpreter string, held Outside) wire.Start {
	l := s.Limits.WithDefaults()
	st := wire.Start{
		Argv:        runner.Argv(interpreter, s),
		Env:         runner.Env(s),
		Dir:         runner.WorkDir,
		OutputBytes: l.OutputBytes,
		Guard: wire.Guard{
			AllowProcess: s.Grant.Has(sandbox.CapabilityProcess),
			OpenFiles:    OpenFiles,
			FileBytes:    uint64(l.FileBytes),
		},
		Watch: wire.Watch{
			CPUMillis:  l.CPU.Milliseconds(),
			Reserve:    Tasks,
			WallMillis: (l.Wall + lastResort).Milliseconds(),
		},
	}
	if s.Egress != nil {
		st.Guard.AllowInet, st.Egress = true, &wire.Egress{Ports: s.Egress.Ports}
		// The supervisor is no root, and looks where a program connects to.
		st.Env = slices.DeleteFunc(st.Env, func(v string) bool { return v == runner.Shut })
	}
	if !held.Memory {
		st.Watch.Memory = l.Memory
	}
	if !held.Pids {
		st.Watch.Pids = l.Pids
	}
	if !held.NotStartable && st.Guard.AllowProcess {
		st.Guard.NotStartable = []string{runner.WorkDir, "/tmp", "/dev/shm"}
	}
	if !held.Inodes {
		st.Watch.Inodes = live.Inodes
	}
	if !held.Disk {
		st.Watch.Disk = l.DiskBytes
	}
	return st
}

// Rules says what an artifact is: a file that the caller did not send as it is.
func Rules(s sandbox.Spec) wire.ArtifactRules {
	l := s.Limits.WithDefaults()
	r := wire.ArtifactRules{Bytes: l.ArtifactBytes, Count: l.ArtifactCount, Inputs: map[string]string{
		sandbox.MainName(s.Language, s.Goal): s.SHA256,
	}}
	for _, f := range s.Files {
		sum := sha256.Sum256(f.Data)
		r.Inputs[f.Path] = hex.EncodeToString(sum[:])
	}
	return r
}
