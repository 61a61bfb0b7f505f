package install

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/internal/trust"
	"sallyport/policies"
	"sallyport/policy"
)

// maxKeyBytes bounds a file with a public key.
const maxKeyBytes = 64 << 10

// Engine loads the policies that are in force.
func (s *Setup) Engine() (*policy.Engine, error) {
	opts, err := s.PolicyOptions()
	if err != nil {
		return nil, err
	}
	opts.Hung = s.opts.Hung
	start := time.Now()
	e, err := load(s, opts)
	if err != nil {
		return nil, err
	}
	sum := e.Summary()
	s.tell.Note("policy: %s, %d rules, %s; loaded in %s", strings.Join(sum.Packs, " + "), sum.Rules, sum.Digest, Spent(time.Since(start)))
	for _, l := range sum.Loosened {
		s.tell.Note("policy: loosened: %s", l)
	}
	return e, nil
}

// load loads the policies that are in force. An error about what the configuration
// says of them has its place.
func load(s *Setup, opts policy.Options) (*policy.Engine, error) {
	e, err := policy.New(opts)
	if err != nil {
		return nil, fmt.Errorf("loading policy: %w", s.places().policy(err))
	}
	return e, nil
}

// NewEngine loads policies.
func NewEngine(opts policy.Options) (*policy.Engine, error) {
	e, err := policy.New(opts)
	if err != nil {
		return nil, fmt.Errorf("loading policy: %w", err)
	}
	return e, nil
}

// PolicyOptions joins flags and configuration. Packs named by a flag replace the
// configured ones. Policies of both count, because more rules can only tighten.
func (s *Setup) PolicyOptions() (policy.Options, error) {
	if err := knownPacks(s.opts.Packs); err != nil {
		return policy.Options{}, err
	}
	opts := policy.Options{FS: policies.FS, Packs: s.opts.Packs, Catalog: s.Config.Policy.Catalog}
	if len(opts.Packs) == 0 {
		opts.Packs = s.Config.Policy.Packs
	}
	if len(opts.Packs) == 0 {
		opts.Packs = []string{"baseline"}
	}
	keys, err := SigningKeys(s.Config.Policy.Signing)
	if err != nil {
		return opts, s.places().at("policy.signing.keys", err)
	}
	dirs := len(s.Config.Policy.Dirs)
	for i, path := range slices.Concat(s.Config.Policy.Dirs, s.Config.Policy.Bundles, s.opts.Policies) {
		p, err := LoadPolicy(path, keys, s.Config.Policy.Signing.Required)
		switch {
		case err == nil:
		case i < dirs:
			return opts, s.places().at(fmt.Sprintf("policy.dirs[%d]", i), err)
		case i < dirs+len(s.Config.Policy.Bundles):
			return opts, s.places().at(fmt.Sprintf("policy.bundles[%d]", i-dirs), err)
		default:
			return opts, err
		}
		s.tell.Note("policy: also %s", path)
		opts.Policies = append(opts.Policies, p)
	}
	opts.Overrides = make(map[string]policy.Action, len(s.Config.Policy.Overrides))
	for id, action := range s.Config.Policy.Overrides {
		opts.Overrides[id] = policy.Action(action)
	}
	for _, x := range s.Config.Policy.Exceptions {
		opts.Exceptions = append(opts.Exceptions, policy.Exception{
			ID: x.ID, Rule: x.Rule, Owner: x.Owner, Reason: x.Reason, Expires: time.Time(x.Expires),
			Symbols: x.Symbols, SHA256: x.SHA256, Languages: x.Languages, Clients: x.Clients, Users: x.Users, Groups: x.Groups, Environments: x.Environments,
		})
	}
	return opts, nil
}

// knownPacks checks the names that a flag gives.
func knownPacks(names []string) error {
	known := policy.PackNames(policies.FS)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return hint.With(hint.Usage("unknown policy pack %q", name), "%s", hint.DidYouMean(name, known, "one of "+strings.Join(known, ", ")))
		}
	}
	return nil
}

