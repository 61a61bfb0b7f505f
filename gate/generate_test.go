package gate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/policy"
)

// TestGenerated composes programs of where a value comes from, the ways it goes, what it
// leads to and how names are spelled, judges them under strict, and runs what strict lets
// pass, in a sandbox that only observes. One that gets there is a hole.
//
// `make generate` composes every triple once and then longer chains until TIME is over,
// from SEED; without GENERATE it is a few hundred of them.
func TestGenerated(t *testing.T) {
	t.Parallel()
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = 1
	}
	long, err := time.ParseDuration(os.Getenv("GENERATE"))
	all := err == nil
	b := hookedBackend(t)
	for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			c := newComposer(t, lang, seed)
			g := generated{t: t, gate: checker(t, "strict"), door: doorless(t, "strict", b), lang: lang}
			step := 1
			if !all {
				step = 97
			}
			n := 0
			for _, o := range c.origins {
				g.harmless(c, o)
				for w := range c.ways {
					for spelling := range c.spellings() {
						if n++; n%step == 0 {
							g.add(c.program(g.made, o, spelling, w))
						}
					}
				}
			}
			g.run()
			triples := g.made
			for end := time.Now().Add(long); all && time.Now().Before(end); g.run() {
				for range 500 {
					ways := make([]int, 2+c.r.IntN(3))
					for k := range ways {
						ways[k] = c.r.IntN(len(c.ways))
					}
					g.add(c.program(g.made, c.origins[c.r.IntN(len(c.origins))], c.r.IntN(c.spellings()), ways...))
				}
			}
			t.Logf("%s, seed %d: %d triples and %d longer chains, %d are no programs, %d denied, %d allowed and run, %d get there",
				lang, seed, triples, g.made-triples, g.broken, g.denied, g.allowed, len(g.holes))
			for _, h := range g.holes {
				t.Errorf("a hole, seed %d:\n%s", seed, h)
			}
			if g.denied < triples/4 {
				t.Errorf("only %d of %d are denied: nothing was composed", g.denied, triples)
			}
		})
	}
}

// origin is where a value comes from, and what shows where it led.
type origin struct{ before, value, use string }

// way is how a value goes: statements and what it comes out of, or a program around its use.
type way struct{ statements, expression, around string }

type composer struct {
	lang    analyze.Language
	origins []origin
	ways    []way
	r       *rand.Rand
}

