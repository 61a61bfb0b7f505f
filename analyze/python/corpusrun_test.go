package python

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pythonEvents says which audit events of CPython prove a capability.
func pythonEvents() map[string][]string {
	return map[string][]string{
		"process":          {"os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "subprocess.Popen", "pty.spawn", "webbrowser.open"},
		"network":          {"socket.", "urllib.Request", "http.client.", "ftplib.", "smtplib."},
		"filesystem.read":  {"open:r", "os.listdir", "os.scandir", "glob.glob", "os.walk"},
		"filesystem.write": {"open:w", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "shutil."},
		"code.eval":        {"compile", "exec", "code.__new__", "builtins.breakpoint"},
		"native":           {"ctypes."},
		"deserialize":      {"pickle.find_class", "marshal.load", "shelve", "open:w"},
		"thread":           {"_thread.start_new_thread"},
		"introspection":    {"object.__getattr__", "object.__setattr__", "sys._getframe", "sys.settrace", "sys.setprofile", "gc.get", "import", "compile", "os.system"},
	}
}

// requireCorpusRun skips a test that runs the programs of the corpus unless
// CORPUS_RUN=1 says that they may run here, or REQUIRE_CORPUS_RUN=1 that they must.
func requireCorpusRun(t *testing.T) {
	t.Helper()
	if os.Getenv("CORPUS_RUN") != "1" && os.Getenv("REQUIRE_CORPUS_RUN") != "1" {
		t.Skip("runs the programs of the corpus; set CORPUS_RUN=1")
	}
}

// TestCorpusPythonRuns runs every deny case of the corpus once and compares
// what it does with what its label says. It needs CORPUS_RUN=1: the programs
// do what they say, though with harmless commands, so run it in a throw-away
// place. A case that cannot run here, for want of a module or a version, is
// counted and not judged; some labels, such as environment, have no event.
func TestCorpusPythonRuns(t *testing.T) {
	requireCorpusRun(t)
	python := requirePython(t)
	runner, err := filepath.Abs("testdata/corpusrun.py")
	if err != nil {
		t.Fatal(err)
	}
	events := pythonEvents()
	proved, silent, broken := 0, []string{}, []string{}
	for file, capability := range pythonLabels(t) {
		if events[capability] == nil {
			continue
		}
		seen, err := runCorpusFile(t, python, runner, pythonCorpus+"deny/"+file)
		switch {
		case hasEvent(seen, events[capability]):
			proved++
		case err != nil:
			broken = append(broken, file)
		default:
			silent = append(silent, file)
		}
	}
	t.Logf("%d cases do what their label says\n%d cannot run here: %s\n%d show no event: %s",
		proved, len(broken), strings.Join(broken, " "), len(silent), strings.Join(silent, " "))
	if proved < 5*(len(silent)+len(broken)) {
		t.Errorf("only %d of %d cases do what their label says", proved, proved+len(silent)+len(broken))
	}
}

func hasEvent(seen []string, wanted []string) bool {
	for _, event := range seen {
		for _, prefix := range wanted {
			if strings.HasPrefix(event, prefix) {
				return true
			}
		}
	}
	return false
}

// runCorpusFile runs a program in an empty directory with an empty environment.
func runCorpusFile(t *testing.T, python, runner, file string) (events []string, err error) {
	t.Helper()
	file, err = filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "events")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "-B", "-X", "utf8", runner, file, log)
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
	cmd.Stdin = strings.NewReader("import os;os.system('expr 40 + 1001')\n")
	cmd.WaitDelay = time.Minute
	err = cmd.Run()
	raw, readErr := os.ReadFile(log)
	if readErr != nil {
		return nil, readErr
	}
	return strings.Fields(string(raw)), err
}
