package oci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSubordinate reads files such as /etc/subuid.
func TestSubordinate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "subuid")
	if err := os.WriteFile(file, []byte("# ann:1:1\nbob:200000:65536\n1001:300000:65536\nroot:0:1\nbroken:x:1\nshort:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		names []string
		want  uint32 // 0: none
	}{
		{[]string{"bob", "1000"}, 200000}, {[]string{"carol", "1001"}, 300000}, {[]string{"ann", "1002"}, 0},
		{[]string{"root", "0"}, 0}, {[]string{"broken", "1003"}, 0}, {[]string{"short", "1004"}, 0},
	} {
		got, err := subordinate(file, tt.names...)
		if got != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("subordinate(%q) = %d, %v, want %d", tt.names, got, err, tt.want)
		}
	}
	if _, err := subordinate(filepath.Join(t.TempDir(), "nosuch"), "bob"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("without a file: %v", err)
	}
}

// TestWayIsKept: what was found out is not found out again, until something that
// it depends on has changed.
func TestWayIsKept(t *testing.T) {
	o := options(t, "runc")
	first := open(t, o)
	file := filepath.Join(o.StateDir, "runtime-runc.json")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w, ok := known(file, first.circumstances())
	if !ok || w.Cgroup != first.posture.Cgroup {
		t.Errorf("known = %+v, %v", w, ok)
	}
	if _, ok := known(file, first.circumstances()+" and more"); ok {
		t.Error("what was found out under other circumstances is believed")
	}
	if _, ok := known(file, ""); ok {
		t.Error("what was found out under unknown circumstances is believed")
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := open(t, o)
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) || second.posture.Cgroup != first.posture.Cgroup {
		t.Errorf("%v: %s, want %s", err, after, before)
	}
}
