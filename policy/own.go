package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/util"

	"sallyport/policy/internal/bounded"
)

// Policy is an operator's own: rules that stand beside the packs. It can add
// and tighten; it cannot reach into a pack.
type Policy struct {
	name     string
	revision string
	files    []file
	tests    []file
	catalogs []file
	data     map[string]any
}

type file struct{ name, text string }

// LoadDir reads *.rego, data.json and catalog/*.txt below fsys. Tests,
// *_test.rego, are kept for Test. The name is for messages: the directory as
// the operator wrote it.
func LoadDir(fsys fs.FS, name string) (*Policy, error) {
	p := &Policy{name: name, data: map[string]any{}}
	var size policySize
	err := fs.WalkDir(fsys, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if at != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		return p.add(fsys, at, &size)
	})
	if err != nil {
		var le *LoadError
		if errors.As(err, &le) {
			return nil, le
		}
		return nil, fmt.Errorf("loading policy %q: %v", name, err)
	}
	return p, p.check()
}

// add takes one file of a directory.
func (p *Policy) add(fsys fs.FS, at string, size *policySize) error {
	if err := size.addFile(); err != nil {
		return err
	}
	isCatalog := path.Base(path.Dir(at)) == catalogDir && path.Ext(at) == ".txt"
	if path.Ext(at) != ".rego" && path.Base(at) != "data.json" && !isCatalog {
		return nil
	}
	f, err := readFile(fsys, at, p.name)
	if err != nil {
		return err
	}
	if err := size.addText(at, strings.NewReader(f.text)); err != nil {
		return err
	}
	switch {
	case isCatalog:
		p.catalogs = append(p.catalogs, f)
	case strings.HasSuffix(at, "_test.rego"):
		p.tests = append(p.tests, f)
	case path.Ext(at) == ".rego":
		p.files = append(p.files, f)
	default:
		var value map[string]any
		if err := util.UnmarshalJSON([]byte(f.text), &value); err != nil {
			return &LoadError{Issues: []Issue{{File: f.name, Message: "not a JSON object: " + err.Error()}}}
		}
		return p.merge(f.name, path.Dir(at), value)
	}
	return nil
}

