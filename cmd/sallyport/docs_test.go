package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sallyport/internal/golden"
	"sallyport/sandbox/sandboxtest"
)

// docsRoot is the directory of the README, seen from here.
const docsRoot = "../.."

// notRun are the commands that TestDocs leaves out, and why. Everything else
// that a page shows is run.
func notRun() map[string]string {
	return map[string]string{
		"make demo": "builds the product that is under test; a step of .ci/run",
		"sudo cp examples/systemd/sallyport-checkpoint.* /etc/systemd/system/": "changes the machine; the unit is run by TestExampleSystemd",
		"sudo systemctl enable --now sallyport-checkpoint.timer":               "changes the machine",
		`sallyport explain --request "DELETE https://api.example/v1/x" job.py`: "is denied where nothing lets programs out; run by the script requests",
		"sallyport serve": "goes on until it is ended; run by TestServe",
		"make test":       "is what runs this test",
		"sallyport approvals list --server https://sandbox.example":            "asks a service; run by TestServeApprovals",
		"sallyport approvals show ID --server https://sandbox.example":         "asks a service; run by TestServeApprovals",
		"sallyport approvals approve ID --server https://sandbox.example":      "asks a service; run by TestServeApprovals",
		"sallyport approvals decline ID --server https://sandbox.example":      "asks a service; run by TestServeApprovals",
		"sallyport env lock data --require pandas --require 'matplotlib>=3.9'": "asks an index; run by the script environment_lock",
		"sallyport env lock data":                                "asks an index; run by the script environment_lock",
		"sallyport env layer > layer.tar":                        "needs the supervisor beside it; make cluster-test prepares an image so",
		`go run ./examples/embed "$(command -v runsc)" hello.py`: "needs the module around it; run by TestExampleEmbed",
	}
}

// endless are commands that go on until somebody interrupts them.
func endless() []string { return []string{"sallyport audit tail -f"} }

// pages are all documents that show commands, relative to docsRoot.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(docsRoot, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			page, err := filepath.Rel(docsRoot, f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, filepath.ToSlash(page))
		}
	}
	return all
}

