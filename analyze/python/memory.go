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
	return []remembering{
		{"array", nil, number, true},
		{"builtins", []string{"bytearray", "memoryview"}, number, false},
		{"io", []string{"BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair"}, stream, true},
	}
}

// remembering are names of a module, or all of it, of which objects hold memory, and the
// methods by which an object answers them. A mock answers all that it is asked: which
// programs seldom have beside those, mocked says.
type remembering struct {
	module  string
	names   []string
	answers []string
	mocked  bool
}

// has tells whether a symbol is, or leads to, one of those.
func (r remembering) has(symbol string) bool {
	module, name, _ := strings.Cut(symbol, ".")
	name, _, _ = strings.Cut(name, ".")
	return module == r.module && (name == "" || r.names == nil || slices.Contains(r.names, name))
}

// overwrites reports where a program uses a part of the library that it may have write to
// memory which is no longer that part's.
func (p *python) overwrites() {
	mocks := slices.ContainsFunc(p.mentions, func(m mention) bool { return strings.HasPrefix(m.name, "unittest.mock") })
	for _, r := range remembered() {
		if !(r.mocked && mocks) && !slices.ContainsFunc(r.answers, func(method string) bool { return p.own[method] }) {
			continue
		}
		for _, m := range p.mentions {
			if r.has(m.name) {
				p.Dynamic(analyze.DynamicBytecode, m.span)
			}
		}
	}
}
