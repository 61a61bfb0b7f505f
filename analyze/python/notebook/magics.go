package notebook

import (
	"regexp"
	"strings"

	"sallyport/analyze"
)

// translate makes Python of a cell of a notebook, line by line, as IPython does
// before it runs one. A line that is no Python becomes a call of a function
// of IPython.magics, which there is not: the catalog says what each magic is able to
// do, as of every other symbol. Magics that it does not know are in the module
// unknown_magic, which no catalog has. What holds code or names a file becomes that
// code, or that use of the file, and what is harmless nothing. Changed are the lines, from 1, that read otherwise.
//
// What is left as it is, is no Python: IPython would read nothing in it that the
// grammar reads in another way. Where that is not so the cell is refused.
//
// Own says whether the notebook has a name of its own.
func translate(written string, own func(string) bool) (string, map[int]bool, *analyze.Refusal) {
	m := magics{text: strings.ReplaceAll(written, "\r\n", "\n"), own: own, changed: map[int]bool{}}
	if at := strings.IndexByte(m.text, '\f'); at >= 0 {
		return "", nil, analyze.Refuse(m.text, at, analyze.RefusedControl, "a form feed ends a line for the notebook")
	}
	for m.begin() {
	}
	if m.refusal == nil && !signs.MatchString(m.text[m.at:]) {
		m.out.WriteString(m.text[m.at:])
		m.at = len(m.text)
	}
	for m.refusal == nil && m.at < len(m.text) {
		m.logicalLine()
	}
	return m.out.String(), m.changed, m.refusal
}

// signs are in every line that is a magic, but for the first of a cell.
var signs = regexp.MustCompile(`(?m)^[ \t]*[%!?,;/]|=[ \t]*[!%]|\?[ \t]*$`)

type magics struct {
	text    string
	own     func(name string) bool
	at      int
	out     strings.Builder // as far as at
	line    int             // how many have been written
	changed map[int]bool
	refusal *analyze.Refusal
}

// rest is the line that begins at m.at, without its end.
func (m *magics) rest() string { return m.text[m.at : m.at+analyze.LineLength(m.text[m.at:])] }

// put writes a line in the place of that at m.at.
func (m *magics) put(text string) {
	n := analyze.LineLength(m.text[m.at:])
	if text != m.text[m.at:m.at+n] {
		m.changed[m.line+1] = true
	}
	m.out.WriteString(text)
	m.at += n
	if m.at < len(m.text) {
		m.out.WriteByte('\n')
		m.at++
	}
	m.line++
}

func (m *magics) refuse(message string) {
	m.refusal = analyze.Refuse(m.text, m.at, analyze.RefusedNotebook, message)
}

// prompts are those that IPython takes off, from lines of strings too.
var prompts = regexp.MustCompile(`^(>>>|\.\.\.)( |$)|^\s*(\[\w+\])?\s*In\s*\[\d+\]:|^\s*\.\.\.+:`)

// begin reads the beginning of a cell. It is true where a magic holds the rest
// as a cell of its own.
func (m *magics) begin() bool {
	for m.at < len(m.text) && strings.TrimSpace(m.rest()) == "" {
		m.put(m.rest())
	}
	first := m.rest()
	_, after, _ := strings.Cut(m.text[m.at:], "\n")
	second := after[:analyze.LineLength(after)]
	switch {
	case m.at == len(m.text):
	case prompts.MatchString(first), prompts.MatchString(second):
		m.refuse("this cell has prompts of an interactive session, which the notebook takes off: leave them out")
	case first[0] == ' ' || first[0] == '\t':
		m.refuse("the first line of this cell is indented, and the notebook takes as much off every line: begin it at the margin")
	case strings.HasPrefix(first, "%%"):
		return m.cellMagic(first[2:], after)
	case !strings.Contains(strings.TrimSpace(m.text[m.at:]), "\n"):
		m.automagic(first)
	}
	return false
}

