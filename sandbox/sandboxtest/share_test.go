package sandboxtest

import (
	"slices"
	"testing"
)

// TestShare holds that those who share rows run each one between them, and every
// other one each; also where one of them attacks no limit.
func TestShare(t *testing.T) {
	t.Setenv("ROWS_ALL", "")
	const parts = 3
	ran := map[string]int{}
	for part := range parts {
		o := Options{Share: Share{part, parts}}
		if part == 1 {
			o.Only = Unlimited()
		}
		for _, r := range o.rows() {
			ran[r.Name]++
		}
	}
	within := 0
	for _, r := range Rows() {
		want := parts
		switch {
		case r.Within:
			want = 1
			within++
		case !slices.Contains(Unlimited(), r.Name):
			want--
		}
		if ran[r.Name] != want {
			t.Errorf("%q runs %d times, want %d", r.Name, ran[r.Name], want)
		}
	}
	if within == 0 {
		t.Error("no row is shared")
	}
	for _, all := range []func() Share{
		func() Share { return Share{} },
		func() Share { t.Setenv("ROWS_ALL", "1"); return Share{1, parts} },
	} {
		if got := all().of(Rows()); !slices.EqualFunc(got, Rows(), func(a, b Row) bool { return a.Name == b.Name }) {
			t.Errorf("%d rows, want all of them", len(got))
		}
	}
}
