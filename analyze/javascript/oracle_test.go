package javascript

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// oracle.js reads sources with acorn, the parser that Node itself bundles.
//
//go:embed testdata/oracle.js
var oracleScript string

// acorn is a running oracle.
type acorn struct{ *analyzetest.Script }

// opinion is what acorn says about a source.
type opinion struct {
	OK          bool     `json:"ok"`
	Identifiers []string `json:"identifiers"`
	Imports     []string `json:"imports"`
}

func startAcorn(t *testing.T) *acorn {
	t.Helper()
	return &acorn{analyzetest.StartScript(t, oracleScript)}
}

// ask asks about several sources at once.
func (a *acorn) ask(t *testing.T, sources []analyze.Source, goals []analyze.Goal) []opinion {
	t.Helper()
	type question struct {
		Goal analyze.Goal `json:"goal"`
		Text string       `json:"text"`
	}
	questions := make([]question, len(sources))
	for i, s := range sources {
		questions[i] = question{goals[i], s.Text()}
	}
	line, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	answer := a.Tell(t, line)
	var opinions []opinion
	if err := json.Unmarshal(answer, &opinions); err != nil || len(opinions) != len(sources) {
		t.Fatalf("%v: %.200s", err, answer)
	}
	return opinions
}

// readable analyses a source; ok is false when it is refused or incomplete.
func readable(t *testing.T, a *analyze.Analyzer, goal analyze.Goal, text []byte) (src analyze.Source, f analyze.Facts, ok bool) {
	t.Helper()
	src, err := a.Canonical(analyze.JavaScript, goal, text)
	if err != nil {
		return src, f, false
	}
	f, err = a.Facts(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return src, f, f.Complete
}

// missing returns what acorn knows and the facts do not.
func missing(acorn, facts []string) []string {
	var out []string
	for _, s := range acorn {
		if _, found := slices.BinarySearch(facts, s); !found {
			out = append(out, s)
		}
	}
	return out
}

// TestOracleFiles compares facts and acorn on the corpus, on npm's own code
// and on Node's libraries: every import and identifier that acorn sees is in
// the facts, and only documented syntax is refused. Of what came with Node it
// reads a part, or all with ORACLE_ALL=1.
func TestOracleFiles(t *testing.T) {
	// Much is made and dropped at once for each file; to collect it often takes a
	// quarter of the processor time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	oracle := startAcorn(t)
	files, err := filepath.Glob(javascriptCorpus + "/allow/*")
	if err != nil {
		t.Fatal(err)
	}
	part := 8
	if os.Getenv("ORACLE_ALL") == "1" {
		part = 1
	}
	for i, file := range append(nodeLibraries(t), installedFiles(t)...) {
		if i%part == 0 {
			files = append(files, file)
		}
	}
	a := analyze.New(Reader())
	compared, refused := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, goal := analyze.LanguageOf(file, text)
		src, f, ok := readable(t, a, goal, text)
		if !ok {
			refused++
			t.Logf("refused: %s: %v", file, f.Syntax)
			continue
		}
		o := oracle.ask(t, []analyze.Source{src}, []analyze.Goal{f.Goal})[0]
		if !o.OK {
			continue
		}
		compared++
		if m := missing(o.Identifiers, f.Identifiers); len(m) > 0 {
			t.Errorf("%s: acorn also knows the identifiers %q", file, m)
		}
		if m := missing(canonicalModules(o.Imports), f.Imports); len(m) > 0 {
			t.Errorf("%s: acorn also knows the imports %q", file, m)
		}
	}
	t.Logf("%d files compared, %d refused", compared, refused)
	if compared < 400/part || refused > compared/50 { // Debian's Node 18 alone has 471
		t.Errorf("%d files compared, %d refused", compared, refused)
	}
}

func canonicalModules(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = nodeModule(n)
	}
	return out
}

