package frame

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const (
	testKey  = "\xff123456789abcdef"
	otherKey = "\xffabcdef123456789"
)

func one(tag byte, value string) string { return string(Append(nil, tag, []byte(value))) }

var reportCases = []struct{ name, in, rest, told string }{
	{"nothing", "", "", ""},
	{"a key alone", one('k', testKey), "", ""},
	{"a report", one('k', testKey) + testKey + one('v', "a"), "", one('v', "a")},
	{"files and reports", one('k', testKey) + one('p', "a") + testKey + one('v', "a") + testKey + one('s', "b") + one('d', "x"), one('p', "a") + one('d', "x"), one('v', "a") + one('s', "b")},
	{"in the midst of a file", one('k', testKey) + "d\x00\x00\x00\x04ab" + testKey + one('s', "a") + "cd", one('d', "abcd"), one('s', "a")},
	{"behind a lie about a size", one('k', testKey) + "d\x3f\xff\xff\xff" + testKey + one('s', "a"), "d\x3f\xff\xff\xff", one('s', "a")},
	{"behind the end of files", one('k', testKey) + one('z', "0") + testKey + one('s', "a"), one('z', "0"), one('s', "a")},
	{"behind the beginning of the key", one('k', testKey) + testKey[:9] + testKey + one('s', "a"), testKey[:9], one('s', "a")},
	{"without the key", one('k', testKey) + one('s', "a"), one('s', "a"), ""},
	{"with another key", one('k', testKey) + otherKey + one('s', "a"), otherKey + one('s', "a"), ""},
	{"with a second key", one('k', testKey) + one('k', otherKey) + otherKey + one('s', "a"), one('k', otherKey) + otherKey + one('s', "a"), ""},
	{"no key", one('s', "a") + one('k', testKey) + testKey + one('s', "b"), one('s', "a") + one('k', testKey) + testKey + one('s', "b"), ""},
	{"too long a key", one('k', testKey+"x") + testKey + one('s', "a"), one('k', testKey+"x") + testKey + one('s', "a"), ""},
	{"too long a report", one('k', testKey) + testKey + one('s', strings.Repeat("x", MaxReport+1)), testKey + one('s', strings.Repeat("x", MaxReport+1)), ""},
	{"half a report", one('k', testKey) + testKey + one('s', "abc")[:7], testKey + one('s', "abc")[:7], ""},
	{"half a key", one('k', testKey) + "ab" + testKey[:5], "ab" + testKey[:5], ""},
}

// TestReports holds what counts as told by hooks, however it comes in pieces.
func TestReports(t *testing.T) {
	for _, tt := range reportCases {
		for how, in := range map[string]io.Reader{"at once": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)), "with its end": iotest.DataErrReader(strings.NewReader(tt.in))} {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				r := &Reports{Reader: in}
				rest, err := io.ReadAll(r)
				if err != nil || string(rest) != tt.rest || string(r.Told) != tt.told {
					t.Errorf("%v; the rest:\n%stold:\n%s", err, cmp.Diff(tt.rest, string(rest)), cmp.Diff(tt.told, string(r.Told)))
				}
			})
		}
	}
}

// TestReportsDoNotWait passes on what is no report before more comes.
func TestReportsDoNotWait(t *testing.T) {
	in, out := io.Pipe()
	go func() { _, _ = io.WriteString(out, one('k', testKey)+one('z', "0")) }()
	r := &Reports{Reader: in}
	got := make([]byte, 6)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != one('z', "0") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReportsKeepTheirKey hears in a second reader by the key of the first, as of a
// session's next cell, and keeps no more than there is room for.
func TestReportsKeepTheirKey(t *testing.T) {
	r := &Reports{Reader: strings.NewReader(strings.Repeat(testKey+one('v', "a"), MaxReports)), Key: []byte(testKey)}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 || len(r.Told) == 0 || len(r.Told) > MaxReports {
		t.Errorf("%v, %d bytes of the rest, %d told", err, len(rest), len(r.Told))
	}
}

func FuzzReports(f *testing.F) {
	for _, tt := range reportCases {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		once, slowly := &Reports{Reader: bytes.NewReader(in)}, &Reports{Reader: iotest.OneByteReader(bytes.NewReader(in))}
		rest, _ := io.ReadAll(once)
		again, _ := io.ReadAll(slowly)
		if !bytes.Equal(rest, again) || !bytes.Equal(once.Told, slowly.Told) {
			t.Errorf("%q and %q told, %q and %q left", once.Told, slowly.Told, rest, again)
		}
	})
}
