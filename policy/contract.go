package policy

import "time"

// InputVersion and DecisionVersion name the shapes of Input and Decision;
// FactsVersion is the shape of the facts that an Input carries.
const (
	FactsVersion    = "facts/v1"
	InputVersion    = "input/v1"
	DecisionVersion = "decision/v1"
)

// Input is everything a policy may look at. It mirrors schema/input.v1.json,
// against which every policy is type-checked when it is loaded.
type Input struct {
	Source  Source
	Request Request
	Sandbox Sandbox
	Time    time.Time // injected, so that the same input gives the same decision
}

// Source is the facts about the code: the JSON shape of facts/v1. Its fields
// mean what those of the same name in the analysis mean; gate converts.
type Source struct {
	Version      string
	Language     string
	Goal         string
	SHA256       string
	Bytes        int
	Lines        int
	Complete     bool
	Syntax       []Problem
	Hygiene      []Problem
	Names        []string
	Uses         map[string][]Use
	Imports      []string
	EarlyImports []string
	ImportSpans  map[string][]Span
	Attrs        []string
	AttrSpans    map[string]Span
	Strings      []string
	URLs         []URL
	Hosts        []string
	Dynamic      map[string][]Span
}

// Use is one mention of an outside symbol.
type Use struct {
	How       string `json:"how"`
	Certainty string `json:"certainty"`
	Args      []Arg  `json:"args"`
	Splat     bool   `json:"splat"`
	Path      string `json:"path"` // of the object that it is a method of
	Span      Span   `json:"span"`
	Scope     string `json:"scope"`
}

// Arg is one argument of a call; Value is only meaningful when Known.
type Arg struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // string, float64, bool or nil
	Known bool   `json:"known"`
	Path  string `json:"path"` // which file it names, when it is no constant text

	MayBe string `json:"may_be"` // where the file may lie that a text names which is not wholly known
}

// URL is an address, or a host, that a call of a symbol is given.
type URL struct {
	Symbol string
	URL    string // as far as it is known; "" where a host alone is named
	Host   string // in lower case; "" when it cannot be told
	Whole  bool   // all of URL is known
	Span   Span
}

// Problem is a place with a stable reason code.
type Problem struct {
	Code    string
	Message string
	Span    Span
}

// Span is a place in the source: lines and columns from 1, end exclusive. The
// zero Span means the source as a whole.
type Span struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Request says who asks and for what. None of it comes from the code itself.
type Request struct {
	Tool        string // run_python_code, check, …
	Client      string // "claude-code/2.1", "cli", …: a claim, not an identity
	User        string // the principal in one word: the operating-system user, or issuer|subject
	Principal   Principal
	Session     string
	Environment string            // the operator's name for it, or "default"
	Labels      map[string]string // the caller's word
	Args        []string          // of the program
	Files       []File
	Packages    []string
	Limits      Limits // asked for; already within the operator's ceilings
}

// Principal is who asks, as sallyport has verified it.
type Principal struct {
	Issuer  string
	Subject string
	Name    string
	Groups  []string
	Tenant  string
	Scopes  []string
	How     string
}

// File is an input file that the request carries.
type File struct {
	Path   string
	Bytes  int
	SHA256 string // "" for a Reference, which is hashed while the program runs

	Reference bool   // it is read where it is, and is never code
	Directory bool   // and all that is below Path
	From      string // directory:path of a Reference, "" for one that has no name; where a Directory is on the host
}

// Sandbox says where the code would run.
type Sandbox struct {
	Backend      string
	Image        string
	Digest       string
	Capabilities []string
	Mounts       []string // of the operator's, in the environment: where programs find them
	Egress       *Egress  // what the environment lets programs reach; nil: nothing
}

// Egress is what programs of an environment may reach.
type Egress struct {
	Hosts []string // exact, or *. and a name for everything below it
}

// Limits bounds a run. Zero and less mean "not set here". When two Limits meet,
// the smaller one that is set wins in each field: whoever comes later can only
// tighten. The fields are those of the sandbox's limits, with times in
// milliseconds; gate converts.
type Limits struct {
	WallMillis    int64 `json:"wall_ms,omitempty"`
	CPUMillis     int64 `json:"cpu_ms,omitempty"`
	MemoryBytes   int64 `json:"memory_bytes,omitempty"`
	Processes     int64 `json:"pids,omitempty"`
	OutputBytes   int64 `json:"output_bytes,omitempty"`
	FileBytes     int64 `json:"file_bytes,omitempty"`
	DiskBytes     int64 `json:"disk_bytes,omitempty"`
	ArtifactBytes int64 `json:"artifact_bytes,omitempty"`
	ArtifactCount int64 `json:"artifact_count,omitempty"`
}

