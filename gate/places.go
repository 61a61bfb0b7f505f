package gate

import (
	"bytes"
	"regexp"
	"slices"

	"sallyport/analyze"
	"sallyport/sandbox"
)

var (
	inPackages = regexp.MustCompile(`(?:/[^\s"':()]*)?/(?:site|dist)-packages/`)
	inPython   = regexp.MustCompile(`(?:/[^\s"':()]*)?/lib(?:64)?/python3(?:\.\d+)?t?/`)
)

// maxPlace is how long a path of a host is at most. What is longer is none.
const maxPlace = 4 << 10

// withoutPlaces names libraries by what they are, <packages>/pandas/io/common.py,
// and not by where the host has them, in what a Python program printed. It is a
// courtesy to hosts and no control: a program can spell any name. What is below
// the work directory is the program's own. Node says of its own files where they
// are by names that are the same everywhere.
func withoutPlaces(b []byte) []byte {
	if !bytes.Contains(b, []byte("/lib")) && !bytes.Contains(b, []byte("-packages/")) {
		return b
	}
	replace := func(b []byte, places *regexp.Regexp, name string) []byte {
		return places.ReplaceAllFunc(b, func(place []byte) []byte {
			if bytes.HasPrefix(place, []byte(sandbox.WorkDir+"/")) {
				return place
			}
			return []byte(name)
		})
	}
	return replace(replace(b, inPackages, "<packages>/"), inPython, "<python>/")
}

// hidePlaces does that to all that a run of a language said.
func hidePlaces(language analyze.Language, res *sandbox.Result) {
	if language != analyze.Python {
		return
	}
	res.Stdout, res.Stderr = withoutPlaces(res.Stdout), withoutPlaces(res.Stderr)
	res.Violations = slices.Clone(res.Violations)
	for i, v := range res.Violations {
		res.Violations[i].Detail = string(withoutPlaces([]byte(v.Detail)))
	}
}

// placeless is a stream without places. What may be the beginning of one waits
// for what follows: from the first slash of the last word on.
type placeless struct{ rest []byte }

func (p *placeless) push(chunk []byte) []byte {
	b := append(p.rest, chunk...)
	cut := len(b)
	word := bytes.LastIndexAny(b, " \t\n\f\r\"':()") + 1
	if slash := bytes.IndexByte(b[word:], '/'); slash >= 0 && len(b)-word-slash <= maxPlace {
		cut = word + slash
	}
	p.rest = bytes.Clone(b[cut:])
	return withoutPlaces(b[:cut])
}

func (p *placeless) end() []byte { return withoutPlaces(p.rest) }
