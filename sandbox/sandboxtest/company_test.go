package sandboxtest

import (
	"reflect"
	"slices"
	"testing"

	"sallyport/sandbox"
)

// TestCompanies holds that rows in company ask for the same sandbox, each of them
// being judged by the run of the first one's.
func TestCompanies(t *testing.T) {
	rows := append(Rows(), newOutside(t).rows(t, WaySupervised)...)
	for name, c := range companies(rows) {
		if name == "" {
			continue
		}
		if len(c.rows) < 2 {
			t.Errorf("%q is alone in %q", c.rows[0].Name, name)
		}
		asked := func(r Row) sandbox.Spec {
			r.Code = ""
			return r.spec(World{}, Options{})
		}
		for _, r := range c.rows[1:] {
			want, got := asked(c.rows[0]), asked(r)
			if (want.Egress == nil) != (got.Egress == nil) {
				t.Errorf("%q reaches hosts, or %q does, and not the other", r.Name, c.rows[0].Name)
			}
			want.Egress, got.Egress = nil, nil // its functions compare with nothing
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%q asks for %+v, %q for %+v", r.Name, got, c.rows[0].Name, want)
			}
			if r.Stopped || r.Hooked || !slices.Contains([]string{"python", "javascript"}, r.Language) {
				t.Errorf("%q is not for company", r.Name)
			}
		}
	}
}
