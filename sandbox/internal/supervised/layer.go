package supervised

import (
	"archive/tar"
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"sallyport/sandbox/internal/runner"
)

// ClosedDir is a directory of a layer that the program cannot enter: who runs the
// sandbox may have to have a file inside that anybody could write.
const ClosedDir = runner.Dir + "/closed"

// additions are the files, by path, that an image gets.
func additions(reaches bool) map[string]string {
	files := map[string]string{}
	if reaches {
		files = runner.Resolving()
	}
	for name, text := range runner.Files() {
		files[runner.Dir+"/"+name] = text
	}
	return files
}

// Layer is what an image has to have besides the interpreter, as a tar file with
// everything owned by root: the supervisor at path, the runner, and what looks
// names up where programs reach hosts. The places of the writable mounts are made
// too: an image need not have them, and runc gives a mount without an owner the
// mode of what it covers.
func Layer(path string, guest []byte, reaches bool) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	add := func(h tar.Header, data []byte) error {
		h.Name = strings.TrimPrefix(h.Name, "/")
		h.Size = int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	}
	err := errors.Join(
		add(tar.Header{Typeflag: tar.TypeDir, Name: runner.Dir + "/", Mode: 0o755}, nil),
		add(tar.Header{Typeflag: tar.TypeDir, Name: ClosedDir + "/", Mode: 0o700}, nil),
		add(tar.Header{Typeflag: tar.TypeDir, Name: runner.WorkDir + "/", Mode: 0o1777}, nil),
		add(tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}, nil),
		add(tar.Header{Typeflag: tar.TypeReg, Name: path, Mode: 0o755}, guest))
	files := additions(reaches)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		err = errors.Join(err, add(tar.Header{Typeflag: tar.TypeReg, Name: path, Mode: 0o644}, []byte(files[path])))
	}
	err = errors.Join(err, w.Close())
	return buf.Bytes(), err
}
