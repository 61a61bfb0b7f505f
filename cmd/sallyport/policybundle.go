package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/replace"
	"sallyport/internal/report"
	"sallyport/policy"
)

type bundleFlags struct {
	out, revision, key, keyID, algorithm string
}

func policyBundleCommand(a *app) *cobra.Command {
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle DIR",
		Short: "Pack a policy into an OPA bundle, and sign it",
		Example: `  openssl ecparam -genkey -name prime256v1 -noout -out acme.key
  openssl ec -in acme.key -pubout -out acme.pem
  sallyport policy bundle --sign-with acme.key --key-id acme --revision 7 acme
  sallyport policy verify --key acme=acme.pem acme.tar.gz`,
		Args: wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return bundle(a.tell.answer(), setup, f, args[0])
		},
	}
	fl := cmd.Flags()
	outputFlag(cmd, &f.out, "write the bundle to `FILE` (default: DIR.tar.gz)")
	fl.StringVar(&f.revision, "revision", "", "revision, which every decision of the bundle names")
	fl.StringVar(&f.key, "sign-with", "", "sign with the private key in `FILE`, PEM")
	fl.StringVar(&f.keyID, "key-id", "default", "id of the key")
	fl.StringVar(&f.algorithm, "algorithm", "ES256", "ES256, RS256, PS256, EdDSA …")
	return cmd
}

func bundle(out *report.Text, setup *install.Setup, f bundleFlags, dir string) error {
	p, opts, err := setup.Alone(dir)
	if err != nil {
		return err
	}
	// What could not be loaded is not shipped.
	if _, err := install.NewEngine(opts); err != nil {
		return err
	}
	b := policy.BundleOptions{Revision: f.revision}
	if f.key != "" {
		if b.Key, err = install.ReadKey(f.key); err != nil {
			return err
		}
		b.KeyID, b.Algorithm = f.keyID, f.algorithm
	}
	if f.out == "" {
		f.out = filepath.Clean(dir) + ".tar.gz"
	}
	if err := replace.File(f.out, 0o644, func(w io.Writer) error { return p.WriteBundle(w, b) }); err != nil {
		return err
	}
	signed := "not signed"
	if b.Key != "" {
		signed = "signed by " + b.KeyID
	}
	out.Printf("wrote %s, %s\n", f.out, signed)
	return out.Err()
}

func policyVerifyCommand(a *app) *cobra.Command {
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
			setup, err := a.setup()
			if err != nil {
				return err
			}
			signing := setup.Config.Policy.Signing
			if len(keys) > 0 {
				if signing, err = signingBy(keys, algorithm); err != nil {
					return err
				}
			}
			return verifyBundle(a.tell.answer(), args[0], signing, a.options())
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key in PEM, as `ID=FILE`; may be repeated")
	cmd.Flags().StringVar(&algorithm, "algorithm", "ES256", "how the keys of --key sign")
	return cmd
}

// signingBy reads the keys that flags name.
func signingBy(flags []string, algorithm string) (config.Signing, error) {
	signing := config.Signing{Algorithm: algorithm, Keys: map[string]string{}}
	for _, k := range flags {
		id, file, ok := strings.Cut(k, "=")
		if !ok {
			return signing, hint.With(hint.Usage("--key: %q names no file", k), "write --key ID=FILE, such as --key acme=acme.pem")
		}
		signing.Keys[id] = file
	}
	return signing, nil
}

// verifyBundle checks a bundle beside what is judged by, without what the
// configuration says of policies.
func verifyBundle(out *report.Text, path string, signing config.Signing, beside install.Options) error {
	if len(signing.Keys) == 0 {
		return hint.With(hint.Usage("no key to verify with"), "name one with --key ID=FILE, or in policy.signing.keys of sallyport.yaml")
	}
	keys, err := install.SigningKeys(signing)
	if err != nil {
		return err
	}
	p, err := install.LoadPolicy(path, keys, true)
	if err != nil {
		return err
	}
	opts, err := install.With(config.Config{}, beside).PolicyOptions()
	if err != nil {
		return err
	}
	opts.Policies = append(opts.Policies, p)
	e, err := install.NewEngine(opts)
	if err != nil {
		return err
	}
	s := e.Summary()
	out.Printf("%s: signed by a known key, revision %q, loads with %d rules\n", path, s.Revision, s.Rules)
	return out.Err()
}
