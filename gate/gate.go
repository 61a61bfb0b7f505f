// Package gate is sallyport as a library: it takes the bytes of a program
// through both doors, in the one order that is allowed.
//
//	canonical source → facts → decision → durable record → sandbox → record → answer
//
// It is the only package that calls a sandbox, and there is one function in it
// that does: execute, which takes a permit that only a policy engine makes.
package gate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
)

// Options configures a Gate. Analyzer, Policy and Log are required; there is
// no default that lets code pass without one of them.
type Options struct {
	Analyzer *analyze.Analyzer
	Policy   *policy.Engine
	Log      Recorder

	// Backend runs what was allowed. Nil is for judging only: Run then returns
	// an error.
	Backend sandbox.Backend

	// Ceilings bound every run; requests and policies can only tighten them.
	// Zero fields mean the sandbox's defaults.
	Ceilings sandbox.Limits

	// Environments are the operator's, by name; a request names one. "default"
	// is that of requests that name none.
	Environments map[string]Environment

	// Directories are those of the operator, by name, whose files requests may
	// refer to.
	Directories map[string]string

	// Inbox is the one of Directories in which each principal has a directory of
	// its own, but for a user of this machine, whose all of it is. "" is none.
	Inbox string

	// Hooks says what comes of a running program that does what policy denies.
	Hooks Hooks

	// Sessions lets programs build on each other in one interpreter. Nil does
	// not; the Backend must be able to.
	Sessions *SessionLimits

	// Approve asks a person about a decision that asks. Nil, an error and
	// anything but a yes deny.
	Approve func(ctx context.Context, q Question) (Approval, error)

	// KeepCode says when the code itself goes into the record: "none" (the
	// zero value), "denied" or "all".
	KeepCode Retention

	// Observe, when not nil, is told how each request went, after its last
	// record. It must not block.
	Observe func(telemetry.Request)

	// Requested, when not nil, is told of each request of a program to a host, and
	// of its end, once that is on record. It must not block.
	Requested func(audit.Record)

	// Remote is for a gate that serves others than the user who runs it: a request
	// without a Principal is then refused, and not this user's.
	Remote bool

	// CPUPerDay is how much processor time runs may use on a day of UTC; when it is
	// used up, none begins. Zero is any. CPUSpent is what was used of today's.
	CPUPerDay, CPUSpent time.Duration

	// CPUTogether, when not nil, is told what runs of this gate have used of a day and
	// says what those of all have that share CPUPerDay. When it cannot, none begins.
	CPUTogether func(ctx context.Context, day time.Time, own time.Duration) (time.Duration, error)

	// Program names the calling program and its version in records.
	Program string

	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Recorder is what gate needs of an audit log. *audit.Log is the real one;
// Discard is for dry runs that the operator wants unrecorded.
type Recorder interface {
	// Append returns once the record is durable, with what the log filled in.
	Append(ctx context.Context, r audit.Record) (audit.Record, error)
}

// Retention says of which decisions the record keeps the code.
type Retention string

const (
	KeepNone   Retention = "none"
	KeepDenied Retention = "denied"
	KeepAll    Retention = "all"
)

// Hooks says what the hooks of an interpreter do when a program does what policy
// denies.
type Hooks string

const (
	HooksStop    Hooks = ""        // end the run
	HooksObserve Hooks = "observe" // record it; so does a policy that is the pack observe alone
	HooksRequire Hooks = "require" // end the run, and run nothing where a program could reach the hook
)

// Request is one program and who wants it judged or run. Everything in it may
// come from a model: it chooses the code and, within the operator's ceilings,
// tighter limits, and nothing else.
type Request struct {
	Name     string // shown in messages: a file name, "" for none
	Language analyze.Language
	Goal     analyze.Goal // "" leaves it to the analysis
	Source   []byte

	// Principal is who asks; the zero one is the user who runs this process, but
	// for a gate that is Remote.
	Principal Principal

	Tool    string
	Client  string
	Session string

	ClientVersion string // for the record

	// Labels are the caller's word about what the request is for, such as a
	// ticket: for rules, records and whoever searches them. See CheckLabels.
	Labels map[string]string

	Environment string // a name from Options.Environments
	Args        []string
	Stdin       []byte
	Files       []sandbox.File
	References  []Reference

	// Roots are directories of this machine that the caller works in. Of each of
	// Options.Directories that some of them lie in, it may refer to what is below
	// these alone. They add nothing.
	Roots  []string
	Limits sandbox.Limits

	opened references // what References refers to

	// Output, when not nil, gets the program's output as it comes.
	Output func(stream sandbox.Stream, chunk []byte)

	// Stage, when not nil, is told when a stage begins: "asked", "judged", "started".
	Stage func(stage string)

	// Patience is how long the caller waits for the answer of a person who is no
	// part of the call, and Aside, when not nil, does the waiting: what the call
	// takes from others is theirs in the meantime. Its error ends the waiting.
	Patience time.Duration
	Aside    func(wait func()) error
}

// ErrNoBackend is returned by Run of a Gate that can only judge.
var ErrNoBackend = errors.New("no sandbox backend")

// ErrNotRecorded is wrapped by the error of a request whose decision, or whose
// answer by a person, could not be recorded: nothing ran.
var ErrNotRecorded = errors.New("the decision is not on record")

// ErrEndNotRecorded is wrapped by the error of a request that ran, but whose
// end could not be recorded.
var ErrEndNotRecorded = errors.New("the end of the run is not on record")

// ErrSandboxFailed is wrapped by the error of a run that the sandbox could not
// bring to an end, if the sandbox does not say more: it neither refused the run,
// nor is it unavailable, nor does only its result defy reading.
var ErrSandboxFailed = errors.New("the sandbox failed")

// ErrPanicked is wrapped by the error of a run, or of a judgement, in which
// sallyport or something that it was given panicked.
var ErrPanicked = errors.New("panicked")

// ErrEnvironment is wrapped by the error of a request for an environment that
// the operator has not defined, or that lacks the program's language.
var ErrEnvironment = errors.New("wrong environment")

// Gate judges and runs. It is safe for concurrent use and holds nothing that
// needs closing: its log and its backend belong to whoever made them.
type Gate struct {
	opts     Options
	local    Principal // who runs this process
	process  process
	sessions atomic.Int64 // that are open
	key      [32]byte     // of keyed hashes
	hashes   hashes       // of files by reference
	spending spending
	denials  denials
}

// New returns a Gate, or an error that names the missing part.
func New(opts Options) (*Gate, error) {
	switch {
	case opts.Analyzer == nil:
		return nil, errors.New("gate: no analyzer")
	case opts.Policy == nil:
		return nil, errors.New("gate: no policy")
	case opts.Log == nil:
		return nil, errors.New("gate: no audit log")
	}
	if _, discards := opts.Log.(Discard); discards && opts.Backend != nil {
		return nil, errors.New("gate: nothing runs without a record: a backend needs an audit log")
	}
	switch opts.KeepCode {
	case "":
		opts.KeepCode = KeepNone
	case KeepNone, KeepDenied, KeepAll:
	default:
		return nil, fmt.Errorf("gate: unknown code retention %q", opts.KeepCode)
	}
	switch opts.Hooks {
	case HooksStop, HooksObserve, HooksRequire:
	default:
		return nil, fmt.Errorf("gate: unknown use of hooks %q", opts.Hooks)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Sessions != nil {
		limits, err := opts.Sessions.check(opts.Backend)
		if err != nil {
			return nil, err
		}
		opts.Sessions = &limits
	}
	opts.Ceilings = opts.Ceilings.WithDefaults()
	g := &Gate{opts: opts, local: localUser(), process: thisProcess(opts.Program)}
	g.spending.most, g.spending.day, g.spending.used, g.spending.together = opts.CPUPerDay, dayOf(opts.Now()), opts.CPUSpent, opts.CPUTogether
	g.denials.rate = rate.NewLimiter(rate.Every(refusalsEvery), refusalsAtOne)
	_, err := rand.Read(g.key[:])
	return g, err
}

// Check judges a request and records the decision; nothing is run. The error
// says that sallyport could not do its work; a denial is an Answer.
func (g *Gate) Check(ctx context.Context, req Request) (Answer, error) {
	req, err := g.identified(req)
	if err != nil {
		return Answer{}, err
	}
	if req.Environment != "" { // else it is judged also where nothing could run it
		if _, err := g.environment(req.Environment, req.Language); err != nil {
			return Answer{}, err
		}
	}
	opened, err := g.open(ctx, req)
	defer opened.close()
	if err != nil {
		return Answer{}, err
	}
	req.opened = opened
	j := g.judge(ctx, req, g.decide, nil)
	defer g.observe(&j)
	if err := g.recordDecision(ctx, req, &j); err != nil {
		j.answer = j.unrecorded()
		return j.answer, err
	}
	return j.answer, nil
}

// Run judges a request, records the decision and, when it allows, runs the
// program and records its end. The error says that sallyport could not do its
// work; a denial, and a program that fails or is stopped, are Answers.
func (g *Gate) Run(ctx context.Context, req Request) (Answer, error) {
	if g.opts.Backend == nil {
		return Answer{}, ErrNoBackend
	}
	req, err := g.identified(req)
	if err != nil {
		return Answer{}, err
	}
	if err := g.afford(ctx, req); err != nil {
		return Answer{}, err
	}
	env, err := g.environment(req.Environment, req.Language)
	if err != nil {
		return Answer{}, err
	}
	if err := g.fits(req); err != nil {
		return Answer{}, err
	}
	opened, err := g.open(ctx, req)
	defer opened.close()
	if err != nil {
		return Answer{}, err
	}
	req.opened = opened
	j := g.judge(ctx, req, g.decide, nil)
	j.loadsOnly(g.opts.Policy)
	answer, _, err := g.admit(ctx, req, &j, env, g.opts.Backend.Run)
	return answer, err
}

// admit records a judgement, asks where policy wants that, and executes what is
// allowed. Admitted is false when nothing was handed over; the answer says why.
func (g *Gate) admit(ctx context.Context, req Request, j *judgement, env Environment, run func(context.Context, sandbox.Spec) (sandbox.Result, error)) (answer Answer, admitted bool, err error) {
	if err := j.placed(req); err != nil {
		return Answer{}, false, err
	}
	defer g.observe(j)
	if err := g.recordDecision(ctx, req, j); err != nil {
		j.answer = j.unrecorded()
		return j.answer, false, err
	}
	if err := g.ask(ctx, req, j); err != nil {
		j.answer = j.unrecorded()
		return j.answer, false, err
	}
	stage(req, "judged")
	permit, err := j.answer.Decision.Permit()
	if err != nil {
		return j.answer, false, nil
	}
	answer, err = g.execute(ctx, permit, req, *j, env, run)
	return answer, true, err
}

// execute is the only place in sallyport where code goes into a sandbox: that
// of a run, or that of a session, by way of run. The permit names the source
// by its hash; the sandbox refuses any other bytes.
func (g *Gate) execute(ctx context.Context, permit policy.Permit, req Request, j judgement, env Environment,
	run func(context.Context, sandbox.Spec) (sandbox.Result, error)) (Answer, error) {
	secrets := newRedactor(env.Secrets)
	spec := g.spec(permit, req, j, env)
	end, err := g.letOut(ctx, req, j, env, &spec)
	if err != nil {
		return j.answer, err
	}
	var flush func()
	spec.Output, flush = live(req.Output, secrets, j.source.Language())
	stage(req, "started")
	started := g.opts.Now()
	inputs := req.opened.watch(ctx, &g.hashes)
	var res sandbox.Result
	err = sandboxError(guard("the sandbox backend", func() (err error) {
		res, err = run(ctx, spec)
		return err
	}))
	err = secrets.error(err)
	j.answer.Durations.Run = g.opts.Now().Sub(started)
	defer func() { g.spending.add(ctx, g.opts.Now(), used(j.answer)) }()
	flush()
	unrecorded := end(&res)
	if err == nil {
		markAtLimit(&res, spec.Limits)
		secrets.result(&res)
		hidePlaces(j.source.Language(), &res)
		j.answer.Result = &res
	}
	j.ran(g.opts.Backend.Describe().Name, started, err)
	if rerr := errors.Join(unrecorded, g.recordEnd(ctx, req, j, spec.Limits, inputs(), err)); rerr != nil {
		return j.answer, errors.Join(err, rerr)
	}
	return j.answer, err
}

// markAtLimit marks the files that may be half of what they were to be, although the
// program may have gone on as if they were whole.
func markAtLimit(res *sandbox.Result, limits sandbox.Limits) {
	res.Artifacts = slices.Clone(res.Artifacts)
	for i, f := range res.Artifacts {
		res.Artifacts[i].AtLimit = int64(len(f.Data)) >= limits.FileBytes
	}
}

// sandboxError says of an error that tells nothing else that it is a sandbox's.
func sandboxError(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{sandbox.ErrRefused, sandbox.ErrUnavailable, sandbox.ErrUnreadable, ErrPanicked} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrSandboxFailed, err)
}

// spec is what a sandbox is asked for. It is the only place that makes one.
func (g *Gate) spec(permit policy.Permit, req Request, j judgement, env Environment) sandbox.Spec {
	packs := j.answer.Decision.Packs
	spec := sandbox.Spec{
		Permit:      permit,
		Language:    string(j.source.Language()),
		Goal:        string(j.facts.Goal),
		Code:        j.source.Text(),
		Earlier:     j.earlier,
		SHA256:      j.source.SHA256(),
		Identifiers: j.identifiers,
		Seen:        j.reaches,
		Args:        req.Args,
		Stdin:       req.Stdin,
		Files:       j.files,
		References:  req.opened.given(),
		Grant:       grant(j.answer.Decision, env),
		Only:        only(j.answer.Decision),
		Limits:      g.limits(req, j.answer.Decision),
		Runtime:     env.Runtime(j.source.Language()),
		Output:      req.Output,
		Observe:     g.opts.Hooks == HooksObserve || len(packs) == 1 && packs[0] == "observe",
	}
	if spec.Grant.Has(sandbox.CapabilityNetwork) {
		spec.Egress = &sandbox.Egress{CA: env.Egress.CA(), Ports: env.Egress.Ports()}
	}
	if g.opts.Hooks == HooksRequire {
		spec.Require = []sandbox.Control{sandbox.ControlHook}
	}
	return spec
}

// warmer is a Backend that can keep sandboxes waiting for runs like a given one.
type warmer interface {
	Warm(ctx context.Context, spec sandbox.Spec) error
}

// Warm has the backend start the sandboxes that wait for ordinary programs of a
// language, and returns when they wait: those of the default environment, and of
// each in which something is preloaded. Nothing is run: a program that does
// nothing is judged, unrecorded, to learn what policy denies of all programs.
// A backend that keeps none, and a policy that denies everything, are no error.
func (g *Gate) Warm(ctx context.Context, language analyze.Language) error {
	w, ok := g.opts.Backend.(warmer)
	if !ok {
		return nil
	}
	errs := []error{warm(ctx, g, w, language, "")}
	for _, name := range slices.Sorted(maps.Keys(g.opts.Environments)) {
		if name != "default" && len(g.opts.Environments[name].Runtimes[language].Preload) > 0 {
			errs = append(errs, warm(ctx, g, w, language, name))
		}
	}
	return errors.Join(errs...)
}

func warm(ctx context.Context, g *Gate, w warmer, language analyze.Language, environment string) error {
	env, err := g.environment(environment, language)
	if err != nil {
		return nil // no run of this kind will come
	}
	req := Request{Principal: g.local, Language: language, Source: []byte("0\n"), Environment: environment}
	j := g.judge(ctx, req, g.decide, nil)
	permit, err := j.answer.Decision.Permit()
	if err != nil {
		return nil
	}
	return w.Warm(ctx, g.spec(permit, req, j, env))
}

// asked are the limits that the caller wants, within the operator's ceilings.
func (g *Gate) asked(req Request) policy.Limits {
	return toPolicyLimits(g.opts.Ceilings).Tighten(toPolicyLimits(req.Limits))
}

// limits are those of a run: the tightest of what the operator, the caller and
// the policy want.
func (g *Gate) limits(req Request, d policy.Decision) sandbox.Limits {
	return fromPolicyLimits(g.asked(req).Tighten(d.Limits))
}

func stage(req Request, name string) {
	if req.Stage != nil {
		req.Stage(name)
	}
}
