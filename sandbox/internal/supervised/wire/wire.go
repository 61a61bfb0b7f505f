// Package wire is what a backend and the supervisor inside of its sandbox say to
// each other, in frames over the stdin and stdout of the first process. The code
// under test never holds either end: the supervisor gives it pipes of its own.
package wire

// The tags of frames.
const (
	// From the host.
	Setup byte = 'S' // JSON of Start; starts the interpreter
	Rules byte = 'F' // JSON of ArtifactRules, before the job
	Job   byte = 'J' // for the runner's job descriptor, as it is
	Stdin byte = 'I' // the program's whole standard input
	Kill  byte = 'K' // end everything now; the end of the stream means the same

	// Both ways, where the start has a way out: what carries the connections of
	// the program, in the order in which it was sent (package tunnel).
	Tunnel byte = 'T'

	// From the supervisor.
	Identity byte = 'V' // JSON of Interpreter, before the interpreter starts, where the start asks for it
	Report   byte = 'R' // the text of an answer of the runner
	Stdout   byte = 'O' // a chunk of the program's output
	Stderr   byte = 'E'
	Path     byte = 'P' // of the file that follows
	Data     byte = 'D' // of the file of that path
	End      byte = 'X' // JSON of Final; nothing comes after it
)

// MaxPath is the length of the longest path that the host takes.
const MaxPath = 255

// Start is what the supervisor needs to start the interpreter.
type Start struct {
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Dir   string   `json:"dir"`
	Guard Guard    `json:"guard"`
	Watch Watch    `json:"watch"`

	OutputBytes int64 `json:"output_bytes"` // of each stream, forwarded

	// Egress has the supervisor take the program's connections. Nil: nobody
	// listens inside, and no frame carries one.
	Egress *Egress `json:"egress,omitempty"`

	// Identify asks for an Identity frame: what an image has for an
	// interpreter is the same every time, so that asking once is enough.
	Identify bool `json:"identify,omitempty"`
}

// Egress is what a program needs that may reach hosts.
type Egress struct {
	Ports []int `json:"ports"` // of hosts, that are listened on

	// CA is written to CAFile before the interpreter starts, where no mount has
	// it there.
	CA     []byte `json:"ca,omitempty"`
	CAFile string `json:"ca_file,omitempty"`
}

// Try, both ways, is all that a supervisor has to say that was started to find
// out what its network lets through: JSON of Reached, in answer to each JSON of
// Probe.
const Try byte = 'N'

// Probe names what to try, as host:port.
type Probe struct {
	TCP []string `json:"tcp,omitempty"` // an answer of any kind is one, refusal too
	DNS []string `json:"dns,omitempty"` // over UDP
}

// Reached is what answered.
type Reached struct {
	Port    int      `json:"port"` // where others can try this one, over TCP and on every address of it
	Reached []string `json:"reached,omitempty"`
	Error   string   `json:"error,omitempty"` // why nothing can be said
}

// MaxTunnel is the length of the longest Tunnel frame.
const MaxTunnel = 64 << 10

// Interpreter is what an image has to run programs with.
type Interpreter struct {
	Path    string `json:"path"`    // with every link followed
	Version string `json:"version"` // as it says itself
}

// Guard is what the interpreter's own process is put under before it starts.
type Guard struct {
	AllowProcess bool   `json:"allow_process"`        // exec and fork stay possible
	AllowInet    bool   `json:"allow_inet,omitempty"` // TCP and UDP over IPv4, where there is loopback alone
	OpenFiles    uint64 `json:"open_files"`
	FileBytes    uint64 `json:"file_bytes"`
	Tasks        uint64 `json:"tasks,omitempty"` // of the user; only where no other sandbox's count (gVisor)

	// NotStartable are directories whose files no process may start, where their
	// mounts do not say so.
	NotStartable []string `json:"not_startable,omitempty"`
}

// Watch is what the supervisor itself measures and ends the run for. Memory
// and Pids are zero where a cgroup enforces them, Inodes and Disk where the mounts do.
type Watch struct {
	CPUMillis  int64 `json:"cpu_ms"`
	Memory     int64 `json:"memory,omitempty"`
	Pids       int64 `json:"pids,omitempty"`
	Inodes     int64 `json:"inodes,omitempty"` // of each writable mount
	Disk       int64 `json:"disk,omitempty"`   // bytes of all of them together
	Reserve    int   `json:"reserve"`          // threads that the supervisor has itself
	WallMillis int64 `json:"wall_ms"`          // last resort, when the host has gone silent
}

// ArtifactRules says which files are sent after the run.
type ArtifactRules struct {
	Bytes  int64             `json:"bytes"`
	Count  int64             `json:"count"`
	Inputs map[string]string `json:"inputs"` // SHA-256 by path: no artifact unless changed
}

// Stopped is the Limit of a run that who runs the sandbox (an engine that shuts
// down) told the supervisor to end, by SIGTERM.
const Stopped = "stopped"

// Final is how the run ended, as the supervisor saw it.
type Final struct {
	Exit   int    `json:"exit"`
	Signal int    `json:"signal,omitempty"`
	Limit  string `json:"limit,omitempty"` // the sandbox.Reason of the limit it was ended for, or Stopped
	Error  string `json:"error,omitempty"` // the supervisor's own failure; nothing else counts then

	OOMKills    int64 `json:"oom_kills,omitempty"`
	ForksDenied int64 `json:"forks_denied,omitempty"` // by the pids cgroup

	CPUMicros  int64 `json:"cpu_us"`
	PeakMemory int64 `json:"peak_memory"`

	Violations []Violation `json:"violations,omitempty"`
	Told       []byte      `json:"told,omitempty"`      // frames of what the hooks told
	Listener   bool        `json:"listener"`            // whether attempts could be observed at all
	Startable  bool        `json:"startable,omitempty"` // what must not be could be started: the kernel knows no way
	Dropped    int         `json:"dropped,omitempty"`

	StdoutBytes int64 `json:"stdout_bytes"` // written by the program, forwarded or not
	StderrBytes int64 `json:"stderr_bytes"`
}

// Violation is one denied system call that was tried.
type Violation struct {
	Capability string `json:"capability"`
	Detail     string `json:"detail"`
}
