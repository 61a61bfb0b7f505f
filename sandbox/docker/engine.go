package docker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
)

// engine is what was found out about the engine when the backend was made.
type engine struct {
	version  string
	arch     string // as Go names it
	podman   bool
	rootless bool
	cgroup   string // "1" or "2"
	memory   bool   // cgroup limits that it enforces
	pids     bool
	cpu      bool
	seccomp  bool
	runtime  string // the one that runs; "" is the engine's default
	standin  string // the default that stands in for one that is missing
	gvisor   bool
	runtimes []string // that it knows
}

// oldestAPI is the first version that knows every control: private cgroup
// namespaces are the youngest.
const oldestAPI = "1.41"

// maxInfo bounds what an engine may say of itself.
const maxInfo = 1 << 20

// describing explains the failure of an engine to describe itself.
func (b *Backend) describing(err error) error {
	if known := b.explained(err); known != nil || unreachable(err) {
		return cmp.Or(known, err)
	}
	return hint.New(err, "name another", "what answers at %s is no container engine", b.api.DaemonHost())
}

// examine asks the engine what it is and refuses one that cannot do.
func (b *Backend) examine(ctx context.Context) (engine, error) {
	ping, err := b.api.Ping(ctx)
	if err != nil {
		return engine{}, b.explain(err)
	}
	b.api.NegotiateAPIVersionPing(ping)
	info, podman, err := b.describe(ctx)
	if err != nil {
		return engine{}, b.describing(err)
	}
	if v := b.api.ClientVersion(); versions.LessThan(v, oldestAPI) {
		return engine{}, hint.New(nil, "update it: Docker Engine 20.10 and Podman 4 speak "+oldestAPI,
			"the engine at %s speaks version %s of the API and would drop controls that came later", b.api.DaemonHost(), v)
	}
	if info.OSType != "linux" {
		return engine{}, hint.New(nil, "switch it to Linux containers", "the engine runs %s containers", info.OSType)
	}
	if !podman && b.opts.Engine == "podman" {
		return engine{}, hint.New(nil, "use backend docker for it, or name Podman's socket", "what answers at %s is Docker, not Podman", b.api.DaemonHost())
	}
	e := understand(info)
	e.podman = podman
	if e.arch != b.guest.Arch {
		return engine{}, hint.New(nil, "build it with GOARCH="+e.arch, "the engine runs on %s, the supervisor %s was built for %s", e.arch, b.opts.Guest, b.guest.Arch)
	}
	return e.choose(info, b.opts)
}

// describe has the engine describe itself, once: each such question has Podman
// look at all of its containers. The client keeps to itself what it does not know
// of Docker: that it is Podman, and that it is rootless, which Podman does not say
// among its security options but in a field of its own.
func (b *Backend) describe(ctx context.Context) (info system.Info, podman bool, err error) {
	host, err := client.ParseHostURL(b.api.DaemonHost())
	if err != nil {
		return info, false, err
	}
	address := url.URL{Scheme: "http", Host: host.Host, Path: host.Path + "/v" + b.api.ClientVersion() + "/info"}
	if host.Scheme == "unix" || host.Scheme == "npipe" {
		address.Host = "engine" // which the client finds by its socket
	}
	if b.opts.TLS != (TLS{}) {
		address.Scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return info, false, err
	}
	response, err := b.api.HTTPClient().Do(request)
	if err != nil {
		return info, false, err
	}
	defer response.Body.Close()
	var said struct {
		system.Info
		Rootless *bool
		Message  string `json:"message"` // of an engine that refuses
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxInfo)).Decode(&said); err != nil {
		return info, false, fmt.Errorf("the engine's description of itself: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return info, false, errors.New(said.Message)
	}
	podman = response.Header.Get("Libpod-Api-Version") != ""
	if podman && (said.Rootless == nil || *said.Rootless) { // in doubt, nothing is taken for enforced
		said.SecurityOptions = append(said.SecurityOptions, "name=rootless")
	}
	return said.Info, podman, nil
}