// TestDocs does what the pages say, each in a directory of its own: it writes
// the files of blocks like "```rego acme/files.rego", runs the commands of
// "```sh" blocks, which must succeed, and those of "```console" blocks, whose
// output must be what the page shows. There "…" stands for anything. What a
// page takes for granted is made by testdata/docs: a script common.sh and one
// of the page's own. -update rewrites what the pages show.
func TestDocs(t *testing.T) {
	t.Parallel()
	requireOpenssl(t)
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	var mu sync.Mutex
	ran := map[string]bool{}
	t.Run("pages", func(t *testing.T) {
		for _, page := range pages(t) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				p := newPage(t, page)
				p.run(t)
				mu.Lock()
				defer mu.Unlock()
				for _, c := range p.commands {
					ran[c] = true
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	for command := range notRun() {
		if !ran[command] {
			t.Errorf("notRun names %q, and no page shows it", command)
		}
	}
	if len(ran) < 80 {
		t.Errorf("all pages together have only %d commands", len(ran))
	}
}

// page is a document in the making: what has been run of it, and where.
type page struct {
	path     string
	dir      string
	env      []string
	commands []string
}

func newPage(t *testing.T, name string) *page {
	t.Helper()
	dir := t.TempDir()
	p := &page{path: filepath.Join(docsRoot, name), dir: dir}
	p.env = append(os.Environ(), "NO_COLOR=1", "HOME="+dir, "XDG_STATE_HOME="+sandboxtest.ShortDir(t), "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"),
		"XDG_DATA_HOME="+filepath.Join(dir, ".data"), "ROOT="+mustAbs(t, docsRoot), "API_KEY=topsecret-123", "TOKEN=topsecret-456", "MY_API_KEY=topsecret-789")
	own := strings.ReplaceAll(strings.TrimSuffix(name, ".md"), "/", "-") + ".sh"
	for _, script := range []string{"common.sh", own} {
		text, err := os.ReadFile(filepath.Join(docsRoot, "testdata", "docs", script))
		if errors.Is(err, os.ErrNotExist) && script == own {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if out, err := p.command("set -e\n" + string(text)).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	return p
}

// exampleID stands on the pages for the id of a decision; the script of a page
// leaves one of its own log in the file "id".
const exampleID = "71baef4d6679"

func (p *page) command(line string) *exec.Cmd {
	if id, err := os.ReadFile(filepath.Join(p.dir, "id")); err == nil {
		line = strings.ReplaceAll(line, exampleID, strings.TrimSpace(string(id)))
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// run goes through the page and, with -update, writes it as it turned out.
func (p *page) run(t *testing.T) {
	text, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		info, ok := strings.CutPrefix(strings.TrimLeft(lines[i], " "), "```")
		if !ok || info == "" {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimLeft(lines[end], " ") != "```" {
			end++
		}
		if end == len(lines) {
			t.Fatalf("line %d: a block without an end", i+1)
		}
		block := lines[i+1 : end]
		kind, file, _ := strings.Cut(info, " ")
		switch {
		case file != "":
			write(t, filepath.Join(p.dir, file), strings.Join(block, "\n")+"\n")
		case kind == "console":
			block = p.console(t, block)
		case kind == "sh":
			p.shell(t, block)
		}
		out = append(append(out, block...), lines[end])
		i = end
	}
	if golden.Update() && strings.Join(out, "\n") != string(text) {
		if err := os.WriteFile(p.path, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shell runs the commands of a block: one on a line, or on several that end in
// a backslash. A remark after two spaces is for the reader.
func (p *page) shell(t *testing.T, block []string) {
	for i := 0; i < len(block); i++ {
		line := strings.TrimSpace(block[i])
		for strings.HasSuffix(line, "\\") && i+1 < len(block) {
			i++
			line = strings.TrimSuffix(line, "\\") + strings.TrimSpace(block[i])
		}
		if at := strings.Index(line, "  #"); at >= 0 {
			line = strings.TrimSpace(line[:at])
		}
		line, _, _ = strings.Cut(line, " # ")
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		p.commands = append(p.commands, line)
		switch _, left := notRun()[line]; {
		case left:
		case slices.Contains(endless(), line):
			p.interrupt(t, line)
		default:
			if out, err := p.command(line).CombinedOutput(); err != nil {
				t.Errorf("$ %s: %v\n%s", line, err, out)
			}
		}
	}
}

// interrupt runs a command that goes on for ever and presses Ctrl-C when it has
// said something.
func (p *page) interrupt(t *testing.T, line string) {
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Errorf("$ %s said nothing: %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("$ %s ended by itself: %v", line, err)
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	var exit *exec.ExitError
	if asExit(err, &exit) && exit.ExitCode() != 130 {
		t.Errorf("$ %s: %v after an interrupt, want exit code 130", line, err)
	}
}

// requireOpenssl skips the page where there is no openssl to make a key with,
// unless REQUIRE_OPENSSL says that this is a failure.
func requireOpenssl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		if os.Getenv("REQUIRE_OPENSSL") != "" {
			t.Fatal("REQUIRE_OPENSSL is set and there is no openssl on PATH: apt-get install openssl")
		}
		t.Skip("no openssl on PATH")
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// console runs the lines that start with "$ " and returns the block as it
// turned out.
func (p *page) console(t *testing.T, block []string) []string {
	t.Helper()
	var turned []string
	for i := 0; i < len(block); {
		line, ok := strings.CutPrefix(block[i], "$ ")
		if !ok {
			t.Fatalf("a console block starts with %q, want a command", block[i])
		}
		end := i + 1
		for end < len(block) && !strings.HasPrefix(block[end], "$ ") {
			end++
		}
		want := block[i+1 : end]
		p.commands = append(p.commands, line)
		answer, err := p.command(line).CombinedOutput()
		if _, exited := err.(*exec.ExitError); err != nil && !exited {
			t.Fatalf("%s: %v", line, err)
		}
		got := strings.Split(strings.TrimRight(string(answer), "\n"), "\n")
		if len(answer) == 0 {
			got = nil
		}
		turned = append(turned, block[i])
		if pageShows(want).MatchString(strings.Join(got, "\n")) {
			turned = append(turned, want...)
		} else {
			turned = append(turned, got...)
			if !golden.Update() {
				t.Errorf("$ %s\ngot\n%s\nwant\n%s", line, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		i = end
	}
	return turned
}

// pageShows is the pattern of what the page shows.
func pageShows(lines []string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(strings.Join(lines, "\n"))
	return regexp.MustCompile(`^(?s:` + strings.ReplaceAll(pattern, "…", ".*") + `)$`)
}

// TestBenchPeers holds what is logic in the comparison with peers: what is counted,
// and that the page says by itself where a peer is ahead.
func TestBenchPeers(t *testing.T) {
	t.Parallel()
	if !requirePython(t) {
		t.Skip("no python3 on PATH") // requirePython
	}
	runPython(t, "../../scripts/bench-peers/rate_test.py")
}

// TestPictures holds that the drawn session is what the program shows now, and
// that the benchmarks' page, chart and table in the README are all of one run.
func TestPictures(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) || !requirePython(t) {
		t.Skip("no runsc or no python3 on PATH") // requireRunsc, requirePython
	}
	for _, script := range [][]string{
		{"../../scripts/picture", "--check"},
		{"../../scripts/bench-peers/report.py", "--check"},
	} {
		runPython(t, script...)
	}
}

func runPython(t *testing.T, script ...string) {
	cmd := exec.Command("python3", script...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", script, err, out)
	}
}
