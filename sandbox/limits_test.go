package sandbox

import (
	"reflect"
	"testing"
)

// Every field of Limits gets its default, also one added later.
func TestLimitsHaveDefaults(t *testing.T) {
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
		{"defaults fill what is open", fill(0).WithDefaults(), defaultLimits},
		{"a negative bound is none", fill(-1).WithDefaults(), defaultLimits},
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