// holds are magics whose cell is Python, run as the rest of the notebook is.
var holds = setOf(`time timeit capture prun`)

func (m *magics) cellMagic(first, body string) bool {
	name, args := cutWord(first)
	if strings.HasPrefix(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz_0123456789"), "?") {
		m.put("pass")
		return false
	}
	switch {
	case name == "timeit":
		m.put(timed(args))
		return true
	case holds[name]:
		m.put(expansion(args) + options(name, args))
		return true
	case name == "writefile" || name == "file":
		m.put(writes(args) + ".write(" + quote(body) + ")")
	default:
		if !harmless[name] {
			m.put(expansion(args) + call(name, args, body))
			break
		}
		m.put(strings.TrimSuffix(expansion(args)+"pass", "; pass"))
	}
	for m.at < len(m.text) {
		m.put("")
	}
	return false
}

// automagics are those that IPython knows without a sign, where a cell is one line
// and its first word no name of the program's.
var automagics = regexp.MustCompile(`^(alias|cat|cd|conda|cp|ed|edit|env|file|ldir|less|lf|lk|ll|load|load_ext|ls|lx|macro|mamba|man|micromamba|mkdir|more|mv|pip|prun|pushd|popd|pylab|recall|rehashx|rep|rerun|rm|rmdir|run|save|set_env|store|sx|system|uv|writefile)\b(.*)$`)

func (m *magics) automagic(line string) {
	found := automagics.FindStringSubmatch(line)
	if found == nil {
		return
	}
	name, rest := found[1], strings.TrimSpace(found[2])
	assigned := strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==")
	if rest == "" && name[0] != 'l' || strings.HasPrefix(rest, ".") || assigned || m.own(name) {
		return
	}
	m.put(m.magic("", name+" "+rest))
}

// names says which names text binds. It looks for each once.
func names(text string) func(string) bool {
	known := map[string]bool{}
	return func(name string) bool {
		own, asked := known[name]
		if !asked {
			binds := regexp.MustCompile(`\b(def|class|as)[ \t]+` + name + `\b|\b` + name + `[ \t]*(,[^=\n]*)?=[^=]|\bimport\b.*\b` + name + `\b`)
			own = binds.MatchString(text)
			known[name] = own
		}
		return own
	}
}

var (
	helps  = regexp.MustCompile(`^([ \t]*)(%{0,2}[\w.*]+)\?\??[ \t]*$`)
	dotted = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)
	eats   = regexp.MustCompile(`^=[ \t]*(![^=]|!$|%[ \t]*[A-Za-z_])`)
)

// logicalLine reads a line of Python with those that are joined to it, or a magic.
func (m *magics) logicalLine() {
	line := m.rest()
	code := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(code)]
	switch {
	case code == "" || code[0] == '#':
		m.put(line)
		return
	case strings.IndexByte("%!?", code[0]) >= 0:
		m.magical(indent, "", m.text[m.at+len(indent):])
		return
	}
	if help := helps.FindStringSubmatch(line); help != nil {
		m.put(indent + asked(help[2]))
		return
	}
	end, sign := m.python()
	if sign >= 0 && strings.IndexByte(m.text[m.at:sign], '\n') < 0 {
		m.magical(indent, m.text[m.at+len(indent):sign], m.text[sign:])
		return
	}
	for m.at < end {
		m.put(m.rest())
	}
}

