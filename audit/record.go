// Package audit keeps the evidence: append-only, hash-chained records of every
// decision and every end of a run, durable before anything depends on them.
package audit

import (
	"encoding/json"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"
)

// RecordVersion names the shape of Record.
const RecordVersion = "record/v1"

// Event says what a record is about.
type Event string

const (
	EventDecision Event = "decision" // a source was judged; written before any run
	EventApproval Event = "approval" // a person answered a decision that asks
	EventEnd      Event = "end"      // a run ended, or could not be started
	EventSession  Event = "session"  // an interpreter session ended
	EventEgress   Event = "egress"   // a program asked for something of a host; written before it is sent, or refused
	EventAccess   Event = "access"   // somebody was refused before anything was judged: a login that failed, a scope that was missing, a name that is none of theirs
	EventConfig   Event = "config"   // what a service works by came into force, or was refused: its configuration, rules, tokens, certificates, keys
	EventNote     Event = "note"     // about the log itself: rotation, a torn tail set aside, a purge

	EventEgressEnd Event = "egress_end" // what was sent to a host has been answered, or has failed
)

// Events are the names of all there are.
func Events() (names []string) {
	for _, e := range []Event{EventDecision, EventApproval, EventEgress, EventEgressEnd, EventEnd, EventSession, EventAccess, EventConfig, EventNote} {
		names = append(names, string(e))
	}
	return names
}

// Record is one line of the log. The log fills in Version, Seq, ID when empty,
// Time when zero, Prev and Hash; the caller gives the rest and never reuses a
// Record. Fields that mean nothing for an event are left empty.
type Record struct {
	Version string    `json:"version"`
	Seq     uint64    `json:"seq"`
	ID      string    `json:"id"` // UUIDv7 of this record
	Event   Event     `json:"event"`
	Time    time.Time `json:"time"` // UTC

	// Decision ties the records of one request together: the ID of its
	// decision record.
	Decision string `json:"decision,omitempty"`

	Caller  Caller   `json:"caller"`
	Source  *Source  `json:"source,omitempty"`
	Verdict *Verdict `json:"verdict,omitempty"`
	Run     *Run     `json:"run,omitempty"`
	Cell    *Cell    `json:"cell,omitempty"`   // of an interpreter session
	Egress  *Egress  `json:"egress,omitempty"` // a request of the program
	Answer  string   `json:"answer,omitempty"` // of an approval: accepted, declined, cancelled, timeout, pending, changed, too_many, unsupported, failed; told, untold: whether approvers heard of it
	Note    string   `json:"note,omitempty"`   // of a session: why it ended; of access: why it was refused; of config: what has changed, or why it was refused; of an approval: how approvers were told
	Change  *Change  `json:"change,omitempty"` // of a note: what happened to the log's own files
	Masked  []string `json:"masked,omitempty"` // JSON pointers that masking rules removed or replaced

	Approval *Approval `json:"approval,omitempty"` // by another person than the one who asks to run
	InForce  *InForce  `json:"in_force,omitempty"` // of config

	Prev string `json:"prev"` // Hash of the record before, "" for the first
	Hash string `json:"hash"` // SHA-256 over the line without this member
}

// The kinds of Change.
const (
	ChangeRotated = "rotated" // Segment ends here; the next record opens Next
	ChangeTorn    = "torn"    // Segment ends in bytes that are no record
	ChangePurged  = "purged"  // the segments before Next were deleted
)

// Change is the part of a note that a machine reads: what happened to the
// files of the log.
type Change struct {
	Kind    string `json:"kind"`
	Segment string `json:"segment"` // file name; of a purge: the last one deleted
	Next    string `json:"next,omitempty"`
	Prev    string `json:"prev,omitempty"`   // of a purge: the hash that the first record kept is chained to
	Offset  int64  `json:"offset,omitempty"` // where the torn bytes begin
	Bytes   int64  `json:"bytes,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the torn bytes
}

// Caller says who asked, as far as it can be known, and to run in what.
type Caller struct {
	User    string `json:"user,omitempty"` // the principal in one word
	Host    string `json:"host,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Client  string `json:"client,omitempty"`
	Session string `json:"session,omitempty"`
	Program string `json:"program,omitempty"` // sallyport's own version

	Principal     *Principal `json:"principal,omitempty"`
	Address       string     `json:"address,omitempty"` // that a refused request came from
	ClientVersion string     `json:"client_version,omitempty"`
	Environment   string     `json:"environment,omitempty"` // the operator's; "" is the default one

	Labels map[string]string `json:"labels,omitempty"` // of a decision: the caller's word about what it is for
}