// Effect is the outcome of a decision. The zero value denies.
type Effect string

const (
	Deny  Effect = "deny"
	Allow Effect = "allow"
	Ask   Effect = "ask" // a person must approve; without one, deny
)

// Action is what a finding asks for.
type Action string

const (
	ActionDeny Action = "deny"
	ActionAsk  Action = "ask"
	ActionWarn Action = "warn" // shown, does not stop the run
	ActionLog  Action = "log"  // recorded only
)

// Reason is a stable code that says why a decision is what it is.
type Reason string

const (
	ReasonPolicy       Reason = "policy"              // the rules decided
	ReasonApproved     Reason = "approved"            // a person approved an ask
	ReasonRefused      Reason = "refused"             // a person, or nobody, answered an ask
	ReasonSource       Reason = "source_refused"      // no canonical source
	ReasonSyntax       Reason = "syntax_error"        // no program of its language: nobody judged it
	ReasonIncomplete   Reason = "analysis_incomplete" // caps, or syntax that is read in more than one way
	ReasonInput        Reason = "input_invalid"       // facts of another version, unknown language, no hash
	ReasonUndefined    Reason = "policy_undefined"
	ReasonMalformed    Reason = "policy_malformed"
	ReasonTimeout      Reason = "policy_timeout"
	ReasonError        Reason = "policy_error" // built-in error, conflict, panic
	ReasonEmpty        Reason = "policy_empty" // no rules loaded
	ReasonUnauditable  Reason = "audit_failed" // nothing runs without a record
	ReasonUnenforced   Reason = "unenforceable"
	ReasonSecondParser Reason = "second_opinion" // the interpreter's own parser disagrees
)

// Finding is one thing a rule has to say about the source.
type Finding struct {
	Rule        string   `json:"rule"` // stable id, e.g. "py.process" or "acme/no-pandas"
	Title       string   `json:"title,omitempty"`
	Message     string   `json:"message"`
	Severity    string   `json:"severity"` // low, medium, high, critical
	Action      Action   `json:"action"`
	Span        Span     `json:"span"`
	Cell        int      `json:"cell,omitempty"` // of a notebook that Span is in, from 1
	Symbol      string   `json:"symbol,omitempty"`
	Capability  string   `json:"capability,omitempty"`
	CWE         string   `json:"cwe,omitempty"`
	Controls    []string `json:"controls,omitempty"`
	Remediation string   `json:"remediation,omitempty"`
	Exception   string   `json:"exception,omitempty"` // id of the exception that let it pass
}

// IsSyntaxError is true of what no rule found: the text is no program.
func (f Finding) IsSyntaxError() bool {
	return f.Rule == "analysis.syntax" || f.Rule == "analysis.missing"
}

// Decision is what the policy says about one Input. Its zero value denies and
// gives no Permit, and so does a copy whose exported fields were changed.
type Decision struct {
	Version  string    `json:"version"`
	Effect   Effect    `json:"effect"`
	Reason   Reason    `json:"reason"`
	Detail   string    `json:"detail,omitempty"` // one sentence when Reason is not ReasonPolicy, or findings are left out
	Findings []Finding `json:"findings"`         // sorted; those that decide come first
	Limits   Limits    `json:"limits"`
	Deny     []string  `json:"denied_capabilities"` // what must also be impossible at run time

	// Lifted are the capabilities that would be denied but for exceptions, with
	// the symbols that these let pass: the rest of each stays denied as far as a
	// sandbox can tell.
	Lifted map[string][]string `json:"lifted_capabilities,omitempty"`

	Packs      []string `json:"packs"`
	Policy     string   `json:"policy_digest"` // sha256 over all rules and data in force
	Revision   string   `json:"policy_revision,omitempty"`
	Exceptions []string `json:"exceptions,omitempty"` // ids of the exceptions used
	Loosened   []string `json:"loosened,omitempty"`   // overrides that make a pack less strict

	judged judged // set by the engine alone
}

// judged is the engine's own copy of what it decided.
type judged struct {
	effect Effect
	sha256 string
}
