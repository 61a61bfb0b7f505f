package policy

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
)

// BundleOptions says what a bundle carries beside its rules.
type BundleOptions struct {
	Revision string // shown in every decision that the bundle takes part in

	// Key is the private key in PEM that signs the bundle, KeyID its name and
	// Algorithm the way, such as ES256. An empty Key leaves it unsigned.
	Key, KeyID, Algorithm string
}

// WriteBundle writes the policy as an OPA bundle: rules, data and catalogs,
// without tests. The same policy gives the same bytes, but for the signature.
func (p *Policy) WriteBundle(w io.Writer, opts BundleOptions) error {
	b := bundle.Bundle{Data: p.withCatalogs(), Manifest: bundle.Manifest{Revision: opts.Revision}}
	b.Manifest.Init()
	for _, f := range p.files {
		m, err := parse(f)
		if err != nil {
			return err
		}
		at := "/" + strings.TrimPrefix(strings.TrimPrefix(f.name, path.Clean(p.name)), "/")
		b.Modules = append(b.Modules, bundle.ModuleFile{URL: at, Path: at, Parsed: m, Raw: []byte(f.text)})
	}
	if opts.Key != "" {
		if err := sign(&b, opts); err != nil {
			return err
		}
	}
	return bundle.NewWriter(w).DisableFormat(true).Write(b)
}

// A bundle holds Rego and data only, so catalogs travel as data: their text by
// file name, in a place that no policy's own data may have.
const (
	productData = "sallyport"
	catalogData = "catalog"
)

// withCatalogs returns the data of a bundle that carries p.
func (p *Policy) withCatalogs() map[string]any {
	if len(p.catalogs) == 0 {
		return p.data
	}
	texts := map[string]any{}
	for _, f := range p.catalogs {
		texts[path.Base(f.name)] = f.text
	}
	data := maps.Clone(p.data)
	data[productData] = map[string]any{catalogData: texts}
	return data
}

// takeCatalogs moves the catalogs of a bundle out of its data.
func (p *Policy) takeCatalogs() error {
	ours, ok := p.data[productData]
	if !ok {
		return nil
	}
	refusal := &LoadError{Issues: []Issue{{File: p.name, Message: "data below \"sallyport\" belongs to the product: it holds catalogs, as text by file name"}}}
	parts, _ := ours.(map[string]any)
	texts, ok := parts[catalogData].(map[string]any)
	if !ok || len(parts) != 1 {
		return refusal
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text, ok := texts[name].(string)
		if !ok || path.Ext(name) != ".txt" || path.Base(name) != name {
			return refusal
		}
		p.catalogs = append(p.catalogs, file{path.Join(p.name, catalogDir, name), text})
	}
	delete(p.data, productData)
	return nil
}

func sign(b *bundle.Bundle, opts BundleOptions) error {
	if opts.KeyID == "" || opts.Algorithm == "" {
		return errors.New("signing needs the key's id and an algorithm")
	}
	if strings.HasPrefix(opts.Algorithm, "HS") {
		return fmt.Errorf("signing with %s: whoever can verify could also sign", opts.Algorithm)
	}
	if err := b.GenerateSignature(bundle.NewSigningConfig(opts.Key, opts.Algorithm, ""), opts.KeyID, false); err != nil {
		return fmt.Errorf("signing the bundle with %s: %v", opts.Algorithm, err)
	}
	return nil
}
