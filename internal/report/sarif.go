package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"sallyport/answer"
	"sallyport/policy"
)

// sarifReport writes one SARIF 2.1.0 log, the OASIS standard that code hosts
// and editors read. Results are kept until the end, sources are not.
type sarifReport struct {
	w      io.Writer
	run    sarifRun
	index  map[string]int // of rules, by id
	prints map[string]int // how often a fingerprint was seen
	broken []sarifNotification
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name            string      `json:"name"`
	SemanticVersion string      `json:"semanticVersion"`
	Rules           []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string         `json:"id"`
	Short   sarifText      `json:"shortDescription"`
	Full    *sarifText     `json:"fullDescription,omitempty"`
	Help    *sarifText     `json:"help,omitempty"`
	Default sarifConfig    `json:"defaultConfiguration"`
	Props   map[string]any `json:"properties"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifConfig struct {
	Level string `json:"level"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
	Props        map[string]any    `json:"properties"`
}

// sarifSuppressed says that somebody lets a result pass, outside of its source.
type sarifSuppressed struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

// sarifLogical is a place in a cell of a notebook, whose lines are none of the file.
type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

func newSARIF(w io.Writer, o Options) *sarifReport {
	s := &sarifReport{w: w, index: map[string]int{}, prints: map[string]int{}}
	s.run.ColumnKind = "unicodeCodePoints"
	s.run.Results = []sarifResult{}
	s.run.Tool.Driver = sarifDriver{Name: "sallyport", SemanticVersion: o.Version, Rules: []sarifRule{}}
	for _, r := range o.Rules {
		s.rule(r)
	}
	return s
}

// rule adds a rule once and returns its index.
func (s *sarifReport) rule(r policy.RuleInfo) int {
	if i, ok := s.index[r.ID]; ok {
		return i
	}
	rule := sarifRule{
		ID:      r.ID,
		Short:   sarifString(cmp.Or(r.Title, r.ID)),
		Default: sarifConfig{sarifLevel(r.Effective)},
		Props:   map[string]any{"tags": sarifTags(r), "precision": "high", "security-severity": securitySeverity(r.Severity)},
	}
	if r.Description != "" {
		t := sarifString(r.Description)
		rule.Full = &t
	}
	if r.Remediation != "" {
		t := sarifString(r.Remediation)
		rule.Help = &t
	}
	if len(r.Controls) > 0 {
		rule.Props["controls"] = r.Controls
	}
	i := len(s.run.Tool.Driver.Rules)
	s.index[r.ID] = i
	s.run.Tool.Driver.Rules = append(s.run.Tool.Driver.Rules, rule)
	return i
}

func (s *sarifReport) File(f File) error {
	if f.Err != nil {
		s.broken = append(s.broken, sarifNotification{
			Level: "error", Message: sarifString(f.Err.Error()), Locations: []sarifLocation{sarifPlace(f.Name, policy.Span{})},
		})
		return nil
	}
	for _, r := range Reasons(f.Answer.Decision) {
		i := s.rule(policy.RuleInfo{ID: r.Rule, Title: r.Title, Severity: r.Severity, Effective: r.Action, CWE: r.CWE})
		var suppressed []sarifSuppressed
		if r.Exception != "" {
			suppressed = []sarifSuppressed{{Kind: "external", Status: "accepted", Justification: "exception " + r.Exception}}
		}
		s.run.Results = append(s.run.Results, sarifResult{
			RuleID: r.Rule, RuleIndex: i, Level: sarifLevel(r.Action), Message: sarifString(r.Message),
			Locations:    []sarifLocation{sarifFinding(f.Name, r)},
			Fingerprints: map[string]string{"sallyport/v1": s.fingerprint(f, r)},
			Suppressions: suppressed,
			Props:        sarifProps(f, r),
		})
	}
	return nil
}

func (s *sarifReport) End(Summary) error {
	s.run.Invocations = []sarifInvocation{{Successful: len(s.broken) == 0, Notifications: s.broken}}
	return answer.WriteJSON(s.w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{s.run},
	})
}

// fingerprint tells two runs that a finding is the same one although lines
// have moved: by file, rule, symbol and the text of the line, and by number
// where these are the same.
func (s *sarifReport) fingerprint(f File, r policy.Finding) string {
	h := sha256.New()
	for _, part := range []string{f.Name, r.Rule, r.Symbol, strings.TrimSpace(lineOf(f.Answer.Text(f.Source, r), r.Span.Line))} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	n := s.prints[sum]
	s.prints[sum]++
	return fmt.Sprintf("%s:%d", sum, n)
}

// lineOf returns a line of a source by its number from 1, or "".
func lineOf(source string, n int) string {
	lines := strings.SplitN(source, "\n", n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

func sarifProps(f File, r policy.Finding) map[string]any {
	p := map[string]any{"action": r.Action, "severity": r.Severity, "source-sha256": f.Answer.Source.SHA256}
	if r.Symbol != "" {
		p["symbol"] = r.Symbol
	}
	if r.Capability != "" {
		p["capability"] = r.Capability
	}
	return p
}

// sarifString escapes what SARIF takes for a placeholder.
func sarifString(s string) sarifText {
	return sarifText{strings.NewReplacer("{", "{{", "}", "}}").Replace(s)}
}

func sarifLevel(a policy.Action) string {
	switch a {
	case policy.ActionAsk, policy.ActionWarn:
		return "warning"
	case policy.ActionLog:
		return "note"
	}
	return "error"
}

func sarifTags(r policy.RuleInfo) []string {
	tags := []string{"security"}
	if r.Capability != "" {
		tags = append(tags, r.Capability)
	}
	if r.CWE != "" {
		tags = append(tags, "external/cwe/"+strings.ToLower(r.CWE))
	}
	return tags
}

// securitySeverity is the score that code hosts sort by.
func securitySeverity(severity string) string {
	switch severity {
	case "critical":
		return "9.5"
	case "high":
		return "8.0"
	case "medium":
		return "5.5"
	}
	return "2.5"
}

func sarifFinding(name string, r policy.Finding) sarifLocation {
	if r.Cell == 0 {
		return sarifPlace(name, r.Span)
	}
	place := sarifPlace(name, policy.Span{})
	place.Logical = []sarifLogical{{fmt.Sprintf("cell %d", r.Cell), answer.Place(name, r)}}
	return place
}

func sarifPlace(name string, s policy.Span) sarifLocation {
	p := sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: filepath.ToSlash(name)}).EscapedPath(), Base: "%SRCROOT%"}}
	switch {
	case filepath.IsAbs(name):
		p.Artifact = sarifArtifact{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()}
	case strings.Contains(name, ":"):
		// A colon in the first segment would read as a scheme.
		p.Artifact.URI = strings.ReplaceAll(p.Artifact.URI, ":", "%3A")
	}
	if s.Line > 0 {
		p.Region = &sarifRegion{StartLine: s.Line, StartColumn: s.Column, EndLine: s.EndLine, EndColumn: s.EndColumn}
	}
	return sarifLocation{Physical: p}
}
