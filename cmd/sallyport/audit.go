package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/audit"
	"sallyport/audit/export"
	"sallyport/config"
)

// auditFlags are what the verbs below audit share.
type auditFlags struct {
	dir string

	since, until    string
	effects, rules  []string
	clients         []string
	text            string
	format          string
	count           int
	follow          bool
	output          string
	denials         int
	keys, checkFile []string
	key             string
	olderThan       string
}

func (a *app) auditCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read, verify and export the record of every decision",
		Long: `Read, verify and export the audit log: one record of every decision, of every
answer of a person, and of the end of every run, chained by hashes so that no
record can be changed, removed or moved without a trace.`,
		Example: `  sallyport audit tail -f
  sallyport audit search --effect deny --since 24h
  sallyport audit verify --key audit.key.pub --checkpoint kept-elsewhere.jsonl
  sallyport audit report --since 30d -o report.html`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.dir, "dir", "", "the log in `DIR` instead of the configured one")
	cmd.AddCommand(
		a.auditTail(&f), a.auditShow(&f), a.auditSearch(&f), a.auditStats(&f), a.auditExport(&f), a.auditReport(&f),
		a.auditVerify(&f), a.auditKeygen(&f), a.auditCheckpoint(&f), a.auditPurge(&f),
	)
	return cmd
}

func (f *auditFlags) addFilter(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.since, "since", "", "from `TIME` on: 2026-05-04, 2026-05-04T10:00:00Z, or 24h or 7d ago")
	fl.StringVar(&f.until, "until", "", "before `TIME`")
	fl.StringSliceVar(&f.effects, "effect", nil, "decisions with this `EFFECT`: allow, deny or ask")
	fl.StringSliceVar(&f.rules, "rule", nil, "decisions with a finding of `RULE`; a * at its end stands for anything")
	fl.StringSliceVar(&f.clients, "client", nil, "of `CLIENT`, any version or name/version")
	fl.StringVar(&f.text, "text", "", "with `TEXT` somewhere in the record")
}

func (f *auditFlags) addFormat(cmd *cobra.Command) {
	formatFlag(cmd, &f.format, "text", "json")
}

// filter reads the flags of addFilter.
func (f *auditFlags) filter() (audit.Filter, error) {
	out := audit.Filter{Effects: f.effects, Rules: f.rules, Clients: f.clients, Text: f.text}
	for _, e := range f.effects {
		if words := []string{"allow", "deny", "ask"}; !slices.Contains(words, e) {
			return out, unknownWord("--effect", e, words)
		}
	}
	var err error
	if out.Since, err = parseWhen("--since", f.since, time.Now()); err != nil {
		return out, err
	}
	out.Until, err = parseWhen("--until", f.until, time.Now())
	return out, err
}

// parseWhen reads a moment, or how long ago it was; "" is the zero time.
func parseWhen(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, withHint(usagef("%s: %q is not a time", flag, s), "2026-05-04, 2026-05-04T10:00:00Z, or how long ago: 90m, 24h, 7d")
}

// auditDir is where the log is that the configuration names.
func (a *app) auditDir(cfg config.Config) (string, error) {
	if cfg.Audit.Dir != "" {
		return cfg.Audit.Dir, nil
	}
	state, err := a.stateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "audit"), nil
}

// auditOptions is how the configuration wants the log to be kept.
func auditOptions(cfg config.Audit, dir string) (audit.Options, error) {
	opts := audit.Options{
		Dir:         dir,
		MaxBytes:    cfg.RotateMB << 20,
		MaxAge:      time.Duration(cfg.RotateAfter),
		Checkpoints: cfg.Checkpoints,
	}
	for _, m := range cfg.Mask {
		opts.Mask = append(opts.Mask, audit.MaskRule{Path: m.Path, Replacement: m.Replacement})
	}
	if err := opts.Validate(); err != nil {
		return opts, fmt.Errorf("audit in sallyport.yaml: %w", err)
	}
	if cfg.Key == "" {
		return opts, nil
	}
	var err error
	if opts.Key, err = audit.LoadKey(cfg.Key); err != nil {
		return opts, withHint(fmt.Errorf("audit.key: %w", err), "sallyport audit keygen makes one")
	}
	return opts, nil
}

// openAudit opens the configured log for writing.
func (a *app) openAudit(cfg config.Config) (*audit.Log, error) {
	dir, err := a.auditDir(cfg)
	if err != nil {
		return nil, err
	}
	opts, err := auditOptions(cfg.Audit, dir)
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(opts)
	if err != nil {
		fix := "see what is wrong with sallyport audit verify, or set audit.dir in sallyport.yaml"
		if errors.Is(err, fs.ErrPermission) {
			fix = fmt.Sprintf("make %s writable, or set audit.dir in sallyport.yaml", dir)
		}
		return nil, withHint(err, "nothing runs without a record; %s", fix)
	}
	a.note("audit log: %s", dir)
	return log, nil
}

