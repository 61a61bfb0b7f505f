package policy

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/policy/internal/bounded"
)

// doubling is a rule body that doubles something as often as it is told to.
func doubling(start, step string, times int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "x0 := %s\n", start)
	for i := range times {
		fmt.Fprintf(&b, "\tx%d := %s\n", i+1, strings.ReplaceAll(step, "X", fmt.Sprint("x", i)))
	}
	return b.String() + "\t"
}

// runaways are conditions that would keep a processor busy, or fill the memory,
// long after every deadline. OPA looks at no deadline within them.
func runaways() map[string]string {
	long := `concat("", [sprintf("%d", [1]) | some i in numbers.range(1, 150000)])`
	return map[string]string{
		"shift":                 `bits.lsh(1, 10000000000)`,
		"shift back":            `bits.rsh(to_number("1e600000000"), 1)`,
		"range":                 `count(numbers.range(1, 1000000000))`,
		"range with steps":      `count(numbers.range_step(1, 1000000000, 2))`,
		"huge range":            `count(numbers.range(1, 100000000000000000000000))`,
		"exponent from text":    `to_number("1e600000000") + 1`,
		"exponent from JSON":    `floor(json.unmarshal("1e600000000"))`,
		"exponent in a list":    `sum([to_number("1e600000000"), 1])`,
		"product":               `product([to_number("1e600000000"), 3])`,
		"squares":               doubling("99999999999999999999", "X*X", 40) + `x40`,
		"squares at once":       `product([n | some i in numbers.range(1, 100000); n := i * 12345678901234567])`,
		"doubled text":          doubling(`"a"`, `concat("", [X, X])`, 45) + `x45`,
		"printed text":          doubling(`"a"`, `sprintf("%s%s", [X, X])`, 45) + `x45`,
		"interpolated text":     doubling(`"a"`, `$"{X}{X}"`, 45) + `x45`,
		"replaced text":         doubling(`"aa"`, `replace(X, "a", "aa")`, 45) + `x45`,
		"replaced by a list":    doubling(`"aa"`, `strings.replace_n({"a": "aa"}, X)`, 45) + `x45`,
		"replaced by a pattern": doubling(`"aa"`, `regex.replace(X, "a", "aa")`, 45) + `x45`,
		"doubled list":          doubling(`[1]`, `array.concat(X, X)`, 45) + `x45`,
		"copies in a patch":     `json.patch({"a": 1}, [{"op": "copy", "from": "", "path": "/a"} | some i in numbers.range(1, 45)])`,
		"width":                 `sprintf("` + strings.Repeat("%999999d", 300) + `", numbers.range(1, 300))`,
		"width as argument":     `sprintf("` + strings.Repeat("%*d", 300) + `", [999999 | some i in numbers.range(1, 600)])`,
		"argument again":        `sprintf("` + strings.Repeat("%[1]s", 20000) + `", [` + long + `])`,
		"joined":                `concat(` + long + `, numbers_as_text)`,
		"pieces":                doubling(`"aaaaaaaaaa"`, `concat("", [X, X])`, 16) + `count(split(x16, ""))`,
		"pattern":               `regex.match("(([a-z]{30}){30}){30}x", ` + long + `)`,
		"pattern of options":    `regex.match("(a?){1000}a{1000}$", ` + long + `)`,
		"pattern that replaces": `regex.replace(` + long + `, "", "` + strings.Repeat("b", 10000) + `")`,
		"glob":                  `glob.match("*a*a*a*a*a*a*a*a*a*a*b", [], "` + strings.Repeat("a", 500) + `")`,
		"networks":              `net.cidr_contains_matches({sprintf("10.%d.%d.0/24", [a, b]) | some a in numbers.range(0, 60); some b in numbers.range(0, 60)}, {sprintf("10.%d.%d.0/24", [a, b]) | some a in numbers.range(0, 60); some b in numbers.range(0, 60)})`,
		"kept":                  `count([r | some i in numbers.range(1, 100000); r := numbers.range(1, 100000)]) < 0`,
	}
}

// What an evaluation cannot be stopped at, it is not given: none of these comes
// to the deadline, and each denies.
func TestRunawayBuiltins(t *testing.T) {
	bodies := runaways()
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		t.Run(name, func(t *testing.T) {
			body := bodies[name]
			rule := "package sallyport.rules.p\n\nnumbers_as_text := [sprintf(\"%d\", [i]) | some i in numbers.range(1, 1000)]\n\n" +
				"# METADATA\n# title: T\n# custom: {id: x}\ndeny contains {\"rule\": \"x\", \"message\": \"m\"} if {\n\t" + body + "\n}\n"
			e, err := New(Options{FS: packFS(rule), Packs: []string{"p"}, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if d := e.Decide(ctx, validInput()); d.Effect != Deny || d.Reason != ReasonError || !strings.Contains(d.Detail, bounded.Name+".") {
				t.Errorf("%s: %s", d.Reason, d.Detail)
			}
		})
	}
}

// A value that is shared within itself keeps the evaluation itself busy, without
// any built-in. The decision comes all the same, the engine decides nothing any
// more, and whoever runs it is told, once: here, a process that then ends.
func TestDeadlineIsADeadline(t *testing.T) {
	if os.Getenv("HANGING_RULE") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestDeadlineIsADeadline$", "-test.v")
		child.Env = append(os.Environ(), "HANGING_RULE=1")
		out, err := child.CombinedOutput()
		if err != nil || strings.Count(string(out), "told") != 1 || strings.Count(string(out), "deny policy_timeout") != 2 {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	rule := "package sallyport.rules.p\n\n# METADATA\n# title: T\n# custom: {id: x}\ndeny contains {\"rule\": \"x\", \"message\": \"m\"} if {\n\t" +
		doubling(`[1]`, `[X, X]`, 60) + "count(x60) == 3\n}\n"
	told := func() { fmt.Println("told") }
	e, err := New(Options{FS: packFS(rule), Packs: []string{"p"}, Timeout: 50 * time.Millisecond, Hung: told})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d := e.Decide(ctx, validInput())
		fmt.Println(d.Effect, d.Reason)
	}
	os.Exit(0) // with the evaluation, which nothing else ends
}

// What rules ordinarily compute is not bounded away.
func TestBoundsLeaveRoom(t *testing.T) {
	for _, body := range []string{
		`count(numbers.range(1, 100000)) == 100000`,
		`regex.match("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", "123e4567-e89b-12d3-a456-426614174000")`,
		`count(split(concat(",", [sprintf("%05d", [i]) | some i in numbers.range(1, 5000)]), ",")) == 5000`,
		`glob.match("**/secrets/*.py", ["/"], "home/me/src/secrets/a.py")`,
		`bits.lsh(1, 200) / bits.lsh(1, 199) == 2`,
		`json.unmarshal(json.marshal({"a": numbers.range(1, 1000)})).a[999] == 1000`,
		`replace(concat("", ["a" | some i in numbers.range(1, 1000)]), "a", "bb") != "a"`,
		`lower("X") == "x" with input.request.tool as upper("x")`,
		`round(1.5) * 2 == 4`,
	} {
		rule := "package sallyport.rules.p\n\n# METADATA\n# title: T\n# custom: {id: x}\ndeny contains {\"rule\": \"x\", \"message\": \"m\"} if {\n\t" + body + "\n}\n"
		if d := newEngine(t, rule).Decide(ctx, validInput()); d.Effect != Deny || d.Reason != ReasonPolicy {
			t.Errorf("%s: %s: %s", body, d.Reason, d.Detail)
		}
	}
}
