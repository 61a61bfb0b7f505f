package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/audit"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
)

func auditReport(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Make one HTML page of the log",
		Long: `Make one self-contained HTML page: decisions over time, the rules that stopped
most, and the newest denials, with the code around them where the log keeps it.
The log is verified first, and the page says what came of it.`,
		Example: "  sallyport audit report --since 30d -o report.html",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, records, err := f.selected(cmd.Context(), a.setup)
			if err != nil {
				return err
			}
			return writeAuditReport(cmd.Context(), a.tell, f, dirs, records)
		},
	}
	outputFlag(cmd, &f.output, "write the page to `FILE` (default: standard output)")
	cmd.Flags().IntVar(&f.denials, "denials", 100, "list `NUMBER` of the newest denials")
	cmd.Flags().StringSliceVar(&f.keys, "key", nil, "trust checkpoints signed by the public key in `FILE`; may be repeated")
	f.addFilter(cmd)
	return cmd
}

func writeAuditReport(ctx context.Context, tell *speech, f *auditFlags, dirs []string, records iter.Seq2[audit.Entry, error]) error {
	verified, err := f.verified(ctx, dirs)
	if err != nil {
		return err
	}
	opts := report.PageOptions{Now: time.Now(), Verified: verified.Logs, Denials: f.denials, Period: f.period()}
	// It shows code and its callers: it is the reader's alone.
	return writeTo(tell.stdout, f.output, 0o600, func(w io.Writer) error {
		if err := report.Page(w, records, opts); err != nil {
			return hint.While(err, "writing the report")
		}
		return ctx.Err() // some of the records would say something else
	})
}

// period says in words what the filter selects.
func (f *auditFlags) period() string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("since", f.since)
	add("until", f.until)
	add("event", strings.Join(f.events, ", "))
	add("effect", strings.Join(f.effects, ", "))
	add("rule", strings.Join(f.rules, ", "))
	add("client", strings.Join(f.clients, ", "))
	add("principal", strings.Join(f.principals, ", "))
	add("environment", strings.Join(f.environments, ", "))
	add("reason", strings.Join(f.reasons, ", "))
	add("tenant", strings.Join(f.tenants, ", "))
	add("text", f.text)
	return strings.Join(parts, ", ")
}

func auditVerify(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Find any record that was changed, removed, moved or inserted",
		Long: `Read the whole log and say where it is not what was written. It ends with exit
code 0 when nothing is wrong, and 1 otherwise.

The chain of hashes cannot show that the newest records were cut off. A
checkpoint that was kept elsewhere does: give it with --checkpoint. A signature
counts only with the public key, given with --key.

Of several logs, such as those of the replicas of a service, each is verified,
and that none of them is another's copy.`,
		Example: `  sallyport audit verify
  sallyport audit verify --dir logs-of-all-replicas
  sallyport audit verify --key audit.key.pub --checkpoint kept-elsewhere.jsonl`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, err := f.logs(a.setup)
			if err != nil {
				return err
			}
			return verify(cmd.Context(), a.tell, f, dirs)
		},
	}
	cmd.Flags().StringSliceVar(&f.keys, "key", nil, "trust checkpoints signed by the public key in `FILE`; may be repeated")
	cmd.Flags().StringSliceVar(&f.checkFile, "checkpoint", nil, "hold the log against the checkpoints in `FILE`; may be repeated")
	f.addFormat(cmd)
	return cmd
}

func verify(ctx context.Context, tell *speech, f *auditFlags, dirs []string) error {
	s, err := f.verified(ctx, dirs)
	if err != nil {
		return err
	}
	var shown any = s
	if len(s.Logs) == 1 {
		shown = s.Logs[0]
	}
	err = tell.show(f.format, shown, func(t *report.Text) { t.Verified(s) })
	if err == nil && !s.OK() {
		err = hint.With(fmt.Errorf("the log does not verify: %s", answer.Count(s.Found, "problem")), "keep the directory as it is, and compare it with a copy")
	}
	return err
}

// verified verifies logs against what the flags trust.
func (f *auditFlags) verified(ctx context.Context, dirs []string) (audit.Set, error) {
	trust, err := f.trust()
	if err != nil {
		return audit.Set{}, err
	}
	if len(dirs) > 1 && len(trust.Checkpoints) > 0 {
		return audit.Set{}, hint.With(hint.Usage("--checkpoint is of one log, and there are %d", len(dirs)), "verify that one by itself, with --dir")
	}
	return interruptible(ctx, func() (audit.Set, error) { return audit.VerifyAll(dirs, trust) })
}

