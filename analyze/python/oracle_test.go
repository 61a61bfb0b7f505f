package python

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/python/stdlib"
)

// requirePython returns the Python on PATH. Without one the test is skipped,
// unless REQUIRE_PYTHON=1 says that there must be one.
func requirePython(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(path, "-I", "-c", "import ast, json").Run()
	}
	if err != nil {
		if os.Getenv("REQUIRE_PYTHON") == "1" {
			t.Fatalf("python3: %v", err)
		}
		t.Skipf("python3: %v", err)
	}
	return path
}

// oracle is a running testdata/oracle.py.
type oracle struct {
	in  io.Writer
	out *bufio.Scanner
}

type oracleAnswer struct {
	OK          bool     `json:"ok"`
	Error       string   `json:"error"`
	Imports     []string `json:"imports"`
	Calls       []string `json:"calls"`
	Identifiers []string `json:"identifiers"`
}

func startOracle(t testing.TB) *oracle {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, requirePython(t), "-I", "-X", "utf8", "testdata/oracle.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	o := &oracle{in: in, out: bufio.NewScanner(out)}
	o.out.Buffer(nil, 16<<20)
	return o
}

func (o *oracle) ask(t testing.TB, request map[string]string) oracleAnswer {
	t.Helper()
	raw, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(o.in, "%s\n", raw); err != nil {
		t.Fatal(err)
	}
	if !o.out.Scan() {
		t.Fatalf("the oracle ended: %v", o.out.Err())
	}
	var a oracleAnswer
	if err := json.Unmarshal(o.out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// stdlibFiles lists the standard library of the Python on PATH: a part of it,
// or all with ORACLE_ALL=1.
func stdlibFiles(t *testing.T) []string {
	t.Helper()
	raw, err := exec.Command(requirePython(t), "-I", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := os.Getenv("ORACLE_ALL") == "1"
	var files []string
	err = filepath.WalkDir(strings.TrimSpace(string(raw)), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "site-packages" || name == "dist-packages" || !all && name == "test"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".py"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += 10 {
		some = append(some, files[i])
	}
	return some
}

// TestPythonOracle compares the facts with what CPython's own parser finds in
// its standard library and in the corpus.
func TestPythonOracle(t *testing.T) {
	files := append(stdlibFiles(t), pythonFiles(t, "allow")...)
	o := startOracle(t)
	a := analyze.New(Reader())
	compared := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src, err := a.Canonical(analyze.Python, "", raw)
		if err != nil {
			checkRefusal(t, file, err)
			continue
		}
		f, err := a.Facts(context.Background(), src)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want := o.ask(t, map[string]string{"text": src.Text()})
		if !want.OK {
			continue
		}
		if !f.Complete {
			// Denied as it is: incomplete facts promise nothing.
			if !knownIncomplete(file) {
				t.Errorf("%s: CPython compiles it: %v", file, f.Syntax)
			}
			continue
		}
		compared++
		compareOracle(t, a, file, f, want)
	}
	if compared < len(files)/2 {
		t.Errorf("compared %d of %d files", compared, len(files))
	}
	t.Logf("compared %d files", compared)
}

// checkRefusal holds that a real program is refused for a documented reason only.
func checkRefusal(t *testing.T, file string, err error) {
	t.Helper()
	r, ok := err.(*analyze.Refusal)
	if !ok || !slices.Contains([]string{analyze.RefusedEmpty, analyze.RefusedCookie, analyze.RefusedEncoding, analyze.RefusedMark, analyze.RefusedControl, analyze.RefusedReturn, analyze.RefusedBidi, analyze.RefusedHidden}, r.Code) {
		t.Errorf("%s: %v", file, err)
	}
}

// knownIncomplete names files of CPython's own test suite that use syntax the
// grammar does not know, or nest more deeply than the limit.
func knownIncomplete(file string) bool {
	return strings.Contains(file, "/test/") || strings.Contains(file, "/tests/")
}

func compareOracle(t *testing.T, a *analyze.Analyzer, file string, f analyze.Facts, want oracleAnswer) {
	t.Helper()
	for _, name := range want.Imports {
		if _, ok := slices.BinarySearch(f.Imports, name); !ok {
			t.Errorf("%s: CPython sees import %s, the facts do not", file, name)
		}
	}
	for _, name := range want.Identifiers {
		if _, ok := slices.BinarySearch(f.Identifiers, name); !ok {
			t.Errorf("%s: CPython sees identifier %s, the facts do not", file, name)
		}
	}
	library := stdlib.Names()
	for _, call := range want.Calls {
		if name := home(library, call); name != "" && !slices.Contains(f.Names, name) {
			t.Errorf("%s: CPython sees a call of %s, the facts do not", file, name)
		}
	}
}

// home returns the name that the facts give a dotted call, "" for calls on
// what only looks like a name.
func home(s *stdlib.Library, call string) string {
	owner, rest, _ := strings.Cut(call, ".")
	for part := range strings.SplitSeq(rest, ".") {
		if strings.HasPrefix(part, "__") {
			return ""
		}
		owner = s.Member(owner, part)
	}
	return owner
}

// TestPythonDifferentialFuzz compares the identifiers that the facts have with
// those that CPython's compiler knows, on programs made to be misread. What
// the compiler knows and complete facts do not is hidden code. FUZZ_PROGRAMS
// sets how many programs are tried.
func TestPythonDifferentialFuzz(t *testing.T) {
	programs := 1500
	if s := os.Getenv("FUZZ_PROGRAMS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		programs = n
	}
	seed := uint64(1)
	if s := os.Getenv("FUZZ_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	o := startOracle(t)
	a := analyze.New(Reader())
	g := &programGenerator{r: rand.New(rand.NewPCG(seed, 2))}
	compiled := 0
	for range programs {
		text := g.program()
		src, err := a.Canonical(analyze.Python, "", []byte(text))
		if err != nil {
			continue
		}
		f, err := a.Facts(context.Background(), src)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !f.Complete {
			continue
		}
		want := o.ask(t, map[string]string{"text": src.Text()})
		if !want.OK {
			continue
		}
		compiled++
		for _, name := range want.Identifiers {
			if _, ok := slices.BinarySearch(f.Identifiers, name); !ok {
				t.Fatalf("%q: CPython sees %s, the facts have %q", text, name, f.Identifiers)
			}
		}
	}
	if compiled < programs/20 {
		t.Errorf("only %d of %d programs compile: the generator is too wild", compiled, programs)
	}
	t.Logf("%d programs, %d compile", programs, compiled)
}

// programGenerator makes programs of odd tokens, each with names of its own.
type programGenerator struct {
	r *rand.Rand
	n int
}

func (g *programGenerator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *programGenerator) name() string {
	g.n++
	return g.pick("n", "ñ", "ａ", "_x", "match", "type", "case", "print", "exec", "await_") + "M" + strconv.Itoa(g.n)
}

// program returns a few statements, then breaks some of them.
func (g *programGenerator) program() string {
	g.n = 0
	var b strings.Builder
	indent := ""
	if g.r.IntN(3) == 0 {
		indent = "  "
		b.WriteString(g.pick("async def f():\n", "def f():\n", "class A:\n", "if 1:\n"))
	}
	for range 1 + g.r.IntN(3) {
		b.WriteString(g.statement(0, indent))
	}
	text := b.String()
	for range max(0, g.r.IntN(5)-2) {
		at := g.r.IntN(len(text) + 1)
		switch g.r.IntN(3) {
		case 0:
			text = text[:at] + g.pick("\\\n", "\n", "#", "'", `"`, `"""`, "{", "}", "(", ")", "\\", "\f", "\t", " ", ";", "f'", ":", "=", "\r\n", "\u00a0", "\u200b", "\u2060", "!", "\x1c", "0", "`", "<>", "$", "?", "*") + text[at:]
		case 1:
			if at < len(text) {
				text = text[:at] + text[at+1:]
			}
		case 2:
			end := min(len(text), at+g.r.IntN(12))
			text = text[:at] + text[at:end] + text[at:]
		}
	}
	return text
}

func (g *programGenerator) statement(depth int, indent string) string {
	space := g.pick(" ", " ", " ", "  ", "\t", " \\\n ")
	inner := indent + g.pick("  ", "    ", "\t", " ")
	block := func() string {
		if depth > 2 {
			return " " + g.name() + "\n"
		}
		s := "\n"
		for range 1 + g.r.IntN(2) {
			s += g.pick("", "", "", inner+"# "+g.comment()+"\n", "\n", "\f\n") + g.statement(depth+1, inner)
		}
		return s
	}
	e := func() string { return g.expression(0) }
	switch g.r.IntN(16) {
	case 0:
		return indent + "if" + space + e() + ":" + block()
	case 1:
		return indent + "def " + g.name() + "(" + g.name() + "=" + e() + ", *" + g.name() + "):" + block()
	case 2:
		return indent + "class " + g.name() + "(" + e() + "):" + block()
	case 3:
		return indent + "for " + g.name() + " in " + e() + ":" + block()
	case 4:
		return indent + "match " + e() + ":\n" + inner + "case " + g.name() + g.pick("", " if "+e()) + ":" + strings.ReplaceAll(block(), "\n"+inner, "\n"+inner+" ")
	case 5:
		return indent + "with " + e() + " as " + g.name() + ":" + block()
	case 6:
		return indent + "try:" + block() + indent + "except " + e() + ":" + block()
	case 7:
		return indent + "import " + g.name() + "." + g.name() + g.pick("", " as "+g.name()) + "\n"
	case 8:
		return indent + "print" + g.pick(" ", "") + g.pick("("+e()+")", ">>"+e(), ">>"+e()+", "+e(), "("+e()+"), "+e()) + "\n"
	case 9:
		return indent + g.pick("type", "match", "case", "exec", "print") + g.pick(" = "+e(), " ("+e()+")", "[0] = "+e(), ".x = "+e(), " * "+e()) + "\n"
	case 10:
		return indent + e() + g.pick(";", " # "+g.comment(), "") + "\n"
	default:
		return indent + g.name() + space + g.pick("=", "=", "+=", ": "+e()+" =") + " " + e() + g.pick("\n", "; "+e()+"\n", " # "+g.comment()+"\n")
	}
}

func (g *programGenerator) comment() string {
	return g.pick("x", "\\", "'", `"""`, "type: ignore", "é", "coding: utf-8", "{", "\\") + g.pick("", g.name())
}

func (g *programGenerator) expression(depth int) string {
	if depth > 3 {
		return g.name()
	}
	e := func() string { return g.expression(depth + 1) }
	switch g.r.IntN(17) {
	case 0:
		return "(" + g.pick("", "\n", " # "+g.comment()+"\n") + e() + g.pick("", "\n") + ")"
	case 1:
		return e() + g.pick(" + ", " if 1 else ", " and ", "\\\n- ", " is not ", "<", "@", "**", " in ") + e()
	case 2:
		return g.name() + "." + g.name()
	case 3:
		return g.name() + "(" + e() + ", " + g.name() + "=" + e() + ", *" + e() + ")"
	case 4:
		return g.name() + "[" + e() + g.pick("]", ":]", "::"+e()+"]")
	case 5:
		return "lambda " + g.name() + ": " + e()
	case 6:
		return "[" + e() + " for " + g.name() + " in " + e() + "]"
	case 7:
		return "{" + e() + ": " + e() + "}"
	case 8, 9:
		return g.text(e)
	case 10:
		return g.pick("f", "F", "rf", "fr", "f") + g.formatted(e)
	case 11:
		return g.pick("0x", "1_0", "0o7", "1e5", "1.", ".5", "1j", "1if 1else ", "0xfor ") + g.pick("1", "1", e())
	case 12:
		return g.pick("not ", "-", "~", "not ", "- ", "-\\\n", "await ") + e()
	case 13:
		return "(" + g.name() + " := " + e() + ")"
	}
	return g.name()
}

// text is a plain string in any of its spellings.
func (g *programGenerator) text(e func() string) string {
	quote := g.pick("'", `"`, "'''", `"""`)
	body := g.pick("", "x", `\\`, `\'`, `\"`, "\\\n", "{", "}", "#", `\x41`, "é", "{"+g.name()+"}", `\N{DIGIT ONE}`)
	if len(quote) == 3 {
		body += g.pick("", "\n", "'", "#\n"+g.name()+"\n")
	}
	prefix := g.pick("", "r", "b", "u", "R", "Rb", "bR", "", "")
	if strings.ContainsAny(prefix, "bB") {
		return prefix + quote + strings.ReplaceAll(body, "é", "") + quote + g.pick("", " b'y'")
	}
	return prefix + quote + body + quote + g.pick("", " "+g.pick("'y'", "f'{"+g.name()+"}'"))
}

// formatted is the body of an f-string.
func (g *programGenerator) formatted(e func() string) string {
	quote := g.pick("'", `"`, "'''", `"""`)
	field := "{" + g.pick("", " ") + e() + g.pick("", "=", "!r", "!s", ":>3", ":{"+g.name()+"}", ":{"+g.name()+"!r}x", "!r:^{"+g.name()+"}", "#\n") + "}"
	return quote + g.pick("", "x", "{{", "}}", `\\`, `\N{DIGIT ONE}`, `\{`) + field + g.pick("", "}}", "{{", field, "{{{{") + quote
}
