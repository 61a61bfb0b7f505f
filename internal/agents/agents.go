// Package agents knows the programs that start MCP servers: where each keeps its
// configuration, and how an entry is put into it.
package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"sallyport/internal/hint"
)

// Client is a program that starts MCP servers: where it keeps its
// configuration, and what an entry in it looks like.
type Client struct {
	Name  string
	After string // what its user does when the entry is there

	file        string   // below the home directory, or the application directory
	application bool     // file is below the application directory
	config      bool     // file is below XDG_CONFIG_HOME, on every system
	homeEnv     string   // variable that names the directory of file
	project     string   // file of a project, below its directory; "" for a client that has none
	path        []string // of the object that holds the servers; nil for TOML and YAML
	yaml        bool     // the configuration is YAML
	kind        string   // what entries say as "type"; "local" ones have their arguments in "command"
}

// Entry is what a client has to know of a server.
type Entry struct {
	Name, Command string
	Args          []string
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Lookup says what a variable of the environment holds.
type Lookup = func(string) (string, bool)

// IsName says whether a server can have the name: it needs quotes in none of
// the formats.
func IsName(name string) bool { return plainName.MatchString(name) }

// All are the clients whose configuration can be edited.
func All() []Client {
	servers := []string{"mcpServers"}
	return []Client{
		{Name: "claude-code", file: ".claude.json", project: ".mcp.json", path: servers, kind: "stdio",
			After: "Look at it with: claude mcp list"},
		{Name: "claude-desktop", file: "Claude/claude_desktop_config.json", application: true, path: servers,
			After: "Restart Claude Desktop."},
		{Name: "gemini", file: ".gemini/settings.json", project: ".gemini/settings.json", path: servers,
			After: "Look at it with: gemini mcp list; it starts servers in trusted folders only"},
		{Name: "cursor", file: ".cursor/mcp.json", project: ".cursor/mcp.json", path: servers,
			After: "Look at it in Cursor's settings, under MCP."},
		{Name: "vscode", file: "Code/User/mcp.json", application: true, project: ".vscode/mcp.json", path: []string{"servers"}, kind: "stdio",
			After: "Look at it in VS Code with the command: MCP: List Servers"},
		{Name: "codex", file: ".codex/config.toml", homeEnv: "CODEX_HOME", project: ".codex/config.toml",
			After: "Look at it with: codex mcp list"},
		{Name: "windsurf", file: ".codeium/windsurf/mcp_config.json", path: servers,
			After: "Refresh the servers in Windsurf's settings, under Cascade."},
		{Name: "zed", file: "zed/settings.json", config: true, project: ".zed/settings.json", path: []string{"context_servers"},
			After: "Look at it in Zed's settings, under AI, MCP Servers."},
		{Name: "cline", file: "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", application: true, path: servers,
			After: "Look at it in Cline, under MCP Servers."},
		{Name: "continue", file: ".continue/mcpServers/sallyport.json", project: ".continue/mcpServers/sallyport.json", path: servers,
			After: "Look at it in Continue, under Tools, in agent mode."},
		{Name: "goose", file: "goose/config.yaml", config: true, yaml: true,
			After: "Look at it with: goose configure, under Toggle Extensions"},
		{Name: "opencode", file: "opencode/opencode.json", config: true, project: "opencode.json", path: []string{"mcp"}, kind: "local",
			After: "Look at it with: opencode mcp list"},
	}
}

// Generic is any other one: most read this.
func Generic() Client { return Client{path: []string{"mcpServers"}} }

// Names are the names of all.
func Names() []string {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
	}
	return names
}

// ByName is the client of a name.
func ByName(name string) (Client, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// applicationDir is where desktop programs of this system keep their settings.
func applicationDir(home string, env Lookup) string {
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

func configDir(home string, env Lookup) string {
	if dir, ok := env("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, ".config")
}

// UserFile is where the client has its configuration for this user.
func (c Client) UserFile(env Lookup) (string, error) {
	if c.homeEnv != "" {
		if dir, ok := env(c.homeEnv); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.Base(c.file)), nil
		}
	}
	home, ok := env("HOME")
	if !ok || !filepath.IsAbs(home) {
		return "", hint.Usage("HOME is not set, so the place of the configuration is not known")
	}
	base := home
	switch {
	case c.application:
		base = applicationDir(home, env)
	case c.config:
		base = configDir(home, env)
	}
	return orCommented(filepath.Join(base, filepath.FromSlash(c.file))), nil
}

// ProjectFile is where the client has the configuration of the project in dir.
func (c Client) ProjectFile(dir string) (string, error) {
	if c.project == "" {
		return "", hint.With(hint.Usage("%s has no configuration of a project", c.Name), "leave --project out, to add it for this user")
	}
	return orCommented(filepath.Join(dir, filepath.FromSlash(c.project))), nil
}

// orCommented is the file, or the one beside it whose name says that it has comments.
func orCommented(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path + "c"); err == nil {
			return path + "c"
		}
	}
	return path
}
