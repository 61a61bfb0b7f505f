package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/config"
	"sallyport/policy"
)

type bundleFlags struct {
	out, revision, key, keyID, algorithm string
}

func (a *app) policyBundleCommand() *cobra.Command {
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle DIR",
		Short: "Pack a policy into an OPA bundle, and sign it",
		Example: `  openssl ecparam -genkey -name prime256v1 -noout -out acme.key
  openssl ec -in acme.key -pubout -out acme.pem
  sallyport policy bundle --sign-with acme.key --key-id acme --revision 7 acme
  sallyport policy verify --key acme=acme.pem acme.tar.gz`,
		Args: wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return a.bundle(f, args[0]) },
	}
	fl := cmd.Flags()
	outputFlag(cmd, &f.out, "write the bundle to `FILE` (default: DIR.tar.gz)")
	fl.StringVar(&f.revision, "revision", "", "revision, which every decision of the bundle names")
	fl.StringVar(&f.key, "sign-with", "", "sign with the private key in `FILE`, PEM")
	fl.StringVar(&f.keyID, "key-id", "default", "id of the key")
	fl.StringVar(&f.algorithm, "algorithm", "ES256", "ES256, RS256, PS256, EdDSA …")
	return cmd
}

func (a *app) bundle(f bundleFlags, dir string) error {
	p, opts, err := a.alone(dir)
	if err != nil {
		return err
	}
	// What could not be loaded is not shipped.
	if _, err := newEngine(opts); err != nil {
		return err
	}
	b := policy.BundleOptions{Revision: f.revision}
	if f.key != "" {
		if b.Key, err = readKey(f.key); err != nil {
			return err
		}
		b.KeyID, b.Algorithm = f.keyID, f.algorithm
	}
	if f.out == "" {
		f.out = filepath.Clean(dir) + ".tar.gz"
	}
	if err := writeFile(f.out, 0o644, func(w io.Writer) error { return p.WriteBundle(w, b) }); err != nil {
		return err
	}
	signed := "not signed"
	if b.Key != "" {
		signed = "signed by " + b.KeyID
	}
	fmt.Fprintf(a.stdout, "wrote %s, %s\n", safe(f.out), safe(signed))
	return nil
}

func (a *app) policyVerifyCommand() *cobra.Command {
	var keys []string
	var algorithm string
	cmd := &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "Check the signature of a bundle, and that it loads",
		Long: `Check that a bundle is signed by one of the keys of --key, or of policy.signing
in sallyport.yaml, and that its rules load.`,
		Example: "  sallyport policy verify --key acme=acme.pem acme.tar.gz",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.verifyBundle(keys, algorithm, args[0])
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key in PEM, as `ID=FILE`; may be repeated")
	cmd.Flags().StringVar(&algorithm, "algorithm", "ES256", "how the keys of --key sign")
	return cmd
}

func (a *app) verifyBundle(keyFlags []string, algorithm, path string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	signing := cfg.Policy.Signing
	if len(keyFlags) > 0 {
		signing = config.Signing{Algorithm: algorithm, Keys: map[string]string{}}
		for _, k := range keyFlags {
			id, file, ok := strings.Cut(k, "=")
			if !ok {
				return withHint(usagef("--key: %q names no file", k), "write --key ID=FILE, such as --key acme=acme.pem")
			}
			signing.Keys[id] = file
		}
	}
	if len(signing.Keys) == 0 {
		return withHint(usagef("no key to verify with"), "name one with --key ID=FILE, or in policy.signing.keys of sallyport.yaml")
	}
	keys, err := signingKeys(signing)
	if err != nil {
		return err
	}
	p, err := loadPolicy(path, keys, true)
	if err != nil {
		return err
	}
	opts, err := a.policyOptions(config.Config{})
	if err != nil {
		return err
	}
	opts.Policies = append(opts.Policies, p)
	e, err := newEngine(opts)
	if err != nil {
		return err
	}
	s := e.Summary()
	fmt.Fprintf(a.stdout, "%s: signed by a known key, revision %q, loads with %d rules\n", safe(path), s.Revision, s.Rules)
	return nil
}
