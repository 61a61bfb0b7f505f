package install

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"sallyport/analyze"
	"sallyport/gate"
	"sallyport/internal/replace"
	"sallyport/sandbox"
)

// A process that runs one program starts its sandbox while policies are read and the
// program is judged. What policy lets through of it is not known yet, so the sandbox
// is like the last one of such a request. The run takes it if it is, to the letter, the
// one that the decision asks for; else it goes, and another one is started.

// One is what is known of the only request that will come, before it is judged: that,
// and its environment, which is that of Options.
type One struct {
	Language analyze.Language
	Limits   sandbox.Limits
}

// starter is a backend that can start a sandbox before the run for it is there.
type starter interface {
	Ahead(ctx context.Context, s sandbox.Spec) error
}

// posture is what a decision made of a sandbox.
type posture struct {
	Grant   sandbox.Grant
	Limits  sandbox.Limits
	Observe bool
}

// maxPostures bounds what is remembered: beyond it all is forgotten.
const maxPostures = 100

// ahead starts the sandbox of the only request, if there is one, and returns the
// backend, which remembers what it came to, in a file of a state directory.
func ahead(b Backend, state string, opts Options, environments map[string]gate.Environment) sandbox.Backend {
	starts, ok := b.(starter)
	one := opts.One
	if !ok || one == nil {
		return b
	}
	r := &remembering{Backend: b, file: filepath.Join(state, "postures.json")}
	r.key = fmt.Sprintf("%q %q %q %q %q %+v", opts.File, opts.Packs, opts.Policies, opts.Environment, one.Language, one.Limits)
	// A file that is not there, or cannot be read, remembers nothing.
	if data, err := os.ReadFile(r.file); err == nil {
		_ = json.Unmarshal(data, &r.known)
	}
	env := environments[cmp.Or(opts.Environment, "default")]
	if p, ok := r.known[r.key]; ok && env.Egress == nil {
		// An error comes again when the run asks for its sandbox.
		_ = starts.Ahead(context.Background(), sandbox.Spec{
			Language: string(one.Language), Runtime: env.Runtime(one.Language), Grant: p.Grant, Limits: p.Limits, Observe: p.Observe,
		})
	}
	return r
}

// remembering is a backend that remembers what its run asked for.
type remembering struct {
	Backend
	file, key string
	known     map[string]posture
}

// Run implements sandbox.Backend.
func (r *remembering) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	res, err := r.Backend.Run(ctx, s)
	if err == nil {
		r.remember(posture{s.Grant, s.Limits, s.Observe})
	}
	return res, err
}

// remember writes down a posture that is not the last one. Where it cannot, the next
// sandbox is started later.
func (r *remembering) remember(p posture) {
	if reflect.DeepEqual(r.known[r.key], p) {
		return
	}
	if r.known == nil || len(r.known) >= maxPostures {
		r.known = map[string]posture{}
	}
	r.known[r.key] = p
	_ = replace.File(r.file, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(r.known) })
}
