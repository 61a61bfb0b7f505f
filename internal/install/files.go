package install

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sallyport/internal/hint"
	"sallyport/internal/trust"
)

// ReadFile reads up to limit bytes of a regular file that the user named. Its
// errors say what the file should have been.
func ReadFile(name, what string, limit int64) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noFile(name)
	case errors.Is(err, fs.ErrPermission):
		return nil, unreadable(name)
	case err != nil:
		return nil, hint.Usage("cannot read %s: %s", name, hint.Reason(err))
	case st.IsDir():
		return nil, hint.With(hint.Usage("%s is a directory, not %s", name, what), "name a file in it; sallyport check %s judges all its programs", name)
	case !st.Mode().IsRegular():
		return nil, hint.With(hint.Usage("%s is not a regular file", name), "give it on standard input: - <%s", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %s", name, hint.Reason(err))
	}
	return b, nil
}

// maxSmallFile bounds a secret, and what telemetry is configured with.
const maxSmallFile = 64 << 10

// readBounded reads a small file that the configuration names.
func readBounded(path string) ([]byte, error) {
	if err := trust.Path(filepath.Base(path), path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSmallFile+1))
	if err == nil && len(b) > maxSmallFile {
		return nil, fmt.Errorf("%s is larger than %d KiB", path, maxSmallFile>>10)
	}
	return b, err
}

// noFile is the error of a file that does not exist. It suggests one beside it
// with a similar name.
func noFile(name string) error {
	err := hint.Usage("no such file: %s", name)
	entries, rerr := os.ReadDir(filepath.Dir(name))
	if rerr != nil {
		return err // there is no such directory: that is hint enough
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if best := hint.Nearest(filepath.Base(name), names); best != "" {
		return hint.With(err, "did you mean %s?", filepath.Join(filepath.Dir(name), best))
	}
	return err
}

func unreadable(name string) error {
	return hint.With(hint.Usage("no permission to read %s", name), "let this user read it: chmod u+r, or another owner")
}
