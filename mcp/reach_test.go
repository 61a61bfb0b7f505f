package mcp

import (
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/answer"
)

// TestReachableHosts: clients are told which hosts can be reached, and that
// there is no network where none can.
func TestReachableHosts(t *testing.T) {
	said := func(s *Server) string {
		return s.instructions() + s.promptText() + s.environmentsText() + s.runTool("run", "Run", analyze.Python, "Python", "print(1)").Description
	}
	closed, open := &Server{}, &Server{opts: Options{Environments: answer.Environments{{Name: "default", Reaches: []string{"GET api.example.com /100%/*"}}}}}
	if text := said(closed); strings.Contains(text, "reach") || strings.Count(text, "o network") != 3 {
		t.Errorf("without egress: %s", text)
	}
	text := said(open)
	for _, want := range []string{"No network but the hosts that an environment reaches", "The environment default reaches GET api.example.com /100%/* over HTTP", `"reaches": [`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if n := strings.Count(open.environmentsText(), `"name"`); n != 1 {
		t.Errorf("%d environments are shown, want the one", n)
	}
}