// magical writes the magic that code begins with, or that a left side is given, in
// the place of its lines: all that end with a backslash, and one.
func (m *magics) magical(indent, left, code string) {
	line := code[:analyze.LineLength(code)]
	lines := 1
	for at := len(line); strings.HasSuffix(line, `\`) && at < len(code); lines++ {
		next := code[at+1:]
		next = next[:analyze.LineLength(next)]
		line = strings.TrimSuffix(line, `\`) + " " + next
		at += 1 + len(next)
	}
	line = strings.TrimSpace(line)
	switch {
	case line[0] == '=':
		m.put(indent + imported(left+"= ", returned(strings.TrimSpace(line[1:]))))
	case line[0] == '!':
		m.put(indent + call("system", strings.TrimLeft(line, "!")))
	case line[0] == '?':
		m.put(indent + asked(strings.TrimSpace(strings.TrimLeft(line, "?"))))
	case strings.HasSuffix(line, "?"):
		m.put(indent + "pass")
	default:
		m.put(m.magic(indent, line[1:]))
	}
	for range lines - 1 {
		m.put("")
	}
}

// magic is what becomes of a line magic.
func (m *magics) magic(indent, line string) string {
	name, args := cutWord(line)
	switch name {
	case "time":
		if args == "" {
			return indent + "pass"
		}
		return indent + args
	case "timeit":
		return indent + timed(args)
	case "prun":
		if !strings.HasPrefix(args, "-") {
			return indent + args
		}
	case "cd", "pushd":
		return indent + expansion(args) + "import os; os.chdir(" + quote(unquoted(strings.TrimPrefix(args, "-q "))) + ")"
	case "pylab":
		return indent + "from pylab import *"
	case "load_ext", "reload_ext":
		if args == "autoreload" {
			return indent + "pass"
		}
		if extensions[args] {
			return indent + "import " + args + " as extension_"
		}
	case "config":
		if settings.MatchString(args) {
			return indent + "pass"
		}
		return indent + call("expand", args)
	}
	if harmless[name] {
		return indent + strings.TrimSuffix(expansion(args)+"pass", "; pass")
	}
	return indent + expansion(args) + call(name, args)
}

// harmless are magics that show something, or say how it is shown.
var harmless = setOf(`
	autoreload colors doctest_mode gui latex lsmagic magic markdown matplotlib pinfo pinfo2 pprint precision pwd quickref
	reset reset_selective watermark who who_ls whos xdel xmode
`)

// extensions are modules that give a notebook magics, which are judged where they stand, and do nothing else.
var extensions = setOf(`google.colab.data_table jupyter_black lab_black line_profiler memory_profiler nb_black tensorboard watermark`)

// settings are those of %config that are no code.
var settings = regexp.MustCompile(`^\w+(\.\w+ *= *('[\w. -]*'|"[\w. -]*"|[\w.]+|[\[{(] *('[\w-]*'|"[\w-]*")( *, *('[\w-]*'|"[\w-]*"))* *[\]})]))?$`)

// returned is what is given to a name: what a magic returns is not known.
func returned(line string) string {
	if line[0] == '!' {
		return member("!") + "(" + quote(strings.TrimLeft(line, "!")) + ")"
	}
	name, args := cutWord(strings.TrimSpace(line[1:]))
	if holds[name] || strings.ContainsAny(args, "{$") {
		name = "expand" // its code is judged nowhere else
	}
	return member(name) + "(" + quote(args) + ")"
}

// timed is the code that %timeit runs, in a function as there: what it binds is
// bound nowhere else.
func timed(args string) string {
	if args = timeitOptions.ReplaceAllString(args, ""); args == "" {
		return "pass"
	}
	return "def timeit_(): " + args
}

var timeitOptions = regexp.MustCompile(`^(-[nrpv] *\d+\s*|-[tcqo]+(\s+|$))*`)

// options are the arguments of a magic that holds a cell.
func options(name, args string) string {
	if name == "prun" && args != "" {
		return call(name, args)
	}
	return "pass"
}

// writes opens the file that a cell is written to.
func writes(args string) string {
	mode := "w"
	if rest, found := strings.CutPrefix(args, "-a "); found {
		mode, args = "a", strings.TrimSpace(rest)
	}
	open := "import io, os; io.open(os.path.expanduser(" + quote(unquoted(args)) + "), '" + mode + "')"
	return expansion(args) + open
}

// asked is what a question evaluates: a name.
func asked(about string) string {
	if dotted.MatchString(about) {
		return about
	}
	return "pass"
}

// expansion stands before a magic in whose arguments IPython evaluates what is in
// braces, or behind a dollar sign.
func expansion(args string) string {
	if strings.ContainsAny(args, "{$") {
		return call("expand", args) + "; "
	}
	return ""
}

func call(name string, args ...string) string {
	for i, a := range args {
		args[i] = quote(a)
	}
	return imported("", member(name)+"("+strings.Join(args, ", ")+")")
}

// imported puts an import before a call: whatever the program binds, it is this
// module's.
func imported(left, call string) string {
	symbol, _, _ := strings.Cut(call, "(")
	return "import " + symbol[:strings.LastIndexByte(symbol, '.')] + "; " + left + call
}

var plainName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// member is the symbol that a magic is judged as.
func member(name string) string {
	switch {
	case strings.HasPrefix(name, "!"):
		return "IPython.magics.system"
	case known[name]:
		return "IPython.magics." + name
	case plainName.MatchString(name):
		return "unknown_magic." + name
	}
	return "unknown_magic.other"
}

// known are the magics that the catalog has.
var known = setOf(`
	aimport alias alias_magic bash cat cmd conda cp cython debug ed edit env expand fish hist history html
	javascript js killbgscripts ldir less lf lk ll load load_ext loadpy logstart lprun ls lx macro mamba man memit
	micromamba mkdir more mprun mv notebook perl pfile pip powershell prun pwsh px pycat pypy python python2
	python3 qtconsole recall rehashx reload_ext rep rerun rm rmdir ruby run save sc script set_env sh store svg sx
	system unload_ext uv zsh
`)

// setOf is the set of the words of a text.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func cutWord(line string) (word, rest string) {
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		return line[:i], strings.TrimSpace(line[i:])
	}
	return line, ""
}

func unquoted(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// quote writes a string of Python's in one line.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`).Replace(s) + "'"
}

