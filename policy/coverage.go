package policy

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"

	"sallyport/policy/internal/bounded"
)

// testTimeout bounds one Rego test.
const testTimeout = 10 * time.Second

// TestReport is the outcome of the Rego tests of a policy.
type TestReport struct {
	Results  []TestResult   `json:"results"`
	Coverage float64        `json:"coverage"` // percent of lines
	Files    []FileCoverage `json:"files"`
}

// Passed reports whether there were tests and none failed.
func (r TestReport) Passed() bool {
	return len(r.Results) > 0 && !slices.ContainsFunc(r.Results, func(t TestResult) bool { return !t.Passed && !t.Skipped })
}

// TestResult is the outcome of one test rule. Only rules named todo_test_… are
// skipped.
type TestResult struct {
	Name     string        `json:"name"`
	File     string        `json:"file"`
	Line     int           `json:"line"`
	Passed   bool          `json:"passed"`
	Skipped  bool          `json:"skipped"`
	Detail   string        `json:"detail,omitempty"` // the error, or what the test printed
	Duration time.Duration `json:"duration_ns"`
}

// FileCoverage says which lines of a file no test reaches.
type FileCoverage struct {
	File    string `json:"file"`
	Covered int    `json:"covered"`
	Missing []int  `json:"missing"` // lines, sorted
}

// Test runs the rules named test_… of the operator's policies or, when opts
// has none, of the packs, and measures which lines of the same policies they
// reach. It returns an error only when the policies do not load.
func Test(ctx context.Context, opts Options) (TestReport, error) {
	l, err := load(opts)
	if err != nil {
		return TestReport{}, err
	}
	measured, tests, err := underTest(opts, l)
	if err != nil {
		return TestReport{}, err
	}
	for _, f := range tests {
		if err := l.add(f, nil); err != nil {
			return TestReport{}, err
		}
	}
	report := TestReport{Results: []TestResult{}}
	covered := cover.Report{Files: map[string]*cover.FileReport{}}
	for _, about := range []subject{aboutPrograms, aboutRequests} {
		if _, err := compile(about, maps.Clone(l.modules)); err != nil {
			return TestReport{}, err // with our hints; the runner compiles again, for itself
		}
		results, c, err := l.runTests(ctx, about)
		if err != nil {
			return TestReport{}, err
		}
		for _, r := range results {
			if !slices.ContainsFunc(report.Results, func(old TestResult) bool { return old.File == r.File && old.Line == r.Line && old.Name == r.Name }) {
				report.Results = append(report.Results, r)
			}
		}
		for name, f := range c.Files {
			if old := covered.Files[name]; old == nil || f.CoveredLines > old.CoveredLines {
				covered.Files[name] = f
			}
		}
	}
	report.measure(covered, measured)
	return report, nil
}

// underTest returns the files to measure and the tests to run.
func underTest(opts Options, l *loaded) (measured []string, tests []file, err error) {
	for _, p := range opts.Policies {
		for _, f := range p.files {
			measured = append(measured, f.name)
		}
		tests = append(tests, p.tests...)
	}
	if len(opts.Policies) > 0 {
		return measured, tests, nil
	}
	for _, name := range slices.Sorted(maps.Keys(l.atMost)) {
		entries, err := fs.Glob(opts.FS, path.Join(name, "*.rego"))
		if err != nil {
			return nil, nil, fmt.Errorf("listing policy pack %q: %v", name, err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e, "_test.rego") {
				measured = append(measured, e)
				continue
			}
			f, err := readFile(opts.FS, e, "")
			if err != nil {
				return nil, nil, err
			}
			tests = append(tests, f)
		}
	}
	return measured, tests, nil
}

func (l *loaded) runTests(ctx context.Context, about subject) ([]TestResult, cover.Report, error) {
	schema, err := readSchema(about)
	if err != nil {
		return nil, cover.Report{}, err
	}
	store := inmem.NewFromObject(l.data)
	txn, err := store.NewTransaction(ctx, storage.TransactionParams{})
	if err != nil {
		return nil, cover.Report{}, fmt.Errorf("running the policy tests: %v", err)
	}
	defer store.Abort(ctx, txn)
	modules := modulesAbout(about, l.modules)
	runner := func() *tester.Runner {
		return tester.NewRunner().
			SetCompiler(newCompiler(schema).WithEnablePrintStatements(true)).
			SetStore(store).
			SetModules(modules).
			AddCustomBuiltins(bounded.Builtins()).
			SetTimeout(testTimeout).
			RaiseBuiltinErrors(true).
			CapturePrintOutput(true)
	}
	tracer := cover.New()
	found, err := runner().SetCoverageQueryTracer(tracer).RunTests(ctx, txn)
	if err != nil {
		return nil, cover.Report{}, opaError("", err)
	}
	results := []TestResult{}
	for r := range found {
		result := testResult(r)
		if r.Fail {
			// A trace is large: only of what failed is there one.
			one := "^" + regexp.QuoteMeta(r.Package+"."+r.Name) + "$"
			again, err := runner().EnableTracing(true).Filter(one).RunTests(ctx, txn)
			if err != nil {
				return nil, cover.Report{}, opaError("", err)
			}
			for r := range again {
				result.Detail = strings.TrimSpace(failedAt(r.Trace) + "\n" + result.Detail)
			}
		}
		results = append(results, result)
	}
	slices.SortFunc(results, func(a, b TestResult) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return results, tracer.Report(modules), nil
}

// failedAt shows the last expression of a test that did not hold, and the values
// of the names in it.
func failedAt(trace []*topdown.Event) string {
	for _, e := range slices.Backward(trace) {
		if e.Op != topdown.FailOp || e.Location == nil || e.QueryID == 0 {
			continue
		}
		var text strings.Builder
		if err := topdown.PrettyEvent(&text, e, topdown.PrettyEventOpts{PrettyVars: true}); err != nil {
			return ""
		}
		at := text.String()
		if len(at) > maxFailedAt {
			at = strings.ToValidUTF8(at[:maxFailedAt], "") + "…"
		}
		return fmt.Sprintf("line %d does not hold:\n%s", e.Location.Row, at)
	}
	return ""
}

// maxFailedAt bounds what is shown of the values of a failed test.
const maxFailedAt = 4 << 10

func testResult(r *tester.Result) TestResult {
	t := TestResult{
		Name: strings.TrimPrefix(r.Package, "data.") + "." + r.Name, Passed: r.Pass(), Skipped: r.Skip,
		Detail: strings.TrimSpace(string(r.Output)), Duration: r.Duration,
	}
	if r.Location != nil {
		t.File, t.Line = r.Location.File, r.Location.Row
	}
	if r.Error != nil {
		t.Detail = strings.TrimSpace(r.Error.Error() + "\n" + t.Detail)
	}
	return t
}

// measure fills in the coverage of the files.
func (r *TestReport) measure(covered cover.Report, files []string) {
	total, reached := 0, 0
	for _, name := range files {
		fc := FileCoverage{File: name, Missing: []int{}}
		if fr := covered.Files[name]; fr != nil {
			fc.Covered = fr.CoveredLines
			for _, gap := range fr.NotCovered {
				for line := gap.Start.Row; line <= gap.End.Row; line++ {
					fc.Missing = append(fc.Missing, line)
				}
			}
		}
		total += fc.Covered + len(fc.Missing)
		reached += fc.Covered
		r.Files = append(r.Files, fc)
	}
	if total > 0 {
		r.Coverage = 100 * float64(reached) / float64(total)
	}
}
