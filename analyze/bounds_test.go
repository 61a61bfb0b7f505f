package analyze_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
)

// chain is a program of one line for each of n numbers; {i} is the number, {j}
// the next.
func chain(first, line, last string, n int) string {
	var b strings.Builder
	b.WriteString(first)
	for i := range n {
		b.WriteString(strings.NewReplacer("{i}", fmt.Sprint(i), "{j}", fmt.Sprint(i+1)).Replace(line))
	}
	return b.String() + strings.ReplaceAll(last, "{n}", fmt.Sprint(n))
}

// TestDeepFlows holds that no recursion is as deep as the source is long: a
// flow through thousands of names, members, containers, calls or classes is
// read in a stack of a few megabytes, or refused. A goroutine that needs more
// ends the test binary.
func TestDeepFlows(t *testing.T) {
	const stack = 2 << 20
	defer debug.SetMaxStack(debug.SetMaxStack(stack))
	limits := analyze.DefaultLimits()
	limits.Parse = time.Hour // a busy machine says nothing of a stack
	a := analyze.NewLimited(limits, python.Reader(), javascript.Reader())
	for _, tt := range []struct {
		name     string
		language analyze.Language
		code     string
		complete bool
	}{
		{"members", analyze.Python, "a" + strings.Repeat(".a", 300_000), false},
		{"members", analyze.JavaScript, "a" + strings.Repeat(".a", 300_000), false},
		{"blocks or objects", analyze.JavaScript, strings.Repeat("{a:", 330_000), false},
		{"conditions or functions", analyze.JavaScript, strings.Repeat("a?(b):c=>", 110_000), false},
		{"imports", analyze.Python, chain("", "import m{i}\n", "", 30_000), true},
		{"imports", analyze.JavaScript, chain("", "const m{i}=require('m{i}')\n", "", 30_000), true},
		{"imports of one", analyze.Python, "import " + chain("m", ",m{i}", "\n", 30_000), true},
		{"imports of one", analyze.JavaScript, chain("import {m", ",m{i}", "} from 'm'\n", 30_000), true},
		{"names", analyze.Python, chain("a0=len\n", "a{j}=a{i}\n", "a{n}(1)\n", 30_000), true},
		{"names", analyze.JavaScript, chain("let a0=eval\n", "let a{j}=a{i}\n", "a{n}(1)\n", 15_000), true},
		{"names backwards", analyze.Python, chain("", "def f{i}(): return f{j}()\n", "def f{n}(): return len\nf0()(1)\n", 20_000), false},
		{"names backwards", analyze.JavaScript, chain("", "function f{i}(){return f{j}()}\n", "function f{n}(){return eval}\nf0()(1)\n", 20_000), true},
		{"containers", analyze.Python, chain("import os\na0=[os]\n", "a{j}=[a{i}]\n", "f(a{n})\n", 40_000), true},
		{"containers", analyze.JavaScript, chain("let a0=[eval]\n", "let a{j}=[a{i}]\n", "f(a{n})\n", 40_000), true},
		{"dictionaries", analyze.Python, chain("a0={'k':1}\n", "a{j}={**a{i},'k':a{i}}\n", "f(**a{n})\n", 20_000), true},
		{"objects", analyze.JavaScript, chain("let a0={k:1}\n", "let a{j}={...a{i},k:a{i}}\n", "f(a{n})\n", 20_000), true},
		{"prototypes", analyze.JavaScript, chain("let a0={}\n", "let a{j}=Object.create(a{i})\n", "a{n}.x()\n", 25_000), true},
		{"classes", analyze.Python, chain("class A0: pass\n", "class A{j}(A{i}): pass\n", "A{n}().x()\n", 25_000), true},
		{"classes", analyze.JavaScript, chain("class A0{}\n", "class A{j} extends A{i}{}\n", "new A{n}().x()\n", 20_000), true},
		{"closures", analyze.JavaScript, chain("let a0=()=>eval\n", "let a{j}=()=>a{i}()\n", "a{n}()(1)\n", 25_000), true},
		{"bound", analyze.JavaScript, chain("let a0=(x)=>x\n", "let a{j}=a{i}.bind(0)\n", "a{n}(1)\n", 25_000), true},
		{"getters", analyze.JavaScript, chain("let a0={get g(){return eval}}\n", "let a{j}={get g(){return a{i}.g}}\n", "a{n}.g(1)\n", 15_000), true},
		{"partials", analyze.Python, chain("from functools import partial\na0=partial(len)\n", "a{j}=partial(a{i})\n", "a{n}(1)\n", 20_000), true},
		{"decorators", analyze.Python, chain("def d(f): return f\n", "@d\n", "def f(): pass\n", 30_000), true},
		{"configuration", analyze.Python, chain("import logging.config as c\na0={'class':'x'}\n", "a{j}={'a':a{i}}\n", "c.dictConfig(a{n})\n", 20_000), true},
		{"joined", analyze.JavaScript, chain("let a0=['x']\n", "let a{j}=[a{i}]\n", "require(a{n}.join())\n", 30_000), true},
		{"stored where it was", analyze.JavaScript, "const o=f();o.at=String.prototype.at;o.at=()=>eval;'a'.at(0)('1');o.at=Array.prototype.at.bind('a');[1].at(0)\n", true},
		{"stored under the next", analyze.JavaScript, chain("const o=f();\n", "o.a{i}=String.prototype.a{j}\n", "o.a{n}=String.prototype.a0;'a'.a0(1)\n", 10_000), true},
		{"stored under any", analyze.JavaScript, chain("const o=f();\n", "o[f()]=String.prototype.a{i}\n", "'a'.a0(1)\n", 100), true},
		{"iterators", analyze.JavaScript, chain("let a0=[1]\n", "let a{j}={[Symbol.iterator]:()=>a{i}};\n", "[...a{n}]\n", 12_000), true},
	} {
		t.Run(string(tt.language)+" "+tt.name, func(t *testing.T) {
			src, err := a.Canonical(tt.language, "", []byte(tt.code))
			if err != nil {
				t.Fatal(err)
			}
			f, err := a.Facts(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if tt.complete && !f.Complete && f.Syntax[0].Code != analyze.ProblemSteps {
				t.Errorf("not complete: %v", f.Syntax)
			}
			if !tt.complete && f.Complete {
				t.Error("complete, and yet deeper than any bound")
			}
		})
	}
}

// TestLongNames holds that a name which stands in many facts is bounded, or the source is not judged:
// a megabyte of it comes to no more than some times its size.
func TestLongNames(t *testing.T) {
	t.Parallel()
	py, js := python.Reader(), javascript.Reader()
	long, short := strings.Repeat("a", 100_000), strings.Repeat("a", 1000)
	uses := func(use string) string { return strings.Repeat(use+"\n", 2000) }
	for name, tt := range map[string]struct {
		reader  *analyze.Reader
		code    string
		refused bool
	}{
		"module, Python":     {py, "import " + long + " as x\n" + uses("x.b"), true},
		"named, Python":      {py, "x = __import__('" + long + "')\n" + uses("x.b()"), true},
		"class, Python":      {py, "import os\nclass " + long + ":\n" + uses(" os.getcwd()"), true},
		"classes, Python":    {py, "import os\n" + "class " + short + ":\n class " + short + ":\n  class " + short + ":\n   class " + short + ":\n" + uses("    os.getcwd()"), false},
		"argument, Python":   {py, "import os\nk = '" + long + "'\n" + uses("os.stat(k)"), false},
		"member, Python":     {py, "import os\nx = getattr(os, '" + long + "')\n" + uses("x.b()"), false},
		"module, JavaScript": {js, "import {" + strings.TrimSuffix(strings.ReplaceAll(uses("b,"), "\n", ""), ",") + "} from 'node:" + long + "'\n", true},
		"class, JavaScript":  {js, "const fs = require('fs'); class " + long + " { static {\n" + uses("fs.statSync('a')") + "}}", true},
		"argument":           {js, "const fs = require('fs'), k = '" + long + "'\n" + uses("fs.statSync(k)"), false},
		"member":             {js, "const x = require('fs')['" + long + "']\n" + uses("x.b()"), false},
	} {
		f := analyzetest.Facts(t, tt.reader, tt.code)
		if refused := slices.ContainsFunc(f.Syntax, func(p analyze.Problem) bool { return p.Code == analyze.ProblemName }); refused != tt.refused {
			t.Errorf("%s: refused is %v: %v", name, refused, f.Syntax)
		}
		if size := len(analyzetest.Encode(t, f)); size > 20<<20 {
			t.Errorf("%s: %d bytes of facts", name, size)
		}
	}
}
