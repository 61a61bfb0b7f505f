package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"sallyport/internal/golden"
	"sallyport/sandbox/sandboxtest"
)

// TestGolden runs what stands in testdata/golden and compares everything that
// is said, on both streams, with the file beside it. A line that begins with $
// is a command line; its words may stand in single quotes, and <FILE is its
// standard input. "env A=B" is for what follows, "> LINE" goes to the server of
// the last command line, which then answers. -update writes the files anew.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../../testdata/golden/*.txtar")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept := strings.TrimSuffix(mustAbs(t, file), ".txtar") + ".golden"
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			g := newTranscript(t, ar.Files)
			for _, line := range strings.Split(string(ar.Comment), "\n") {
				if !g.step(line) {
					t.Skip("no runsc on PATH")
				}
			}
			g.hangUp()
			golden.Hold(t, kept, g.out.String())
		})
	}
}

// TestGoldenHelp holds the help of every verb and topic.
func TestGoldenHelp(t *testing.T) {
	kept := mustAbs(t, "../../testdata/golden/help.golden")
	g := newTranscript(t, nil)
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath()+" ", "sallyport ")
		if c.Runnable() || c.HasSubCommands() {
			g.step("$ sallyport " + path + "--help")
		} else {
			g.step("$ sallyport help " + strings.TrimSpace(path))
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand(newApp(nil, nil, nil, nil)))
	golden.Hold(t, kept, g.out.String())
}

// transcript is a place where command lines run, and what they said.
type transcript struct {
	t    *testing.T
	env  map[string]string
	dirs [][2]string // a path of this machine, and what stands for it
	out  bytes.Buffer

	server *goldenServer
}

// goldenServer is a command line that is being answered.
type goldenServer struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	end  chan int
	errs *bytes.Buffer
}

func newTranscript(t *testing.T, files []txtar.File) *transcript {
	t.Helper()
	log := mustAbs(t, "../../testdata/golden/log")
	// As long as any other, because columns are as wide as a path in them.
	work := filepath.Join("/tmp", "golden-"+rand.Text()[:8])
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(work); err != nil {
			t.Errorf("removing the files of a golden: %v", err)
		}
	})
	state := sandboxtest.ShortDir(t)
	for _, f := range files {
		p := filepath.Join(work, f.Name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(work, "log"), os.DirFS(log)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	return &transcript{
		t:    t,
		dirs: [][2]string{{work, "$WORK"}, {state, "$STATE"}},
		env: map[string]string{
			"HOME": work, "PATH": "/nowhere", "XDG_STATE_HOME": state,
			"XDG_CONFIG_HOME": filepath.Join(work, "config"), "XDG_DATA_HOME": filepath.Join(work, "data"),
		},
	}
}

// step does what one line says; false when that needs what is missing.
func (g *transcript) step(line string) bool {
	g.t.Helper()
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "", "#":
	case "[runsc]":
		g.env["PATH"] = os.Getenv("PATH")
		return requireRunsc(g.t)
	case "env":
		name, value, _ := strings.Cut(rest, "=")
		g.env[name] = value
	case "cat":
		b, err := os.ReadFile(rest)
		if err != nil {
			g.t.Fatal(err)
		}
		g.note(line)
		g.say("  ", string(b))
	case "ls":
		g.note(line)
		err := filepath.WalkDir(rest, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				g.say("  ", path)
			}
			return err
		})
		if err != nil {
			g.t.Fatal(err)
		}
	case "$":
		g.hangUp()
		g.command(line, strings.TrimPrefix(rest, "sallyport "))
	case "$mcp":
		g.hangUp()
		g.serve(line, strings.Fields(rest))
	case ">":
		g.call(line, rest)
	default:
		g.t.Fatalf("%q: not a line of a golden", line)
	}
	return true
}

func (g *transcript) lookup(name string) (string, bool) {
	v, ok := g.env[name]
	return v, ok
}

