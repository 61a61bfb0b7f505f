package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"

	"sallyport/policy/internal/bounded"
)

// DefaultTimeout bounds one decision. An ordinary one takes well under a
// millisecond.
const DefaultTimeout = 2 * time.Second

// Options configures an Engine. The zero value has no rules, and New refuses
// it: an engine without rules would have nothing to say but yes.
type Options struct {
	// FS holds the packs, one directory each, and catalog/ with the tables that
	// say what a symbol is able to do.
	FS fs.FS

	// Packs names the packs of FS that are in force.
	Packs []string

	// Policies are the operator's own, beside the packs.
	Policies []*Policy

	// Catalog adds to the capability catalogs: by language, a symbol pattern and
	// its capabilities, separated by commas. One that takes a capability away is
	// named in each decision.
	Catalog map[string]map[string]string

	// Overrides replaces the action of rules, by id. One that makes a rule
	// less strict is named in each decision.
	Overrides map[string]Action

	// Exceptions let rules pass in narrow cases, for a time.
	Exceptions []Exception

	// Limits bounds every run that is allowed; rules can only tighten them.
	Limits Limits

	// Timeout bounds one decision; zero means DefaultTimeout.
	Timeout time.Duration

	// Hung, when not nil, is called once, when an evaluation goes on although
	// its time is over and cannot be stopped. The decision that waited for it
	// denies, and so does each later one of the engine. The evaluation goes on
	// taking a processor, and maybe memory, for as long as the process lives:
	// Hung should see to it that this is not long, and must not block.
	Hung func()
}

// Engine judges inputs by a fixed set of rules. It is immutable and safe for
// concurrent use. The zero Engine, and a nil one, deny everything.
type Engine struct {
	rules      map[string]RuleInfo
	exceptions []Exception
	limits     Limits
	catalog    *catalog
	query      rego.PreparedEvalQuery
	requests   *rego.PreparedEvalQuery // nil without a rule about requests
	timeout    time.Duration
	watchdog   *watchdog

	packs    []string
	digest   string
	revision string
	loosened []string
}

// New compiles the rules. A rule that cannot be read, or that could not work
// as written, is a *LoadError that names the file and the line.
func New(opts Options) (*Engine, error) {
	l, err := load(opts)
	if err != nil {
		return nil, err
	}
	compilers := map[subject]*ast.Compiler{}
	for _, about := range []subject{aboutPrograms, aboutRequests} {
		if compilers[about], err = compile(about, l.modules); err != nil {
			return nil, err
		}
	}
	rules, err := describe(compilers, l)
	if err != nil {
		return nil, err
	}
	loosened, err := settle(rules, l.atMost, opts.Overrides)
	if err != nil {
		return nil, err
	}
	for _, x := range opts.Exceptions {
		if err := x.check(rules); err != nil {
			return nil, &OptionError{"exceptions", x.ID, err}
		}
	}
	query, err := prepare(compilers[aboutPrograms], "decision", l.data)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		rules: rules, exceptions: slices.Clone(opts.Exceptions), limits: opts.Limits, catalog: l.catalog, query: query,
		timeout: opts.Timeout, watchdog: &watchdog{hung: opts.Hung}, packs: l.packs, digest: l.digest(), revision: l.revision, loosened: append(l.loosened, loosened...),
	}
	if e.timeout <= 0 {
		e.timeout = DefaultTimeout
	}
	for _, r := range rules {
		if r.About != aboutRequests || e.requests != nil {
			continue
		}
		requests, err := prepare(compilers[aboutRequests], "egress", l.data)
		if err != nil {
			return nil, err
		}
		e.requests = &requests
	}
	return e, nil
}

func prepare(compiler *ast.Compiler, rule string, data map[string]any) (rego.PreparedEvalQuery, error) {
	opts := []func(*rego.Rego){
		rego.ParsedQuery(ast.MustParseBody(bounded.Result + "(data.sallyport." + rule + ")")),
		rego.Compiler(compiler),
		rego.Store(inmem.NewFromObjectWithOpts(data, inmem.OptReturnASTValuesOnRead(true))),
		rego.StrictBuiltinErrors(true),
	}
	for _, b := range bounded.Builtins() {
		opts = append(opts, b.Func)
	}
	r := rego.New(opts...)
	// Nothing here waits for anything: the deadline belongs to the decisions.
	return r.PrepareForEval(context.Background())
}

