package replace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A new file has its name when it is whole, and never in the place of another one.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := filepath.Join(dir, "out", "big.bin")
	err = New(root, "out/big.bin", func(w io.Writer) error {
		if _, err := w.Write([]byte("half")); err != nil {
			return err
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) { // as whoever finds it after a kill -9
			t.Errorf("half a file has its name already: %v", err)
		}
		_, err := w.Write([]byte(" and half"))
		return err
	})
	if b, rerr := os.ReadFile(name); err != nil || rerr != nil || string(b) != "half and half" {
		t.Fatalf("%q, %v, %v", b, err, rerr)
	}
	if err := New(root, "out/big.bin", Bytes([]byte("other"))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there was replaced: %v", err)
	}
	full := errors.New("disk full")
	if err := New(root, "out/other", func(io.Writer) error { return full }); !errors.Is(err, full) {
		t.Errorf("a file that cannot be written: %v", err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(found) != 1 {
		t.Errorf("there are %q, want the whole file alone", found)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "out", ".*")); len(found) != 0 {
		t.Errorf("%q was left", found)
	}
}
