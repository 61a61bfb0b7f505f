package runner

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/frame"
)

// What stops a program at run time that does what policy denied. For Python it
// is a hook in C (hook/hook.c, compiled by scripts/hook), where the interpreter
// can load it, else one in Python; for JavaScript hook.cjs.

const (
	hookFile = "hook.so"   // in Dir
	factFile = "hook.conf" // in Dir: what the hook knows before there is a program
)

//go:embed hook/events.def
var eventList string

//go:embed hook/makers.txt
var makerList string

// builtinTypes are what an annotation may name though the program does not.
const builtinTypes = `bool
bytearray
bytes
complex
dict
float
frozenset
int
list
memoryview
object
range
set
slice
str
tuple
type`

// never are names that a text must not bring into a program: those with which
// one reaches everything else.
const never = `__builtins__
__globals__
__import__
__loader__
__subclasses__
breakpoint
compile
delattr
dir
eval
exec
getattr
globals
help
input
locals
open
setattr
vars`

// probes are library files that try by themselves what may be denied, and do
// without when it is refused.
const probes = `/platform.py
/uuid.py
/ctypes/util.py
/matplotlib/font_manager.py
/urllib3/util/connection.py
/multiprocessing/queues.py
/multiprocessing/connection.py
/numpy/_core/_dtype_ctypes.py
/numpy/_core/_internal.py
/numpy/core/_dtype_ctypes.py
/numpy/core/_internal.py
/numpy/ctypeslib.py
/scipy/_lib/_ccallback.py
/threadpoolctl.py
/dask/tokenize.py
/loky/backend/context.py`

// harmless are files that libraries look at by themselves, and that tell of nobody, and
// directories of such. Every program may open them, as if its text named them, and list none.
// mimetypes, platform, dateutil, joblib and threadpoolctl ask for them, and clients of TLS for whom to trust.
const harmless = `/dev/null /etc/localtime /etc/mime.types /etc/os-release /etc/ssl/certs /proc/self/maps /sys/fs/cgroup /usr/share/zoneinfo`

// exchanged are libraries whose objects others make of theirs when they are asked to:
// their compiled parts import them then, from wherever the program is.
const exchanged = `numpy
pandas
polars
pyarrow
scipy`

var eventLine = regexp.MustCompile(`(?m)^(?:PYTHON|JAVASCRIPT)\("([^"]+)", ([a-z.]+)\)$`)

// Events are what an interpreter may tell of a program, and the capability of
// each.
var Events = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	for _, m := range eventLine.FindAllStringSubmatch(eventList, -1) {
		found[m[1]] = m[2]
	}
	return found
})

// Controls adds to those of a backend what the hooks inside enforce.
func Controls(c map[sandbox.Control]string) map[sandbox.Control]string {
	c[sandbox.ControlHook] = "audit hook in C, hooks in JavaScript"
	for _, name := range sandbox.Capabilities() {
		if c[sandbox.Control(name)] == "" {
			c[sandbox.Control(name)] = "the interpreter's hooks"
		}
	}
	return c
}

// facts is what the hook is told before there is a program.
func facts() string {
	b := frame.Append(nil, 'i', []byte(builtinTypes+"\n"+exchanged))
	b = frame.Append(b, 'x', []byte(never))
	b = frame.Append(b, 'q', []byte(probes))
	b = frame.Append(b, 'f', []byte(harmless))
	for line := range strings.Lines(makerList) {
		b = frame.Append(b, 'm', []byte(strings.TrimSpace(line)))
	}
	return string(b)
}
