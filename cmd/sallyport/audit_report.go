package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/audit"
	"sallyport/audit/export"
)

func (a *app) auditReport(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Make one HTML page of the log",
		Long: `Make one self-contained HTML page: decisions over time, the rules that stopped
most, and the newest denials, with the code around them where the log keeps it.
The log is verified first, and the page says what came of it.`,
		Example: "  sallyport audit report --since 30d -o report.html",
		Args:    wants(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.writeAuditReport(cmd.Context(), f) },
	}
	outputFlag(cmd, &f.output, "write the page to `FILE` (default: standard output)")
	cmd.Flags().IntVar(&f.denials, "denials", 100, "how many of the newest denials are listed")
	cmd.Flags().StringSliceVar(&f.keys, "key", nil, "trust checkpoints signed by the public key in `FILE`; may be repeated")
	f.addFilter(cmd)
	return cmd
}

func (a *app) writeAuditReport(ctx context.Context, f *auditFlags) error {
	filter, dir, err := a.reading(f)
	if err != nil {
		return err
	}
	verified, err := a.verified(ctx, f, dir)
	if err != nil {
		return err
	}
	opts := export.ReportOptions{Now: time.Now(), Verified: &verified, Denials: f.denials, Period: f.period()}
	// It shows code and its callers: it is the reader's alone.
	return a.writeTo(f.output, 0o600, func(w io.Writer) error {
		if err := export.Report(w, untilInterrupted(ctx, audit.Select(dir, filter)), opts); err != nil {
			return fmt.Errorf("writing the report: %w", err)
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
	add("effect", strings.Join(f.effects, ", "))
	add("rule", strings.Join(f.rules, ", "))
	add("client", strings.Join(f.clients, ", "))
	add("text", f.text)
	return strings.Join(parts, ", ")
}

func (a *app) auditVerify(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Find any record that was changed, removed, moved or inserted",
		Long: `Read the whole log and say where it is not what was written. It ends with exit
code 0 when nothing is wrong, and 1 otherwise.

The chain of hashes cannot show that the newest records were cut off. A
checkpoint that was kept elsewhere does: give it with --checkpoint. A signature
counts only with the public key, given with --key.`,
		Example: `  sallyport audit verify
  sallyport audit verify --key audit.key.pub --checkpoint kept-elsewhere.jsonl`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.verify(cmd.Context(), f) },
	}
	cmd.Flags().StringSliceVar(&f.keys, "key", nil, "trust checkpoints signed by the public key in `FILE`; may be repeated")
	cmd.Flags().StringSliceVar(&f.checkFile, "checkpoint", nil, "hold the log against the checkpoints in `FILE`; may be repeated")
	f.addFormat(cmd)
	return cmd
}

func (a *app) verify(ctx context.Context, f *auditFlags) error {
	dir, err := a.readDir(f)
	if err != nil {
		return err
	}
	r, err := a.verified(ctx, f, dir)
	if err != nil {
		return err
	}
	if f.format == "json" {
		err = writeJSON(a.stdout, r)
	} else {
		err = writeVerified(a.stdout, r)
	}
	if err == nil && !r.OK() {
		err = withHint(fmt.Errorf("the log does not verify: %s", count(r.Found, "problem")), "keep the directory as it is, and compare it with a copy")
	}
	return err
}

// verified verifies a log against what the flags trust.
func (a *app) verified(ctx context.Context, f *auditFlags, dir string) (audit.Report, error) {
	trust, err := a.trust(f)
	if err != nil {
		return audit.Report{}, err
	}
	return interruptible(ctx, func() (audit.Report, error) { return audit.VerifyAgainst(dir, trust) })
}

// trust reads the keys and checkpoints that the flags name.
func (a *app) trust(f *auditFlags) (audit.Trust, error) {
	var t audit.Trust
	for _, path := range f.keys {
		k, err := audit.LoadPublicKey(path)
		if err != nil {
			return t, usagef("--key: %w", err)
		}
		t.Keys = append(t.Keys, k)
	}
	for _, path := range f.checkFile {
		list, bad, err := audit.LoadCheckpoints(path)
		if err != nil {
			return t, usagef("--checkpoint: %w", err)
		}
		if bad > 0 || len(list) == 0 {
			return t, usagef("--checkpoint: %s has %d checkpoints and %d lines that are none", path, len(list), bad)
		}
		t.Checkpoints = append(t.Checkpoints, list...)
	}
	return t, nil
}

func writeVerified(w io.Writer, r audit.Report) error {
	p := printer{w: w}
	for _, problem := range r.Problems {
		p.printf("%s\n", safe(problem.String()))
	}
	if r.Found > len(r.Problems) {
		p.printf("… and %d more\n", r.Found-len(r.Problems))
	}
	for _, c := range r.Torn {
		p.printf("torn tail: %s ends in %d bytes that are no record (at byte %d), left by a crash or a full disk\n", c.Segment, c.Bytes, c.Offset)
	}
	for _, warning := range r.Warnings {
		p.printf("warning: %s\n", safe(warning))
	}
	state := "intact"
	if !r.OK() {
		state = count(r.Found, "problem")
	}
	p.printf("%s (%d to %d) in %s: %s\n", count(int(r.Records), "record"), r.First, r.Last, count(r.Segments, "segment"), state)
	if r.Purged {
		p.printf("records before %d were purged, which is on record\n", r.First)
	}
	if r.Checkpoints > 0 {
		p.printf("%s fit", count(r.Checkpoints, "checkpoint"))
		if r.Signed > 0 {
			p.printf("; trusted signatures vouch for the records up to %d", r.Signed)
		}
		p.printf("\n")
	}
	if r.Head != "" {
		p.printf("head %s\n", r.Head)
	}
	return p.err
}

func (a *app) auditKeygen(*auditFlags) *cobra.Command {
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
				return withHint(usagef("making a key: %w", err), "name a file that does not exist, in a directory that does")
			}
			_, err = fmt.Fprintf(a.stdout, "key %s in %s, public key in %s.pub\n", audit.KeyID(pub), args[0], args[0])
			return err
		},
	}
}