// LabelList is the labels as KEY=VALUE, in order.
func (c Caller) LabelList() (list []string) {
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		list = append(list, key+"="+c.Labels[key])
	}
	return list
}

// Principal is who asked, as sallyport has verified it.
type Principal struct {
	Issuer  string   `json:"issuer,omitempty"` // "" is the machine itself
	Subject string   `json:"subject,omitempty"`
	Name    string   `json:"name,omitempty"`
	Groups  []string `json:"groups,omitempty"`
	Tenant  string   `json:"tenant,omitempty"`
	Scopes  []string `json:"scopes,omitempty"`
	How     string   `json:"how"` // local, token, oauth, certificate
}

// Approval is a question that other people answer. It is on record when somebody
// answers it, who then is the Caller, and each time that its answer is asked for.
type Approval struct {
	ID      string     `json:"id"`
	Binding string     `json:"binding_sha256,omitempty"` // of all that a yes is about
	By      *Principal `json:"by,omitempty"`             // who answered
	Reason  string     `json:"reason,omitempty"`         // in their words

	Asked    *Elsewhere `json:"asked,omitempty"`    // of an answer: the decision, where another replica asked
	Answered *Elsewhere `json:"answered,omitempty"` // of a run: the answer, where another replica took it
}

// Elsewhere is a record in the log of another replica of a service.
type Elsewhere struct {
	Replica string `json:"replica"`
	Record  string `json:"record"`
}

// The ways in which something comes into force.
const (
	InForceStart   = "start"   // of the service
	InForceReload  = "reload"  // its file, or what an issuer publishes, had changed
	InForceRefused = "refused" // it had, and could not be used
)

// InForce is what a service works by from now on, as digests by the name of the part:
// configuration and tokens are the files' SHA-256, certificate that of the first in its
// file, client_ca the file's, policy is the policy_digest of decisions, and keys are
// those that an issuer signs with.
type InForce struct {
	How    string            `json:"how"`
	Part   string            `json:"part,omitempty"`   // that was read again
	SHA256 map[string]string `json:"sha256"`           // of all that is in force
	Before map[string]string `json:"before,omitempty"` // of what was in force before and is not now; "" where there was nothing
}

// Source identifies the code. Code is set by the operator's choice only.
type Source struct {
	Name        string `json:"name,omitempty"`
	Language    string `json:"language"`
	Goal        string `json:"goal,omitempty"`
	SHA256      string `json:"sha256"`
	Bytes       int    `json:"bytes"`
	FactsSHA256 string `json:"facts_sha256,omitempty"`

	// TypeScriptSHA256 is the hash of what was written, where that was TypeScript:
	// SHA256 is then that of the JavaScript made of it, which was judged and run.
	TypeScriptSHA256 string `json:"typescript_sha256,omitempty"`

	// NotebookSHA256 is the hash of the notebook that the Python was made of.
	NotebookSHA256 string `json:"notebook_sha256,omitempty"`
	Code           string `json:"code,omitempty"`

	Files []Artifact `json:"files,omitempty"` // that the request brought along

	References []Reference `json:"references,omitempty"` // files that it may read where they are
}

