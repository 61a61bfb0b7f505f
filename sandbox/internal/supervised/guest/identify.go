package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sallyport/sandbox/internal/supervised/wire"
)

// identifyLimit is for an interpreter to say its version.
const identifyLimit = 10 * time.Second

// identify finds out what the image runs programs with, for the record. No
// program is there yet: what is started is the operator's image alone.
func (s *supervisor) identify(start wire.Start) error {
	path, err := lookPath(start.Argv[0], start.Env)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return fmt.Errorf("finding the interpreter: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), identifyLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env, cmd.Dir = start.Env, "/"
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("asking %s for its version: %v", path, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	body, err := json.Marshal(wire.Interpreter{Path: path, Version: line})
	if err != nil {
		return err
	}
	return s.frame(wire.Identity, body)
}