func (a *app) auditCheckpoint(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Verify the log and sign its newest record",
		Long: `Verify the log, sign its newest record, add the checkpoint to the log's own file
of them, and print it. Keep what is printed where nobody can change it together
with the log: it proves later that these records were there.`,
		Example: "  sallyport audit checkpoint --sign-with audit.key >> kept-elsewhere.jsonl",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			log, err := a.writableLog(cmd.Context(), f, true)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, log.Close()) }()
			c, err := log.Checkpoint(cmd.Context())
			if err != nil {
				return fmt.Errorf("signing a checkpoint: %w", err)
			}
			return writeLine(a.stdout, c)
		},
	}
	cmd.Flags().StringVar(&f.key, "sign-with", "", "sign with the private key in `FILE` (default: audit.key of sallyport.yaml)")
	return cmd
}

func (a *app) auditPurge(f *auditFlags) *cobra.Command {
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
				return usagef("--before says what may be deleted; there is no default")
			}
			log, err := a.writableLog(cmd.Context(), f, false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, log.Close()) }()
			gone, err := log.Purge(cmd.Context(), before)
			if err != nil {
				return err
			}
			for _, name := range gone {
				if _, err := fmt.Fprintln(a.stdout, "deleted", name); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(a.stdout, "%s deleted\n", count(len(gone), "segment"))
			return err
		},
	}
	cmd.Flags().StringVar(&f.olderThan, "before", "", "delete what is older than `TIME`: 2026-05-04, or 400d ago")
	return cmd
}

// writableLog opens a log that verifies, for a verb that vouches for it.
func (a *app) writableLog(ctx context.Context, f *auditFlags, mustSign bool) (*audit.Log, error) {
	dir, err := a.readDir(f)
	if err != nil {
		return nil, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	if f.key != "" {
		cfg.Audit.Key = f.key
	}
	if mustSign && cfg.Audit.Key == "" {
		return nil, withHint(usagef("no key to sign with"), "--sign-with FILE, or audit.key in sallyport.yaml; sallyport audit keygen makes one")
	}
	r, err := interruptible(ctx, func() (audit.Report, error) { return audit.Verify(dir) })
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, withHint(fmt.Errorf("the log does not verify: %s", count(r.Found, "problem")), "sallyport audit verify")
	}
	opts, err := auditOptions(cfg.Audit, dir)
	if err != nil {
		return nil, err
	}
	return audit.Open(opts)
}
