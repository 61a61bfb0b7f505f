package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completeInBash asks a real bash, with the program's own script in it, what it
// would offer for the last word of a line.
func completeInBash(t *testing.T, env []string, line string) []string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// This test's own binary is the program under this name.
	if err := os.Symlink(self, filepath.Join(dir, "sallyport")); err != nil {
		t.Fatal(err)
	}
	const script = `
# What the package bash-completion has, as far as the script asks for it.
_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; }
__ltrim_colon_completions() { :; }
compopt() { :; }
source <(sallyport completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
read -r -a COMP_WORDS <<<"$1"
case $1 in *' ') COMP_WORDS+=("") ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__start_sallyport
printf '%s\n' "${COMPREPLY[@]}"
`
	cmd := exec.Command("bash", "-c", script, "bash", line)
	cmd.Env = append(os.Environ(), append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir}, env...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bash: %v\n%s", err, &errs)
	}
	var words []string
	for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		word, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		words = append(words, word)
	}
	return words
}

func TestBashCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := filepath.Join(dir, "sallyport.yaml")
	if err := os.WriteFile(cfg, []byte("environments:\n  data-science: {description: numpy}\n  web: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line      string
		want, not []string
	}{
		{line: "sallyport ", want: []string{"run", "check", "mcp", "audit", "completion"}, not: []string{"man"}},
		{line: "sallyport ru", want: []string{"run"}, not: []string{"check"}},
		{line: "sallyport audit ", want: []string{"tail", "verify"}},
		{line: "sallyport check --f", want: []string{"--format", "--fail-on"}},
		{line: "sallyport check --format ", want: []string{"sarif", "junit"}},
		{line: "sallyport check --pack ", want: []string{"baseline", "strict"}},
		{line: "sallyport policy show ", want: []string{"process"}},
		{line: "sallyport check --backend ", want: []string{"gvisor", "docker", "podman", "oci"}},
		{line: "sallyport --config " + cfg + " run --environment ", want: []string{"data-science", "web"}},
		{line: "sallyport --config " + cfg + " env build ", want: []string{"data-science", "web"}},
		{line: "sallyport help ", want: []string{"run", "exit-codes", "policies"}, not: []string{"man"}},
		{line: "sallyport help policy ", want: []string{"test", "bundle"}},
		{line: "sallyport explain --rule ", want: []string{"process"}},
		{line: "sallyport audit tail --effect ", want: []string{"allow", "deny"}},
		{line: "sallyport audit export --format ", want: []string{"jsonl", "ocsf"}},
		{line: "sallyport run --color ", want: []string{"auto", "never"}},
		{line: "sallyport run --language ", want: []string{"python", "javascript"}},
		{line: "sallyport init --client ", want: []string{"claude-code", "gemini"}},
	} {
		got := completeInBash(t, nil, tt.line)
		for _, w := range tt.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q offers %q, want %q among them", tt.line, got, w)
			}
		}
		for _, w := range tt.not {
			if slices.Contains(got, w) {
				t.Errorf("%q offers %q", tt.line, w)
			}
		}
	}
}