// python returns where the logical line of Python at m.at ends, and where in it a
// magic is given to a name, -1 for nowhere.
func (m *magics) python() (end, sign int) {
	depth := 0
	sign = -1
	for i := m.at; i < len(m.text); i++ {
		switch c := m.text[i]; c {
		case '\n':
			if depth == 0 {
				return i + 1, sign
			}
		case '\\':
			i++
		case '#':
			i += analyze.LineLength(m.text[i:]) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '"', '\'':
			i = m.quoted(i) - 1
		case '=':
			if depth == 0 && eats.MatchString(m.text[i:i+analyze.LineLength(m.text[i:])]) {
				return i, i
			}
		}
	}
	return len(m.text), sign
}

// quoted returns where the string ends that begins with the quote at i. One in
// one pair of quotes ends with its line at the latest.
func (m *magics) quoted(i int) int {
	quote := m.text[i : i+1]
	if strings.HasPrefix(m.text[i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	formatted := m.formatted(i)
	start := i + len(quote)
	for i = start; i < len(m.text); i++ {
		switch {
		case m.text[i] == '\\':
			i++
		case strings.HasPrefix(m.text[i:], quote):
			if formatted && !balanced(m.text[start:i]) {
				m.refuse("an f-string in this cell has quotes of its own kind inside: use others there")
			}
			return i + len(quote)
		case m.text[i] == '\n' && len(quote) == 1:
			if formatted {
				m.refuse("an f-string in this cell goes on in the next line inside of braces: write it otherwise")
			}
			return i
		}
	}
	return len(m.text)
}

// formatted says whether the string at i is one of code, too: f"…" or t"…".
func (m *magics) formatted(i int) bool {
	start := i
	for start > m.at && i-start < 3 && strings.IndexByte("rRbBuUfFtT", m.text[start-1]) >= 0 {
		start--
	}
	return strings.ContainsAny(m.text[start:i], "fFtT")
}

// balanced says whether what is in the braces of an f-string is whole.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		twice := i+1 < len(s) && s[i+1] == s[i]
		switch {
		case s[i] == '{' && depth == 0 && twice, s[i] == '}' && depth == 0 && twice:
			i++
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}
