package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
)

// A result says everything once, as content, which is what a model reads. There is no
// structuredContent: some clients would show a model that alone, without the
// pictures, others the content alone, and others both. What a program wants to
// know of a result stands in its _meta, without the texts.

// metaResult is the key in a result's _meta below which that is.
const metaResult = "sallyport/result"

// result is a text with what else there is to see, and what programs are told.
func result(text string, more []mcp.Content, told any, failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Result:  mcp.Result{Meta: &mcp.Meta{AdditionalFields: map[string]any{metaResult: told}}},
		Content: append([]mcp.Content{mcp.NewTextContent(text)}, more...),
		IsError: failed,
	}
}

// runOutput is what came of a call of the tools that run code.
type runOutput struct {
	Status           string           `json:"status"`
	Reason           string           `json:"reason"`
	Detail           string           `json:"-"` // of the text, as all that has no name here
	DecisionID       string           `json:"decision_id,omitempty"`
	ExitCode         *int             `json:"exit_code,omitempty"`
	Stdout           string           `json:"-"`
	Stderr           string           `json:"-"`
	StdoutTruncated  bool             `json:"stdout_truncated,omitempty"`
	StderrTruncated  bool             `json:"stderr_truncated,omitempty"`
	Findings         []findingOutput  `json:"findings,omitempty"`
	Artifacts        []artifactOutput `json:"artifacts,omitempty"`
	ArtifactsDropped int              `json:"artifacts_dropped,omitempty"`
	Incomplete       bool             `json:"incomplete,omitempty"`
	Violations       []string         `json:"violations,omitempty"`
	tried            []string         // the same, in sentences
	Notes            []string         `json:"-"`
	DurationMillis   int64            `json:"duration_ms,omitempty"`
	Session          *sessionOutput   `json:"session,omitempty"`
	RetryAfter       int              `json:"retry_after_seconds,omitempty"` // 0: nobody knows, or there is no sense in it
	Approval         *approvalOutput  `json:"approval,omitempty"`
}

// approvalOutput is the part of a result that is about other people's approval.
type approvalOutput struct {
	ID    string    `json:"id"`
	Until time.Time `json:"until"`
}

