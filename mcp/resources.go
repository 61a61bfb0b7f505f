package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sallyport/policy"
)

func (s *Server) addResources() {
	fixed := func(uri, name, title, description, mediaType string, text func() string) {
		s.mcp.AddResource(
			mcp.NewResource(uri, name, mcp.WithResourceTitle(title), mcp.WithResourceDescription(description), mcp.WithMIMEType(mediaType)),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mediaType, Text: text()}}, nil
			})
	}
	fixed("sallyport://policy", "policy", "Policy", "The rules that code is judged by, and what to do instead", "text/markdown", s.policyText)
	fixed("sallyport://environments", "environments", "Environments", "Where code can run, with the packages that are installed", "application/json", s.environmentsText)
	fixed("sallyport://limits", "limits", "Limits", "What a run may use at most", "application/json", s.limitsText)
	s.mcp.AddResourceTemplate(
		mcp.NewResourceTemplate("sallyport://runs/{id}/{+name}", "run",
			mcp.WithTemplateDescription("What a run left: files/PATH, stdout or stderr, while this session lasts")),
		s.readRun)
}

var errNotKept = errors.New("there is no such file of a run, or it is no longer kept")

// readRun serves what a run left.
func (s *Server) readRun(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	rest, ok := strings.CutPrefix(r.Params.URI, "sallyport://runs/")
	id, name, found := strings.Cut(rest, "/")
	if !ok || !found {
		return nil, errNotKept
	}
	name, err := url.PathUnescape(name)
	if err != nil {
		return nil, errNotKept
	}
	run, ok := s.kept.find(id)
	if !ok {
		return nil, errNotKept
	}
	f, ok := run.find(name)
	if !ok {
		return nil, errNotKept
	}
	return []mcp.ResourceContents{contentsOf(r.Params.URI, f)}, nil
}

// policyText is the rules in force as a person or a model reads them.
func (s *Server) policyText() string {
	var b strings.Builder
	b.WriteString("# Rules in force\n\nCode is judged by these before anything runs. Whatever cannot be analysed is denied too.\n")
	for _, action := range []policy.Action{policy.ActionDeny, policy.ActionAsk, policy.ActionWarn} {
		first := true
		for _, r := range s.opts.Rules {
			if r.Action != action {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n## %s\n\n", map[policy.Action]string{
					policy.ActionDeny: "Denied", policy.ActionAsk: "A person must approve", policy.ActionWarn: "Allowed with a warning",
				}[action])
				first = false
			}
			fmt.Fprintf(&b, "- **%s** %s", r.ID, strings.TrimRight(r.Title, "."))
			if r.Description != "" {
				fmt.Fprintf(&b, ". %s", strings.Join(strings.Fields(r.Description), " "))
			}
			if r.Remediation != "" {
				fmt.Fprintf(&b, " Instead: %s", strings.Join(strings.Fields(r.Remediation), " "))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (s *Server) environmentNames() []string {
	var names []string
	for _, e := range s.opts.Environments {
		names = append(names, e.Name)
	}
	return names
}

func (s *Server) environmentsText() string {
	all := append([]Environment{{
		Name:        "default",
		Description: "The interpreters of this machine with their standard libraries.",
		Languages:   []string{"python", "javascript"},
	}}, s.opts.Environments...)
	return marshal(map[string]any{"environments": all})
}

func (s *Server) limitsText() string {
	l := s.opts.Limits
	limits := map[string]any{
		"timeout_seconds":     l.Wall.Seconds(),
		"cpu_seconds":         l.CPU.Seconds(),
		"memory_mb":           l.Memory >> 20,
		"processes":           l.Pids,
		"output_bytes":        l.OutputBytes,
		"file_bytes":          l.FileBytes,
		"disk_bytes":          l.DiskBytes,
		"artifact_bytes":      l.ArtifactBytes,
		"artifact_count":      l.ArtifactCount,
		"input_files":         maxFiles,
		"input_bytes":         maxFileBytes,
		"network":             "none",
		"runs_in_parallel":    s.opts.Parallel,
		"calls_in_the_queue":  s.opts.Queue,
		"output_shown_bytes":  headBytes + tailBytes,
		"kept_for_read_bytes": maxKept,
	}
	if l := s.opts.Gate.SessionLimits(); l != nil {
		limits["sessions"] = l.Max
		limits["session_idle_seconds"] = l.Idle.Seconds()
		limits["session_total_seconds"] = l.Total.Seconds()
	}
	return marshal(limits)
}

// marshal writes what is made of plain values, which cannot fail.
func marshal(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "{}"
	}
	return string(b)
}

func (s *Server) addPrompts() {
	s.mcp.AddPrompt(
		mcp.NewPrompt("use_sandbox", mcp.WithPromptDescription("How to use this sandbox well")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("How to use this sandbox well", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(s.promptText())),
			}), nil
		})
}

func (s *Server) promptText() string {
	l := s.opts.Limits
	sessions := ""
	if s.sessions {
		sessions = "\n- To go on with variables of an earlier call, name the same session in both. It does not last: be ready to define again what you need, and end it with end_session when you are done."
	}
	return fmt.Sprintf(`You can run Python with run_python_code and JavaScript with run_javascript_code.

- Each call is a fresh sandbox: no network, no files of this machine, nothing kept between calls%s. Put everything a program needs into one call: code, files, stdin, args.%s
- At most %g seconds and %d MiB a run. Print what you want to see. Files written to the working directory come back; pictures are shown.
- Code is judged by policy before it runs. A denial names the rule, the line and what to do instead. Change the code accordingly; do not retry it unchanged and do not try to get around the rule.
- When in doubt, ask check_code first; it runs nothing. The rules are in the resource sallyport://policy.
- If a task cannot be done under these rules, say so.`, s.unless(), sessions, l.Wall.Seconds(), l.Memory>>20)
}