func (g *transcript) command(line, rest string) {
	g.t.Helper()
	args, stdin := goldenWords(rest)
	in := []byte{}
	if stdin != "" {
		var err error
		if in, err = os.ReadFile(stdin); err != nil {
			g.t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := run(g.t.Context(), args, bytes.NewReader(in), &out, &errs, g.lookup)
	g.note(line)
	g.say("  ", out.String())
	g.say("! ", errs.String())
	if code != 0 {
		g.note(fmt.Sprintf("exit %d", code))
	}
}

func (g *transcript) serve(line string, args []string) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	s := &goldenServer{in: write, out: bufio.NewReader(read), end: make(chan int, 1), errs: &bytes.Buffer{}}
	g.server = s
	g.note(line)
	go func() {
		code := run(g.t.Context(), append([]string{"mcp"}, args...), in, out, s.errs, g.lookup)
		out.Close()
		s.end <- code
	}()
}

// call sends one message and takes the answer to it; notifications before it
// are written down, too.
func (g *transcript) call(line, message string) {
	g.t.Helper()
	g.note(line)
	if _, err := fmt.Fprintln(g.server.in, message); err != nil {
		g.t.Fatal(err)
	}
	if !strings.Contains(message, `"id"`) {
		return
	}
	for {
		answer, err := g.server.out.ReadString('\n')
		if err != nil {
			g.t.Fatalf("no answer to %s: %v", message, err)
		}
		var m struct {
			ID     any
			Method string
		}
		if err := json.Unmarshal([]byte(answer), &m); err != nil {
			g.t.Fatal(err)
		}
		g.say("< ", indented(g.t, answer))
		if m.ID != nil && m.Method == "" {
			return
		}
	}
}

func (g *transcript) hangUp() {
	if g.server == nil {
		return
	}
	g.server.in.Close()
	rest, err := io.ReadAll(g.server.out)
	if err != nil {
		g.t.Fatal(err)
	}
	g.say("< ", string(rest))
	code := <-g.server.end
	g.say("! ", g.server.errs.String())
	if code != 0 {
		g.note(fmt.Sprintf("exit %d", code))
	}
	g.server = nil
}

func indented(t *testing.T, text string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", " "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// note writes a line down as it is.
func (g *transcript) note(line string) { fmt.Fprintln(&g.out, line) }

// say writes lines down, each behind a prefix, without what differs from one
// run, one day or one machine to the next.
func (g *transcript) say(prefix, text string) {
	for _, d := range g.dirs {
		text = strings.ReplaceAll(text, d[0], d[1])
	}
	for _, c := range goldenChanges {
		text = c.what.ReplaceAllString(text, c.by)
	}
	if text == "" {
		return
	}
	open := !strings.HasSuffix(text, "\n")
	for line := range strings.Lines(text) {
		fmt.Fprintf(&g.out, "%s%s\n", prefix, strings.TrimSuffix(line, "\n"))
	}
	if open && prefix == "  " && !strings.HasPrefix(text, "/") {
		g.out.WriteString("(no newline)\n")
	}
}

// goldenChanges are the parts that differ from one run, one day, one machine or
// one version to the next.
var goldenChanges = func() (out []goldenChange) {
	for _, c := range [][2]string{
		{`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b`, "UUID"},
		{`\b[0-9a-f]{64}\b`, "SHA256"},
		{`\b2\d{3}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`, "TIME"},
		{`made \d+ \w+ 2\d{3} \d\d:\d\d UTC`, "made TIME"},
		{`\b2\d{7}T\d{6}\.\d+\b`, "TIME"},
		{`("(?:duration_ms|duration_ns|cpu_us|peak_memory_bytes|judge|record|run|sandbox)": ?)\d+`, "${1}N"},
		{`("session": ?)"[A-Z2-7]{26}"`, `${1}"SESSION"`},
		{`("(?:interpreter|interpreter_version|cpu|memory|pids|kernel)": ?)"[^"]*"`, `${1}"NAME"`},
		{`Python 3\.\d+\.\d+ program`, "Python INTERPRETER program"},
		{`\(Node\.js \d+\.\d+\.\d+\)`, "(Node.js INTERPRETER)"},
		{`\b` + regexp.QuoteMeta(version()) + `\b`, "VERSION"},
		{regexp.QuoteMeta(runtime.Version()), "GO"},
		{`GO, \w+/\w+`, "GO, SYSTEM"},
		{`("system": ?)"[^"]*"`, `${1}"SYSTEM"`},
		{`\b[vV]?1\.\d+\.\d+\b`, "MODULE"},
		{`\b\d+(\.\d+)?(µs|ms)\b`, "DURATION"},
		{`loaded in [\d.]+s\b`, "loaded in DURATION"}, // on a busy machine
		{`\btime="[\d.]+"`, `time="N"`},
		{`it ran longer than it may \([^)]*\)`, "it ran longer than it may (DURATION)"},
		{`stopped after [\d.]+ s\b`, "stopped after N s"},
		{`(?m)^ +[~^]+$\n`, ""}, // which part of a line Python points at
		{`\bkey [0-9a-f]{16}\b`, "key ID"},
		{`("key": ?)"[0-9a-f]{16}"`, `${1}"ID"`},
		{`("signature": ?)"[^"]*"`, `${1}"SIGNATURE"`},
		{`__local\d+__`, "__localN__"},
		{`/[^" ,]*/go-build[^" ,:]*`, "BINARY"},
	} {
		out = append(out, goldenChange{regexp.MustCompile(c[0]), c[1]})
	}
	return out
}()

type goldenChange struct {
	what *regexp.Regexp
	by   string
}

// goldenWords splits a command line; what stands after < is its input.
func goldenWords(line string) (words []string, stdin string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		var word string
		if strings.HasPrefix(line, "'") {
			word, line, _ = strings.Cut(line[1:], "'")
		} else {
			word, line, _ = strings.Cut(line, " ")
		}
		words = append(words, word)
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "<") }); i >= 0 {
		words, stdin = words[:i], words[i][1:]
	}
	return words, stdin
}
