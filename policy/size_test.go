package policy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// packed is a bundle of files, of which each is as long as it is said to be, and of what else there is to be in it.
func packed(t *testing.T, files func(add func(name string, size int64, text io.Reader)), others ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	tw := tar.NewWriter(gz)
	files(func(name string, size int64, text io.Reader) {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(tw, text, size); err != nil {
			t.Fatal(err)
		}
	})
	for _, h := range others {
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// again gives the same text for ever.
type again string

func (a again) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		n += copy(b[n:], a)
	}
	return len(b), nil
}

// A bundle is refused while it is read: what it would become in memory never
// comes into being.
func TestBundleBounds(t *testing.T) {
	for name, files := range map[string]func(add func(string, int64, io.Reader)){
		"one large file": func(add func(string, int64, io.Reader)) { add("a.txt", 64<<20, again("0000")) },
		"many large files": func(add func(string, int64, io.Reader)) {
			for i := range 100 {
				add(fmt.Sprintf("%d/data.json", i), 4<<20, again("    "))
			}
		},
		"many files": func(add func(string, int64, io.Reader)) {
			for i := range maxFiles + 1 {
				add(fmt.Sprintf("%d.txt", i), 0, again("x"))
			}
		},
		"many rules":      func(add func(string, int64, io.Reader)) { add("a.rego", 3<<20, again("a:=1\n")) },
		"many values":     func(add func(string, int64, io.Reader)) { add("data.json", 3<<20, again("[],")) },
		"many signatures": func(add func(string, int64, io.Reader)) { add(".signatures.json", 3<<20, again("[],")) },
	} {
		t.Run(name, func(t *testing.T) {
			text := packed(t, files)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := LoadBundle(bytes.NewReader(text), "b", nil)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), "larger than") && !strings.Contains(err.Error(), "more than") {
				t.Errorf("%v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("a bundle of %d bytes took %d bytes", len(text), took)
			}
		})
	}
}

// What is no file of a bundle nobody has signed, whatever a reader makes of it.
func TestOnlyFilesInABundle(t *testing.T) {
	for name, kind := range map[string]byte{"a link": tar.TypeSymlink, "a hard link": tar.TypeLink, "a device": tar.TypeChar, "a pipe": tar.TypeFifo, "a directory": tar.TypeDir, "what git says of an archive": tar.TypeXGlobalHeader} {
		other := tar.Header{Name: "b.rego", Linkname: "/etc/passwd", Typeflag: kind}
		if kind == tar.TypeXGlobalHeader {
			other = tar.Header{Typeflag: kind, PAXRecords: map[string]string{"comment": "a commit"}}
		}
		text := packed(t, func(add func(string, int64, io.Reader)) { add("a.rego", 13, again("package acme\n")) }, other)
		_, err := LoadBundle(bytes.NewReader(text), "b", nil)
		if refused := err != nil && strings.Contains(err.Error(), "neither a file"); refused == (kind == tar.TypeDir || kind == tar.TypeXGlobalHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What stands behind the end of a bundle is no part of it that anybody signed
// or judged: there is nothing there.
func TestNothingBehindABundle(t *testing.T) {
	var good bytes.Buffer
	p, err := LoadDir(dirFS(map[string]string{"a.rego": "package acme\n"}), "own")
	if err == nil {
		err = p.WriteBundle(&good, BundleOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	unpacked := func() []byte {
		gz, err := gzip.NewReader(bytes.NewReader(good.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(gz)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}()
	again := func(b []byte) []byte {
		var out bytes.Buffer
		gz := gzip.NewWriter(&out)
		if _, err := gz.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := gz.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	for _, tt := range []struct {
		name   string
		bundle []byte
		ok     bool
	}{
		{"as it was written", good.Bytes(), true},
		{"packed again", again(unpacked), true},
		{"padding, as tar makes it", again(append(slices.Clone(unpacked), make([]byte, 10240)...)), true},
		{"a byte behind it", append(slices.Clone(good.Bytes()), 0), false},
		{"a text behind it", append(slices.Clone(good.Bytes()), "more"...), false},
		{"a second one behind it", append(slices.Clone(good.Bytes()), good.Bytes()...), false},
		{"an empty one behind it", append(slices.Clone(good.Bytes()), again(nil)...), false},
		{"a text behind the last file", again(append(slices.Clone(unpacked), "more"...)), false},
		{"a second archive behind the first", again(append(slices.Clone(unpacked), unpacked...)), false},
		{"cut off", good.Bytes()[:good.Len()-4], false},
	} {
		if _, err := LoadBundle(bytes.NewReader(tt.bundle), "b", nil); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// So is a directory.
func TestDirectoryBounds(t *testing.T) {
	rule := "package acme\n" + strings.Repeat("# a comment of an ordinary length, as people write them\n", 20000)
	if _, err := LoadDir(dirFS(map[string]string{"a.rego": rule, "b.rego": rule}), "own"); err == nil || !strings.Contains(err.Error(), "the rules are larger") {
		t.Errorf("%v", err)
	}
}