// merge puts the value of a data.json where its directory says.
func (p *Policy) merge(name, dir string, value map[string]any) error {
	at := p.data
	if dir != "." {
		for _, key := range strings.Split(dir, "/") {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
	}
	for _, k := range slices.Sorted(maps.Keys(value)) {
		if _, ok := at[k]; ok {
			return &LoadError{Issues: []Issue{{File: name, Message: fmt.Sprintf("%q is also defined in another data.json", k)}}}
		}
		at[k] = value[k]
	}
	return nil
}

// Keys verify the signature of a bundle: PEM public keys (or a shared secret)
// by key id, with the algorithm of each, such as ES256 or RS256.
type Keys struct {
	Algorithm string
	Keys      map[string]string
}

// LoadBundle reads an OPA bundle, a tar.gz of Rego, data and .manifest. With
// keys it must be signed by one of them; without, a signature is not looked at.
func LoadBundle(r io.Reader, name string, keys *Keys) (*Policy, error) {
	packed, err := boundedBundle(r)
	if err != nil {
		return nil, bundleError(name, err)
	}
	b, err := readBundle(packed, name, keys)
	if err != nil && keys != nil {
		if _, unsigned := readBundle(packed, name, nil); unsigned == nil {
			return nil, &LoadError{Issues: []Issue{{
				File: name, Message: fmt.Sprintf("the policy bundle is not signed by a known key: %v", err),
				Hint: "sign it with the matching private key, or name the public key that signed it",
			}}}
		}
	}
	if err != nil {
		return nil, bundleError(name, err)
	}
	p := &Policy{name: name, revision: b.Manifest.Revision, data: b.Data}
	if err := p.takeCatalogs(); err != nil {
		return nil, err
	}
	for _, m := range b.Modules {
		f := file{path.Join(name, strings.TrimPrefix(m.Path, "/")), string(m.Raw)}
		if strings.HasSuffix(m.Path, "_test.rego") {
			p.tests = append(p.tests, f)
		} else {
			p.files = append(p.files, f)
		}
	}
	return p, p.check()
}

// readBundle reads a bundle that is signed by one of the keys, or, without
// any, whoever signed it.
func readBundle(packed []byte, name string, keys *Keys) (bundle.Bundle, error) {
	reader := bundle.NewReader(bytes.NewReader(packed)).
		WithCapabilities(bounded.Capabilities()).
		WithRegoVersion(ast.RegoV1).
		WithSizeLimitBytes(maxFileBytes).
		WithBundleName(name)
	if keys != nil {
		configs := map[string]*bundle.KeyConfig{}
		for id, key := range keys.Keys {
			configs[id] = &bundle.KeyConfig{Key: key, Algorithm: keys.Algorithm}
		}
		reader = reader.WithBundleVerificationConfig(bundle.NewVerificationConfig(configs, "", "", nil))
	} else {
		reader = reader.WithSkipBundleVerification(true)
	}
	return reader.Read()
}

func bundleError(name string, err error) error {
	return &LoadError{Issues: []Issue{{File: name, Message: fmt.Sprintf("reading the policy bundle: %v", err)}}}
}

// check refuses what reaches into the packs or has nothing to say.
func (p *Policy) check() error {
	if _, ok := p.data[productData]; ok {
		return &LoadError{Issues: []Issue{{File: p.name, Message: "data below \"sallyport\" belongs to the product"}}}
	}
	if len(p.files) == 0 {
		return fmt.Errorf("%w: %q has no *.rego file", ErrNoRules, p.name)
	}
	slices.SortFunc(p.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

// parse reads the modules, whose rules must live in a package of their own.
func (p *Policy) parse(packs []string) ([]*ast.Module, error) {
	var out []*ast.Module
	for _, f := range p.files {
		m, err := parse(f)
		if err != nil {
			return nil, err
		}
		if err := ownPackage(m, packs); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func ownPackage(m *ast.Module, packs []string) error {
	if root := m.Package.Path; len(root) < 2 || !root[1].Equal(ast.InternedTerm("sallyport")) {
		return nil // a library of the operator's
	}
	name, _, ok := rulesPackage(m)
	switch {
	case !ok:
		return issueAt(m.Package.Loc(), "rules live in \"package sallyport.rules.NAME\", those about requests in \"package sallyport.requests.NAME\", helpers in any package outside of sallyport",
			"%s is not for rules", m.Package)
	case slices.Contains(packs, name):
		return issueAt(m.Package.Loc(), "choose another name: rules of other packages add up, and tighten",
			"%s belongs to the pack %q", m.Package, name)
	}
	return nil
}

func readFile(fsys fs.FS, at, root string) (file, error) {
	r, err := fsys.Open(at)
	if err != nil {
		return file{}, fmt.Errorf("reading policy: %v", err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	name := path.Join(root, at)
	switch {
	case err != nil:
		return file{}, fmt.Errorf("reading %s: %v", name, err)
	case len(text) > maxFileBytes:
		return file{}, fmt.Errorf("%s is larger than %d bytes", name, maxFileBytes)
	}
	return file{name, string(text)}, nil
}

func parse(f file) (*ast.Module, error) {
	m, err := ast.ParseModuleWithOpts(f.name, f.text, ast.ParserOptions{
		ProcessAnnotation: true, RegoVersion: ast.RegoV1, Capabilities: bounded.Capabilities(),
	})
	if err != nil {
		return nil, opaError(f.name, err)
	}
	if m == nil {
		return nil, &LoadError{Issues: []Issue{{File: f.name, Message: "the file is empty"}}}
	}
	return m, nil
}

// digestOf returns the canonical text of a value, for the policy digest.
func digestOf(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error()) // only for values that JSON cannot hold, which no policy has
	}
	return text
}