// Cell places a record in an interpreter session: which cell was judged or
// run, or, when the session has ended, how many there were. Source then is all
// cells up to this one, as one program: its hash is that of the chain.
type Cell struct {
	Session string `json:"session"` // ID of the session, no other one has it
	Name    string `json:"name,omitempty"`
	Number  int    `json:"number"` // from 1
	SHA256  string `json:"sha256,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
}

// Egress is a request of a program to a host. There is nothing of its body in
// it, and no value of a header.
type Egress struct {
	Number int64  `json:"number"` // of the run's requests, from 1
	Rule   string `json:"rule,omitempty"`
	Method string `json:"method,omitempty"`
	Scheme string `json:"scheme,omitempty"`
	Host   string `json:"host,omitempty"`
	Port   int    `json:"port,omitempty"`
	Path   string `json:"path,omitempty"`
	Query  string `json:"query_hmac,omitempty"` // HMAC-SHA256 with a key of the process: equal ones are equal, and none can be guessed

	Allowed bool     `json:"allowed"`
	Reason  string   `json:"reason,omitempty"`  // why it was refused
	Secrets []string `json:"secrets,omitempty"` // names of those put in
	Policy  []string `json:"policy,omitempty"`  // rules about requests that found something, with what they ask for
	Answer  string   `json:"answer,omitempty"`  // of the person who was asked

	Status int `json:"status,omitempty"` // that the program was answered

	// Of its end.
	SentBytes     int64  `json:"sent_bytes,omitempty"`
	ReceivedBytes int64  `json:"received_bytes,omitempty"`
	Address       string `json:"address,omitempty"` // that was dialled
	Error         string `json:"error,omitempty"`
	Micros        int64  `json:"us,omitempty"`
}

// URL is the address of a request without its query, "" where it has none.
func (e Egress) URL() string {
	if e.Host == "" {
		return ""
	}
	return e.Scheme + "://" + net.JoinHostPort(e.Host, strconv.Itoa(e.Port)) + e.Path
}

// Verdict is what the policy said.
type Verdict struct {
	Effect       string          `json:"effect"`
	Reason       string          `json:"reason"`
	Detail       string          `json:"detail,omitempty"`
	Findings     []Finding       `json:"findings"`
	Limits       json.RawMessage `json:"limits,omitempty"`
	Packs        []string        `json:"packs"`
	PolicyDigest string          `json:"policy_digest"`
	Revision     string          `json:"policy_revision,omitempty"`
	Exceptions   []string        `json:"exceptions,omitempty"`
	Loosened     []string        `json:"loosened,omitempty"`
	Micros       int64           `json:"us"` // canonicalise, parse, decide
}

// Finding is one finding of the verdict.
type Finding struct {
	Rule       string `json:"rule"`
	Action     string `json:"action"`
	Severity   string `json:"severity,omitempty"`
	Message    string `json:"message"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Symbol     string `json:"symbol,omitempty"`
	Capability string `json:"capability,omitempty"`
}

// Run is how the sandbox run went.
type Run struct {
	Backend            string            `json:"backend"`
	BackendVersion     string            `json:"backend_version,omitempty"`
	Interpreter        string            `json:"interpreter,omitempty"`
	InterpreterVersion string            `json:"interpreter_version,omitempty"`
	RuntimeSHA256      string            `json:"runtime_sha256,omitempty"` // interpreter or image digest
	Controls           map[string]string `json:"controls,omitempty"`
	Limits             json.RawMessage   `json:"limits,omitempty"`
	Reason             string            `json:"reason"` // exited, timeout, …, or "error"
	Exit               int               `json:"exit"`
	Signal             int               `json:"signal,omitempty"`
	Error              string            `json:"error,omitempty"`
	Start              string            `json:"start,omitempty"`     // of the sandbox: cold, or warm, when it had been waiting
	Preloaded          []string          `json:"preloaded,omitempty"` // what a warm one had imported by the operator's choice
	WallMicros         int64             `json:"wall_us"`
	CPUMicros          int64             `json:"cpu_us,omitempty"`
	PeakMemory         int64             `json:"peak_memory,omitempty"`
	StdoutBytes        int               `json:"stdout_bytes"`
	StderrBytes        int               `json:"stderr_bytes"`
	StdoutSHA256       string            `json:"stdout_sha256,omitempty"`
	StderrSHA256       string            `json:"stderr_sha256,omitempty"`
	Artifacts          []Artifact        `json:"artifacts,omitempty"`
	Violations         []string          `json:"violations,omitempty"`

	References []Reference `json:"references,omitempty"` // as they were read
}

// Exited tells whether the program ended by itself, and so has an exit code.
func (r *Run) Exited() bool { return r.Reason == "exited" }

// Reference identifies a file that a program reads where it is. The hash is
// that of what was there while the program ran, and so on the record of its end.
type Reference struct {
	Path string `json:"path"`           // in the work directory
	From string `json:"from,omitempty"` // directory:path, as the caller named it; where a directory is

	Directory bool `json:"directory,omitempty"` // and all that is in it, which is not hashed

	Device   uint64    `json:"device"`
	Inode    uint64    `json:"inode"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256,omitempty"`  // "" where it could not be read in time
	Changed  bool      `json:"changed,omitempty"` // since it was opened
}

// Artifact identifies a file that a run left or was given.
type Artifact struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}
