package python

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
)

// hole is where another expression stands in one of the forms below.
const hole = "§"

// expressionForms are expressions with a hole in each place where another one may stand.
func expressionForms() []string {
	return []string{
		"§", "(§)", "(§, 1)", "(1, *§)", "[1, §]", "[*§]", "{§}", "{*§}", "{§: 1}", "{1: §}", "{**§}", "(§ # c\n)", "[1, # c\n§]",
		"§()", "(§)()", "f(§)", "f(1, §)", "f(*§)", "f(**§)", "f(a=§)", "f(# c\n§)", "f(§ for a in b)", "f(a for a in §)", "f((a := §))", "f(a := §)", "print(§, *§)",
		"§.a", "(§).a.b", "(§).a()", "§[0]", "(§)[0]", "x[§]", "x[1, §]", "x[§, 1]", "x[§, 1:2]", "x[1:2, §]", "x[*§]", "x[1, *§]", "x[a := §]", "x[# c\n§]",
		"x[§:]", "x[:§]", "x[::§]", "x[§:1, 2:3]", "x[:§, 2:3]", "x[::§, 2:3]", "x[1:2, §:3]", "x[1:2, :§]", "x[§:1, 2:3, 4:5]", "x[1:2, §:3, 4:5]", "x[§:1, 2]", "'ab'[§:1, 2:3]", "(1, 2)[1:§, 2:3]",
		"§ + 1", "1 + §", "(§) % (1)", "'%s' % §", "1 ** §", "§ @ x", "§ and 1", "1 or §", "not §", "-§", "~§", "§ < 1", "1 < §", "1 < § < 2", "1 < 2 < §", "§ in x", "x not in §", "§ is not x",
		"§ if 1 else 2", "1 if § else 2", "1 if 2 else §", "(1 # c\nif § else 2)", "(§ # c\nif 1 else 2)", "(1 if 2 # c\nelse §)", "lambda: §", "lambda a=§: 1", "lambda *, a=§: 1", "lambda a, /, b=§: 1", "(a := §)",
		"[§ for a in b]", "[a for a in §]", "[a for a in b if §]", "[a for a in b if 1 if §]", "[a for a in b for c in §]", "[a for a in b for c in d if §]", "[a for x[§] in b]", "[a for (§).b in b]", "[a for a, x[§] in b]", "[a # c\nfor a in § # c\nif §]",
		"{§ for a in b}", "{a for a in §}", "{§: 1 for a in b}", "{1: § for a in b}", "{a: 1 for a in §}", "{a: 1 for a in b if §}", "(§ for a in b)", "[§ async for a in b]", "[a async for a in §]", "[a async for a in b if §]",
		"f'{ §}'", "f'{ §!r}'", "f'{ §=}'", "f'{ §:x}'", "f'{a:{ §}}'", "f'{a:{b}.{§}}'", "f'{a!s:{ §!r}}'", "f'{a:{ §:>3}}'", "f'{ §, 1}'", "f'{*§, 1}'", "f'{(lambda: §)()}'", "f'{ {1: §}[1] }'", "'a' f'{ §}'", "f'{ §}' 'a'", "rf'{ §}'", "f'''{\n§}'''", "f'{1}{ §}'", "f'{yield §}'",
		"await §", "(yield §)", "(yield §, 1)", "(yield *§, 1)", "(yield from §)", "(yield # c\n§)",
	}
}

