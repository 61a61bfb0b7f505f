// Package mcp serves agents: a Model Context Protocol server, over STDIO and over
// HTTP, whose tools judge and run code through package gate.
//
// It adds no way around the gate: a tool call becomes a gate.Request, and what
// the gate answers is put into words that a model can act on. Everything that a
// client sends is untrusted; nothing of the host reaches what it gets back.
package mcp

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/turns"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// Options configures a Server. Gate is required; every other zero field has a
// default that is safe.
type Options struct {
	Gate    *gate.Gate
	Version string // of sallyport, told to clients

	// Rules are those in force, for clients that want to read them.
	Rules []policy.RuleInfo

	// Environments are those that a caller may name. "default" is there in any
	// case.
	Environments answer.Environments

	// Directories are the names of those whose files callers may refer to.
	Directories []string

	// Outbox is the directory for files that are too large for an answer; ""
	// keeps them in memory for a while.
	Outbox string

	// Interpreters are the versions of the default environment by language, such
	// as "Python 3.11"; nothing is said of one that is not here.
	Interpreters map[analyze.Language]string

	// Limits are the operator's ceilings. Zero fields mean the sandbox's
	// defaults. The gate enforces them; here they are told to clients.
	Limits sandbox.Limits

	// Shown is how many bytes of what a program printed stand in an answer; zero
	// means 25,000. The rest is a resource.
	Shown int

	Parallel     int // runs at a time; 0 means twice the processors
	ParallelEach int // of one principal; 0 means no fewer than Parallel
	Queue        int // calls that wait for a run; 0 means 256
	SessionsEach int // open at a time of one principal; 0 means as many as the gate lets be

	// Runs and Checks are the turns that calls of this server have together with
	// those of others. Nil are turns of its own.
	Runs, Checks *turns.Turns

	// Lease, when not nil, bounds runs here and elsewhere together.
	Lease turns.Lease

	Heartbeat time.Duration // between signs of life of a call; 0 means 10 s
	Drain     time.Duration // for calls still open at the end of input; 0 means a minute

	// Warm has sandboxes of these languages wait from the moment on that a
	// client looks at the tools, so that its first call is a quick one.
	Warm []analyze.Language

	// ObserveQueue, when not nil, is told whenever the queues of calls change.
	// It must not block.
	ObserveQueue func(telemetry.Queue)

	// Handles name what clients bring back, among replicas of a service.
	Handles *Handles

	// Names, when not nil, say which replica of a service has a session.
	Names Names

	// Stop, when it is closed, ends Serve as the end of input does: calls that
	// are open get their answers. Nil never is.
	Stop <-chan struct{}

	// Log gets what the operator should know and a client must not: details of
	// sallyport's own failures. Nil drops it.
	Log func(format string, args ...any)
}

const (
	defaultQueue     = 256
	defaultHeartbeat = 10 * time.Second
	defaultDrain     = time.Minute
)

// DefaultParallel is how many runs there are at a time where nobody says.
func DefaultParallel() int { return 2 * runtime.NumCPU() }

// Server is an MCP server: for one client over STDIO, whose Serve may be called
// once, or for many over HTTP.
type Server struct {
	opts   Options
	mcp    *server.MCPServer
	runs   *turns.Turnstile
	checks *turns.Turnstile
	kept   *store
	warmed sync.Once

	sessions     bool // interpreters may be kept
	interpreters interpreters
	questions    questions
	peers        peers
}

// New returns a Server, or an error that names the missing part.
func New(opts Options) (*Server, error) {
	if opts.Gate == nil {
		return nil, errors.New("mcp: no gate")
	}
	if opts.Parallel < 0 || opts.ParallelEach < 0 || opts.Queue < 0 || opts.Heartbeat < 0 || opts.Drain < 0 {
		return nil, fmt.Errorf("mcp: a limit is negative: parallel %d, queue %d, heartbeat %s, drain %s",
			opts.Parallel, opts.Queue, opts.Heartbeat, opts.Drain)
	}
	if opts.Parallel == 0 {
		opts.Parallel = DefaultParallel()
	}
	if opts.Runs != nil {
		opts.Parallel = min(opts.Parallel, opts.Runs.Most())
	}
	if opts.Shown <= 0 {
		opts.Shown = defaultShown
	}
	if opts.Queue == 0 {
		opts.Queue = defaultQueue
	}
	if opts.Heartbeat == 0 {
		opts.Heartbeat = defaultHeartbeat
	}
	if opts.Drain == 0 {
		opts.Drain = defaultDrain
	}
	if opts.Log == nil {
		opts.Log = func(string, ...any) {}
	}
	opts.Limits = opts.Limits.WithDefaults()
	s := &Server{
		opts: opts,
		runs: turns.NewTurnstile(turns.Options{
			Name: "runs", Turns: opts.Runs, Most: opts.Parallel, Each: opts.ParallelEach,
			Queue: opts.Queue, Observe: opts.ObserveQueue, Lease: opts.Lease,
		}),
		checks: turns.NewTurnstile(turns.Options{
			Name: "checks", Turns: opts.Checks, Most: runtime.NumCPU(), Queue: opts.Queue, Observe: opts.ObserveQueue,
		}),
		kept: &store{},

		sessions:     opts.Gate.SessionLimits() != nil,
		interpreters: interpreters{opts: opts, named: map[handle]*interpreter{}, made: map[string]int{}},
	}
	s.mcp = server.NewMCPServer("sallyport", opts.Version,
		server.WithTitle("sallyport"),
		server.WithDescription("Runs Python and JavaScript after judging it by policy, in a sandbox without network."),
		server.WithInstructions(s.instructions()),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithLogging(),
	)
	s.addTools()
	s.addResources()
	s.addPrompts()
	return s, nil
}

// instructions are read by models that never open a resource: the shortest
// text with which the tools can be used well.
func (s *Server) instructions() string {
	return `Runs Python and JavaScript in a sandbox: ` + s.network() + `, no host files, nothing can be installed, hard limits, nothing kept between calls` + s.unless() + `. ` +
		`Code is judged by policy first. If it is denied, read the reason and change the code; the same code will be denied again. ` +
		`check_code judges without running. Print what you want to see; files written to the working directory come back.`
}

// unless says when something is kept between calls after all.
func (s *Server) unless() string {
	if s.sessions {
		return " unless they name a session"
	}
	return ""
}

func (s *Server) addTools() {
	s.mcp.AddTool(s.runTool("run_python_code", "Run Python", analyze.Python, "Python", `print("…")`), s.handleRun("python"))
	s.mcp.AddTool(s.runTool("run_javascript_code", "Run JavaScript", analyze.JavaScript, "JavaScript (Node.js)", "console.log(…)"), s.handleRun("javascript"))
	s.mcp.AddTool(checkTool(), s.handleCheck)
	if s.sessions {
		s.mcp.AddTool(endTool(), s.handleEnd)
	}
}

func ptr[T any](v T) *T { return &v }

// closedWorld says what the tools are: they change nothing outside of a sandbox
// that is thrown away, and reach nobody.
func closedWorld(title string, idempotent bool) mcp.ToolAnnotation {
	return mcp.ToolAnnotation{
		Title:           title,
		ReadOnlyHint:    ptr(true),
		DestructiveHint: ptr(false),
		IdempotentHint:  ptr(idempotent),
		OpenWorldHint:   ptr(false),
	}
}