// Decide judges one input. It never fails: what goes wrong becomes a decision
// that denies and says why.
func (e *Engine) Decide(ctx context.Context, in Input) (d Decision) {
	if e == nil || len(e.rules) == 0 {
		return denial(ReasonEmpty, "no rules are loaded")
	}
	defer func() {
		if r := recover(); r != nil {
			d = e.sign(denial(ReasonError, fmt.Sprintf("the policy engine failed: %v", r)))
		}
	}()
	if detail := checkInput(in); detail != "" {
		return e.sign(denial(ReasonInput, detail))
	}
	if !in.Source.Complete {
		return e.sign(incomplete(in.Source))
	}
	return e.sign(e.evaluate(ctx, in))
}

// sign adds what every decision of this engine carries.
func (e *Engine) sign(d Decision) Decision {
	d.Packs, d.Policy, d.Revision = slices.Clone(e.packs), e.digest, e.revision
	d.Loosened = slices.Clone(e.loosened)
	return d
}

func (e *Engine) evaluate(caller context.Context, in Input) Decision {
	ctx, cancel := context.WithTimeout(caller, e.timeout)
	defer cancel()
	if ctx.Err() != nil {
		return denial(failure(ctx, ctx.Err()))
	}
	rs, err := e.watchdog.eval(ctx, e.query, rego.EvalParsedInput(e.inputValue(in)), rego.EvalTime(in.Time))
	if errors.Is(err, errHung) {
		return denial(ReasonTimeout, "the rules took too long and could not be stopped; this process decides nothing any more: restart it, and mend the rule")
	}
	if err != nil {
		reason, detail := failure(ctx, err)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) && caller.Err() == nil {
			if where := e.stuck(caller, in); where != "" {
				detail += "; " + where
			}
		}
		return denial(reason, detail)
	}
	if len(rs) != 1 || len(rs[0].Expressions) != 1 {
		return denial(ReasonUndefined, "data.sallyport.decision is undefined")
	}
	verdict, err := decode(rs[0].Expressions[0].Value)
	if err != nil {
		return denial(ReasonMalformed, err.Error())
	}
	return e.conclude(in, verdict)
}

// failure says which reason an evaluation error stands for.
func failure(ctx context.Context, err error) (Reason, string) {
	var terr *topdown.Error
	cancelled := errors.As(err, &terr) && terr.Code == topdown.CancelErr
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ReasonTimeout, "the rules took too long"
	case cancelled || ctx.Err() != nil:
		return ReasonTimeout, "the decision was cancelled"
	default:
		return ReasonError, "evaluating the rules: " + err.Error()
	}
}

// denial is a decision that denies for another reason than a rule.
func denial(reason Reason, detail string) Decision {
	return Decision{Version: DecisionVersion, Effect: Deny, Reason: reason, Detail: detail, Findings: []Finding{}, Deny: []string{}}
}

// incomplete denies a source that the analysis did not wholly understand.
func incomplete(src Source) Decision {
	d := denial(ReasonIncomplete, "the source could not be analysed completely")
	mistakes := 0
	for _, p := range src.Syntax {
		title := "Not understood"
		if p.Code == "syntax" || p.Code == "missing" {
			title = "Syntax error"
			mistakes++
		}
		d.Findings = append(d.Findings, Finding{
			Rule: "analysis." + p.Code, Title: title, Message: p.Message,
			Severity: "high", Action: ActionDeny, Span: p.Span,
		})
	}
	if mistakes > 0 && mistakes == len(src.Syntax) {
		d.Reason, d.Detail = ReasonSyntax, "the program has a syntax error"
	}
	return d
}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// checkInput returns what makes an input unfit for judging, or "".
func checkInput(in Input) string {
	switch {
	case in.Source.Version != FactsVersion:
		return fmt.Sprintf("facts of version %q, want %q", in.Source.Version, FactsVersion)
	case in.Source.Language != "python" && in.Source.Language != "javascript":
		return fmt.Sprintf("unknown language %q", in.Source.Language)
	case !sha256Hex.MatchString(in.Source.SHA256):
		return "the source has no SHA-256"
	}
	return ""
}
