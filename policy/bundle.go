package policy

import (
	"errors"
	"fmt"
	"io"
	"path"
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

// WriteBundle writes the policy as an OPA bundle: rules and data, without
// tests. The same policy gives the same bytes, but for the signature.
func (p *Policy) WriteBundle(w io.Writer, opts BundleOptions) error {
	if len(p.catalogs) > 0 {
		return &LoadError{Issues: []Issue{{
			File: p.catalogs[0].name, Message: "a bundle cannot carry a capability catalog",
			Hint: "put these lines below policy.catalog in sallyport.yaml",
		}}}
	}
	b := bundle.Bundle{Data: p.data, Manifest: bundle.Manifest{Revision: opts.Revision}}
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
