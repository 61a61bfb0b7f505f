package runner

import (
	"fmt"
	"io"
	"slices"

	"sallyport/internal/hint"
	"sallyport/sandbox"
)

// Copied is s with its references by value, for a sandbox that cannot read a
// file of the host in place. They are data and nothing else, as they were.
func Copied(s sandbox.Spec) (sandbox.Spec, error) {
	if len(s.References) == 0 {
		return s, nil
	}
	l := s.Limits.WithDefaults()
	room := l.DiskBytes / 2 // which is that of the work directory
	s.Files = slices.Clone(s.Files)
	for _, r := range s.References {
		if r.Dir != "" {
			return s, hint.New(sandbox.ErrRefused, "use the backend gvisor with sallyport's own runsc, or give each file by --file",
				"%q is a directory, which this backend cannot have read in place", r.Path)
		}
		switch most := min(room, l.FileBytes); {
		case r.Bytes > l.FileBytes:
			return s, tooLarge(r, "limits.file_mb", most)
		case r.Bytes > room:
			return s, tooLarge(r, "limits.disk_mb", most)
		}
		data := make([]byte, r.Bytes)
		n, err := io.ReadFull(io.NewSectionReader(r.File, 0, r.Bytes), data)
		if err != nil && n < len(data) {
			return s, fmt.Errorf("%w: file %q became shorter while it was copied", sandbox.ErrRefused, r.Path)
		}
		room -= r.Bytes
		s.Files = append(s.Files, sandbox.File{Path: r.Path, Data: data})
	}
	s.References = nil
	return s, nil
}

func tooLarge(r sandbox.Reference, key string, most int64) error {
	return hint.New(sandbox.ErrRefused, "raise "+key+", or use the backend gvisor, which reads such a file in place",
		"file %q has %d bytes; this backend copies it, and %s leaves room for %d", r.Path, r.Bytes, key, most)
}