// trust reads the keys and checkpoints that the flags name.
func (f *auditFlags) trust() (audit.Trust, error) {
	var t audit.Trust
	for _, path := range f.keys {
		k, err := audit.LoadPublicKey(path)
		if err != nil {
			return t, hint.Usage("--key: %w", err)
		}
		t.Keys = append(t.Keys, k)
	}
	for _, path := range f.checkFile {
		list, bad, err := audit.LoadCheckpoints(path)
		if err != nil {
			return t, hint.Usage("--checkpoint: %w", err)
		}
		if bad > 0 || len(list) == 0 {
			return t, hint.Usage("--checkpoint: %s has %d checkpoints and %d lines that are none", path, len(list), bad)
		}
		t.Checkpoints = append(t.Checkpoints, list...)
	}
	return t, nil
}

func auditKeygen(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a key that signs checkpoints",
		Long: `Make an Ed25519 key pair: the private key in FILE, the public one in FILE.pub.
Name the private key as audit.key in sallyport.yaml to have checkpoints signed
as the log grows; keep it from whoever may want to rewrite the log.`,
		Example: "  sallyport audit keygen log.key",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			pub, err := audit.GenerateKey(args[0])
			if err != nil {
				return hint.With(hint.Usage("making a key: %w", err), "name a file that does not exist, in a directory that does")
			}
			_, err = fmt.Fprintf(a.tell.stdout, "key %s in %s, public key in %s.pub\n", audit.KeyID(pub), args[0], args[0])
			return err
		},
	}
}

func auditCheckpoint(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Verify the log and sign its newest record",
		Long: `Verify the log, sign its newest record, add the checkpoint to the log's own file
of them, and print it. Keep what is printed where nobody can change it together
with the log: it proves later that these records were there.`,
		Example: "  sallyport audit checkpoint --sign-with audit.key >> kept-elsewhere.jsonl",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			log, err := f.writable(cmd.Context(), a.setup, true)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, log.Close()) }()
			c, err := log.Checkpoint(cmd.Context())
			if err != nil {
				return hint.While(err, "signing a checkpoint")
			}
			line := json.NewEncoder(a.tell.stdout)
			line.SetEscapeHTML(false)
			return line.Encode(c)
		},
	}
	cmd.Flags().StringVar(&f.key, "sign-with", "", "sign with the private key in `FILE` (default: audit.key of sallyport.yaml)")
	return cmd
}

func auditPurge(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "purge --before TIME",
		Short: "Delete the oldest records, and record that",
		Long: `Delete the segments of the log that hold only records from before a time. A
record of it is written first; records that are gone without one do not verify.
The log is verified before anything is deleted.`,
		Example: "  sallyport audit purge --before 400d",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			before, err := parseWhen("--before", f.olderThan, time.Now())
			if err != nil {
				return err
			}
			if before.IsZero() {
				return hint.Usage("--before says what may be deleted; there is no default")
			}
			log, err := f.writable(cmd.Context(), a.setup, false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, log.Close()) }()
			gone, err := log.Purge(cmd.Context(), before)
			if err != nil {
				return err
			}
			for _, name := range gone {
				if _, err := fmt.Fprintln(a.tell.stdout, "deleted", name); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(a.tell.stdout, "%s deleted\n", answer.Count(len(gone), "segment"))
			return err
		},
	}
	cmd.Flags().StringVar(&f.olderThan, "before", "", "delete what is older than `TIME`: 2026-05-04, or 400d ago")
	return cmd
}

// writable opens a log that verifies, for a verb that vouches for it.
func (f *auditFlags) writable(ctx context.Context, setup configured, mustSign bool) (*audit.Log, error) {
	dir, err := f.log(setup)
	if err != nil {
		return nil, err
	}
	s, err := setup()
	if err != nil {
		return nil, err
	}
	cfg := s.Config
	if f.key != "" {
		cfg.Audit.Key = f.key
	}
	if mustSign && cfg.Audit.Key == "" {
		return nil, hint.With(hint.Usage("no key to sign with"), "--sign-with FILE, or audit.key in sallyport.yaml; sallyport audit keygen makes one")
	}
	r, err := interruptible(ctx, func() (audit.Report, error) { return audit.Verify(dir) })
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, hint.With(fmt.Errorf("the log does not verify: %s", answer.Count(r.Found, "problem")), "sallyport audit verify")
	}
	opts, err := install.AuditOptions(cfg.Audit, dir)
	if err != nil {
		return nil, err
	}
	return audit.Open(opts)
}
