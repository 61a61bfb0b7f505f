package gate

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"sallyport/sandbox"
)

// minSecret is the shortest value that is replaced: a shorter one occurs by
// chance, and replacing it would garble every output.
const minSecret = 4

// redactor replaces the values of secrets. It catches a value that is printed
// as it is, not one that a program was told to disguise: who may use a secret
// can give it away, and only a policy can keep a program from using it.
type redactor []redaction

type redaction struct{ value, label []byte }

func newRedactor(secrets map[string]string) redactor {
	var r redactor
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		value := strings.TrimSpace(secrets[name])
		r = r.add(name, value, minSecret)
		if strings.Contains(value, "\n") { // a key file may be printed line by line
			for _, line := range strings.Split(value, "\n") {
				r = r.add(name, strings.TrimSpace(line), 4*minSecret)
			}
		}
	}
	r.longestFirst()
	return r
}

// longestFirst puts the values in order: a secret may contain another one.
func (r redactor) longestFirst() {
	slices.SortStableFunc(r, func(a, b redaction) int { return cmp.Compare(len(b.value), len(a.value)) })
}

func (r redactor) add(name, value string, least int) redactor {
	if len(value) < least {
		return r
	}
	return append(r, redaction{[]byte(value), []byte("[secret " + name + "]")})
}

// hide returns b with every secret replaced; b itself is not changed.
func (r redactor) hide(b []byte) []byte {
	for _, x := range r {
		b = bytes.ReplaceAll(b, x.value, x.label)
	}
	return b
}

func (r redactor) text(s string) string { return string(r.hide([]byte(s))) }

// result hides secrets in everything that a run gave. What a program can
// influence is each field but Reason, which is of a closed set;
// TestNoSecretInAnyField fails for a field that is added and not decided.
func (r redactor) result(res *sandbox.Result) {
	res.Stdout, res.Stderr = r.hide(res.Stdout), r.hide(res.Stderr)
	res.Artifacts = slices.Clone(res.Artifacts)
	for i, f := range res.Artifacts {
		f.Path, f.Data, f.MediaType = r.text(f.Path), r.hide(f.Data), r.text(f.MediaType)
		res.Artifacts[i] = f
	}
	res.Violations = slices.Clone(res.Violations)
	for i, v := range res.Violations {
		v.Capability, v.Detail = r.text(v.Capability), r.text(v.Detail)
		res.Violations[i] = v
	}
	res.UnknownIdentifiers = slices.Clone(res.UnknownIdentifiers)
	for i, name := range res.UnknownIdentifiers {
		res.UnknownIdentifiers[i] = r.text(name)
	}
	enforced := make(map[sandbox.Control]string, len(res.Enforced))
	for c, how := range res.Enforced {
		enforced[sandbox.Control(r.text(string(c)))] = r.text(how)
	}
	res.Enforced = enforced
	res.ArtifactsLeft = slices.Clone(res.ArtifactsLeft)
	for i, path := range res.ArtifactsLeft {
		res.ArtifactsLeft[i] = r.text(path)
	}
	res.Preloaded = slices.Clone(res.Preloaded)
	for i, m := range res.Preloaded {
		res.Preloaded[i] = r.text(m)
	}
	rt := &res.Runtime
	rt.Interpreter, rt.Version, rt.SHA256 = r.text(rt.Interpreter), r.text(rt.Version), r.text(rt.SHA256)
}

// error hides secrets in what an error says: a program can have its words in
// one, such as what its interpreter said before it died.
func (r redactor) error(err error) error {
	if err == nil || r.text(err.Error()) == err.Error() {
		return err
	}
	return redactedError{err: err, text: r.text(err.Error())}
}

// redactedError is an error that says less.
type redactedError struct {
	err  error
	text string
}

func (e redactedError) Error() string { return e.text }

func (e redactedError) Is(target error) bool { return errors.Is(e.err, target) }

// live wraps an output function so that no secret passes, also one that comes
// in two chunks: what could be the start of a secret waits for what follows.
// The second function passes on what still waits when the program has ended.
func (r redactor) live(emit func(sandbox.Stream, []byte)) (wrapped func(sandbox.Stream, []byte), flush func()) {
	if len(r) == 0 {
		return emit, func() {}
	}
	return filtered(emit, func() filter { return &held{r: r} })
}

// held is one stream with what could be the start of a secret.
type held struct {
	r    redactor
	rest []byte
}

func (h *held) push(chunk []byte) []byte {
	b := append(h.rest, chunk...)
	cut := len(b) - h.pending(b)
	// A whole secret is never cut in two: it waits with what comes behind it.
	for moved := true; moved; {
		moved = false
		for _, x := range h.r {
			from := max(0, cut-len(x.value)+1)
			if i := bytes.Index(b[from:min(len(b), cut+len(x.value)-1)], x.value); i >= 0 && from+i < cut {
				cut, moved = from+i, true
			}
		}
	}
	h.rest = bytes.Clone(b[cut:])
	return h.r.hide(b[:cut])
}

func (h *held) end() []byte { return h.r.hide(h.rest) }

// pending is the length of the longest end of b that starts a secret.
func (h *held) pending(b []byte) int {
	keep := 0
	for _, x := range h.r {
		for n := min(len(x.value)-1, len(b)); n > keep; n-- {
			if bytes.HasSuffix(b, x.value[:n]) {
				keep = n
			}
		}
	}
	return keep
}
