package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// client is a program that starts MCP servers: where it keeps its
// configuration, and what an entry in it looks like.
type client struct {
	name        string
	file        string   // below the home directory, or the application directory
	application bool     // file is below the application directory
	config      bool     // file is below XDG_CONFIG_HOME, on every system
	homeEnv     string   // variable that names the directory of file
	project     string   // file of a project, below its directory; "" for a client that has none
	path        []string // of the object that holds the servers; nil for TOML
	kind        string   // what entries say as "type"; "local" ones have their arguments in "command"
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
		{name: "claude-code", file: ".claude.json", project: ".mcp.json", path: servers, kind: "stdio",
			after: "Look at it with: claude mcp list"},
		{name: "claude-desktop", file: "Claude/claude_desktop_config.json", application: true, path: servers,
			after: "Restart Claude Desktop."},
		{name: "gemini", file: ".gemini/settings.json", project: ".gemini/settings.json", path: servers,
			after: "Look at it with: gemini mcp list; it starts servers in trusted folders only"},
		{name: "cursor", file: ".cursor/mcp.json", project: ".cursor/mcp.json", path: servers,
			after: "Look at it in Cursor's settings, under MCP."},
		{name: "vscode", file: "Code/User/mcp.json", application: true, project: ".vscode/mcp.json", path: []string{"servers"}, kind: "stdio",
			after: "Look at it in VS Code with the command: MCP: List Servers"},
		{name: "codex", file: ".codex/config.toml", homeEnv: "CODEX_HOME", project: ".codex/config.toml",
			after: "Look at it with: codex mcp list"},
		{name: "windsurf", file: ".codeium/windsurf/mcp_config.json", path: servers,
			after: "Refresh the servers in Windsurf's settings, under Cascade."},
		{name: "zed", file: "zed/settings.json", config: true, project: ".zed/settings.json", path: []string{"context_servers"},
			after: "Look at it in Zed's settings, under AI, MCP Servers."},
		{name: "cline", file: "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", application: true, path: servers,
			after: "Look at it in Cline, under MCP Servers."},
		{name: "continue", file: ".continue/mcpServers/sallyport.json", project: ".continue/mcpServers/sallyport.json", path: servers,
			after: "Look at it in Continue, under Tools, in agent mode."},
		{name: "opencode", file: "opencode/opencode.json", config: true, project: "opencode.json", path: []string{"mcp"}, kind: "local",
			after: "Look at it with: opencode mcp list"},
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
func applicationDir(home string, env lookup) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	case "windows":
		if dir, ok := env("APPDATA"); ok {
			return dir
		}
		return filepath.Join(home, "AppData", "Roaming")
	}
	return configDir(home, env)
}

func configDir(home string, env lookup) string {
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
	var value any = struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{c.kind, e.command, e.args}
	if c.kind == "local" {
		value = struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{c.kind, append([]string{e.command}, e.args...), true}
	}
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	doc, err := hujson.Parse(old)
	if err != nil {
		return nil, errors.New("not JSON, so it is not edited")
	}
	unit := "  "
	if m := indentation.FindSubmatch(old); m != nil {
		unit = string(m[1])
	}
	if err := setMember(&doc, append(slices.Clone(c.path), e.name), value, 0, unit); err != nil {
		return nil, err
	}
	return doc.Pack(), nil
}

var indentation = regexp.MustCompile(`\n([ \t]+)"`)

// setMember sets the member at path of an object at some depth. Nothing else in
// it changes, comments and commas neither.
func setMember(doc *hujson.Value, path []string, value any, depth int, unit string) error {
	o, ok := doc.Value.(*hujson.Object)
	if !ok {
		return errors.New("not an object where one is needed, so it is not edited")
	}
	at := -1 // the last of that name is the one that counts
	for i, m := range o.Members {
		if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == path[0] {
			at = i
		}
	}
	if at < 0 {
		addMember(o, path[0], depth, unit)
		at = len(o.Members) - 1
	}
	member := &o.Members[at].Value
	if len(path) > 1 {
		if err := setMember(member, path[1:], value, depth+1, unit); err != nil {
			return fmt.Errorf("%q: %w", path[0], err)
		}
		return nil
	}
	text, err := marshalIndented(value, depth+1, unit)
	if err != nil {
		return err
	}
	set, err := hujson.Parse(text)
	if err == nil && !sameJSON(*member, set) {
		member.Value = set.Value
	}
	return err
}

