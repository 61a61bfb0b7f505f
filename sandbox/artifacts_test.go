package sandbox

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func frame(tag byte, value string) string {
	return string(binary.BigEndian.AppendUint32([]byte{tag}, uint32(len(value)))) + value
}

var artifactCases = []struct {
	name, in string
	want     Artifacts
}{
	{"nothing", "", Artifacts{}},
	{"a file", frame('p', "a.txt") + frame('d', "hello") + frame('z', "2"), Artifacts{Files: []File{{Path: "a.txt", Data: []byte("hello"), MediaType: "text/plain; charset=utf-8"}}, Dropped: 2, Complete: true}},
	{"after the end", frame('z', "0") + frame('p', "a") + frame('d', "b"), Artifacts{Complete: true}},
	{"escape", frame('p', "../a") + frame('d', "x") + frame('p', "/etc/passwd") + frame('d', "x") + frame('p', "a/../b") + frame('d', "x") + frame('p', "a\nb") + frame('d', "x"), Artifacts{Dropped: 4}},
	{"no path", frame('d', "x"), Artifacts{Dropped: 1}},
	{"twice", frame('p', "a") + frame('d', "") + frame('p', "a") + frame('d', "x"), Artifacts{Files: []File{{Path: "a", Data: []byte{}, MediaType: "text/plain; charset=utf-8"}}, Dropped: 1}},
	{"too large", frame('p', "a") + frame('d', strings.Repeat("x", 11)), Artifacts{Dropped: 1}},
	{"a lie about its size", "d\xff\xff\xff\xffabc", Artifacts{}},
	{"garbage", "hello, this is no frame", Artifacts{}},
	{"negative count", frame('z', "-5"), Artifacts{}},
	{"limits", frame('l', "pids") + frame('l', "disk") + frame('l', "pids") + frame('l', "exited"), Artifacts{Held: []Reason{Pids, Disk}}},
	{"violations", frame('v', "process os.system") + frame('v', "process os.system") + frame('v', "money bank"), Artifacts{Violations: []Violation{{"process", "os.system"}}}},
}

func TestReadArtifacts(t *testing.T) {
	for _, tt := range artifactCases {
		t.Run(tt.name, func(t *testing.T) {
			got := ReadArtifacts(strings.NewReader(tt.in), Limits{ArtifactBytes: 10, ArtifactCount: 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzReadArtifacts(f *testing.F) {
	for _, tt := range artifactCases {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		l := Limits{ArtifactBytes: 1000, ArtifactCount: 3}
		got := ReadArtifacts(bytes.NewReader(in), l)
		var total int64
		for _, file := range got.Files {
			if err := CheckPath(file.Path); err != nil {
				t.Errorf("%q: %v", file.Path, err)
			}
			total += int64(len(file.Data))
		}
		if total > l.ArtifactBytes || int64(len(got.Files)) > l.ArtifactCount || len(got.Violations) > maxViolations {
			t.Errorf("%d bytes in %d files, %d violations", total, len(got.Files), len(got.Violations))
		}
	})
}
