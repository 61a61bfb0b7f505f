package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/audit"
	"sallyport/audit/export"
	"sallyport/internal/hint"
	"sallyport/internal/report"
)

// auditFlags are what the verbs below audit share.
type auditFlags struct {
	dirs []string

	since, until    string
	events          []string
	effects, rules  []string
	clients         []string
	principals      []string
	tenants         []string
	environments    []string
	reasons         []string
	labels          map[string]string
	text            string
	blind           bool
	format          string
	count           int
	follow          bool
	output          string
	denials         int
	keys, checkFile []string
	key             string
	olderThan       string
}

func auditCommand(a *app) *cobra.Command {
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
	cmd.PersistentFlags().StringArrayVar(&f.dirs, "dir", nil, "the log in `DIR`, or those in its directories, instead of the configured one; may be repeated")
	cmd.AddCommand(
		auditTail(a, &f), auditShow(a, &f), auditSearch(a, &f), auditStats(a, &f), auditExport(a, &f), auditReport(a, &f),
		auditVerify(a, &f), auditKeygen(a), auditCheckpoint(a, &f), auditPurge(a, &f),
	)
	return cmd
}

func (f *auditFlags) addFilter(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.since, "since", "", "from `TIME` on: 2026-05-04, 2026-05-04T10:00:00Z, or 24h or 7d ago")
	fl.StringVar(&f.until, "until", "", "before `TIME`")
	fl.StringSliceVar(&f.events, "event", nil, "records of `EVENT`, such as decision, end, access or config")
	fl.StringSliceVar(&f.effects, "effect", nil, "decisions with this `EFFECT`: allow, deny or ask")
	fl.StringSliceVar(&f.rules, "rule", nil, "decisions with a finding of `RULE`; a * at its end stands for anything")
	fl.StringSliceVar(&f.clients, "client", nil, "of `CLIENT`, any version or name/version")
	fl.StringSliceVar(&f.principals, "principal", nil, "asked for by `WHO`: a name, a subject, or issuer|subject")
	fl.StringSliceVar(&f.environments, "environment", nil, "in the operator's environment `NAME`; default is that of callers who choose none")
	fl.StringSliceVar(&f.reasons, "reason", nil, "decided or ended with `REASON`, such as policy, syntax_error, exited, timeout or memory")
	labelFlag(cmd, &f.labels, "decisions with the label `KEY=VALUE` of the caller; of several, with all of them")
	fl.StringSliceVar(&f.tenants, "tenant", nil, "of `TENANT` of a service")
	fl.BoolVar(&f.blind, "blind-spot", false, "runs that tried what policy denies although it had allowed them: what the analysis did not see")
	fl.StringVar(&f.text, "text", "", "with `TEXT` somewhere in the record")
}

func (f *auditFlags) addFormat(cmd *cobra.Command) {
	formatFlag(cmd, &f.format, "text", "json")
}

// filter reads the flags of addFilter.
func (f *auditFlags) filter() (audit.Filter, error) {
	out := audit.Filter{Events: f.events, Effects: f.effects, Rules: f.rules, Clients: f.clients, Principals: f.principals, Tenants: f.tenants, Environments: f.environments, Reasons: f.reasons, Labels: f.labels, Text: f.text, BlindSpots: f.blind}
	for _, e := range f.effects {
		if words := []string{"allow", "deny", "ask"}; !slices.Contains(words, e) {
			return out, unknownWord("--effect", e, words)
		}
	}
	for _, e := range f.events {
		if !slices.Contains(audit.Events(), e) {
			return out, unknownWord("--event", e, audit.Events())
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
	return time.Time{}, hint.With(hint.Usage("%s: %q is not a time", flag, s), "2026-05-04, 2026-05-04T10:00:00Z, or how long ago: 90m, 24h, 7d")
}

// log is the log that a verb for one of them is about; it must exist.
func (f *auditFlags) log(setup configured) (string, error) {
	dirs, err := f.named(setup)
	if err == nil && len(dirs) > 1 {
		err = hint.With(hint.Usage("this is for one log, and --dir names %d", len(dirs)), "verify, report, search, stats and export read many as one")
	}
	if err != nil {
		return "", err
	}
	return dirs[0], nil
}

// logs are those that a verb for many is about.
func (f *auditFlags) logs(setup configured) (list []string, err error) {
	dirs, err := f.named(setup)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		some, err := audit.Logs(dir)
		if err != nil {
			return nil, unreadable(err)
		}
		list = append(list, some...)
	}
	return list, nil
}

// named are the directories that --dir names, or the configured one.
func (f *auditFlags) named(setup configured) ([]string, error) {
	dirs := f.dirs
	if len(dirs) == 0 {
		setup, err := setup()
		if err != nil {
			return nil, err
		}
		dir, err := setup.AuditDir()
		if err != nil {
			return nil, err
		}
		dirs = []string{dir}
	}
	for _, dir := range dirs {
		if st, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, hint.With(hint.Usage("there is no audit log in %s", dir), "it begins with the first decision; --dir reads another")
		} else if err == nil && !st.IsDir() {
			return nil, hint.With(hint.Usage("%s is not a directory", dir), "a log is a directory of *.jsonl files; --dir names it")
		}
	}
	return dirs, nil
}