// Alone loads a policy that is being written, with what it stands beside: the
// packs in force, without overrides and exceptions.
func (s *Setup) Alone(path string) (*policy.Policy, policy.Options, error) {
	p, err := LoadPolicy(path, nil, false)
	if err != nil {
		return nil, policy.Options{}, err
	}
	opts, err := s.PolicyOptions()
	opts.Policies, opts.Overrides, opts.Exceptions = []*policy.Policy{p}, nil, nil
	return p, opts, err
}

// EveryRule is an engine with all built-in packs, beside what flags and
// configuration add.
func (s *Setup) EveryRule() (*policy.Engine, error) {
	opts, err := s.PolicyOptions()
	if err != nil {
		return nil, err
	}
	opts.Packs = append(opts.Packs, policy.PackNames(policies.FS)...)
	return load(s, opts)
}

// LoadPolicy reads an operator's policy: a directory, or a bundle, which must
// be signed when there are keys. Where signatures are required a directory is
// refused, because it cannot have one.
func LoadPolicy(path string, keys *policy.Keys, signed bool) (*policy.Policy, error) {
	st, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, noPolicy(path)
		}
		return nil, hint.Usage("%v", err)
	}
	closed := trust.Path
	if st.IsDir() {
		closed = trust.Tree
	}
	if err := closed("policy", path); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, hint.Usage("cannot read policy %s: permission denied", path)
		}
		return nil, err
	}
	if st.IsDir() {
		if signed {
			return nil, hint.With(hint.Usage("policy %s is a directory, and policies must be signed", path),
				"make a signed bundle of it: sallyport policy bundle --sign-with KEY.pem %s", path)
		}
		return policy.LoadDir(os.DirFS(path), path)
	}
	if !st.Mode().IsRegular() {
		return nil, hint.Usage("policy %s is neither a directory nor a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path)
	}
	defer f.Close()
	if start := make([]byte, 2); readStart(f, start) != nil || start[0] != 0x1f || start[1] != 0x8b {
		return nil, hint.With(hint.Usage("policy %s is no bundle, which is a tar.gz", path), "name the directory that it is in, or make a bundle: sallyport policy bundle DIR")
	}
	if keys != nil && len(keys.Keys) == 0 {
		keys = nil
	}
	return policy.LoadBundle(f, path, keys)
}

// noPolicy is the error of a path that is not there; a pack is no path.
func noPolicy(path string) error {
	err := hint.Usage("no policy at %s", path)
	if slices.Contains(policy.PackNames(policies.FS), path) {
		return hint.With(err, "%s is a built-in pack: --pack %s", path, path)
	}
	return hint.With(err, "name a directory of Rego or a bundle; sallyport policy new writes one")
}

// readStart fills b from the start of a file, and goes back there.
func readStart(f *os.File, b []byte) error {
	_, err := f.ReadAt(b, 0)
	return err
}

// SigningKeys reads the public keys that may sign bundles.
func SigningKeys(s config.Signing) (*policy.Keys, error) {
	k := &policy.Keys{Algorithm: s.Algorithm, Keys: map[string]string{}}
	if k.Algorithm == "" {
		k.Algorithm = "ES256"
	}
	for _, id := range slices.Sorted(maps.Keys(s.Keys)) {
		pem, err := ReadKey(s.Keys[id])
		if err != nil {
			return nil, hint.While(err, "key %s", id)
		}
		k.Keys[id] = pem
	}
	return k, nil
}

func ReadKey(path string) (string, error) {
	if err := trust.Path("a key that signs policies", path); err != nil {
		return "", err
	}
	b, err := ReadFile(path, "a key", maxKeyBytes)
	if err != nil {
		return "", err
	}
	if block, _ := pem.Decode(b); block == nil {
		return "", hint.With(hint.Usage("%s is not a key in PEM", path), "a PEM file begins with -----BEGIN")
	}
	return string(b), nil
}
