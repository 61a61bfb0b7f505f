package main

import (
	"strings"
	"testing"

	"sallyport/internal/report"
)

// All is well only when nothing failed and nothing warns.
func TestAllIsWell(t *testing.T) {
	for _, tt := range []struct {
		found []string
		want  string
		well  bool
	}{
		{[]string{statusOK, statusOK}, "2 checks, and all is well", true},
		{[]string{statusOK, statusWarn}, "2 checks, none failed; 1 warning\n", false},
		{[]string{statusWarn, statusFail}, "1 check failed of 2 checks\n", false},
	} {
		x := &examination{}
		for _, status := range tt.found {
			x.add(status, "check", "detail", "")
		}
		var out strings.Builder
		writeExamination(report.NewText(&out, report.Style{}), x)
		if !strings.Contains(out.String(), tt.want) || strings.Contains(out.String(), "all is well") != tt.well {
			t.Errorf("%v: %s", tt.found, out.String())
		}
	}
}
