package runner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
)

// bareRunner runs a program on this machine's interpreter with the runner beside it
// and no sandbox around it: what ends such a run is a hook and nothing else. The
// programs that it runs do no harm.
type bareRunner struct {
	dir        string              // of the runner's files
	env        []string            // more of it
	all, after time.Duration       // of the processor, for the last program: as a whole, and since there was a job
	hooks      bool                // alone, without V8's own switches
	job        func(*sandbox.Spec) // what the runner is told otherwise
	executable string              // "" for the first on the search path
	chosen     bool                // whether somebody chose it
}

// newBare writes the runner's files to a directory, as edit has them. Without it they
// are as a sandbox has them: an interpreter finds them compiled.
func newBare(t testing.TB, edit func(files map[string]string)) *bareRunner {
	t.Helper()
	files, dir := runner.Files(), t.TempDir()
	if edit == nil {
		for language := range interpreters {
			withCompiled(t, language, files)
		}
	} else {
		edit(files)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return &bareRunner{dir: dir}
}

var interpreters = map[string]string{"python": "python3", "javascript": "node"}

// compiled are the runner's files that the interpreter of each language has compiled; none
// where there is no interpreter.
var compiled = map[string]func() (map[string]string, error){
	"python":     sync.OnceValues(func() (map[string]string, error) { return compile("python") }),
	"javascript": sync.OnceValues(func() (map[string]string, error) { return compile("javascript") }),
}

// withCompiled adds those of one language.
func withCompiled(t testing.TB, language string, files map[string]string) {
	t.Helper()
	more, err := compiled[language]()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(files, more)
}

func compile(language string) (map[string]string, error) {
	if _, err := exec.LookPath(interpreters[language]); err != nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "compiled")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, err := rootfs.New(rootfs.Options{Dir: dir, Scratch: dir, Path: os.Getenv("PATH")}).Find(context.Background(), sandbox.Spec{Language: language}, false)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for name, code := range in.Compiled {
		files[name] = string(code)
	}
	return files, nil
}

func requireInterpreter(t testing.TB, language string) string {
	t.Helper()
	name := interpreters[language]
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv(map[string]string{"python": "REQUIRE_PYTHON", "javascript": "REQUIRE_NODE"}[language]) == "1" {
			t.Fatal(err)
		}
		t.Skipf("there is no %s here", name)
	}
	return path
}

// run returns how the program ended, and what the hooks told.
func (b *bareRunner) run(t testing.TB, s sandbox.Spec) sandbox.Result {
	t.Helper()
	res, err := b.try(t, s)
	if err != nil {
		t.Fatalf("%v; %s", err, res.Stderr)
	}
	return res
}

// refused is the error of a program that must not run.
func (b *bareRunner) refused(t testing.TB, s sandbox.Spec) string {
	t.Helper()
	res, err := b.try(t, s)
	if err == nil || len(res.Stdout) > 0 {
		t.Fatalf("it ran: %q", res.Stdout)
	}
	return err.Error()
}

func (b *bareRunner) try(t testing.TB, s sandbox.Spec) (sandbox.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	executable, work := b.executable, t.TempDir()
	if executable == "" {
		executable = requireInterpreter(t, s.Language)
	}
	for _, f := range []string{"main.js", "main.mjs"} { // node looks for it before it is there
		if err := os.WriteFile(filepath.Join(work, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	argv := runner.Argv(executable, s)
	if !b.chosen {
		argv = runner.Found(argv, s.Language)
	}
	if b.hooks {
		argv = slices.DeleteFunc(argv, func(a string) bool { return a == "--disallow-code-generation-from-strings" })
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	for i, a := range cmd.Args {
		cmd.Args[i] = strings.ReplaceAll(a, runner.Dir, b.dir)
	}
	for _, v := range append(runner.Env(s), b.env...) {
		v = strings.ReplaceAll(v, runner.Dir, b.dir)
		if b.hooks && v == "SALLYPORT_WITHOUT_WASM=1" {
			continue
		}
		if preloaded, ok := strings.CutPrefix(v, "LD_PRELOAD="); ok {
			if _, err := os.Stat(preloaded); err != nil {
				continue
			}
		}
		cmd.Env = append(cmd.Env, v)
	}
	cmd.Dir = work
	cmd.Stdin = bytes.NewReader(s.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	jobs, job := pipe(t)
	report, answers := pipe(t)
	told, artifacts := pipe(t)
	cmd.ExtraFiles = make([]*os.File, 100)
	cmd.ExtraFiles[97], cmd.ExtraFiles[98], cmd.ExtraFiles[99] = jobs, answers, artifacts
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{jobs, answers, artifacts} {
		f.Close()
	}
	ready, err := runner.ReadAnswer(report)
	if err != nil || ready != "ready" {
		t.Fatalf("the runner says %q, %v; %s", ready, err, stderr.String())
	}
	if b.job != nil {
		b.job(&s)
	}
	s.Seen.Writes = slices.Clone(s.Seen.Writes)
	for i, begin := range s.Seen.Writes {
		s.Seen.Writes[i] = strings.Replace(begin, sandbox.WorkDir+"/", work+"/", 1)
	}
	waited := onProcessor(cmd.Process.Pid)
	if _, err := job.Write(runner.Job(s)); err != nil {
		t.Fatal(err)
	}
	job.Close()
	said := evidence.Listen(&frame.Reports{Reader: told}, sandbox.Limits{}.WithDefaults())
	answer, err := runner.ReadAnswer(report)
	_ = cmd.Wait() // how it ended is in its state
	b.all = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	b.after = b.all - waited
	if err != nil {
		t.Fatalf("the runner says %q, %v; %s", answer, err, stderr.String())
	}
	_, _, err = runner.Verdict(answer)
	res := sandbox.Result{Reason: sandbox.Exited, Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Violations: said.Violations}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		res.Reason, res.Signal = sandbox.Killed, int(status.Signal())
	}
	res.SettleViolations()
	res.HookedBy(runner.Hooked(answer), s)
	return res, err
}

// onProcessor is how long the threads of a process have been on a processor.
func onProcessor(pid int) (sum time.Duration) {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range stats {
		var n int64
		if text, err := os.ReadFile(name); err == nil {
			_, _ = fmt.Sscan(string(text), &n) // a thread that is gone
		}
		sum += time.Duration(n)
	}
	return sum
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
