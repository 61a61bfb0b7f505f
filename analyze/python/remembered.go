package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Some parts of the interpreter that are written in C hold memory while they ask an object
// of the program for something, and go on with it although the program has made it smaller,
// let it go or kept it. What they write then lands in whatever is there by now, which may be
// the interpreter's list of hooks. Those parts, and what they ask for, are here: a program has
// one or the other.
func remembered() []remembering {
	number := []string{"__index__", "__float__", "__buffer__"}
	stream := []string{"readinto", "readinto1", "write", "__getattr__", "__getattribute__"}
	equal := []string{"__eq__", "__ne__", "__hash__"}
	order := append([]string{"__lt__", "__gt__", "__le__", "__ge__"}, equal...)
	return []remembering{
		{module: "array", answers: number, mocked: true},
		{module: "builtins", names: []string{"bytearray", "memoryview"}, answers: number},
		{module: "io", names: []string{"BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair"}, answers: stream, mocked: true},
		{module: "io", names: []string{"RawIOBase"}, answers: []string{"readinto"}},
		{module: "struct", answers: append(number, "__bool__"), stirs: true},
		{module: "collections", names: []string{"OrderedDict"}, answers: equal, stirs: true},
		{module: "collections", names: []string{"OrderedDict"}, answers: []string{"__getitem__", "__setitem__", "__delitem__", "__missing__", "__contains__"}, stirs: true,
			below: ".OrderedDict", asked: "copy"},
		{module: "itertools", names: []string{"groupby"}, answers: equal, stirs: true},
		{module: "zoneinfo", answers: equal, stirs: true},
		{module: "asyncio", answers: append(equal, "call_soon"), stirs: true},
		{module: "xml", answers: append(equal, "__deepcopy__"), stirs: true},

		{module: "asyncio", below: "EventLoop", strict: true}, // whatever such a class has
		{module: "collections", names: []string{"OrderedDict"}, answers: equal, stirs: true, shared: true, strict: true},
		{module: "xml", answers: []string{"__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__setstate__", "__copy__"}, stirs: true, strict: true},
		{module: "contextvars", answers: equal, stirs: true, strict: true},
		{module: "collections", names: []string{"deque"}, answers: order, stirs: true, strict: true},
		{module: "builtins", names: []string{"iter"}, answers: equal, stirs: true, given: 2, strict: true},
		{module: "itertools", names: []string{"zip_longest", "chain", "islice"}, answers: []string{"__next__"}, stirs: true, strict: true},
		{module: "itertools", names: []string{"accumulate"}, answers: []string{"__next__", "__add__", "__radd__"}, stirs: true, strict: true},
		{module: "csv", answers: []string{"__next__"}, stirs: true, strict: true},
		{module: "io", names: []string{"TextIOWrapper"}, answers: []string{"write", "read", "read1", "flush", "closed", "detach"}, stirs: true, strict: true},
		{module: "builtins", names: []string{"bytearray"}, answers: []string{"__repr__", "__str__", "__bytes__", "__getitem__", "__missing__", "__float__", "__int__", "__index__"},
			stirs: true, asked: "%", strict: true},

		// The key of a zone is asked which file below those of zones it is, and where in the package of them.
		{module: "zoneinfo", answers: []string{"__radd__", "__getattribute__", "startswith", "split", "rsplit", "rpartition"}, strict: true},
	}
}

// remembering are names of a module, or all of it, of which objects hold memory, and the
// methods by which an object answers them. A mock answers all that it is asked: which
// programs seldom have beside those, mocked says. What programs have beside them as a matter of
// course counts only where it stirs (still.go), or where the program has a class below one and
// reads an attribute under the name that asks. given is with how many arguments a function does
// so. shared says that another thread may change it while a method is at work, whatever that
// does. What programs might have in earnest is reported so that only strict denies it.
type remembering struct {
	module  string
	names   []string
	answers []string
	mocked  bool
	stirs   bool
	below   string // the end of a name
	asked   string
	given   int
	shared  bool
	strict  bool
}

// answersBy tells whether the program answers those by a method.
func (p *python) answersBy(r remembering, method string) bool {
	if r.asked != "" && !p.asked[r.asked] || r.below != "" && !p.hasBelow(func(class string) bool {
		return strings.HasPrefix(class, r.module+".") && strings.HasSuffix(class, r.below)
	}) {
		return false
	}
	if method == "" {
		return true
	}
	if r.stirs {
		return p.stirs(method) || r.shared && p.own[method] && p.threads()
	}
	return p.own[method] || slices.ContainsFunc(p.kin(), func(name string) bool { return p.own[name] && strings.HasPrefix(method, "__") })
}

// threads tells whether the program may have other threads.
func (p *python) threads() bool {
	return p.asked["run_in_executor"] || slices.ContainsFunc(p.mentions, func(m mention) bool {
		return strings.HasPrefix(m.name, "threading.Thread") || strings.HasPrefix(m.name, "threading.Timer") || strings.HasPrefix(m.name, "concurrent.futures.ThreadPool") || m.name == "asyncio.to_thread"
	})
}

// has tells whether a symbol is, or leads to, one of those.
func (r remembering) has(symbol string) bool {
	module, name, _ := strings.Cut(origin(symbol), ".")
	name, _, _ = strings.Cut(name, ".")
	return module == r.module && (name == "" || r.names == nil || slices.Contains(r.names, name))
}

// origin is the name of what a name of typing makes when it is called, or has below it.
func origin(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "typing.")
	if !ok {
		return symbol
	}
	name, member, _ := strings.Cut(rest, ".")
	switch name {
	case "OrderedDict", "Counter", "ChainMap":
	case "Deque", "DefaultDict":
		name = strings.ToLower(name)
	default:
		return symbol
	}
	return strings.TrimSuffix("collections."+name+"."+member, ".")
}

// isAt tells whether one of those is mentioned there, as one that asks.
func (r remembering) isAt(m mention) bool {
	return r.has(m.name) && (r.given == 0 || m.how != analyze.HowCall || m.args == nil || m.args.splat || len(m.args.positional) == r.given)
}
