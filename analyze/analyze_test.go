package analyze_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		reader *analyze.Reader
		code   string
		want   string
	}{
		{python.Reader(), "import os as o\no.system('id')", "os.system"},
		{python.Reader(), "from os import system as s\ns('id')", "os.system"},
		{python.Reader(), "import os.path\nos.path.join('a')", "os.path.join"},
		{python.Reader(), "eval('1')", "builtins.eval"},
		{javascript.Reader(), "const cp = require('child_process'); cp.exec('id')", "node:child_process.exec"},
		{javascript.Reader(), "const { exec } = require('node:child_process'); exec('id')", "node:child_process.exec"},
		{javascript.Reader(), "eval('1')", "globalThis.eval"},
	} {
		f := analyzetest.Facts(t, tt.reader, tt.code)
		if !slices.Contains(f.Names, tt.want) {
			t.Errorf("%s: names %q, want %q", tt.code, f.Names, tt.want)
		}
		if !f.Complete {
			t.Errorf("%s: not complete: %v", tt.code, f.Syntax)
		}
	}
}

func TestIncomplete(t *testing.T) {
	for _, tt := range []struct {
		name   string
		reader *analyze.Reader
		code   string
		want   string
	}{
		{"error", python.Reader(), "x = = 1\n", analyze.ProblemSyntax},
		{"depth", python.Reader(), "x" + strings.Repeat(".a", 10_000), analyze.ProblemDepth},
		{"jsx", javascript.Reader(), "x = <a/>", analyze.ProblemSyntax},
	} {
		f := analyzetest.Facts(t, tt.reader, tt.code)
		if f.Complete || len(f.Syntax) == 0 || f.Syntax[0].Code != tt.want {
			t.Errorf("%s: complete %v, syntax %v, want %s", tt.name, f.Complete, f.Syntax, tt.want)
		}
	}
}

func TestFactsCancelled(t *testing.T) {
	a := analyze.New(python.Reader(), javascript.Reader())
	src, err := a.Canonical(analyze.Python, "", []byte("x = 1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Facts(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("Facts with a cancelled context: %v", err)
	}
	if _, err := a.Facts(context.Background(), analyze.Source{}); err == nil {
		t.Error("the zero Source was analysed")
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		lang analyze.Language
		code string
		want string
	}{
		{"language", "perl", "1", analyze.RefusedLanguage},
		{"empty", analyze.Python, " \n\t", analyze.RefusedEmpty},
		{"size", analyze.Python, strings.Repeat("#", analyze.MaxSourceBytes+1), analyze.RefusedSize},
		{"utf-8", analyze.Python, "x = '\xff'", analyze.RefusedEncoding},
		{"overlong", analyze.JavaScript, "x = '\xc0\x80'", analyze.RefusedEncoding},
		{"nul", analyze.Python, "x = 1 # \x00", analyze.RefusedControl},
		{"next line", analyze.Python, "x = 1 # \u0085", analyze.RefusedControl},
		{"lone return", analyze.Python, "# x\rimport os", analyze.RefusedReturn},
		{"last return", analyze.Python, "x = 1\r", analyze.RefusedReturn},
		{"bidi", analyze.JavaScript, "// \u202e", analyze.RefusedBidi},
		{"separator", analyze.JavaScript, "// \u2028 x", analyze.RefusedHidden},
		{"second mark", analyze.Python, "\ufeff\ufeffx = 1", analyze.RefusedMark},
	} {
		_, err := analyze.New(python.Reader(), javascript.Reader()).Canonical(tt.lang, "", []byte(tt.code))
		var r *analyze.Refusal
		if !errors.As(err, &r) || r.Code != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestCanonicalNormalises(t *testing.T) {
	src, err := analyze.New(python.Reader(), javascript.Reader()).Canonical(analyze.Python, "", []byte("\ufeffx = 1\r\ny = 'é'\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "x = 1\ny = 'é'\n"; src.Text() != want {
		t.Errorf("text %q, want %q", src.Text(), want)
	}
}

func TestLanguageOf(t *testing.T) {
	for _, tt := range []struct {
		name, first string
		lang        analyze.Language
		goal        analyze.Goal
	}{
		{"a.py", "", analyze.Python, analyze.Script},
		{"a.MJS", "", analyze.JavaScript, analyze.Module},
		{"a.cjs", "", analyze.JavaScript, analyze.Script},
		{"a.js", "#!/usr/bin/python3", analyze.JavaScript, ""},
		{"a", "#!/usr/bin/env -S python3.12 -I\n", analyze.Python, analyze.Script},
		{"a", "#! /usr/bin/node", analyze.JavaScript, ""},
		{"a.txt", "python", "", ""},
	} {
		if lang, goal := analyze.LanguageOf(tt.name, []byte(tt.first)); lang != tt.lang || goal != tt.goal {
			t.Errorf("LanguageOf(%q, %q) = %q, %q, want %q, %q", tt.name, tt.first, lang, goal, tt.lang, tt.goal)
		}
	}
}
