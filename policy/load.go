package policy

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

//go:embed rego/decision.rego
var decisionModule string

//go:embed rego/egress.rego
var egressModule string

const egressModuleName = "sallyport/egress.rego"

// loaded is what New reads before it compiles.
type loaded struct {
	modules  map[string]*ast.Module // by file name
	data     map[string]any
	catalog  *catalog
	packs    []string
	atMost   map[string]Action // by pack
	revision string
	loosened []string
	sum      hash.Hash
}

// load reads everything that Options names.
func load(opts Options) (*loaded, error) {
	l := &loaded{modules: map[string]*ast.Module{}, data: map[string]any{}, sum: sha256.New()}
	if err := l.add(file{"sallyport/decision.rego", decisionModule}, nil); err != nil {
		return nil, err
	}
	if err := l.add(file{egressModuleName, egressModule}, nil); err != nil {
		return nil, err
	}
	if opts.FS == nil && len(opts.Packs) > 0 {
		return nil, fmt.Errorf("%w: no file system holds the packs %v", ErrNoRules, opts.Packs)
	}
	if err := l.loadPacks(opts); err != nil {
		return nil, err
	}
	c, err := loadCatalogs(opts.FS, l.sum)
	if err != nil {
		return nil, err
	}
	l.catalog = c
	for _, p := range opts.Policies {
		if err := l.loadOwn(p, opts); err != nil {
			return nil, err
		}
	}
	if err := l.loadAdditions(opts.Catalog); err != nil {
		return nil, err
	}
	fmt.Fprintf(l.sum, "%s%s%s", digestOf(opts.Overrides), digestOf(opts.Exceptions), digestOf(opts.Limits))
	return l, nil
}

func (l *loaded) add(f file, m *ast.Module) error {
	fmt.Fprintf(l.sum, "%s %d\n%s", f.name, len(f.text), f.text)
	if m == nil {
		var err error
		if m, err = parse(f); err != nil {
			return err
		}
	}
	if _, ok := l.modules[f.name]; ok {
		return fmt.Errorf("policy file %s is loaded twice", f.name)
	}
	l.modules[f.name] = m
	return nil
}

func (l *loaded) loadPacks(opts Options) error {
	packs, atMost, err := expand(opts.FS, opts.Packs)
	if err != nil {
		return err
	}
	l.atMost = atMost
	l.packs = slices.Compact(slices.Sorted(slices.Values(opts.Packs)))
	for _, p := range packs {
		for i, f := range p.files {
			if err := l.add(f, p.modules[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadOwn adds an operator's policy.
func (l *loaded) loadOwn(p *Policy, opts Options) error {
	modules, err := p.parse(PackNames(opts.FS))
	if err != nil {
		return err
	}
	for i, f := range p.files {
		if err := l.add(f, modules[i]); err != nil {
			return err
		}
	}
	for _, f := range p.catalogs {
		loosened, err := l.catalog.extend(f, l.sum)
		if err != nil {
			return err
		}
		l.loosened = append(l.loosened, loosened...)
	}
	for _, key := range slices.Sorted(maps.Keys(p.data)) {
		if _, ok := l.data[key]; ok {
			return fmt.Errorf("policy %q: data.%s is also defined by another policy", p.name, key)
		}
		l.data[key] = p.data[key]
	}
	l.sum.Write(digestOf(p.data))
	l.packs = append(l.packs, p.name)
	if p.revision != "" {
		l.revision = strings.TrimPrefix(l.revision+"+"+p.revision, "+")
	}
	return nil
}

func (l *loaded) digest() string { return "sha256:" + hex.EncodeToString(l.sum.Sum(nil)) }