// statementForms are statements with a hole in each place where an expression may stand.
func statementForms() []string {
	return []string{
		"§; §", "*§, 1", "x = §", "x = y = §", "x = *§, 1", "x, = §", "x = yield §", "x = yield", "x = await §", "x: §", "x: § = 1", "x: int = §", "(x): § = 1", "x.a: §", "x[1]: §", "x[1]: § = 1", "x += §", "x += yield §", "x //= §, 1",
		"x[§] = 1", "x[§]", "x[§, 1] = 1", "x[1, §] = 1", "x[§:1] = 1", "x[§:1, 2:3] = 1", "x[1:2, 2:§] = 1", "x[§] += 1", "x[§:1, 2:3] += 1", "x[§, 1] += 1", "x[§]: int", "x[§]: int = 1", "x[§:1, 2:3]: int = 1",
		"(§).a = 1", "(§).a += 1", "(§).a: int", "(§).a: int = 1", "(§)[0] = 1", "(§)[0] += 1", "(§)[0]: int", "a, x[§] = 1, 2", "[a, (§).b] = 1, 2", "(a, *x[§]) = 1, 2", "*x[§], b = 1", "*(§).a, b = 1", "(x[§]) = 1", "a = x[§] = 1",
		"del x[§]", "del x[§:1, 2:3]", "del x[§, 1]", "del (§).a", "del (§)[0]", "del (x[§], y)", "del [x[§], y]", "del a, x[§]", "del (x[§])",
		"assert §", "assert 1, §", "raise §", "raise E from §", "raise § from None", "return §", "return §, 1", "return *§, 1", "global x\n§", "print >>§", "print >>x, §", "print >>x, 1, §", "print(§)", "exec(§)",
		"if §: pass", "if 1: §", "if 1: pass\nelif §: pass", "if 1: pass\nelif 1: pass\nelif §: pass", "if 1: pass\nelif 1: §", "if 1: pass\nelse: §", "while §: pass", "while 1: §", "while 1: pass\nelse: §",
		"for a in §: pass", "for a in §, 1: pass", "for a in *§, 1: pass", "for x[§] in y: pass", "for x[§:1, 2:3] in y: pass", "for (§).a in y: pass", "for a, x[§] in y: pass", "for a, *x[§] in y: pass", "for (a, x[§]) in y: pass", "for a in y: §", "for a in y: pass\nelse: §", "async for a in §: pass", "async for x[§] in y: pass", "async for a in b: §",
		"with §: pass", "with § as a: pass", "with a as x[§]: pass", "with a as (§).b: pass", "with a as (b, x[§]): pass", "with a as [b, x[§]]: pass", "with a as (x[§]): pass", "with (§): pass", "with (§,): pass", "with (§, a): pass", "with (a, §): pass", "with (§ as b): pass", "with (a as b, § as c): pass", "with (a as x[§]): pass", "with (a as x[§], b): pass", "with a, §: pass", "with a as b, § as c: pass", "with a: §", "async with §: pass", "async with § as a: pass", "async with a as x[§]: pass",
		"try: §\nexcept: pass", "try: pass\nexcept §: pass", "try: pass\nexcept § as e: pass", "try: pass\nexcept (A, §): pass", "try: pass\nexcept (A, §) as e: pass", "try: pass\nexcept A: §", "try: pass\nexcept A as e: §", "try: pass\nexcept: §", "try: pass\nexcept A: pass\nelse: §", "try: pass\nfinally: §", "try: pass\nexcept* §: pass", "try: pass\nexcept* § as e: pass", "try: pass\nexcept* A as e: §", "try: pass\nexcept # c\n§: pass",
		"def f(a=§): pass", "def f(a: §): pass", "def f(a: § = 1): pass", "def f(a: int = §): pass", "def f(*a: §): pass", "def f(*a: *§): pass", "def f(**a: §): pass", "def f(*, a=§): pass", "def f(a=§, /): pass", "def f(a, /, b: § = 1, *, c: int = 1): pass", "def f() -> §: pass", "def f(): §", "def f(a=1): return §", "async def f(): return §", "async def f(a: §): pass", "async def f() -> §: pass", "def f():\n    x: § = 1", "def f():\n    x: §", "def f():\n    (§).a: int",
		"@§\ndef f(): pass", "@§\nasync def f(): pass", "@§\nclass C: pass", "@a\n@§\ndef f(): pass", "@§\n@a\ndef f(): pass", "@a\ndef f(x=§): pass", "@a\nclass C(§): pass", "@a\nclass C: §", "@§ # c\ndef f(): pass",
		"class C(§): pass", "class C(a, §): pass", "class C(*§): pass", "class C(**§): pass", "class C(metaclass=§): pass", "class C(a, b=§): pass", "class C: §", "class C:\n    x: §", "class C:\n    x: § = 1", "class C:\n    x = §", "class C:\n    def f(self, a=§): return §", "class C(a # c\n, §): pass",
		"match §:\n    case 1: pass", "match §, 1:\n    case 1: pass", "match *§, 1:\n    case 1: pass", "match x:\n    case 1: §", "match x:\n    case 1 if §: pass", "match x:\n    case a if §: pass", "match x:\n    case 1: pass\n    case _ if §: §", "match x:\n    case [a, *b] if §: pass", "match x:\n    case {'a': 1, **b} if §: §", "match x:\n    case C(a, b=1) as c if §: §", "match x: # c\n    case 1 if §: pass", "match (§):\n    case 1: pass", "match x:\n    # c\n    case 1: §",
		"match = §", "match[§]", "match(§)", "case = §", "type = §", "type[§]", "type(§)", "type (x)[§] = 1", "type (x).y = §", "print = §", "print[§]", "print @ §", "exec = §", "_ = §",
	}
}

