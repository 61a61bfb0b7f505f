package analyze

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// facts canonicalises and reads code, which must not be refused.
func facts(t testing.TB, lang Language, code string) Facts {
	t.Helper()
	a := New()
	src, err := a.Canonical(lang, "", []byte(code))
	if err != nil {
		t.Fatalf("Canonical(%q): %v", code, err)
	}
	f, err := a.Facts(context.Background(), src)
	if err != nil {
		t.Fatalf("Facts(%q): %v", code, err)
	}
	return f
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		lang Language
		code string
		want string
	}{
		{Python, "import os as o\no.system('id')", "os.system"},
		{Python, "from os import system as s\ns('id')", "os.system"},
		{Python, "import os.path\nos.path.join('a')", "os.path.join"},
		{Python, "eval('1')", "builtins.eval"},
		{JavaScript, "const cp = require('child_process'); cp.exec('id')", "node:child_process.exec"},
		{JavaScript, "const { exec } = require('node:child_process'); exec('id')", "node:child_process.exec"},
		{JavaScript, "eval('1')", "globalThis.eval"},
	} {
		f := facts(t, tt.lang, tt.code)
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
		name string
		lang Language
		code string
		want string
	}{
		{"error", Python, "x = = 1\n", ProblemSyntax},
		{"depth", Python, "x" + strings.Repeat(".a", 10_000), ProblemDepth},
		{"jsx", JavaScript, "x = <a/>", ProblemUnknown},
	} {
		f := facts(t, tt.lang, tt.code)
		if f.Complete || len(f.Syntax) == 0 || f.Syntax[0].Code != tt.want {
			t.Errorf("%s: complete %v, syntax %v, want %s", tt.name, f.Complete, f.Syntax, tt.want)
		}
	}
}

func TestFactsCancelled(t *testing.T) {
	a := New()
	src, err := a.Canonical(Python, "", []byte("x = 1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Facts(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("Facts with a cancelled context: %v", err)
	}
	if _, err := a.Facts(context.Background(), Source{}); err == nil {
		t.Error("the zero Source was analysed")
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		lang Language
		code string
		want string
	}{
		{"language", "perl", "1", RefusedLanguage},
		{"empty", Python, " \n\t", RefusedEmpty},
		{"size", Python, strings.Repeat("#", MaxSourceBytes+1), RefusedSize},
		{"utf-8", Python, "x = '\xff'", RefusedEncoding},
		{"overlong", JavaScript, "x = '\xc0\x80'", RefusedEncoding},
		{"nul", Python, "x = 1 # \x00", RefusedControl},
		{"next line", Python, "x = 1 # \u0085", RefusedControl},
		{"lone return", Python, "# x\rimport os", RefusedReturn},
		{"last return", Python, "x = 1\r", RefusedReturn},
		{"bidi", JavaScript, "// \u202e", RefusedBidi},
		{"separator", JavaScript, "// \u2028 x", RefusedHidden},
		{"second mark", Python, "\ufeff\ufeffx = 1", RefusedMark},
	} {
		_, err := New().Canonical(tt.lang, "", []byte(tt.code))
		var r *Refusal
		if !errors.As(err, &r) || r.Code != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestCanonicalNormalises(t *testing.T) {
	src, err := New().Canonical(Python, "", []byte("\ufeffx = 1\r\ny = 'é'\r\n"))
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
		lang        Language
		goal        Goal
	}{
		{"a.py", "", Python, Script},
		{"a.MJS", "", JavaScript, Module},
		{"a.cjs", "", JavaScript, Script},
		{"a.js", "#!/usr/bin/python3", JavaScript, ""},
		{"a", "#!/usr/bin/env -S python3.12 -I\n", Python, Script},
		{"a", "#! /usr/bin/node", JavaScript, ""},
		{"a.txt", "python", "", ""},
	} {
		if lang, goal := LanguageOf(tt.name, []byte(tt.first)); lang != tt.lang || goal != tt.goal {
			t.Errorf("LanguageOf(%q, %q) = %q, %q, want %q, %q", tt.name, tt.first, lang, goal, tt.lang, tt.goal)
		}
	}
}

func TestColumnsCountCodePoints(t *testing.T) {
	text := strings.Repeat("é", 100) + "\n日本x"
	if got, want := newLines(text).span(len(text)-1, len(text)), (Span{2, 3, 2, 4}); got != want {
		t.Errorf("span %v, want %v", got, want)
	}
	if _, column := newLines(text).position(198); column != 100 {
		t.Errorf("column %d, want 100", column)
	}
}
