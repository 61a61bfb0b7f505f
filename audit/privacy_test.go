package audit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMask(t *testing.T) {
	rec := decision(1)
	rec.Verdict.Findings = append(rec.Verdict.Findings, Finding{Rule: "py.secret", Message: "token hunter2", Line: 3})
	rec.Verdict.Exceptions = []string{"x-1", "x-2"}
	rec.Approval = &Approval{ID: "Q", By: &Principal{Name: "Grace", How: "oauth"}, Reason: "seen it"}
	rec.Egress, rec.Cell = &Egress{Method: "GET", Path: "/users/grace"}, &Cell{Session: "S", Name: "grace-1"}
	tests := []struct {
		name   string
		rules  []MaskRule
		masked []string
		gone   []string
		edit   func(*Record)
	}{
		{"remove", []MaskRule{{Path: "/caller/user"}}, []string{"/caller/user"}, []string{"ana"},
			func(r *Record) { r.Caller.User = "" }},
		{"replace", []MaskRule{{Path: "/caller/user", Replacement: "***"}}, []string{"/caller/user"}, []string{"ana"},
			func(r *Record) { r.Caller.User = "***" }},
		{"every element", []MaskRule{{Path: "/verdict/findings/*/message", Replacement: "-"}},
			[]string{"/verdict/findings/0/message", "/verdict/findings/1/message"}, []string{"hunter2", "starts a process"},
			func(r *Record) { r.Verdict.Findings[0].Message, r.Verdict.Findings[1].Message = "-", "-" }},
		{"one element", []MaskRule{{Path: "/verdict/exceptions/1"}}, []string{"/verdict/exceptions/1"}, []string{"x-2"},
			func(r *Record) { r.Verdict.Exceptions = []string{"x-1"} }},
		{"a number is removed", []MaskRule{{Path: "/caller/pid", Replacement: "***"}}, []string{"/caller/pid"}, []string{"4711"},
			func(r *Record) { r.Caller.PID = 0 }},
		{"a whole member", []MaskRule{{Path: "/verdict/findings"}}, []string{"/verdict/findings"}, []string{"hunter2"},
			func(r *Record) { r.Verdict.Findings = nil }},
		{"an approver", []MaskRule{{Path: "/approval/by/name", Replacement: "***"}, {Path: "/approval/reason"}}, []string{"/approval/by/name", "/approval/reason"}, []string{"Grace", "seen it"},
			func(r *Record) { r.Approval = &Approval{ID: "Q", By: &Principal{Name: "***", How: "oauth"}} }},
		{"a request", []MaskRule{{Path: "/egress/path"}}, []string{"/egress/path"}, []string{"/users/grace"},
			func(r *Record) { r.Egress = &Egress{Method: "GET"} }},
		{"a session's name", []MaskRule{{Path: "/cell/name"}}, []string{"/cell/name"}, []string{"grace-1"},
			func(r *Record) { r.Cell = &Cell{Session: "S"} }},
		{"nothing there", []MaskRule{{Path: "/run/error"}, {Path: "/caller/nobody"}}, nil, nil, func(*Record) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			got, err := openLog(t, Options{Dir: dir, Mask: tt.rules}).Append(t.Context(), rec)
			check(t, err)
			want := rec
			verdict := *rec.Verdict
			verdict.Findings = append([]Finding(nil), rec.Verdict.Findings...)
			want.Verdict, want.Masked = &verdict, tt.masked
			tt.edit(&want)
			want.Version, want.Seq, want.ID, want.Time, want.Hash = got.Version, got.Seq, got.ID, got.Time, got.Hash
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			for _, word := range tt.gone {
				if strings.Contains(string(lastSegment(t, dir)), word) {
					t.Errorf("%q is in the file", word)
				}
			}
			wantIntact(t, dir, 1)
		})
	}
}

func TestMaskRefusesWhatCarriesTheChain(t *testing.T) {
	for _, path := range []string{"", "caller", "/", "/seq", "/event", "/id", "/time", "/prev", "/hash", "/decision", "/change/kind", "/masked", "/cell", "/cell/session", "/approval", "/approval/id", "/approval/asked/replica", "/in_force", "/*/by", "/callers"} {
		if _, err := Open(Options{Dir: t.TempDir(), Mask: []MaskRule{{Path: path}}}); err == nil {
			t.Errorf("Open() accepts a mask of %q", path)
		}
	}
}
