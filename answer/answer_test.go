package answer

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"sallyport/gate"
	"sallyport/sandbox"
)

// Whatever character there is: what comes out does nothing to a terminal, does
// not turn the direction of writing, and can be seen.
func TestVisible(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if !utf8.ValidRune(c) {
			continue
		}
		for _, out := range Visible(string(c)) {
			if unicode.In(out, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Bidi_Control,
				unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || unicode.IsSpace(out) && out != ' ' {
				t.Fatalf("U+%04X is shown with %U in it", c, out)
			}
		}
	}
	for in, want := range map[string]string{
		"plot 1 – größer.png": "plot 1 – größer.png",
		"a\tb\nc":             "a b<U+000A>c",
		"\x1b]52;c;Yw==\a":    "<U+001B>]52;c;Yw==<U+0007>",
		"exe\u202egpj":        "exe<U+202E>gpj",
		"a\ufe01b\u3164c":     "a<U+FE01>b<U+3164>c",
		"\xff":                "\uFFFD",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got := VisibleLines("a\n\x1b[2Jb\n"); got != "a\n<U+001B>[2Jb\n" {
		t.Errorf("VisibleLines = %q", got)
	}
}

// A file that may be half is said to be, and makes the answer incomplete.
func TestAtLimit(t *testing.T) {
	whole, cut := sandbox.File{Path: "whole"}, sandbox.File{Path: "cut\u202e", AtLimit: true}
	for _, tt := range []struct {
		files []sandbox.File
		lost  int
	}{{[]sandbox.File{whole}, 0}, {[]sandbox.File{whole, cut}, 1}} {
		r := New(gate.Answer{Result: &sandbox.Result{Reason: sandbox.Exited, Artifacts: tt.files}}, nil).Result
		if lost := r.Lost(); r.Incomplete != (tt.lost > 0) || len(lost) != tt.lost || tt.lost > 0 && !strings.HasPrefix(lost[0], "cut<U+202E> is as large as limits.file_mb") {
			t.Errorf("%d files: incomplete %v, %q", len(tt.files), r.Incomplete, lost)
		}
	}
}

// Every way in which a run can end has a status and a clause of its own, of
// which a sentence can be made; a reason that nobody knows is no success.
func TestEnding(t *testing.T) {
	seen := map[string]sandbox.Reason{}
	for _, reason := range []sandbox.Reason{sandbox.Exited, sandbox.TimedOut, sandbox.CPU, sandbox.Memory, sandbox.Pids, sandbox.Output,
		sandbox.Disk, sandbox.Files, sandbox.Killed, sandbox.Cancelled, sandbox.Mismatch, "", "newer than this"} {
		res := sandbox.Result{Reason: reason, Signal: 9, UnknownIdentifiers: []string{"ev\u202eal"}}
		end := New(gate.Answer{Result: &res, Durations: gate.Durations{Run: 90 * time.Second}}, nil).Ending()
		if (end.Status == OK) != (reason == sandbox.Exited) {
			t.Errorf("%q: status %s", reason, end.Status)
		}
		if other, ok := seen[end.Clause]; ok && end.Status != Unknown {
			t.Errorf("%q and %q end in the same words: %s", reason, other, end.Clause)
		}
		seen[end.Clause] = reason
		if s := Sentence(end.Clause); !unicode.IsUpper([]rune(s)[0]) || !strings.HasSuffix(s, ".") || strings.Contains(s, "\u202e") {
			t.Errorf("%q: %s", reason, s)
		}
	}
	if end := New(gate.Answer{Result: &sandbox.Result{Reason: sandbox.Exited, Exit: 3}}, nil).Ending(); end.Status != Failed {
		t.Errorf("exit 3 is %s", end.Status)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 1500 * time.Microsecond: "1.5 ms", 30 * time.Second: "30 s", 1234 * time.Millisecond: "1.23 s",
		time.Minute: "1 minute", 10 * time.Minute: "10 minutes", 90 * time.Second: "90 s", 150 * time.Second: "2.5 minutes", time.Hour: "1 hour", 100 * time.Minute: "100 minutes",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%s) = %q, want %q", d, got, want)
		}
	}
}
