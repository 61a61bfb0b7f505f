package runner_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// The hooks that are embedded were compiled from the source beside them.
func TestHookIsOfItsSource(t *testing.T) {
	var sums string
	sources, err := filepath.Glob("hook/*.[ch]")
	if err != nil || len(sources) < 10 {
		t.Fatal(sources, err)
	}
	for _, name := range append(sources, "hook/events.def") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name)
	}
	if want, err := os.ReadFile("hook.sum"); err != nil || sums != string(want) {
		t.Errorf("the source has changed since the hook was compiled (%v): scripts/hook compiles it", err)
	}
}

// TestHookTakesNoRoomForNothing has code of files of a library that are not there make
// code, which is told each time: the hook keeps no room for sources that it could not read.
func TestHookTakesNoRoomForNothing(t *testing.T) {
	t.Parallel()
	const code = `
import os
def size():
    return int(open('/proc/self/statm').read().split()[0]) * os.sysconf('SC_PAGESIZE') >> 20
def make(n):
    for k in range(n):
        exec(compile("exec('1')", os.path.dirname(os.__file__) + '/site-packages/none%d.py' % k, 'exec'))
make(1)
before = size()
make(64)
print(size() - before)
`
	s := sandboxtest.Spec("python", code)
	s.Observe = true
	res := newBare(t, nil).run(t, s)
	grown, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	if err != nil || grown > 16 || len(res.Violations) == 0 {
		t.Errorf("grew by %d MiB, told %d things, %v: %.400s", grown, len(res.Violations), err, res.Stderr)
	}
}

// TestHookKeepsWhatIsSettled looks at the memory of the hook: nothing writes any more to
// where it has what policy denied.
func TestHookKeepsWhatIsSettled(t *testing.T) {
	t.Parallel()
	const code = `
end, kept = '', 0
for line in open('/proc/self/maps'):
    at, rights, _, _, _, *name = line.split()
    begin, _, over = at.partition('-')
    if name and name[0].endswith('/hook.so') or not name and begin == end:
        end = over
        if not name and rights == 'r--p':
            kept += int(over, 16) - int(begin, 16)
print(kept >= 3 << 16)
`
	s := sandboxtest.Spec("python", code)
	s.Seen.Paths = []string{"/proc/self/maps"}
	if res := newBare(t, nil).run(t, s); string(res.Stdout) != "True\n" {
		t.Errorf("%q, %.400s", res.Stdout, res.Stderr)
	}
}
