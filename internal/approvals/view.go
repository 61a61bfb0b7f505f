package approvals

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"sallyport/gate"
	"sallyport/policy"
)

// Version names the shape of a View in JSON.
const Version = "approval/v1"

// View is what an approver is shown. Its texts are as they came: whoever shows
// them to people makes them visible first.
type View struct {
	Version string    `json:"version"`
	ID      string    `json:"id"`
	State   string    `json:"state"` // waiting, approved, declined
	Asked   time.Time `json:"asked"`
	Until   time.Time `json:"until"` // an answer comes and is used
	Own     bool      `json:"own"`   // whoever looks asked it, and cannot answer it

	Requester Requester `json:"requester"`
	Tool      string    `json:"tool"`
	Client    string    `json:"client,omitempty"` // the requester's word
	Decision  string    `json:"decision"`         // its record

	Language string            `json:"language"`
	SHA256   string            `json:"sha256"`
	Code     string            `json:"code,omitempty"` // that would run
	Session  string            `json:"session,omitempty"`
	Cell     int               `json:"cell,omitempty"` // of the session; those before have run
	Findings []policy.Finding  `json:"findings"`
	Labels   map[string]string `json:"labels,omitempty"` // the requester's word
	Args     []string          `json:"args,omitempty"`
	Stdin    *Content          `json:"stdin,omitempty"`
	Files    []File            `json:"files,omitempty"`

	Environment  string        `json:"environment"`
	Limits       policy.Limits `json:"limits"`
	PolicyDigest string        `json:"policy_digest"`
	Revision     string        `json:"policy_revision,omitempty"`
	Exceptions   []string      `json:"exceptions,omitempty"`
	Binding      string        `json:"binding_sha256"`
}

// Requester is who asks, as sallyport has verified it.
type Requester struct {
	ID     string   `json:"id"`
	Name   string   `json:"name,omitempty"`
	Groups []string `json:"groups,omitempty"`
	How    string   `json:"how"`
}

// Content identifies what the program is given.
type Content struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// File is one that the program is given.
type File struct {
	Path string `json:"path"`
	From string `json:"from,omitempty"` // directory:path of one that is read where it is
	Content
}

// view is a new question. It keeps what is shown, and nothing of what is not.
func (b *Queue) view(q gate.Question) View {
	d, p, now := q.Answer.Decision, q.Principal, b.opts.Now().UTC()
	v := View{
		Version: Version, ID: rand.Text(), Asked: now, Until: now.Add(time.Duration(b.opts.Ask.Within)),
		Requester: Requester{ID: p.ID(), Name: p.Name, Groups: p.Groups, How: p.How},
		Tool:      q.Tool, Client: q.Client, Decision: q.Answer.ID,
		Language: q.Answer.Source.Language, SHA256: q.Answer.Source.SHA256, Code: strings.Clone(q.Source),
		Findings: d.Findings, Labels: q.Labels, Args: q.Args,
		Environment: q.Environment, Limits: q.Limits, PolicyDigest: d.Policy, Revision: d.Revision, Exceptions: d.Exceptions,
		Binding: q.Binding,
	}
	if c := q.Answer.Cell; c != nil {
		v.Session, v.Cell = c.Session, c.Number
	}
	if len(q.Stdin) > 0 {
		sum := sha256.Sum256(q.Stdin)
		v.Stdin = &Content{len(q.Stdin), hex.EncodeToString(sum[:])}
	}
	for _, f := range q.Files {
		v.Files = append(v.Files, File{f.Path, f.From, Content{f.Bytes, f.SHA256}})
	}
	return v
}

// seen is a question as who sees it now.
func (o open) seen(who gate.Principal) View {
	v := o.View
	v.State, v.Own = o.state.String(), samePerson(who, o.Who)
	return v
}

// brief is seen without what is long.
func (o open) brief(who gate.Principal) View {
	v := o.seen(who)
	v.Code, v.Files, v.Args = "", nil, nil
	return v
}
