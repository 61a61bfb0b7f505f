package main

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
	"sallyport/policies"
	"sallyport/policy"
)

// maxKeyBytes bounds a file with a public key.
const maxKeyBytes = 64 << 10

// engine loads the policies that are in force.
func (a *app) engine(cfg config.Config) (*policy.Engine, error) {
	opts, err := a.policyOptions(cfg)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	e, err := newEngine(opts)
	if err != nil {
		return nil, err
	}
	s := e.Summary()
	a.note("policy: %s, %d rules, %s; loaded in %s", strings.Join(s.Packs, " + "), s.Rules, s.Digest, since(start))
	for _, l := range s.Loosened {
		a.note("policy: loosened: %s", l)
	}
	return e, nil
}

func newEngine(opts policy.Options) (*policy.Engine, error) {
	e, err := policy.New(opts)
	if err != nil {
		return nil, fmt.Errorf("loading policy: %w", err)
	}
	return e, nil
}

// policyOptions puts together what flags and configuration say. The packs of a
// flag replace those of the configuration; policies add up, because more rules
// can only tighten.
func (a *app) policyOptions(cfg config.Config) (policy.Options, error) {
	if err := knownPacks(a.packs); err != nil {
		return policy.Options{}, err
	}
	opts := policy.Options{FS: policies.FS, Packs: a.packs, Catalog: cfg.Policy.Catalog}
	if len(opts.Packs) == 0 {
		opts.Packs = cfg.Policy.Packs
	}
	if len(opts.Packs) == 0 {
		opts.Packs = []string{"baseline"}
	}
	keys, err := signingKeys(cfg.Policy.Signing)
	if err != nil {
		return opts, err
	}
	for _, path := range slices.Concat(cfg.Policy.Dirs, cfg.Policy.Bundles, a.policies) {
		p, err := loadPolicy(path, keys, cfg.Policy.Signing.Required)
		if err != nil {
			return opts, err
		}
		a.note("policy: also %s", path)
		opts.Policies = append(opts.Policies, p)
	}
	opts.Overrides = make(map[string]policy.Action, len(cfg.Policy.Overrides))
	for id, action := range cfg.Policy.Overrides {
		opts.Overrides[id] = policy.Action(action)
	}
	for _, x := range cfg.Policy.Exceptions {
		opts.Exceptions = append(opts.Exceptions, policy.Exception{
			ID: x.ID, Rule: x.Rule, Owner: x.Owner, Reason: x.Reason, Expires: time.Time(x.Expires),
			Symbols: x.Symbols, SHA256: x.SHA256, Languages: x.Languages, Clients: x.Clients, Users: x.Users, Environments: x.Environments,
		})
	}
	return opts, nil
}

// knownPacks checks the names that a flag gives.
func knownPacks(names []string) error {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return err
	}
	known := make([]string, len(packs))
	for i, p := range packs {
		known[i] = p.Name
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return withHint(usagef("unknown policy pack %q", name), "%s", didYouMean(name, known, "one of "+strings.Join(known, ", ")))
		}
	}
	return nil
}

// alone loads a policy that is being written, with what it stands beside: the
// packs in force, without overrides and exceptions.
func (a *app) alone(path string) (*policy.Policy, policy.Options, error) {
	p, err := loadPolicy(path, nil, false)
	if err != nil {
		return nil, policy.Options{}, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, policy.Options{}, err
	}
	opts, err := a.policyOptions(cfg)
	opts.Policies, opts.Overrides, opts.Exceptions = []*policy.Policy{p}, nil, nil
	return p, opts, err
}

// loadPolicy reads an operator's policy: a directory, or a bundle, which must
// be signed when there are keys. Where signatures are required a directory is
// refused, because it cannot have one.
func loadPolicy(path string, keys *policy.Keys, signed bool) (*policy.Policy, error) {
	st, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, noPolicy(path)
		}
		return nil, usagef("%v", err)
	}
	closed := trusted
	if st.IsDir() {
		closed = trustedTree
	}
	if err := closed("policy", path); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, usagef("cannot read policy %s: permission denied", path)
		}
		return nil, err
	}
	if st.IsDir() {
		if signed {
			return nil, withHint(usagef("policy %s is a directory, and policies must be signed", path),
				"make a signed bundle of it: sallyport policy bundle --sign-with KEY.pem %s", path)
		}
		return policy.LoadDir(os.DirFS(path), path)
	}
	if !st.Mode().IsRegular() {
		return nil, usagef("policy %s is neither a directory nor a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, noPermission(path)
	}
	defer f.Close()
	if start := make([]byte, 2); readStart(f, start) != nil || start[0] != 0x1f || start[1] != 0x8b {
		return nil, withHint(usagef("policy %s is no bundle, which is a tar.gz", path), "name the directory that it is in, or make a bundle: sallyport policy bundle DIR")
	}
	if keys != nil && len(keys.Keys) == 0 {
		keys = nil
	}
	return policy.LoadBundle(f, path, keys)
}

// noPolicy is the error of a path that is not there; a pack is no path.
func noPolicy(path string) error {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return err
	}
	err = usagef("no policy at %s", path)
	if slices.ContainsFunc(packs, func(p policy.PackInfo) bool { return p.Name == path }) {
		return withHint(err, "%s is a built-in pack: --pack %s", path, path)
	}
	return withHint(err, "name a directory of Rego or a bundle; sallyport policy new writes one")
}

// readStart fills b from the start of a file, and goes back there.
func readStart(f *os.File, b []byte) error {
	_, err := f.ReadAt(b, 0)
	return err
}

// signingKeys reads the public keys that may sign bundles.
func signingKeys(s config.Signing) (*policy.Keys, error) {
	k := &policy.Keys{Algorithm: s.Algorithm, Keys: map[string]string{}}
	if k.Algorithm == "" {
		k.Algorithm = "ES256"
	}
	for _, id := range slices.Sorted(maps.Keys(s.Keys)) {
		pem, err := readKey(s.Keys[id])
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", id, err)
		}
		k.Keys[id] = pem
	}
	return k, nil
}

func readKey(path string) (string, error) {
	if err := trusted("a key that signs policies", path); err != nil {
		return "", err
	}
	b, err := readFile(path, "a key", maxKeyBytes)
	if err != nil {
		return "", err
	}
	if block, _ := pem.Decode(b); block == nil {
		return "", withHint(usagef("%s is not a key in PEM", path), "a PEM file begins with -----BEGIN")
	}
	return string(b), nil
}
