package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sallyport/gate"
	"sallyport/sandbox"
)

const (
	maxKept      = 64 << 20 // files and outputs of one principal kept for resources/read
	maxKeptAll   = 4 * maxKept
	maxImage     = 4 << 20  // one picture inside an answer
	maxImages    = 8 << 20  // all pictures inside an answer
	maxEmbedded  = 16 << 10 // one other file inside an answer
	maxEmbeddeds = 64 << 10 // all other files inside an answer
)

// keptRun is what one run left.
type keptRun struct {
	owner, id      string
	stdout, stderr []byte
	files          []sandbox.File
	artifacts      []artifactOutput
	size           int
}

// keep takes over what a run left and stores it under the decision's id, so
// that its owner can read it for a while.
func (s *Server) keep(ctx context.Context, a gate.Answer) *keptRun {
	r := a.Result
	run := &keptRun{owner: owner(ctx), id: a.ID, stdout: r.Stdout, stderr: r.Stderr}
	for _, f := range r.Artifacts {
		if f.MediaType == "" {
			f.MediaType = "application/octet-stream"
		}
		run.files = append(run.files, f)
		run.artifacts = append(run.artifacts, artifactOutput{f.Path, run.uri("files/" + f.Path), f.MediaType, len(f.Data)})
		run.size += len(f.Data)
	}
	if n := len(run.stdout) + len(run.stderr); n > s.opts.Shown {
		run.size += n
	}
	if s.opts.Outbox != "" && run.id != "" {
		if err := deliver(s.opts.Outbox, run); err != nil {
			s.opts.Log("%v", err)
		}
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
	for i, f := range r.files {
		if "files/"+f.Path == name && !r.artifacts[i].delivered() {
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
		case a.delivered():
			if knowsLinks(ctx) {
				out = append(out, mcp.NewResourceLink(a.URI, f.Path, fmt.Sprintf("%d bytes", a.Bytes), f.MediaType))
			}
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

// store keeps what runs left, up to a size: the oldest run goes first, of the
// owner who has most when there is too much of all.
type store struct {
	mu   sync.Mutex // guards the fields below
	runs []*keptRun
	size map[string]int // by owner
	all  int
}

func (s *store) add(r *keptRun) {
	if r.size == 0 || r.id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size == nil {
		s.size = map[string]int{}
	}
	s.runs = append(s.runs, r)
	s.size[r.owner] += r.size
	s.all += r.size
	for s.size[r.owner] > maxKept && s.drop(r.owner, r) {
	}
	for s.all > maxKeptAll && s.drop(s.greatest(), r) {
	}
}

// greatest is the owner of whom most is kept.
func (s *store) greatest() (most string) {
	for owner, size := range s.size {
		if size > s.size[most] || size == s.size[most] && owner < most {
			most = owner
		}
	}
	return most
}

// drop forgets an owner's oldest run, if that is not the one to be kept.
func (s *store) drop(owner string, but *keptRun) bool {
	i := slices.IndexFunc(s.runs, func(r *keptRun) bool { return r.owner == owner })
	if i < 0 || s.runs[i] == but {
		return false
	}
	s.all -= s.runs[i].size
	if s.size[owner] -= s.runs[i].size; s.size[owner] == 0 {
		delete(s.size, owner)
	}
	s.runs = slices.Delete(s.runs, i, i+1)
	return true
}

// find returns a run of the owner's: to everybody else it is not there.
func (s *store) find(owner, id string) (*keptRun, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.owner == owner && r.id == id {
			return r, true
		}
	}
	return nil, false
}
