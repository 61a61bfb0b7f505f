package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// client is a program that starts MCP servers: where it keeps its
// configuration, and what an entry in it looks like.
type client struct {
	name        string
	file        string   // below the home directory, or the application directory
	application bool     // file is below the application directory
	homeEnv     string   // variable that names the directory of file
	path        []string // of the object that holds the servers; nil for TOML
	typed       bool     // entries say "type": "stdio"
	after       string   // what to do then
}

// serverEntry is what a client has to know.
type serverEntry struct {
	name, command string
	args          []string
}

// serverName is a name that needs quotes in none of the formats.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func clients() []client {
	servers := []string{"mcpServers"}
	return []client{
		{name: "claude-code", file: ".claude.json", path: servers, typed: true,
			after: "Look at it with: claude mcp list"},
		{name: "claude-desktop", file: "Claude/claude_desktop_config.json", application: true, path: servers,
			after: "Restart Claude Desktop."},
		{name: "gemini", file: ".gemini/settings.json", path: servers,
			after: "Look at it with: gemini mcp list"},
		{name: "cursor", file: ".cursor/mcp.json", path: servers,
			after: "Look at it in Cursor's settings, under MCP."},
		{name: "vscode", file: "Code/User/mcp.json", application: true, path: []string{"servers"}, typed: true,
			after: "Look at it in VS Code with the command: MCP: List Servers"},
		{name: "codex", file: ".codex/config.toml", homeEnv: "CODEX_HOME",
			after: "Look at it with: codex mcp list"},
		{name: "windsurf", file: ".codeium/windsurf/mcp_config.json", path: servers,
			after: "Refresh the servers in Windsurf's settings, under Cascade."},
	}
}

// genericClient is any other one: most read this.
func genericClient() client { return client{path: []string{"mcpServers"}} }

func clientNames() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

func clientByName(name string) (client, bool) {
	for _, c := range clients() {
		if c.name == name {
			return c, true
		}
	}
	return client{}, false
}

// applicationDir is where desktop programs of this system keep their settings.
func applicationDir(home string, env func(string) (string, bool)) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	case "windows":
		if dir, ok := env("APPDATA"); ok {
			return dir
		}
		return filepath.Join(home, "AppData", "Roaming")
	}
	if dir, ok := env("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, ".config")
}

// fragment is an entry as a whole file would show it.
func (c client) fragment(e serverEntry) string {
	b, err := c.edit(nil, e)
	if err != nil {
		return ""
	}
	return string(b)
}

// edit returns the configuration with the entry in it. It changes nothing else,
// and refuses what it does not understand.
func (c client) edit(old []byte, e serverEntry) ([]byte, error) {
	if c.path == nil {
		return editTOML(old, e)
	}
	value := struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{Command: e.command, Args: e.args}
	if c.typed {
		value.Type = "stdio"
	}
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	if !json.Valid(old) {
		return nil, errors.New("not plain JSON (comments, perhaps), so it is not edited")
	}
	unit := "  "
	if m := indentation.FindSubmatch(old); m != nil {
		unit = string(m[1])
	}
	return setMember(old, append(append([]string{}, c.path...), e.name), value, 0, unit)
}

var indentation = regexp.MustCompile(`\n([ \t]+)"`)

// setMember returns doc, an object at some depth, with the member at path set.
// Only the bytes of that member change.
func setMember(doc []byte, path []string, value any, depth int, unit string) ([]byte, error) {
	o, err := scanObject(doc, path[0])
	if err != nil {
		return nil, err
	}
	var member []byte
	switch {
	case len(path) == 1:
		if member, err = marshalIndented(value, depth+1, unit); err != nil {
			return nil, err
		}
		if o.found && sameJSON(doc[o.start:o.end], member) {
			return doc, nil
		}
	case o.found:
		if member, err = setMember(doc[o.start:o.end], path[1:], value, depth+1, unit); err != nil {
			return nil, fmt.Errorf("%q: %w", path[0], err)
		}
	default:
		if member, err = setMember([]byte("{}"), path[1:], value, depth+1, unit); err != nil {
			return nil, err
		}
	}
	if o.found {
		return splice(doc, o.start, o.end, member), nil
	}
	key, err := json.Marshal(path[0])
	if err != nil {
		return nil, err
	}
	line := "\n" + strings.Repeat(unit, depth+1) + string(key) + ": " + string(member)
	if o.last > 0 {
		return splice(doc, o.last, o.last, []byte(","+line)), nil
	}
	return splice(doc, o.open, o.close, []byte(line+"\n"+strings.Repeat(unit, depth))), nil
}

// scanned says where things are in an object's text.
type scanned struct {
	found       bool
	start, end  int // of the member's value
	last        int // end of the last member, 0 for none
	open, close int // between the braces
}

func scanObject(doc []byte, key string) (scanned, error) {
	var s scanned
	d := json.NewDecoder(bytes.NewReader(doc))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return s, errors.New("not an object where one is needed, so it is not edited")
	}
	s.open = int(d.InputOffset())
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return s, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return s, err
		}
		s.last = int(d.InputOffset())
		if t == key {
			s.found, s.start, s.end = true, s.last-len(raw), s.last
		}
	}
	if _, err := d.Token(); err != nil {
		return s, err
	}
	s.close = int(d.InputOffset()) - 1
	return s, nil
}

func marshalIndented(v any, depth int, unit string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(unit, depth), unit)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func splice(doc []byte, from, to int, with []byte) []byte {
	out := append([]byte{}, doc[:from]...)
	out = append(out, with...)
	return append(out, doc[to:]...)
}

var (
	tomlHeader = regexp.MustCompile(`^\s*\[`)
	tomlInline = regexp.MustCompile(`^\s*mcp_servers\s*[.=]`)
)

// editTOML sets the table of the server. It understands tables by their
// header, which is how the client itself writes them.
func editTOML(old []byte, e serverEntry) ([]byte, error) {
	own := regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + regexp.QuoteMeta(e.name) + `["']?\s*\]`)
	var before, after []string
	state := &before
	skipping := false
	found := false
	for _, line := range splitLines(string(old)) {
		switch {
		case tomlInline.MatchString(line):
			return nil, errors.New("mcp_servers is not written as tables, so it is not edited")
		case own.MatchString(line):
			skipping, found = true, true
			state = &after
			continue
		case tomlHeader.MatchString(line):
			skipping = false
		}
		if !skipping || strings.TrimSpace(line) == "" && len(after) > 0 {
			*state = append(*state, line)
		}
	}
	table, err := tomlTable(e)
	if err != nil {
		return nil, err
	}
	var out []string
	out = append(out, before...)
	if len(out) > 0 && strings.TrimSpace(out[len(out)-1]) != "" {
		out = append(out, "")
	}
	out = append(out, table...)
	if found && len(after) > 0 {
		out = append(append(out, ""), after...)
	}
	return []byte(strings.Join(out, "\n") + "\n"), nil
}

// tomlTable writes the entry. A JSON string without escaped slashes is a TOML
// basic string.
func tomlTable(e serverEntry) ([]string, error) {
	command, err := marshalIndented(e.command, 0, "")
	if err != nil {
		return nil, err
	}
	var args []string
	for _, a := range e.args {
		b, err := marshalIndented(a, 0, "")
		if err != nil {
			return nil, err
		}
		args = append(args, string(b))
	}
	return []string{
		"[mcp_servers." + e.name + "]",
		"command = " + string(command),
		"args = [" + strings.Join(args, ", ") + "]",
	}, nil
}
