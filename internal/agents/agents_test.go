package agents

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func entry() Entry {
	return Entry{Name: "sallyport", Command: "/opt/sallyport", Args: []string{"mcp", "--pack", "strict"}}
}

func mustClient(t *testing.T, name string) Client {
	t.Helper()
	c, ok := ByName(name)
	if !ok {
		t.Fatalf("no client %q", name)
	}
	return c
}

func TestEditClients(t *testing.T) {
	const cursor = `{
  "mcpServers": {
    "sallyport": {
      "command": "/opt/sallyport",
      "args": [
        "mcp",
        "--pack",
        "strict"
      ]
    }
  }
}
`
	const goose = `  sallyport:
    enabled: true
    type: stdio
    name: sallyport
    cmd: /opt/sallyport
    args:
      - mcp
      - --pack
      - strict
    envs: {}
    timeout: 300
`
	for _, tt := range []struct{ name, client, old, want string }{
		{"no file", "cursor", "", cursor},
		{"empty object", "cursor", "{}\n", cursor},
		{"there already", "cursor", cursor, cursor},
		{"there already, in one line", "cursor",
			`{"mcpServers":{"sallyport":{"command":"/opt/sallyport","args":["mcp","--pack","strict"]}}}`,
			`{"mcpServers":{"sallyport":{"command":"/opt/sallyport","args":["mcp","--pack","strict"]}}}`},
		{"beside others, order and numbers kept", "claude-code",
			"{\n\t\"z\": 1e400,\n\t\"mcpServers\": {\n\t\t\"b\": {\"command\": \"x\"}\n\t},\n\t\"a\": \"\\u00e9<\"\n}\n",
			"{\n\t\"z\": 1e400,\n\t\"mcpServers\": {\n\t\t\"b\": {\"command\": \"x\"},\n\t\t\"sallyport\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/opt/sallyport\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\",\n\t\t\t\t\"--pack\",\n\t\t\t\t\"strict\"\n\t\t\t]\n\t\t}\n\t},\n\t\"a\": \"\\u00e9<\"\n}\n"},
		{"an old entry is replaced", "gemini",
			`{"mcpServers": {"sallyport": {"command": "old"}, "x": {}}}`,
			"{\"mcpServers\": {\"sallyport\": {\n      \"command\": \"/opt/sallyport\",\n      \"args\": [\n        \"mcp\",\n        \"--pack\",\n        \"strict\"\n      ]\n    }, \"x\": {}}}"},
		{"no servers yet", "vscode", "{\n    \"inputs\": []\n}\n",
			"{\n    \"inputs\": [],\n    \"servers\": {\n        \"sallyport\": {\n            \"type\": \"stdio\",\n            \"command\": \"/opt/sallyport\",\n            \"args\": [\n                \"mcp\",\n                \"--pack\",\n                \"strict\"\n            ]\n        }\n    }\n}\n"},
		{"comments stay, and where they are", "vscode", "{\n  // mine\n  \"servers\": {\n    \"x\": {}, // x\n    \"y\": {} /* y */ // last\n  }, // end\n}\n",
			"{\n  // mine\n  \"servers\": {\n    \"x\": {}, // x\n    \"y\": {}, /* y */ // last\n    \"sallyport\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/sallyport\",\n      \"args\": [\n        \"mcp\",\n        \"--pack\",\n        \"strict\"\n      ]\n    }\n  }, // end\n}\n"},
		{"a comma behind the last stays", "vscode", "{\n  \"servers\": {\n    \"x\": {},\n  },\n}\n",
			"{\n  \"servers\": {\n    \"x\": {},\n    \"sallyport\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/sallyport\",\n      \"args\": [\n        \"mcp\",\n        \"--pack\",\n        \"strict\"\n      ]\n    },\n  },\n}\n"},
		{"a comment alone", "vscode", "{\n  \"servers\": {\n    // none yet\n  }\n}\n",
			"{\n  \"servers\": {\n    // none yet\n    \"sallyport\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/sallyport\",\n      \"args\": [\n        \"mcp\",\n        \"--pack\",\n        \"strict\"\n      ]\n    }\n  }\n}\n"},
		{"zed", "zed", "// mine\n{\n  \"theme\": \"x\", // dark\n}\n",
			"// mine\n{\n  \"theme\": \"x\", // dark\n  \"context_servers\": {\n    \"sallyport\": {\n      \"command\": \"/opt/sallyport\",\n      \"args\": [\n        \"mcp\",\n        \"--pack\",\n        \"strict\"\n      ]\n    }\n  },\n}\n"},
		{"opencode", "opencode", "",
			"{\n  \"mcp\": {\n    \"sallyport\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"/opt/sallyport\",\n        \"mcp\",\n        \"--pack\",\n        \"strict\"\n      ],\n      \"enabled\": true\n    }\n  }\n}\n"},
		{"goose, no file", "goose", "", "extensions:\n" + goose},
		{"goose, beside others", "goose", "# mine\nGOOSE_MODEL: x # y\nextensions:\n    developer:\n        enabled: true\n        args: [a,\n          b]\n\n# next\nother: 1",
			"# mine\nGOOSE_MODEL: x # y\nextensions:\n    developer:\n        enabled: true\n        args: [a,\n          b]\n" + strings.ReplaceAll("  "+strings.TrimSuffix(goose, "\n"), "\n", "\n  ") + "\n\n# next\nother: 1\n"},
		{"goose, replaced", "goose", "extensions:\n  sallyport: # old\n    cmd: old\n    args:\n      - a\n  # of z\n  z:\n    cmd: x\n", "extensions:\n" + goose + "  # of z\n  z:\n    cmd: x\n"},
		{"goose, none yet", "goose", "extensions:\nother: 1\n", "extensions:\n" + goose + "other: 1\n"},
		{"toml, no file", "codex", "", "[mcp_servers.sallyport]\ncommand = \"/opt/sallyport\"\nargs = [\"mcp\", \"--pack\", \"strict\"]\n"},
		{"toml, at the end", "codex", "model = \"x\"\n\n[other]\na = 1\n",
			"model = \"x\"\n\n[other]\na = 1\n\n[mcp_servers.sallyport]\ncommand = \"/opt/sallyport\"\nargs = [\"mcp\", \"--pack\", \"strict\"]\n"},
		{"toml, replaced", "codex", "a = 1\n\n[mcp_servers.\"sallyport\"]\ncommand = \"old\"\nstartup_timeout_sec = 5\n\n[z]\nb = 2\n",
			"a = 1\n\n[mcp_servers.sallyport]\ncommand = \"/opt/sallyport\"\nargs = [\"mcp\", \"--pack\", \"strict\"]\n\n[z]\nb = 2\n"},
		{"toml, in a text and over lines", "codex", "text = \"\"\"\n[mcp_servers.sallyport]\nmcp_servers = 1\n\"\"\"\n[mcp_servers.sallyport] # mine\nargs = [\n  [\"a\"],\n] # args\n\n# of env\n[mcp_servers.sallyport.env]\nA = \"1\"",
			"text = \"\"\"\n[mcp_servers.sallyport]\nmcp_servers = 1\n\"\"\"\n[mcp_servers.sallyport]\ncommand = \"/opt/sallyport\"\nargs = [\"mcp\", \"--pack\", \"strict\"]\n\n# of env\n[mcp_servers.sallyport.env]\nA = \"1\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustClient(t, tt.client)
			got, err := c.edit([]byte(tt.old), entry())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			again, err := c.edit(got, entry())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("a second time changes it again (-first +second)\n%s", diff)
			}
		})
	}
}