// newerForms are statements that only later versions of Python than the oldest one in use know.
func newerForms() []string {
	return []string{
		"type X = §", "type X[T] = §", "type X[T: §] = int", "def f[T: §](): pass", "def f[T: (§, int)](): pass", "def f[T](a: §): pass", "def f[T](a=§): pass", "def f[T]() -> §: pass",
		"class C[T: §]: pass", "class C[T](§): pass", "class C[T]: §", "f'{f'{ §}'}'", "f'{x['a', §]}'", "try: pass\nexcept A, §: pass",
	}
}

// patternForms are patterns with a hole where a dotted name may stand, which is read.
func patternForms() []string {
	return []string{
		"§", "(§)", "[§]", "[a, §]", "(§, a)", "§, a", "*_, §", "§ | 1", "1 | §", "{'a': §}", "{§: 1}", "{1: a, §: b}", "{1: §, **c}", "§()", "§(a)", "C(§)", "C(a, §)", "C(a=§)", "C(a, b=§)", "C(a=1, b=[§])", "§ as a", "[§ as a]", "(1 | §) as a", "C(a=§ | 1)", "[C(x=§), *_]", "a.b | §", "[1, # c\n§]",
	}
}

// surroundings are what a statement can stand in; the first that CPython takes it in is used.
func surroundings() []string { return []string{"", "def _():\n", "async def _():\n"} }

// TestPythonWalksAll puts a name of a module into each place of each expression, statement
// and pattern, through each other expression, and holds that it is seen. What stands there
// runs, so nothing else may be looked at in its place.
func TestPythonWalksAll(t *testing.T) {
	o := startOracle(t)
	a := analyze.New(Reader())
	n := 0
	for _, outer := range slices.Concat(statementForms(), expressionForms(), newerForms()) {
		var texts []string
		for _, inner := range expressionForms() {
			if strings.Contains(outer, "'") && (strings.Contains(inner, "'") || strings.Contains(inner, "\n")) {
				continue // an f-string in another: not before 3.12
			}
			text, places := probed(outer, inner, n)
			if text, ok := placed(t, o, text, slices.Contains(newerForms(), outer)); ok {
				n += places
				texts = append(texts, text)
			}
		}
		if !seesAll(t, a, texts) { // one of them may be denied for its syntax
			for _, text := range texts {
				seesAll(t, a, []string{text})
			}
		}
	}
	for _, pattern := range patternForms() {
		n++
		text := "match x:\n    case " + strings.ReplaceAll(pattern, hole, fmt.Sprintf("probe.m%d", n)) + ": pass\n"
		seesAll(t, a, []string{text})
	}
	t.Logf("%d places", n)
}

// probed fills the holes of outer with inner, and those of inner with a name each.
func probed(outer, inner string, n int) (text string, places int) {
	text = strings.ReplaceAll(outer, hole, inner)
	for strings.Contains(text, hole) {
		places++
		text = strings.Replace(text, hole, fmt.Sprintf("probe.m%d()", n+places), 1)
	}
	return text, places
}

// placed is text as a statement in surroundings that CPython takes it in.
func placed(t *testing.T, o *oracle, text string, newer bool) (string, bool) {
	for _, around := range surroundings() {
		code := text + "\n"
		if around != "" {
			code = around + "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
		}
		if newer || o.ask(t, map[string]string{"text": code}).OK {
			return code, true
		}
	}
	return "", false
}

// seesAll holds that the facts of texts have each name that stands there, where they are complete.
func seesAll(t *testing.T, a *analyze.Analyzer, texts []string) bool {
	t.Helper()
	src, err := a.Canonical(analyze.Python, "", []byte("import probe\n"+strings.Join(texts, "")))
	if err != nil {
		t.Fatalf("%q: %v", texts, err)
	}
	f, err := a.Facts(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		for _, name := range regexp.MustCompile(`probe\.m\d+`).FindAllString(text, -1) {
			if f.Complete && !slices.Contains(f.Names, name) {
				t.Errorf("%s is seen by nobody:\n%s", name, text)
			}
		}
	}
	if !f.Complete && len(texts) == 1 {
		t.Logf("denied for its syntax: %q", texts[0])
	}
	return f.Complete
}
