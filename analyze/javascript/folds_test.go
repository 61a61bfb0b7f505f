package javascript

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
)

// folds.js evaluates expressions.
//
//go:embed testdata/folds.js
var foldsScript string

// Pieces that engines, libraries of Go and people read differently.
var (
	foldedTexts = []string{`""`, `"a"`, `"constructor"`, `"ABC def"`, `"\u00855"`, `" 12 "`, `"0x1f"`, `"1e3"`, `"5e-7"`, `"-0"`, `"+5"`, `"٣"`, `"\ud83d"`, `"\ude00"`, `"😀"`, `"é"`, `"ẞß"`, `"İI"`, `"\ufeff7"`,
		`"%23"`, `"%41%zz"`, `"%u0041"`, `"YQ=="`, `"YQ==YQ=="`, `"Y Q"`, `"-_8"`, `"6a"`, `"6a7"`, `"\x1c x\x1f"`, `"a,b,,c"`, `"null"`, `"1,2"`, "`x${1}y`", `"$&"`, `"12abc"`, `"Infinity"`, `"9007199254740993"`, `"{\"z\":1,\"2\":[0,-0],\"z\":2}"`, `"[1,\"\\ud83d\"]"`}
	foldedNumbers = []string{`0`, `-0`, `1`, `-1`, `2`, `3`, `1.5`, `5e-7`, `1e21`, `123456789012345680000`, `0.1`, `4294967296`, `2147483648`, `9007199254740993`, `3n`, `9007199254740993n`, `010`, `0b11`, `1_000`, `NaN`, `Infinity`, `true`, `null`, `undefined`, `300`, `16`, `36`}
	foldedUnary   = []string{"+%s", "-%s", "!%s", "~%s", "typeof %s", "String(%s)", "Number(%s)", "parseInt(%s)", "parseFloat(%s)", "`${%s}`", "[%s].join()", "[%s,,2].join('-')", "({[%s]:1,b:2,1:3})", "1/(%s)", "!!%s", "String.fromCharCode(%s)", "decodeURI(%s)", "decodeURIComponent(%s)", "unescape(%s)", "atob(%s)", "btoa(%s)", "JSON.parse(%s)", "Object.keys(JSON.parse(%s))", "Buffer.from(%s).toString()", "Buffer.from([%s,1]).toString('hex')", "new String(%s).length"}
	foldedBinary  = []string{"%s+%s", "%s-%s", "%s*%s", "%s/(%s)", "%s%%(%s)", "(%s)**(%s)", "%s&%s", "%s|%s", "%s^%s", "%s<<%s", "%s>>%s", "%s>>>%s", "%s<%s", "%s==%s", "%s===%s", "parseInt(%s,%s)", "[%s,%s]", "[%s,%s].join()", "Buffer.from(%s,%s).toString()", "Buffer.from(%s,'utf16le').toString(%s)", "Buffer.from(%s,'latin1').toString(%s)", "Buffer.from(%s,'base64').toString(%s)", "Buffer.from(%s).toString(%s)"}
	foldedMethods = []string{"trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase", "split", "replace", "replaceAll", "repeat", "charAt", "at", "slice", "substring", "substr", "charCodeAt", "codePointAt", "indexOf", "concat", "normalize", "toString", "valueOf", "padStart", "lastIndexOf", "includes", "startsWith", "toFixed", "toPrecision"}
)

// foldedExpression makes one of depth.
func foldedExpression(r *rand.Rand, depth int) string {
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	if depth == 0 {
		if r.IntN(2) == 0 {
			return pick(foldedTexts)
		}
		return pick(foldedNumbers)
	}
	in := func() string { return "(" + foldedExpression(r, r.IntN(depth)) + ")" }
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf(pick(foldedUnary), in())
	case 1:
		return fmt.Sprintf(pick(foldedBinary), in(), in())
	case 2:
		return fmt.Sprintf("%s[%s]", in(), in())
	}
	args := make([]string, r.IntN(3))
	for i := range args {
		args[i] = in()
	}
	return fmt.Sprintf("%s.%s(%s)", in(), pick(foldedMethods), strings.Join(args, ","))
}

// TestFoldsAreNodes makes expressions of constants: what the analysis takes one for is
// what Node makes of it. FUZZ_PROGRAMS=100000 makes it a long search; SEED repeats one.
func TestFoldsAreNodes(t *testing.T) {
	node := startNode(t, foldsScript)
	a := analyze.New(Reader())
	seed := environmentNumber(t, "SEED", 1)
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	known := 0
	for round := environmentNumber(t, "FUZZ_PROGRAMS", 4000) / 200; round > 0; round-- {
		expressions := make([]string, 200)
		for i := range expressions {
			expressions[i] = foldedExpression(r, 1+r.IntN(3))
		}
		line, err := json.Marshal(expressions)
		if err != nil {
			t.Fatal(err)
		}
		var answers []*string
		if err := json.Unmarshal(node.tell(t, line), &answers); err != nil {
			t.Fatal(err)
		}
		for i, e := range expressions {
			if answers[i] == nil || len(*answers[i]) > 1000 {
				continue // it throws, or is cut in the facts
			}
			src, err := a.Canonical(analyze.JavaScript, analyze.Script, []byte("fetch("+e+")"))
			if err != nil {
				continue
			}
			f, err := a.Facts(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range f.Uses["globalThis.fetch"] {
				if len(u.Args) == 0 || !u.Args[0].Known {
					continue
				}
				known++
				var value strings.Builder
				encoder := json.NewEncoder(&value)
				encoder.SetEscapeHTML(false)
				if err := encoder.Encode(u.Args[0].Value); err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(value.String()); got != *answers[i] && !slices.Contains([]string{"-0", "0"}, *answers[i]) {
					t.Errorf("%s is %s, not %s", e, *answers[i], got)
				}
			}
		}
	}
	if known < 100 {
		t.Errorf("only %d were known", known)
	}
	t.Logf("%d known", known)
}
