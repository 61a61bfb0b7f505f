package sandbox

import (
	"reflect"
	"testing"
)

// Every field of Limits gets its default and tightens, also one added later.
func TestLimitsMeet(t *testing.T) {
	fill := func(n int64) Limits {
		var l Limits
		v := reflect.ValueOf(&l).Elem()
		for i := range v.NumField() {
			v.Field(i).SetInt(n)
		}
		return l
	}
	for _, tt := range []struct {
		name      string
		got, want Limits
	}{
		{"zero takes the other", fill(0).Tighten(fill(5)), fill(5)},
		{"other zero changes nothing", fill(5).Tighten(fill(0)), fill(5)},
		{"smaller wins", fill(5).Tighten(fill(3)), fill(3)},
		{"larger does not", fill(5).Tighten(fill(9)), fill(5)},
		{"defaults fill what is open", fill(0).WithDefaults(), defaultLimits},
		{"and nothing else", fill(7).WithDefaults(), fill(7)},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, tt.got, tt.want)
		}
	}
	v := reflect.ValueOf(defaultLimits)
	for i := range v.NumField() {
		if v.Field(i).Int() <= 0 {
			t.Errorf("no default for %s: there is no unlimited", v.Type().Field(i).Name)
		}
	}
}
