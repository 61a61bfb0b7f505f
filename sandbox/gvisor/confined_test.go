package gvisor

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestConfined looks at gVisor's own processes while a sandbox waits: the kernel
// of the host filters their system calls, whoever compiled the filter.
func TestConfined(t *testing.T) {
	t.Parallel()
	b := newBackendWith(t, func(o *Options) { o.Warm = 1 })
	s := sandboxtest.Spec("python", "")
	s.Grant = sandbox.Grant{sandbox.CapabilityNative} // has its mounts, and so a gofer
	if err := b.Warm(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for p := range marked(b.dir) {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		name, _, _ := strings.Cut(string(args), "\x00")
		if name != "runsc-sandbox" && name != "runsc-gofer" {
			continue
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
		if !strings.Contains(string(status), "\nSeccomp:\t2\n") {
			t.Errorf("%s runs without a filter", name)
		}
		seen[name] = true
	}
	if !seen["runsc-sandbox"] || !seen["runsc-gofer"] {
		t.Errorf("looked at %v", seen)
	}
}
