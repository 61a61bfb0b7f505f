package evidence

import (
	"slices"
	"strconv"
	"strings"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// maxViolations are kept of one run.
const maxViolations = 32

// Attempt adds an attempt to those of a run, once; the one for which the run was
// ended always. What is not among the words below was said by nobody who is
// ours, and is left out.
func Attempt(all []sandbox.Violation, v sandbox.Violation) []sandbox.Violation {
	if !known(v) {
		return all
	}
	same := func(k sandbox.Violation) bool {
		return k.Capability == v.Capability && k.Detail == v.Detail && k.Library == v.Library
	}
	switch i := slices.IndexFunc(all, same); {
	case i >= 0 && v.Stopped:
		all[i] = v
	case i >= 0:
	case len(all) < maxViolations:
		all = append(all, v)
	case v.Stopped:
		all[maxViolations-1] = v
	}
	return all
}

// known are all that may be said of an attempt at a capability: the events of
// the interpreters, and the system calls that the kernel refuses.
func known(v sandbox.Violation) bool {
	if c := runner.Events()[v.Detail]; c != "" && c == v.Capability {
		return true
	}
	switch sandbox.Capability(v.Capability) {
	case sandbox.CapabilityProcess:
		return slices.Contains([]string{"execve", "execveat", "fork", "vfork", "clone", "ptrace", "process_vm_readv", "process_vm_writev"}, v.Detail)
	case "code.load":
		return v.Detail == "import" // of a file that was not judged
	case sandbox.CapabilityNetwork:
		return slices.Contains([]string{"socket", "socket(AF_INET)", "socket(AF_INET6)", "socket(AF_NETLINK)", "socket(AF_PACKET)", "socket(AF_VSOCK)"}, v.Detail)
	}
	return false
}

// attempt reads "capability detail" or "capability detail line".
func attempt(words string) (v sandbox.Violation) {
	parts := strings.Split(words, " ")
	if len(parts) == 3 {
		n, err := strconv.ParseUint(parts[2], 10, 31)
		if err != nil {
			return sandbox.Violation{}
		}
		v.Line, parts = int(n), parts[:2]
	}
	if len(parts) != 2 {
		return sandbox.Violation{}
	}
	v.Capability, v.Detail = parts[0], parts[1]
	return v
}

// Meant are the violations of a program. One that may reach hosts looks, by way
// of the C library and without meaning any harm, for IPv6, for interfaces and for
// a cache of names.
func Meant(all []sandbox.Violation, e *sandbox.Egress) []sandbox.Violation {
	return slices.DeleteFunc(all, func(v sandbox.Violation) bool {
		return e != nil && slices.Contains([]string{"socket(AF_INET6)", "socket(AF_NETLINK)", "socket(AF_UNIX)"}, v.Detail)
	})
}