// installedFiles returns the JavaScript that came with Node, as far as the
// test has time for.
func installedFiles(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("npm", "root", "-g").Output()
	if err != nil {
		return nil
	}
	const budget = 3 << 20
	var files []string
	total := int64(0)
	err = filepath.WalkDir(strings.TrimSpace(string(root)), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".js" || strings.Contains(path, ".min.") {
			return nil
		}
		if info, err := d.Info(); err == nil && total+info.Size() < budget {
			total += info.Size()
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// nodeLibraries writes the sources of Node's own modules to files.
func nodeLibraries(t *testing.T) []string {
	t.Helper()
	const script = `const n = process.binding('natives'); process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(n).filter(([, v]) => typeof v === 'string'))))`
	out, err := exec.Command(analyzetest.Node(t), "--no-warnings", "-e", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	var sources map[string]string
	if err := json.Unmarshal(out, &sources); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for name, text := range sources {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "__")+".js")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files
}

// TestDifferential generates programs out of the pieces where parsers are
// known to part, and looks for one that acorn accepts with an identifier that
// the facts do not have although nothing in them says that anything is wrong.
// DIFFERENTIAL=200000 makes it a long search; SEED repeats one.
func TestDifferential(t *testing.T) {
	oracle := startAcorn(t)
	n := environmentNumber(t, "DIFFERENTIAL", 4000)
	seed := environmentNumber(t, "SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	a := analyze.New(Reader())
	const batch = 500
	accepted := 0
	for done := 0; done < n; done += batch {
		var sources []analyze.Source
		var goals []analyze.Goal
		var all []analyze.Facts
		for range batch {
			goal := []analyze.Goal{analyze.Script, analyze.Module, ""}[random.IntN(3)]
			src, f, ok := readable(t, a, goal, []byte(generateJavaScript(random)))
			if ok && len(f.Dynamic[analyze.DynamicAwait]) == 0 {
				sources, goals, all = append(sources, src), append(goals, f.Goal), append(all, f)
			}
		}
		for i, o := range oracle.ask(t, sources, goals) {
			if !o.OK {
				continue
			}
			accepted++
			if m := missing(o.Identifiers, all[i].Identifiers); len(m) > 0 {
				t.Errorf("%s %q: acorn also knows %q", goals[i], sources[i].Text(), m)
			}
		}
	}
	t.Logf("%d programs, %d that both read", n, accepted)
	if accepted < n/20 {
		t.Errorf("only %d of %d programs are valid", accepted, n)
	}
}

func environmentNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s=%q", name, s)
	}
	return n
}

// generateJavaScript makes a program: of tokens that need not fit, or of
// statements that do but for what stands between them. Every M is a marker.
func generateJavaScript(random *rand.Rand) string {
	var b strings.Builder
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	if random.IntN(3) == 0 {
		for range 2 + random.IntN(9) {
			b.WriteString(pick(tokenPieces()))
		}
	} else {
		for range 1 + random.IntN(4) {
			b.WriteString(pick(statementPieces()))
			b.WriteString(pick(separatorPieces()))
		}
	}
	text := b.String()
	for range 30 {
		text = strings.Replace(text, "E", pick(expressionPieces()), 1)
	}
	text = strings.ReplaceAll(text, "E", "M")
	for strings.Contains(text, "M") {
		text = strings.Replace(text, "M", fmt.Sprintf("m%d", random.IntN(1e6)), 1)
	}
	return text
}

func statementPieces() []string {
	return []string{
		"E", "E", "E", "E", "var M=E", "let M=E", "const M=E", "if(E)E;else E", "for(E;E;E)E", "for(var M of E)E", "for(M in E)E", "while(E)E", "do E;while(E)",
		"{E}", "M:E", "switch(E){case E:E;default:E}", "try{E}catch(M){E}finally{E}", "throw E", "return E", "with(E)E", "debugger", "function f(M=E){E}",
		"class A extends E{M=E;#M=E;static{E}get M(){E}['x'+E](){}}", "export default E", "export{M}", "import M from 'M'", "async function f(){await E;for await(M of E)E}",
		"function*g(){yield E;yield*E}", "'use strict'", "import{M as M}from 'M'", "export*from 'M'", "var{M:M=E,...M}=E", "var[M=E,,...M]=E", "if(E)function M(){}", "let\nM", "",
	}
}

func expressionPieces() []string {
	return []string{
		"M", "M", "M", "M", "M", "M(E)", "M.M", "M[E]", "E?.M", "E?.[E]", "E?.(E)", "E+E", "E/E", "E/E/g", "/M/g", "/[/]M/", "E*E", "(E,E)", "[E,...E]", "({M:E,M,[E]:E,...E})", "`${E}`",
		"M`${E}`", "E?E:E", "E?.5:E", "M=E", "M??=E", "M=>E", "async M=>E", "async(M)=>await E", "()=>{E}", "function(){E}", "function*(){yield E}", "function*(){yield/M/g}",
		"async()=>{await/M/g}", "class{M=E}", "new E(E)", "new M", "typeof E", "void E", "!E", "-E", "- -E", "M++", "++M", "M--", "M-- >E", "E<E", "E>E", "E<<E", "E in E", "E instanceof E", "this", "super.M",
		"new.target", "import.meta", "import(E)", "'M'", "\"M\"", "'\\'M'", "'\\\n'", "`\\``", "`M`", "`/*`", "'//'", "0", "1_0", "0x1", "5.", ".5", "1n", "null", "true", "await", "yield", "async", "of", "get", "let", "static",
		"await E", "yield E", "\\u0061M", "\\u{62}M", "E\n/E/g", "E/**/\n/M/g", "E\n(E)", "E\n[E]", "E\n`M`", "E/*\n*/(E)", "E/*\n*/`M`", "E//x\n/E/g", "(E)/E/g", "{}/E/g", "E\n++\nM", "M\n=>E", "(M)=>{}\n/E/g", "function(){}/E/g",
		"class{}/E/g", "{}\n/M/g", "E**E", "E??E", "E||E&&E", "<!--E", "E<!--E", "E\n-->E", "E/* */-->E", "E\u00a0/E/g", "E\u3000E", "E\n\u00a0/E/g", "\"\u200b\"", "/*\u00a0*/E",
	}
}

func separatorPieces() []string {
	return []string{"\n", "\n", ";", ";\n", "\n\n", "//x\n", "/**/\n", "/*\n*/", " ", "", "\r\n", "\n;", "//`\n", "/*'*/\n", "//-->\n"}
}

func tokenPieces() []string {
	return []string{
		"M", "M", "M(M)", "a", "g", "/", "/", "/g", "*", "/*", "*/", "//", "\n", "\n", "\r\n", " ", " ", ";", ";", "`", "${", "}", "{", "(", ")", "[", "]",
		"'", "\"", "\\", "\\\n", "<!--", "-->", "++", "--", "+", "-", "=", "=>", "?", "?.", ":", ",", ".", "...", "!", "<", ">",
		"await ", "yield ", "async ", "function ", "function*", "class ", "extends ", "static ", "get ", "set ", "of ", "in ", "instanceof ",
		"let ", "const ", "var ", "if(M)", "while(M)", "do ", "else ", "for(", "return ", "throw ", "new ", "typeof ", "void ", "delete ", "case ", "default",
		"import ", "export ", "from 'M'", "import(M)", "import.meta", "new.target", "super", "this", "#M", "0", "1n", ".5", "0x1", "1e3", "'use strict'",
		"\\u{61}", "\\u0062", "\u00a0", "\u3000", "\u200b", "\u2028", "\ufeff", "é", "label:", "break ", "continue ", "with(M)", "try{}catch{}", "switch(M){}",
		"M=>M", "(M)=>{M}", "class A{M=M;static{M}}", "{M}", "[M]", "`${M}`", "/M/g", "M/M/g", "a\n/M/g", "}/M/g", ")/M/g",
		"function f(){M}", "var{M}=M;", "M\n(M)", "M\n`M`", "M/*\n*/", "/**/", "//M\n", "#!M\n", "a--\n>M", "M:{}", "let\nM", "yield\n/M/g", "await/M/g", "return/M/g", "typeof/M/g",
	}
}
