package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/gate"
	"sallyport/sandbox"
)

const (
	maxKept      = 64 << 20 // files and outputs kept for resources/read
	maxImage     = 4 << 20  // one picture inside an answer
	maxImages    = 8 << 20  // all pictures inside an answer
	maxEmbedded  = 16 << 10 // one other file inside an answer
	maxEmbeddeds = 64 << 10 // all other files inside an answer
)

// keptRun is what one run left.
type keptRun struct {
	id             string
	stdout, stderr []byte
	files          []sandbox.File
	artifacts      []artifactOutput
	size           int
}

// keep takes over what a run left and stores it under the decision's id, so
// that it can be read while the session lasts.
func (s *Server) keep(a gate.Answer) *keptRun {
	r := a.Result
	run := &keptRun{id: a.ID, stdout: r.Stdout, stderr: r.Stderr}
	for _, f := range r.Artifacts {
		if f.MediaType == "" {
			f.MediaType = "application/octet-stream"
		}
		run.files = append(run.files, f)
		run.artifacts = append(run.artifacts, artifactOutput{f.Path, run.uri("files/" + f.Path), f.MediaType, len(f.Data)})
		run.size += len(f.Data)
	}
	if len(run.stdout) > headBytes+tailBytes {
		run.size += len(run.stdout)
	}
	if len(run.stderr) > headBytes+tailBytes {
		run.size += len(run.stderr)
	}
	s.kept.add(run)
	return run
}

// uri names something of the run: files/PATH, stdout or stderr.
func (r *keptRun) uri(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "sallyport://runs/" + r.id + "/" + strings.Join(parts, "/")
}

func (r *keptRun) fullOutput() string {
	return "All that was kept: " + r.uri("stdout") + " and " + r.uri("stderr")
}

// find returns something of the run by its name.
func (r *keptRun) find(name string) (sandbox.File, bool) {
	switch name {
	case "stdout":
		return sandbox.File{Data: r.stdout, MediaType: "text/plain"}, true
	case "stderr":
		return sandbox.File{Data: r.stderr, MediaType: "text/plain"}, true
	}
	for _, f := range r.files {
		if "files/"+f.Path == name {
			return f, true
		}
	}
	return sandbox.File{}, false
}

// contents puts what the run left into an answer: pictures to look at, small
// text to read, links for the rest.
func (r *keptRun) contents(ctx context.Context) []mcp.Content {
	var out []mcp.Content
	pictures, others := 0, 0
	for i, f := range r.files {
		a := r.artifacts[i]
		switch {
		case isPicture(f.MediaType) && len(f.Data) <= maxImage && pictures+len(f.Data) <= maxImages:
			pictures += len(f.Data)
			out = append(out, mcp.NewImageContent(base64.StdEncoding.EncodeToString(f.Data), f.MediaType))
		case len(f.Data) <= maxEmbedded && others+len(f.Data) <= maxEmbeddeds:
			others += len(f.Data)
			out = append(out, mcp.NewEmbeddedResource(contentsOf(a.URI, f)))
		case knowsLinks(ctx):
			link := mcp.NewResourceLink(a.URI, f.Path, fmt.Sprintf("%d bytes", a.Bytes), f.MediaType)
			out = append(out, link)
		}
	}
	return out
}

func isPicture(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// knowsLinks says whether the client's protocol has links in results. One that
// has not finds the file's address in the text.
func knowsLinks(ctx context.Context) bool {
	return server.RequestProtocolVersion(ctx) >= mcp.ProtocolVersion20250618
}

func contentsOf(uri string, f sandbox.File) mcp.ResourceContents {
	if utf8.Valid(f.Data) && !isPicture(f.MediaType) {
		return mcp.TextResourceContents{URI: uri, MIMEType: f.MediaType, Text: string(f.Data)}
	}
	return mcp.BlobResourceContents{URI: uri, MIMEType: f.MediaType, Blob: base64.StdEncoding.EncodeToString(f.Data)}
}

// store keeps what runs left, up to a size: the oldest run goes first.
type store struct {
	mu   sync.Mutex // guards the fields below
	runs []*keptRun
	size int
}

func (s *store) add(r *keptRun) {
	if r.size == 0 || r.id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
	s.size += r.size
	for s.size > maxKept && len(s.runs) > 1 {
		s.size -= s.runs[0].size
		s.runs[0] = nil
		s.runs = s.runs[1:]
	}
}

func (s *store) find(id string) (*keptRun, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.id == id {
			return r, true
		}
	}
	return nil, false
}