func newComposer(t *testing.T, lang analyze.Language, seed uint64) *composer {
	t.Helper()
	c := &composer{lang: lang, r: rand.New(rand.NewPCG(seed, uint64(len(lang))))}
	lines := strings.NewReplacer(`\n`, "\n", `\\`, `\`)
	read := func(file string, row func(columns []string)) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "//") {
				row(strings.Split(line, "\t"))
			}
		}
	}
	read("../testdata/generate.txt", func(f []string) {
		if len(f) == 4 && f[0] == string(lang) {
			c.origins = append(c.origins, origin{f[1], f[2], lines.Replace(f[3])})
		}
	})
	dir := filepath.Join("../analyze", string(lang), "testdata")
	read(filepath.Join(dir, "flows.txt"), func(f []string) {
		if len(f) == 2 {
			c.ways = append(c.ways, way{statements: lines.Replace(f[0]), expression: f[1]})
		}
	})
	read(filepath.Join(dir, "carriers.txt"), func(f []string) {
		if len(f) == 2 {
			c.ways = append(c.ways, way{around: lines.Replace(f[1])})
		}
	})
	if len(c.origins) < 10 || len(c.ways) < 200 {
		t.Fatalf("%d origins, %d ways", len(c.origins), len(c.ways))
	}
	return c
}

// spellings is how many ways there are to write a word that a program needs.
func (c *composer) spellings() int { return 4 }

func (c *composer) spell(word string, how int) string {
	half := len(word) / 2
	q := strconv.Quote
	switch how {
	case 1:
		return fmt.Sprintf("(%s + %s)", q(word[:half]), q(word[half:]))
	case 2: // what is not known
		if c.lang == analyze.Python {
			return fmt.Sprintf("json.loads(json.dumps(%s))", q(word))
		}
		return fmt.Sprintf("JSON.parse(JSON.stringify(%s))", q(word))
	case 3: // a known beginning
		if c.lang == analyze.Python {
			return fmt.Sprintf("(%s + json.loads(json.dumps(%s)))", q(word[:half]), q(word[half:]))
		}
		return fmt.Sprintf("(%s + JSON.parse(JSON.stringify(%s)))", q(word[:half]), q(word[half:]))
	}
	return q(word)
}

// program carries what comes from o along the ways, one after the other. A way that is a
// program around its use has those before it inside.
func (c *composer) program(number int, o origin, spelling int, ways ...int) string {
	written := func(s string) string {
		for {
			before, rest, found := strings.Cut(s, "S(")
			if !found {
				break
			}
			depth, end := 1, 0
			for ; end < len(rest) && depth > 0; end++ {
				depth += map[byte]int{'(': 1, ')': -1}[rest[end]]
			}
			s = before + c.spell(rest[:end-1], spelling) + rest[end:]
		}
		return strings.ReplaceAll(s, "RE", strconv.Itoa(reached+number))
	}
	lines, value, use := []string{}, written(o.value), written(o.use)
	for k, n := range ways {
		w := c.ways[n]
		if w.around != "" {
			indented := func(line, s string) string {
				return strings.ReplaceAll(s, "\n", "\n"+line[:len(line)-len(strings.TrimLeft(line, " "))])
			}
			kept, then := "kept"+strconv.Itoa(k), strings.ReplaceAll(use, "X", "x")
			if k < len(ways)-1 {
				if c.lang == analyze.JavaScript {
					break // what comes back does so later
				}
				lines = append(lines, kept+" = []")
				then = kept + ".append(x)"
			} else {
				use = ""
			}
			for line := range strings.Lines(w.around) {
				lines = append(lines, strings.TrimSuffix(strings.NewReplacer("{v}", value, "{n}", strconv.Itoa(k), "{use}", indented(line, then)).Replace(line), "\n"))
			}
			value = kept + "[0]"
			continue
		}
		fill := strings.NewReplacer("{v}", value, "{n}", strconv.Itoa(k))
		lines = append(lines, fill.Replace(w.statements))
		value = fill.Replace(w.expression)
	}
	lines = append(lines, strings.ReplaceAll(use, "X", value))
	before := o.before
	if c.lang == analyze.Python {
		before += "\nimport json, sys\nclass Name(str):\n    def isidentifier(s): return True\n    def __hash__(s): return 1\nseen = []\nclass Thing:\n    def __setattr__(s, n, v): seen.append(n)\nthing = Thing()\ndef secret(): pass"
	} else {
		before += "\nconst say = n => console.log(n);\nconst k = JSON.parse(JSON.stringify('constructor'));"
	}
	return strings.TrimLeft(before+"\n"+strings.Join(lines, "\n")+"\n", "\n")
}

// reached is what the number is added to that a program prints which gets there.
const reached = 7_000_000

// generated judges programs, and runs those that pass, many in one sandbox.
type generated struct {
	t    *testing.T
	gate *Gate
	door doorway
	lang analyze.Language

	made, broken, denied, allowed int
	passed                        []numbered
	holes                         []string
}

type numbered struct {
	number int
	text   string
}

func (g *generated) add(text string) {
	a, err := g.gate.Check(context.Background(), Request{Language: g.lang, Source: []byte(text)})
	switch {
	case err != nil:
		g.t.Fatalf("%v\n%s", err, text)
	case passesRounds(a.Decision):
		g.allowed++
		g.passed = append(g.passed, numbered{g.made, text})
	case a.Decision.Reason != policy.ReasonPolicy:
		g.broken++
	default:
		g.denied++
	}
	g.made++
}

// passesRounds tells whether nothing is denied but by the floor, which follows no value: what
// is composed here is to be seen by those that do.
func passesRounds(d policy.Decision) bool {
	return d.Effect == policy.Allow || d.Reason == policy.ReasonPolicy && !slices.ContainsFunc(d.Findings, func(f policy.Finding) bool {
		return f.Action == policy.ActionDeny && f.Rule != "strict-on-the-spot"
	})
}

// harmless holds that nothing is denied for what shows where a value led: of a value that
// leads nowhere, the same passes.
func (g *generated) harmless(c *composer, o origin) {
	o.value = map[analyze.Language]string{analyze.Python: "thing", analyze.JavaScript: "say"}[g.lang]
	plain := *c
	plain.ways = []way{{expression: "{v}"}}
	text := plain.program(0, o, 0, 0)
	if a, err := g.gate.Check(context.Background(), Request{Language: g.lang, Source: []byte(text)}); err != nil || !passesRounds(a.Decision) {
		g.t.Errorf("denied for its use alone, %v %+v:\n%s", err, a.Decision.Findings, text)
	}
}

// run runs what passed. One program that ends the interpreter takes its batch with it,
// which is then run in halves.
func (g *generated) run() {
	const batch = 200
	var wg sync.WaitGroup
	room := make(chan struct{}, 2)
	var mu sync.Mutex
	for at := 0; at < len(g.passed); at += batch {
		some := g.passed[at:min(at+batch, len(g.passed))]
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			holes := g.runSome(some)
			mu.Lock()
			defer mu.Unlock()
			g.holes = append(g.holes, holes...)
		})
	}
	wg.Wait()
	g.passed = nil
}

func (g *generated) runSome(some []numbered) (holes []string) {
	const ended = "all of them ended"
	var b strings.Builder
	if g.lang == analyze.Python {
		b.WriteString("import os, sys\nrun = []\n")
		for _, p := range some {
			fmt.Fprintf(&b, "run.append(%s)\n", strconv.QuoteToASCII(p.text))
		}
		b.WriteString("for text in run:\n    try:\n        exec(compile(text, 'generated', 'exec'), {'__name__': '__main__'})\n    except BaseException as e:\n        pass\n    sys.stdout = sys.__stdout__\nprint(" + strconv.Quote(ended) + ")\n")
	} else {
		b.WriteString("const run = [];\n")
		for _, p := range some {
			fmt.Fprintf(&b, "run.push(%s);\n", strconv.QuoteToASCII(p.text))
		}
		b.WriteString("process.on('uncaughtException', () => {}); process.on('unhandledRejection', () => {});\nconst log = console.log;\nfor (const text of run) { try { new Function('require', 'module', 'exports', text)(require, module, {}) } catch {} console.log = log }\nsetTimeout(() => { log(" + strconv.Quote(ended) + "); process.exit() }, 200);\n")
	}
	req := Request{Language: g.lang, Source: []byte(b.String())}
	j := g.door.gate.judge(context.Background(), req, g.door.gate.decide, nil)
	spec := g.door.gate.spec(policy.Permit{}, req, j, Environment{})
	spec.Permit, spec.Observe = openDoor{}, true
	spec.Limits.Wall = 2 * time.Minute
	res, err := g.door.backend.Run(context.Background(), spec)
	if err != nil {
		g.t.Errorf("%v", err)
		return nil
	}
	for _, p := range some {
		if strings.Contains(string(res.Stdout), strconv.Itoa(reached+p.number)) {
			holes = append(holes, p.text)
		}
	}
	if !strings.Contains(string(res.Stdout), ended) {
		if len(some) == 1 {
			g.t.Logf("%s, %.200s:\n%s", res.Reason, res.Stderr, some[0].text)
			return holes
		}
		return append(g.runSome(some[:len(some)/2]), g.runSome(some[len(some)/2:])...)
	}
	return holes
}
