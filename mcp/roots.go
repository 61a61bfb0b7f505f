package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	maxRoots  = 64
	rootsTime = time.Minute // a client says where it works without asking anybody
)

// roots asks a client of this machine, where a call refers to the operator's
// files, which directories it works in. What it says can only tighten: a client
// that has roots and does not name them refers to nothing.
func roots(ctx context.Context, args arguments) ([]string, error) {
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok || len(args.references) == 0 || !c.conn.local || server.IsModernRequest(ctx) || c.GetClientCapabilities().Roots == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	var said mcp.ListRootsResult
	if err := c.ask(ctx, mcp.MethodListRoots, struct{}{}, &said); err != nil {
		return nil, fmt.Errorf("the client has roots, and did not name them: %w", err)
	}
	if len(said.Roots) > maxRoots {
		return nil, fmt.Errorf("the client has %d roots, at most %d are allowed", len(said.Roots), maxRoots)
	}
	var out []string
	for _, r := range said.Roots {
		u, err := url.Parse(r.URI)
		if err != nil {
			return nil, errors.New("a root of the client is no URI")
		}
		if u.Scheme == "file" && filepath.IsAbs(u.Path) {
			out = append(out, filepath.Clean(u.Path))
		}
	}
	return out, nil
}