// findingOutput is what was found at one place, and the other rules that found
// something there.
type findingOutput struct {
	Rule     string   `json:"rule"`
	Also     []string `json:"also,omitempty"`
	Action   string   `json:"action"`
	Severity string   `json:"severity,omitempty"`
	Message  string   `json:"-"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Symbol   string   `json:"symbol,omitempty"`
	Instead  string   `json:"-"`
}

type artifactOutput struct {
	Path      string `json:"path"`
	URI       string `json:"uri"`
	MediaType string `json:"media_type"`
	Bytes     int    `json:"bytes"`
}

type checkOutput struct {
	RetryAfter int             `json:"retry_after_seconds,omitempty"`
	Allowed    bool            `json:"allowed"`
	Effect     string          `json:"effect"`
	Reason     string          `json:"reason"`
	DecisionID string          `json:"decision_id,omitempty"`
	Findings   []findingOutput `json:"findings"`
}

const (
	maxFindings = 8   // in one answer: a model needs the first ones
	maxSentence = 300 // of a rule's, in bytes
)

// runResult puts an answer into what a client gets.
func (s *Server) runResult(ctx context.Context, a gate.Answer, code string, notes []string) *mcp.CallToolResult {
	if waits(a) {
		return waitingResult(a)
	}
	if denied(a) {
		return s.deniedResult(a, code)
	}
	told, r := answer.New(a, nil), a.Result
	told.Advise(s.opts.known, code)
	end := told.Ending()
	if end.Status == answer.Denied {
		return mismatchResult(a.ID, end)
	}
	for _, lost := range told.Result.Lost() {
		notes = append(notes, answer.Sentence(lost))
	}
	out := runOutput{
		Status:           string(end.Status),
		Reason:           string(r.Reason),
		DecisionID:       a.ID,
		Findings:         findings(a.Decision, policy.ActionWarn),
		ArtifactsDropped: r.ArtifactsDropped,
		Incomplete:       told.Incomplete(),
		Notes:            notes,
		DurationMillis:   a.Durations.Run.Milliseconds(),
	}
	if end.Status != answer.OK {
		out.Detail = answer.Sentence(end.Clause)
	}
	if r.Reason == sandbox.Exited {
		out.ExitCode = &r.Exit
	}
	for _, v := range told.Result.Violations {
		out.Violations, out.tried = append(out.Violations, v.String()), append(out.tried, v.Tried())
	}
	if told.Hint != "" {
		out.Notes = append(out.Notes, told.Hint)
	}
	run := s.keep(ctx, a)
	if end.Status == answer.Stopped && len(run.artifacts) > 0 {
		out.Notes = append(out.Notes, "The program was stopped, so the files may be half of what they were to be.")
	}
	stdout, stderr := run.stdout, trimTraceback(a.Source.Language, run.stderr)
	forOut, forErr := room(len(stdout), len(stderr), s.opts.Shown)
	out.Stdout, out.StdoutTruncated = shorten(stdout, forOut, r.StdoutTruncated)
	out.Stderr, out.StderrTruncated = shorten(stderr, forErr, r.StderrTruncated)
	out.Artifacts = run.artifacts
	if c := a.Cell; c != nil {
		out.Session = &sessionOutput{Name: c.Session, Cell: c.Number, Ended: c.Ended}
	}
	return result(runText(out, run), run.contents(ctx), out, end.Status != answer.OK)
}

// runText is the answer for reading. What a successful program printed comes
// first and alone, as a shell would show it.
func runText(out runOutput, run *keptRun) string {
	var b strings.Builder
	if out.Detail != "" {
		b.WriteString(out.Detail + "\n")
	}
	switch {
	case out.Stdout == "" && out.Stderr == "" && out.Status == "ok" && len(out.Artifacts) == 0:
		b.WriteString("The program ran and printed nothing. Print what you want to see.\n")
	case out.Status == "ok":
		section(&b, "", out.Stdout)
		section(&b, "stderr", out.Stderr)
	default:
		section(&b, "stderr", out.Stderr)
		section(&b, "stdout", out.Stdout)
	}
	if out.StdoutTruncated || out.StderrTruncated {
		b.WriteString("\nOutput is cut. " + run.fullOutput() + "\n")
	}
	for _, f := range out.Artifacts {
		fmt.Fprintf(&b, "\nFile %s (%s, %d bytes): %s", f.Path, f.MediaType, f.Bytes, f.URI)
	}
	for _, what := range out.tried {
		b.WriteString("\n" + answer.Sentence(what))
	}
	for _, f := range out.Findings {
		fmt.Fprintf(&b, "\nWarning: %s", f.sentence())
	}
	for _, n := range out.Notes {
		fmt.Fprintf(&b, "\nNote: %s", n)
	}
	return strings.Trim(b.String(), "\n")
}

func section(b *strings.Builder, name, text string) {
	if text == "" {
		return
	}
	if name != "" {
		fmt.Fprintf(b, "\n%s:\n", name)
	}
	b.WriteString(strings.TrimRight(text, "\n") + "\n")
}

// askAgain is how often it makes sense to ask whether a person has answered.
const askAgain = 10 * time.Second

// waits reports whether a program waits for other people's approval.
func waits(a gate.Answer) bool { return a.Approval.Answer == "pending" && a.Approval.ID != "" }

// waitingResult says how to come back.
func waitingResult(a gate.Answer) *mcp.CallToolResult {
	p := problem{status: "waiting", reason: "approval", wait: askAgain}
	out := runOutput{
		Status: p.status, Reason: p.reason, DecisionID: a.ID, RetryAfter: p.seconds(),
		Findings: findings(a.Decision, policy.ActionAsk),
		Approval: &approvalOutput{a.Approval.ID, a.Approval.Until},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This needs the approval of another person, who has been asked. Nothing ran. Make exactly the same call again in %d seconds or later: "+
		"once it is approved, that call runs the program. Any change, also of an argument or a file, asks anew.\n", p.seconds())
	for _, f := range out.Findings {
		b.WriteString("- " + f.sentence() + "\n")
	}
	if a.Cell != nil {
		out.Session = &sessionOutput{Name: a.Cell.Session, Cell: a.Cell.Number}
		fmt.Fprintf(&b, "Name the session %q in that call.\n", a.Cell.Session)
	}
	fmt.Fprintf(&b, "The question is %s, and open until %s.", a.Approval.ID, a.Approval.Until.UTC().Format(time.RFC3339))
	return result(b.String(), nil, out, true)
}

// unapproved says what came of asking a person.
func unapproved(ap gate.Approval) string {
	if ap.ID == "" && ap.Answer != "too_many" {
		return "This needs the approval of a person, which was not given. Do not retry the same code; do without, or ask your user."
	}
	switch ap.Answer {
	case "too_many":
		return "This needs the approval of another person, and nobody was asked: too many programs wait for that already. Wait for answers before you call again."
	case "timeout":
		return "This needs the approval of another person, and nobody answered in time. The same call asks anew."
	case "changed":
		return "This was approved, but a file that it reads has changed since. The same call asks anew."
	}
	text := "Another person was asked to approve this and declined. Do not retry the same code; do without."
	if ap.Reason != "" {
		text += fmt.Sprintf(" Their reason: %q", sentence(ap.Reason))
	}
	return text
}

// deniedResult teaches: what was found where, why, what to do instead.
func (s *Server) deniedResult(a gate.Answer, code string) *mcp.CallToolResult {
	d := a.Decision
	out := runOutput{
		Status:     "denied",
		Reason:     string(d.Reason),
		DecisionID: a.ID,
		Findings:   findings(d, policy.ActionDeny, policy.ActionAsk),
	}
	return result(denialText(d, out.Findings, code, a.Approval)+s.opts.advice(a, code), nil, out, true)
}

// advice is the hint of an answer as a line behind a text.
func (o *Options) advice(a gate.Answer, code string) string {
	told := answer.New(a, nil)
	if told.Advise(o.known, code); told.Hint == "" {
		return ""
	}
	return "\nNote: " + told.Hint
}

// installationFault says whether a denial is about sallyport and not about the
// code. Its detail may name things of the host.
func installationFault(r policy.Reason) bool {
	switch r {
	case policy.ReasonUnauditable, policy.ReasonTimeout, policy.ReasonError, policy.ReasonUndefined,
		policy.ReasonMalformed, policy.ReasonEmpty, policy.ReasonUnenforced:
		return true
	}
	return false
}

func detail(d policy.Decision) string {
	if installationFault(d.Reason) {
		return ""
	}
	return sentence(d.Detail)
}

func denialText(d policy.Decision, fs []findingOutput, code string, asked gate.Approval) string {
	var b strings.Builder
	switch d.Reason {
	case policy.ReasonSyntax:
		return syntaxText(d, code)
	case policy.ReasonSource, policy.ReasonIncomplete:
		b.WriteString("Denied; nothing ran: the code cannot be analysed.\n")
	default:
		b.WriteString("Denied by policy; nothing ran.\n")
	}
	if why := detail(d); why != "" && len(fs) == 0 {
		b.WriteString("Why: " + why + "\n")
	}
	for _, f := range fs {
		b.WriteString("- " + f.sentence() + "\n")
	}
	if more := len(answer.Spots(d.Findings, policy.ActionDeny, policy.ActionAsk)) - len(fs); more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	switch {
	case d.Reason == policy.ReasonRefused:
		b.WriteString(unapproved(asked))
	case installationFault(d.Reason):
		b.WriteString("This is a fault of the installation, not of the code: changing the code does not help. Tell your user.")
	default:
		b.WriteString("Do not retry the same code: the answer will be the same. Change it as said above, or do without.")
	}
	return b.String()
}

// syntaxText is as good as what an interpreter would say: where, the line, why.
func syntaxText(d policy.Decision, code string) string {
	b := strings.Builder{}
	b.WriteString("Syntax error; nothing ran, and no rule was asked.\n")
	for _, f := range d.Findings {
		if !f.IsSyntaxError() {
			continue
		}
		if f.Span.Line == 0 { // of an input file: the message says where
			b.WriteString(sentence(f.Message) + "\n")
			continue
		}
		fmt.Fprintf(&b, "line %d, column %d: %s\n", f.Span.Line, f.Span.Column, sentence(f.Message))
		if x, ok := answer.NewExcerpt(code, f.Span, answer.ExcerptWidth); ok {
			b.WriteString(x.String() + "\n")
		}
	}
	b.WriteString("Mend it, and send the whole program again.")
	return b.String()
}

// mismatchResult is for code that the interpreter understands in another way
// than the analysis did: nothing of it ran.
func mismatchResult(id string, end answer.Ending) *mcp.CallToolResult {
	text := "Denied; nothing ran. " + answer.Sentence(answer.Clip(end.Why, maxSentence)) +
		"\nWrite the code plainly: no unusual characters, escapes or line ends. Do not retry the same code."
	return result(text, nil, runOutput{Status: string(end.Status), Reason: string(policy.ReasonSecondParser), DecisionID: id}, true)
}

func (o *Options) checkResult(a gate.Answer, code string) *mcp.CallToolResult {
	d := a.Decision
	out := checkOutput{
		Allowed:    d.Effect == policy.Allow,
		Effect:     string(d.Effect),
		Reason:     string(d.Reason),
		DecisionID: a.ID,
		Findings:   findings(d, policy.ActionDeny, policy.ActionAsk, policy.ActionWarn),
	}
	var text string
	switch d.Effect {
	case policy.Allow:
		text = "Allowed."
		for _, f := range out.Findings {
			text += "\nWarning: " + f.sentence()
		}
	case policy.Ask:
		text = answer.Sentence(answer.MustApprove)
		for _, f := range out.Findings {
			text += "\n- " + f.sentence()
		}
	default:
		text = denialText(d, out.Findings, code, a.Approval)
	}
	return result(text+o.advice(a, code), nil, out, false)
}

// findings returns those with one of the actions, place by place, the first few of
// them. It is never nil.
func findings(d policy.Decision, actions ...policy.Action) []findingOutput {
	out := []findingOutput{}
	for _, s := range answer.Spots(d.Findings, actions...) {
		if len(out) < maxFindings {
			out = append(out, newFinding(s))
		}
	}
	return out
}

func newFinding(f answer.Spot) findingOutput {
	return findingOutput{
		Rule:     f.Rule,
		Also:     f.Also,
		Action:   string(f.Action),
		Severity: f.Severity,
		Message:  sentence(f.Message),
		Line:     f.Span.Line,
		Column:   f.Span.Column,
		Symbol:   answer.Clip(answer.Visible(f.Symbol), 128),
		Instead:  sentence(f.Remediation),
	}
}

func (f findingOutput) sentence() string {
	s := f.Rule + ": " + f.Message
	if f.Line > 0 {
		s = fmt.Sprintf("line %d, %s", f.Line, s)
	}
	if f.Instead != "" {
		s = strings.TrimRight(s, ".") + ". Instead: " + f.Instead
	}
	if len(f.Also) > 0 {
		s += " (Also: " + strings.Join(f.Also, ", ") + ".)"
	}
	return s
}

// sentence makes text of a rule's fit for an answer; parts of it may be the
// adversary's.
func sentence(s string) string { return answer.Clip(answer.Visible(answer.OneLine(s)), maxSentence) }