// understand reads an engine's description of itself.
func understand(info system.Info) engine {
	e := engine{
		version: info.ServerVersion,
		arch:    map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[info.Architecture],
		cgroup:  info.CgroupVersion,
		memory:  info.MemoryLimit && info.SwapLimit,
		pids:    info.PidsLimit,
		cpu:     info.CPUCfsQuota,
	}
	if e.arch == "" {
		e.arch = info.Architecture
	}
	for _, o := range info.SecurityOptions {
		name, profile, _ := strings.Cut(o, ",")
		switch name {
		case "name=rootless":
			e.rootless = true
		case "name=seccomp":
			e.seccomp = profile != "profile=unconfined"
		}
	}
	// An ordinary user cannot be given a part of the version 1 hierarchy:
	// such an engine takes the limits and drops them.
	if e.rootless && e.cgroup != "2" {
		e.memory, e.pids, e.cpu = false, false, false
	}
	return e
}

// choose settles the runtime.
func (e engine) choose(info system.Info, o Options) (engine, error) {
	e.runtime, e.runtimes = o.Runtime, slices.Sorted(maps.Keys(info.Runtimes))
	name := o.Runtime
	if name == "" {
		name = info.DefaultRuntime
	} else if _, ok := info.Runtimes[name]; !ok && name != info.DefaultRuntime {
		if o.RequireRuntime {
			return e, hint.New(nil, "register it in the engine's daemon.json under \"runtimes\" and restart it",
				"the engine has no runtime %q, only %s", name, strings.Join(e.runtimes, ", "))
		}
		e.runtime, e.standin, name = "", name, info.DefaultRuntime
	}
	e.gvisor = strings.Contains(name, "runsc")
	return e, nil
}

func (e engine) mode() string {
	if e.rootless {
		return "rootless"
	}
	return "root"
}

// controls is what is enforced, and how. Everything named here is attacked by
// the tests.
func (e engine) controls() map[sandbox.Control]string {
	cgroup := "cgroup v" + e.cgroup
	or := func(ok bool, how, otherwise string) string {
		if ok {
			return how
		}
		return otherwise
	}
	c := map[sandbox.Control]string{
		sandbox.ControlNetwork:   "no interface; seccomp refuses sockets",
		sandbox.ControlEgress:    supervised.Egress,
		sandbox.ControlProcess:   "seccomp refuses exec and fork",
		sandbox.ControlHostFiles: "the image's files alone",
		sandbox.ControlReadOnly:  "read-only root, bounded noexec tmpfs",
		sandbox.ControlWall:      "timer; killed through the engine",
		sandbox.ControlCPU:       or(e.cpu, "watched, RLIMIT_CPU; rate by "+cgroup, "watched, RLIMIT_CPU"),
		sandbox.ControlMemory:    or(e.memory, cgroup, "watched every 20 ms: this engine has no cgroup to enforce it"),
		sandbox.ControlPids:      or(e.pids, cgroup, "watched every 20 ms: this engine has no cgroup to enforce it"),
		sandbox.ControlOutput:    "capped streams",
		sandbox.ControlDisk:      "tmpfs size",
		sandbox.ControlSecond:    "the interpreter's own parser, before the program",
		sandbox.ControlUser:      runner.User,
	}
	switch {
	case e.gvisor:
		c[sandbox.ControlKernel] = "gVisor; seccomp"
		c[sandbox.ControlMemory] = or(e.memory, cgroup+", watched every 20 ms", c[sandbox.ControlMemory])
	case e.seccomp:
		c[sandbox.ControlKernel] = "the host's kernel behind two seccomp profiles, the engine's and ours"
	default:
		c[sandbox.ControlKernel] = "the host's kernel behind seccomp; the engine has no profile of its own"
	}
	if e.standin != "" {
		c[sandbox.ControlUser] += "; runtime " + e.standin + " is missing, the engine's default stands in"
	}
	return c
}
