package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const tutorial = "../../docs/policy.md"

// TestTutorial does what docs/policy.md says, in an empty directory: it writes
// the files of blocks like "```rego acme/files.rego" and runs the commands of
// "```console" blocks, whose output must be what the page shows. In it "…"
// stands for anything. -update rewrites what the page shows.
func TestTutorial(t *testing.T) {
	requireOpenssl(t)
	text, err := os.ReadFile(tutorial)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := append(os.Environ(), "NO_COLOR=1", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, ".state"), "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"))
	var out []string
	commands := 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		info, ok := strings.CutPrefix(lines[i], "```")
		if !ok || info == "" {
			continue
		}
		end := i + 1
		for lines[end] != "```" {
			end++
		}
		block := lines[i+1 : end]
		kind, file, _ := strings.Cut(info, " ")
		switch {
		case file != "":
			write(t, filepath.Join(dir, file), strings.Join(block, "\n")+"\n")
		case kind == "console":
			n := 0
			block, n = runConsole(t, dir, env, block)
			commands += n
		}
		out = append(append(out, block...), "```")
		i = end
	}
	if commands < 15 {
		t.Errorf("the page has only %d commands", commands)
	}
	if *update {
		if err := os.WriteFile(tutorial, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
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

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runConsole runs the lines that start with "$ " and returns the block as it
// turned out, and the number of commands.
func runConsole(t *testing.T, dir string, env, block []string) ([]string, int) {
	t.Helper()
	var turned []string
	n := 0
	for i := 0; i < len(block); n++ {
		line, ok := strings.CutPrefix(block[i], "$ ")
		if !ok {
			t.Fatalf("a console block starts with %q, want a command", block[i])
		}
		end := i + 1
		for end < len(block) && !strings.HasPrefix(block[end], "$ ") {
			end++
		}
		want := block[i+1 : end]
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		answer, err := cmd.CombinedOutput()
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
			if !*update {
				t.Errorf("$ %s\ngot\n%s\nwant\n%s", line, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		i = end
	}
	return turned, n
}

// pageShows is the pattern of what the page shows.
func pageShows(lines []string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(strings.Join(lines, "\n"))
	return regexp.MustCompile(`^(?s:` + strings.ReplaceAll(pattern, "…", ".*") + `)$`)
}