// addMember puts an empty object behind the other members, on a line of its own
// and behind the comments that are there.
func addMember(o *hujson.Object, name string, depth int, unit string) {
	added := hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: &hujson.Object{}},
	}
	comments := bytes.TrimRight(o.AfterExtra, " \t\r\n")
	added.Name.BeforeExtra = slices.Concat(hujson.Extra(comments), []byte("\n"+strings.Repeat(unit, depth+1)))
	o.AfterExtra = o.AfterExtra[len(comments):]
	if n := len(o.Members); n == 0 {
		o.AfterExtra = hujson.Extra("\n" + strings.Repeat(unit, depth))
	} else if o.Members[n-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // the last one has a comma, too
	}
	o.Members = append(o.Members, added)
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

func sameJSON(a, b hujson.Value) bool {
	a, b = a.Clone(), b.Clone()
	a.Minimize()
	b.Minimize()
	return bytes.Equal(a.Pack(), b.Pack())
}

// editTOML sets the table of the server, which is how the client itself writes
// it. One that is written in another way is not edited.
func editTOML(old []byte, e serverEntry) ([]byte, error) {
	table, err := tomlTable(e)
	if err != nil {
		return nil, err
	}
	start, end, err := findTOML(old, "mcp_servers", e.name)
	switch {
	case err != nil:
		return nil, err
	case start >= 0:
		return slices.Concat(old[:start], table, old[end:]), nil
	case len(bytes.TrimSpace(old)) == 0:
		return table, nil
	}
	return slices.Concat(bytes.TrimRight(old, "\r\n"), []byte("\n\n"), table), nil
}

// findTOML says where the table of a name below another one stands: from its
// header to the end of the line of its last value. A negative start is nowhere.
func findTOML(doc []byte, parent, name string) (start, end int, err error) {
	var p unstable.Parser
	p.Reset(doc)
	start = -1
	var table []string // that is being read
	endOfLine := func(from uint32) int {
		if i := bytes.IndexByte(doc[from:], '\n'); i >= 0 {
			return int(from) + i + 1
		}
		return len(doc)
	}
	for p.NextExpression() {
		x := p.Expression()
		var key []string
		first := unstable.Range{}
		for it := x.Key(); it.Next(); {
			if key == nil {
				first = it.Node().Raw
			}
			key = append(key, string(it.Node().Data))
		}
		own := slices.Equal(key, []string{parent, name})
		switch {
		case x.Kind == unstable.Table && own && start < 0:
			start, end = bytes.LastIndexByte(doc[:first.Offset], '\n')+1, endOfLine(first.Offset)
			table = key
		case x.Kind == unstable.Table && !own:
			table = key
		case x.Kind == unstable.ArrayTable && key[0] != parent:
			table = key
		case x.Kind == unstable.KeyValue && start >= 0 && slices.Equal(table, []string{parent, name}):
			end = endOfLine(x.Raw.Offset + x.Raw.Length)
		case x.Kind == unstable.KeyValue && (len(table) > 0 || key[0] != parent) && (!slices.Equal(table, []string{parent}) || key[0] != name):
		default:
			return -1, 0, fmt.Errorf("%s is not written as tables, each once, so it is not edited", parent)
		}
	}
	if p.Error() != nil {
		return -1, 0, errors.New("not TOML, so it is not edited")
	}
	return start, end, nil
}

// tomlTable writes the entry. A JSON string without escaped slashes is a TOML
// basic string.
func tomlTable(e serverEntry) ([]byte, error) {
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
	return fmt.Appendf(nil, "[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", e.name, command, strings.Join(args, ", ")), nil
}
