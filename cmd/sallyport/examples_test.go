package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sallyport/internal/agents"
	"sallyport/sandbox/sandboxtest"
)

func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docsRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExampleClients holds that each client's example is what init prints.
func TestExampleClients(t *testing.T) {
	entry := agents.Entry{Name: "sallyport", Command: "/usr/bin/sallyport", Args: []string{"mcp"}}
	names := map[string]bool{}
	for _, c := range agents.All() {
		found, err := filepath.Glob(filepath.Join(docsRoot, "examples", "clients", c.Name+".*"))
		if err != nil || len(found) != 1 {
			t.Errorf("%s has the examples %q: %v", c.Name, found, err)
			continue
		}
		name := filepath.Base(found[0])
		names[name] = true
		if got, want := example(t, "examples/clients/"+name), c.Fragment(entry); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s = %s\nwant %s", name, got, want)
		}
	}
	files, err := os.ReadDir(filepath.Join(docsRoot, "examples", "clients"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !names[f.Name()] {
			t.Errorf("examples/clients/%s is of no client that init knows", f.Name())
		}
	}
}

// TestExampleEmbed builds the embedding program as anybody would, and runs it
// on a program that passes and on one that does not.
func TestExampleEmbed(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	runsc, err := exec.LookPath("runsc")
	if err != nil {
		t.Fatal(err)
	}
	dir := sandboxtest.ShortDir(t)
	program := filepath.Join(dir, "embed")
	if out, err := exec.Command("go", "build", "-o", program, "../../examples/embed").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for code, want := range map[string]string{
		"print(6 * 7)":             "42\nexited with 0\n",
		"import os; os.system(1)":  "line 1: os.system",
		"raise SystemExit(3)":      "exited with 3\n",
		"import os as o; o.fork()": "denied: policy\n",
	} {
		file := filepath.Join(dir, "main.py")
		write(t, file, code)
		cmd := exec.Command(program, mustAbs(t, runsc), file)
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s\nwant %s", code, err, out, want)
		}
	}
}

// TestExampleCI runs what the examples for CI run, in a repository with an
// allowed and a denied program.
func TestExampleCI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, line string // the line of the example that runs sallyport
		exit       int
		leaves     string
		says       string
	}{
		{"examples/ci/github-actions.yml", `run: (sallyport check .* sarif .*)`, 0, "sallyport.sarif", ""},
		{"examples/ci/github-actions.yml", `run: (sallyport check .* github .*)`, 3, "", "::error file=bad.py,line=2"},
		{"examples/ci/gitlab-ci.yml", `- (sallyport check .*)`, 3, "sallyport.xml", ""},
		{".pre-commit-hooks.yaml", `entry: (sallyport .*)`, 3, "", "bad.py:2:1: deny process"},
	} {
		m := regexp.MustCompile(tt.line).FindStringSubmatch(example(t, tt.file))
		if m == nil {
			t.Errorf("%s has no line %s", tt.file, tt.line)
			continue
		}
		line := m[1]
		if tt.file == ".pre-commit-hooks.yaml" {
			line += " bad.py good.py" // as pre-commit appends them
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "bad.py"), "import os\nos.system('id')\n")
		write(t, filepath.Join(dir, "good.py"), "print(1)\n")
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		exit := 0
		var failed *exec.ExitError
		if asExit(err, &failed) {
			exit = failed.ExitCode()
		}
		if exit != tt.exit || !strings.Contains(string(out), tt.says) {
			t.Errorf("%s: %s: exit code %d, want %d\n%s", tt.file, line, exit, tt.exit, out)
		}
		if tt.leaves == "" {
			continue
		}
		report, err := os.ReadFile(filepath.Join(dir, tt.leaves))
		if err != nil || !strings.Contains(string(report), "os.system") {
			t.Errorf("%s: %s: %v, without the finding: %s", tt.file, line, err, report)
		}
		if strings.HasSuffix(tt.leaves, ".sarif") && !json.Valid(report) {
			t.Errorf("%s is no JSON", tt.leaves)
		}
	}
}

// TestExampleHooks holds that the configuration for pre-commit names hooks that
// the repository offers.
func TestExampleHooks(t *testing.T) {
	t.Parallel()
	offered := map[string]bool{}
	id := regexp.MustCompile(`- id: (\S+)`)
	for _, m := range id.FindAllStringSubmatch(example(t, ".pre-commit-hooks.yaml"), -1) {
		offered[m[1]] = true
	}
	for _, m := range id.FindAllStringSubmatch(example(t, "examples/ci/pre-commit-config.yaml"), -1) {
		if !offered[m[1]] {
			t.Errorf("there is no hook %q", m[1])
		}
	}
	if len(offered) != 2 {
		t.Errorf("hooks = %v", offered)
	}
}

// TestExampleServe: the units of the service start what is ours, on this machine
// alone, and systemd, where it is, finds nothing wrong in them.
func TestExampleServe(t *testing.T) {
	t.Parallel()
	unit, socket := example(t, "examples/systemd/sallyport-serve.service"), example(t, "examples/systemd/sallyport-serve.socket")
	for _, want := range []string{"Type=notify\n", "Requires=sallyport-serve.socket\n", "ExecStart=/usr/bin/sallyport --config /etc/sallyport/sallyport.yaml serve\n"} {
		if !strings.Contains(unit, want) {
			t.Errorf("the unit has no %s", want)
		}
	}
	if strings.Count(socket, "ListenStream=") != 1 || !strings.Contains(socket, "ListenStream=127.0.0.1:8443\n") {
		t.Errorf("the socket listens elsewhere:\n%s", socket)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // what is above holds anywhere
	}
	self, err := exec.LookPath("sallyport")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sallyport-serve.service"), strings.Replace(unit, "/usr/bin/sallyport", self, 1))
	write(t, filepath.Join(dir, "sallyport-serve.socket"), socket)
	if out, err := exec.Command(analyze, "verify", filepath.Join(dir, "sallyport-serve.service"), filepath.Join(dir, "sallyport-serve.socket")).CombinedOutput(); err != nil || strings.Contains(string(out), "sallyport-serve") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExampleSystemd runs the command of the unit against a log and a key of
// its own, and holds that flags and program of the unit are ours.
func TestExampleSystemd(t *testing.T) {
	m := regexp.MustCompile(`ExecStart=/usr/bin/(sallyport audit checkpoint) --dir \S+ --sign-with \S+\n`).FindStringSubmatch(example(t, "examples/systemd/sallyport-checkpoint.service"))
	if m == nil {
		t.Fatal("the unit does not start what it should")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.py"), "print(1)\n")
	cmd := exec.Command("sh", "-c", "sallyport check a.py && sallyport audit keygen key && "+m[1]+" --dir sallyport/audit --sign-with key")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"seq":1`) {
		t.Errorf("%v\n%s", err, out)
	}
	if timer := example(t, "examples/systemd/sallyport-checkpoint.timer"); !strings.Contains(timer, "OnCalendar=hourly") {
		t.Errorf("timer = %s", timer)
	}
}