// readDir is the log that a reading verb is about; it must exist.
func (a *app) readDir(f *auditFlags) (string, error) {
	dir := f.dir
	if dir == "" {
		cfg, err := a.config()
		if err != nil {
			return "", err
		}
		if dir, err = a.auditDir(cfg); err != nil {
			return "", err
		}
	}
	if st, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", withHint(usagef("there is no audit log in %s", dir), "it begins with the first decision; --dir reads another")
	} else if err == nil && !st.IsDir() {
		return "", withHint(usagef("%s is not a directory", dir), "a log is a directory of *.jsonl files; --dir names it")
	}
	return dir, nil
}

func (a *app) auditTail(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show the newest records",
		Example: `  sallyport audit tail -n 5
  sallyport audit tail --effect deny --format json`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.tail(cmd.Context(), f)
		},
	}
	cmd.Flags().IntVarP(&f.count, "lines", "n", 20, "how many records")
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on with what is written from now on, until interrupted")
	f.addFilter(cmd)
	f.addFormat(cmd)
	return cmd
}

func (a *app) tail(ctx context.Context, f *auditFlags) error {
	filter, dir, err := a.reading(f)
	if err != nil {
		return err
	}
	if f.count < 0 {
		return usagef("--lines: %d is negative", f.count)
	}
	head, err := audit.Last(dir, audit.Filter{}, 1) // where following begins
	if err != nil {
		return unreadable(err)
	}
	show := a.recordWriter(f.format)
	entries, err := interruptible(ctx, func() ([]audit.Entry, error) { return audit.Last(dir, filter, f.count) })
	if err != nil {
		return unreadable(err)
	}
	for _, e := range entries {
		if err := show(e); err != nil {
			return err
		}
	}
	if !f.follow {
		return nil
	}
	var after uint64
	for _, e := range append(head, entries...) {
		after = max(after, e.Seq)
	}
	return audit.Follow(ctx, dir, after, filter, show)
}

// unreadable is the error of a log, or of a part of it, that says nothing.
func unreadable(err error) error {
	return withHint(fmt.Errorf("reading the audit log: %w", err), "sallyport audit verify names every record that is not as it was written")
}

// reading checks the flags that the reading verbs share.
func (a *app) reading(f *auditFlags) (audit.Filter, string, error) {
	filter, err := f.filter()
	if err != nil {
		return filter, "", err
	}
	dir, err := a.readDir(f)
	return filter, dir, err
}

func (a *app) auditShow(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show everything on record about one decision",
		Long: `Show a decision, the answer of a person if there was one, and how its run ended.
ID is the id of any of these records, or enough of its beginning or its end.`,
		Example: "  sallyport audit show 71baef4d6679",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, dir, err := a.reading(f)
			if err != nil {
				return err
			}
			entries, err := interruptible(cmd.Context(), func() ([]audit.Entry, error) { return audit.Find(dir, args[0]) })
			if err != nil {
				return usagef("%w", err)
			}
			if len(entries) == 0 {
				return withHint(usagef("no record has the id %q", args[0]), "sallyport audit tail shows the newest")
			}
			return a.writeRecords(f.format, entries)
		},
	}
	f.addFormat(cmd)
	return cmd
}

func (a *app) auditSearch(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "search",
		Short:   "Show the records that fit, the oldest first",
		Example: "  sallyport audit search --effect deny --rule 'py.*' --since 7d",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, dir, err := a.reading(f)
			if err != nil {
				return err
			}
			show := a.recordWriter(f.format)
			for e, err := range untilInterrupted(cmd.Context(), audit.Select(dir, filter)) {
				if err == nil {
					err = show(e)
				}
				if err != nil {
					return unreadable(err)
				}
			}
			return nil
		},
	}
	f.addFilter(cmd)
	f.addFormat(cmd)
	return cmd
}

func (a *app) auditStats(f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count decisions, rules, clients and how runs ended",
		Example: "  sallyport audit stats --since 7d",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, dir, err := a.reading(f)
			if err != nil {
				return err
			}
			stats := audit.Summarize(untilInterrupted(cmd.Context(), audit.Select(dir, filter)))
			if err := cmd.Context().Err(); err != nil {
				return err // some of the records would say something else
			}
			return a.writeStats(f.format, stats)
		},
	}
	f.addFilter(cmd)
	f.addFormat(cmd)
	return cmd
}

func (a *app) auditExport(f *auditFlags) *cobra.Command {
	var format string
	var names []string
	for _, n := range export.Formats() {
		names = append(names, string(n))
	}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write records in a form that other systems read",
		Long: "Write records to standard output: " + strings.Join(names, ", ") + `.
Only jsonl, the lines of the log itself, can be verified afterwards.`,
		Example: "  sallyport audit export --format ocsf --since 24h > events.jsonl",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, dir, err := a.reading(f)
			if err != nil {
				return err
			}
			if err := export.Write(a.stdout, export.Format(format), untilInterrupted(cmd.Context(), audit.Select(dir, filter))); err != nil {
				return fmt.Errorf("exporting the audit log: %w", err)
			}
			return cmd.Context().Err()
		},
	}
	formatFlag(cmd, &format, names...)
	f.addFilter(cmd)
	return cmd
}