func auditTail(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show the newest records",
		Example: `  sallyport audit tail -n 5
  sallyport audit tail --effect deny --format json`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, dir, err := f.reading(a.setup)
			if err != nil {
				return err
			}
			return tail(cmd.Context(), f, dir, filter, recordWriter(a.tell, f.format))
		},
	}
	cmd.Flags().IntVarP(&f.count, "lines", "n", 20, "show `NUMBER` records")
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on with what is written from now on, until interrupted")
	f.addFilter(cmd)
	f.addFormat(cmd)
	return cmd
}

// recordWriter returns what shows one record: a line of text, or the line of
// the log as it is.
func recordWriter(tell *speech, format string) func(audit.Entry) error {
	if format == "json" {
		return func(e audit.Entry) error {
			_, err := fmt.Fprintf(tell.stdout, "%s\n", e.Raw)
			return err
		}
	}
	out := tell.answer()
	return func(e audit.Entry) error {
		out.RecordLine(e)
		return out.Err()
	}
}

// showRecords shows the records of one request in full.
func showRecords(tell *speech, format string, entries []audit.Entry) error {
	list := make([]audit.Record, len(entries))
	for i, e := range entries {
		list[i] = e.Record
	}
	return tell.show(format, list, func(t *report.Text) {
		for i, e := range entries {
			if i > 0 {
				t.Printf("\n")
			}
			t.Record(e)
		}
	})
}

func tail(ctx context.Context, f *auditFlags, dir string, filter audit.Filter, show func(audit.Entry) error) error {
	if f.count < 0 {
		return hint.Usage("--lines: %d is negative", f.count)
	}
	head, err := audit.Last(dir, audit.Filter{}, 1) // where following begins
	if err != nil {
		return unreadable(err)
	}
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
	return hint.With(hint.While(err, "reading the audit log"), "sallyport audit verify names every record that is not as it was written")
}

// reading checks the flags that the verbs for one log share.
func (f *auditFlags) reading(setup configured) (audit.Filter, string, error) {
	filter, err := f.filter()
	if err != nil {
		return filter, "", err
	}
	dir, err := f.log(setup)
	return filter, dir, err
}

// selected are the records that fit, of every log that is meant.
func (f *auditFlags) selected(ctx context.Context, setup configured) ([]string, iter.Seq2[audit.Entry, error], error) {
	filter, err := f.filter()
	if err != nil {
		return nil, nil, err
	}
	dirs, err := f.logs(setup)
	if err != nil {
		return nil, nil, err
	}
	return dirs, untilInterrupted(ctx, audit.SelectAll(dirs, filter)), nil
}

func auditShow(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show everything on record about one decision",
		Long: `Show a decision, the answer of a person if there was one, and how its run ended.
ID is the id of any of these records, or enough of its beginning or its end.`,
		Example: "  sallyport audit show 71baef4d6679",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, dir, err := f.reading(a.setup)
			if err != nil {
				return err
			}
			entries, err := interruptible(cmd.Context(), func() ([]audit.Entry, error) { return audit.Find(dir, args[0]) })
			if err != nil {
				return hint.Usage("%w", err)
			}
			if len(entries) == 0 {
				return hint.With(hint.Usage("no record has the id %q", args[0]), "sallyport audit tail shows the newest")
			}
			return showRecords(a.tell, f.format, entries)
		},
	}
	f.addFormat(cmd)
	return cmd
}

func auditSearch(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "search",
		Short:   "Show the records that fit, the oldest first",
		Example: "  sallyport audit search --effect deny --rule 'py.*' --since 7d",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, records, err := f.selected(cmd.Context(), a.setup)
			if err != nil {
				return err
			}
			show := recordWriter(a.tell, f.format)
			for e, err := range records {
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

func auditStats(a *app, f *auditFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count decisions, rules, clients and how runs ended",
		Example: "  sallyport audit stats --since 7d",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, records, err := f.selected(cmd.Context(), a.setup)
			if err != nil {
				return err
			}
			stats := audit.Summarize(records)
			if err := cmd.Context().Err(); err != nil {
				return err // some of the records would say something else
			}
			return a.tell.show(f.format, stats, func(t *report.Text) { t.Stats(stats) })
		},
	}
	f.addFilter(cmd)
	f.addFormat(cmd)
	return cmd
}

func auditExport(a *app, f *auditFlags) *cobra.Command {
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
			_, records, err := f.selected(cmd.Context(), a.setup)
			if err != nil {
				return err
			}
			if err := export.Write(a.tell.stdout, export.Format(format), records); err != nil {
				return hint.While(err, "exporting the audit log")
			}
			return cmd.Context().Err()
		},
	}
	formatFlag(cmd, &format, names...)
	f.addFilter(cmd)
	return cmd
}