func TestEditClientsRefuses(t *testing.T) {
	for _, tt := range []struct{ name, client, old, want string }{
		{"no JSON", "vscode", "{\n  # mine\n}", "not JSON"},
		{"an array", "cursor", `[]`, "not an object"},
		{"servers is a list", "cursor", `{"mcpServers": []}`, "not an object"},
		{"toml inline", "codex", `mcp_servers = { a = {} }`, "not written as tables"},
		{"toml dotted", "codex", `mcp_servers.sallyport.command = "x"`, "not written as tables"},
		{"toml inline in its table", "codex", "[mcp_servers]\nsallyport = {command = \"x\"}", "not written as tables"},
		{"toml dotted in its table", "codex", "[mcp_servers]\nsallyport.command = \"x\"", "not written as tables"},
		{"toml, a list of servers", "codex", "[[mcp_servers.sallyport]]\ncommand = \"x\"", "not written as tables"},
		{"toml, twice", "codex", "[mcp_servers.sallyport]\n[mcp_servers.sallyport]\n", "each once"},
		{"no YAML", "goose", "a: [", "not YAML"},
		{"in one line", "goose", "extensions: {a: {cmd: x}}", "not written as a block"},
		{"an end on a line of its own", "goose", "extensions:\n  a:\n    args: [\n      x\n    ]\n", "not written as a block"},
		{"no TOML", "codex", "[mcp_servers.sallyport", "not TOML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := mustClient(t, tt.client).edit([]byte(tt.old), entry()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
		})
	}
}

// Whatever a configuration is, editing it keeps all that was in it.
func FuzzEditClient(f *testing.F) {
	for _, s := range []string{"", "{}", `{"a":[1,{"mcpServers":1}],"mcpServers":{"x":{"y":null}}}`, "{\n\t\"mcpServers\" : { }\n}", `{"mcpServers":{"sallyport":1}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, old string) {
		c, _ := ByName("cursor")
		got, err := c.edit([]byte(old), entry())
		if err != nil {
			return
		}
		var before, after map[string]json.RawMessage
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("the result is not JSON: %v\n%s", err, got)
		}
		if strings.TrimSpace(old) == "" {
			return
		}
		if err := json.Unmarshal([]byte(old), &before); err != nil {
			t.Fatal(err)
		}
		for k, v := range before {
			if k != "mcpServers" && string(after[k]) != string(v) {
				t.Errorf("member %q changed", k)
			}
		}
		var servers map[string]json.RawMessage
		if err := json.Unmarshal(after["mcpServers"], &servers); err != nil || servers["sallyport"] == nil {
			t.Errorf("no entry: %s", got)
		}
	})
}
